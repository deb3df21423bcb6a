package main

import (
	"encoding/json"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/model/local"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// startScreen says how things stand, and what can be done without a model.
func (a *app) startScreen(p place, says string) snap.Start {
	s := snap.Start{
		Root: p.root, Folder: short(p.root, p.home), Says: says,
		Level: p.settings.Autonomy, Sandbox: a.box(p),
		Local: []snap.Server{
			{Name: "ollama", Address: "127.0.0.1:11434", State: "looking ..."}, {Name: "llama-server", Address: "127.0.0.1:8080", State: "looking ..."},
			{Name: "lmstudio", Address: "127.0.0.1:1234", State: "looking ..."}, {Name: "vllm", Address: "127.0.0.1:8000", State: "looking ..."},
		},
		Can: []snap.Action{
			{ID: "demo", Key: "d", Title: "Play the demo (scripted, nothing leaves here)"},
			{ID: "refresh", Key: "r", Title: "Look again for a local model"},
			{ID: "address", Key: "l", Title: "Enter the address of a local model", Input: &snap.Input{Label: "address, such as 127.0.0.1:8080:"}},
			{ID: "guide", Key: "s", Title: "Set up a model on this machine: the commands"},
			{ID: "key", Key: "k", Title: "Enter the key of a provider"},
			{ID: "sessions", Key: "o", Title: "Open a recorded session to look around"},
			{ID: "doctor", Key: "t", Title: "Self test: sandbox, signer, model"},
		},
	}
	for _, preset := range model.Presets() {
		if preset.KeyEnv != "" && !preset.Local && preset.ID != "openai-chat" && len(s.Remote) < 6 {
			state := "set " + preset.KeyEnv
			if a.getenv(preset.KeyEnv) != "" {
				state = preset.KeyEnv + " is set"
			}
			s.Remote = append(s.Remote, fmt.Sprintf("%-12s %s", preset.ID, state))
		}
	}
	return s
}

// keyScreen asks whose key it is.
func keyScreen(p place) snap.Start {
	s := snap.Start{
		Folder: short(p.root, p.home), Says: "Whose key? It is not shown, kept in keys.json of the state folder, readable by you alone, and sent to that provider only.",
		Notes: []string{"by reference instead: tera-pilot keys set NAME --from env:VAR (or file:/PATH)"},
	}
	for _, preset := range model.Presets() {
		if preset.NeedsKey && len(s.Can) < len(letters) {
			s.Can = append(s.Can, snap.Action{ID: enterKey + preset.ID, Key: letters[len(s.Can) : len(s.Can)+1], Title: preset.Title,
				Input: &snap.Input{Label: "key of " + preset.Title + ":", Hidden: true}})
		}
	}
	return s
}

// localScreen says how a model gets onto this machine. Nothing is fetched here.
func localScreen(p place, memory int64) snap.Start {
	pull, size := "qwen3:4b", 3
	for _, m := range []struct {
		memory int64 // GiB
		name   string
		size   int // GB to fetch
	}{{12, "qwen3:8b", 5}, {24, "gpt-oss:20b", 14}, {40, "qwen3-coder:30b", 19}} {
		if memory >= m.memory<<30 {
			pull, size = m.name, m.size
		}
	}
	machine := "how much memory this machine has is not known"
	if memory > 0 {
		machine = fmt.Sprintf("this machine has %d GiB of memory", memory>>30)
	}
	return snap.Start{
		Folder: short(p.root, p.home), Says: "A model on this machine. tera-pilot fetches nothing: these commands are for you to run, in another terminal.",
		Notes: []string{
			fmt.Sprintf("Ollama        ollama pull %s     about %d GB to fetch; %s", pull, size, machine),
			"LM Studio     load a model, then start the server in its developer view; a window of 16k tokens or more",
			"llama-server  llama-server -m MODEL.gguf --jinja -c 32768",
			"vLLM          vllm serve MODEL --enable-auto-tool-choice --tool-call-parser hermes",
			"A guide for each: docs/local-models.md in the repository of tera-pilot itself, github.com/tera-pilot/tera-pilot.",
		},
		Can: []snap.Action{{ID: "back", Key: "b", Title: "Back, and look again"}},
	}
}

// letters are the keys of the rows of a screen of choices.
const letters = "abcdefghijklmnopqrstuvwxyz"

// What an action does, before what it does it with.
const (
	useModel  = "use "  // a local.Choice as JSON
	nameModel = "name " // a provider
	enterKey  = "key "  // a provider
)

func useChoice(c local.Choice) string {
	b, err := json.Marshal(c)
	if err != nil {
		return "back" // three strings always encode
	}
	return useModel + string(b)
}
