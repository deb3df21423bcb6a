package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/model/local"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/secret"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/ossandbox"
	"github.com/tera-pilot/tera-pilot/tui"
	front "github.com/tera-pilot/tera-pilot/tui/app"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// errLeft says that the person left the start screen.
var errLeft = errors.New("left")

// modelChosen returns when there is a model to talk to: one that is configured,
// or one that the person takes on the start screen, which is then kept. A
// request is a session that the person wants to look at without one.
func (a *app) modelChosen(ctx context.Context, f sessionFlags, p place) (snap.Request, error) {
	for {
		mind, err := a.mind(ctx, p, secret.New())
		if err == nil && mind.Provider != nil {
			return snap.Request{}, nil
		}
		says := "No model is configured yet. Nothing has been sent."
		var unnamed *unnamedError
		switch {
		case errors.As(err, &unnamed):
			says = "A key of " + unnamed.preset.Title + " is there, and no model is named yet. Nothing has been sent."
		case err != nil && !a.keptChoice(p, err):
			return snap.Request{}, err
		case err != nil:
			says = err.Error()
		}
		look, err := a.welcome(ctx, f, p, says, unnamed)
		if err != nil || look != (snap.Request{}) {
			return look, err
		}
	}
}

// keptChoice says that an error is about the model that was chosen earlier, so
// that choosing again helps.
func (a *app) keptChoice(p place, err error) bool {
	if p.settings.Provider != "" || p.settings.Model != "" {
		return false
	}
	c, readErr := local.Chosen(p.state)
	return readErr == nil && !c.IsZero() && errors.As(err, new(*exitError))
}

// A greeting is the start screen as the person left it: what went wrong, and
// the addresses that were named.
type greeting struct {
	says      string
	addresses []string
}

// welcome is the start screen of a place without a model. It returns when a
// model was chosen, or a session to look at.
func (a *app) welcome(ctx context.Context, f sessionFlags, p place, says string, unnamed *unnamedError) (snap.Request, error) {
	g := greeting{says: says}
	for {
		start := a.startScreen(p, g.says)
		if unnamed != nil {
			start.Can = append([]snap.Action{{ID: nameModel + unnamed.preset.ID, Key: "m", Title: "Choose a model of " + unnamed.preset.Title}}, start.Can...)
		}
		t := a.terminal(f, p.settings)
		t.Start, t.Refresh = &start, func() snap.Start { return a.withServers(ctx, p, start, g.addresses) }
		d := desk{a: a, ctx: ctx, place: p}
		t.Desk = front.Desk{Checks: d.checks}
		if store, err := a.sessions(p.state); err == nil {
			d.store = store
			t.Desk.Sessions, t.Desk.Search = d.sessions, d.search
		}
		out, err := tui.Run(ctx, t)
		if err != nil {
			return snap.Request{}, err
		}
		if out.Next.Open != "" {
			return out.Next, nil
		}
		done, err := a.took(ctx, f, p, &g, out)
		if done || err != nil {
			return snap.Request{}, err
		}
	}
}

// took does what was chosen on a start screen; done says that a model was.
func (a *app) took(ctx context.Context, f sessionFlags, p place, g *greeting, out tui.Outcome) (done bool, err error) {
	id := out.Chosen
	if use, ok := strings.CutPrefix(id, useModel); ok {
		var c local.Choice
		if err := json.Unmarshal([]byte(use), &c); err != nil {
			return false, fmt.Errorf("start screen: %w", err)
		}
		return true, a.keep(ctx, p, c)
	}
	if id, ok := strings.CutPrefix(id, nameModel); ok {
		return a.nameModel(ctx, f, p, g, id)
	}
	if id, ok := strings.CutPrefix(id, enterKey); ok {
		if err := a.enterKey(ctx, p, id, out.Text); err != nil {
			g.says = "The key was not kept: " + err.Error()
			return false, nil
		}
		return a.nameModel(ctx, f, p, g, id)
	}
	switch id {
	case "demo":
		if err := a.demo(ctx, false); err != nil {
			return false, err
		}
		return false, errLeft
	case "doctor": // in lines, where there is no screen for it
		if err := a.doctor(ctx, p.root, false, false); err != nil {
			return false, err
		}
		return false, errLeft
	case "address":
		g.named(ctx, out.Text)
		return false, nil
	case "guide":
		_, err := a.choose(ctx, f, p, localScreen(p, totalMemory()))
		return false, err
	case "key":
		out, err := a.choose(ctx, f, p, keyScreen(p))
		if err != nil || out.Chosen == "back" {
			return false, err
		}
		return a.took(ctx, f, p, g, out)
	case "sessions": // which the screen shows itself, where they can be read
		if _, err := a.sessions(p.state); err != nil {
			g.says = "The stored sessions cannot be read: " + err.Error()
		}
		return false, nil
	case "back", "refresh":
		return false, nil
	default:
		return false, errLeft
	}
}

// named takes the address of a server of this machine, and says what answers
// there.
func (g *greeting) named(ctx context.Context, text string) {
	address, err := localAddress(text)
	if err != nil {
		g.says = err.Error()
		return
	}
	found, err := model.Discover(ctx, model.Discovery{Addresses: []string{address}, Only: true, Timeout: patience})
	switch at := strings.TrimPrefix(address, "http://"); {
	case err != nil:
		g.says = "Nobody could look at " + at + ": " + err.Error()
	case len(found) == 0:
		g.says = "Nothing that answers as a model server does stands at " + at + ". Nothing else has been sent there."
	case found[0].Kind == "":
		g.says = "What answers at " + at + " is no model server that tera-pilot knows."
	default:
		g.says = fmt.Sprintf("%s answers at %s, with %s. No prompt has been sent there.", found[0].Kind, at, counted(len(found[0].Models), "model"))
		if !slices.Contains(g.addresses, address) {
			g.addresses = append(g.addresses, address)
		}
	}
}

// localAddress is an address of this machine as a person types it: a port, a
// host and a port, or a URL, of which the path is left out.
func localAddress(text string) (string, error) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseUint(text, 10, 16); err == nil && n > 0 {
		text = "127.0.0.1:" + text
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Port() == "" || u.User != nil:
		return "", fmt.Errorf("that is no address: type HOST:PORT of this machine, such as 127.0.0.1:8080")
	case u.Scheme != "http":
		return "", fmt.Errorf("a server of this machine is asked over http, not %s", visible.Strict(u.Scheme))
	}
	if ip, err := netip.ParseAddr(u.Hostname()); (err != nil || !ip.IsLoopback()) && u.Hostname() != "localhost" {
		return "", fmt.Errorf("%s is not this machine: another one is named in config.json, as base_url of a provider with allow_remote (docs/models.md)", visible.Strict(u.Hostname()))
	}
	return "http://" + u.Host, nil
}

// choose shows a screen of choices and gives the one that was made; leaving it
// is going back.
func (a *app) choose(ctx context.Context, f sessionFlags, p place, s snap.Start) (tui.Outcome, error) {
	s.Back, s.Root, s.Level, s.Sandbox = true, p.root, p.settings.Autonomy, p.settings.Sandbox+" ?"
	t := a.terminal(f, p.settings)
	t.Start = &s
	out, err := tui.Run(ctx, t)
	out.Chosen = cmp.Or(out.Chosen, "back")
	return out, err
}

// keep stores the choice of a model and states it in the audit log.
func (a *app) keep(ctx context.Context, p place, c local.Choice) error {
	if err := statedir.Ensure(p.state); err != nil {
		return usage("%w", err)
	}
	title := visible.Strict("the model " + c.Model + " of " + c.Provider + " was chosen")
	return a.recorded(ctx, p.state, audit.SettingsChange(title, "", "", "chosen_model.json"), func() error {
		return local.Choose(p.state, c)
	})
}

// enterKey stores a key that was typed without being shown.
func (a *app) enterKey(ctx context.Context, p place, id, key string) error {
	if err := statedir.Ensure(p.state); err != nil {
		return err
	}
	return a.recorded(ctx, p.state, audit.SettingsChange("key "+id+" set", "", "", "key "+id), func() error {
		return a.keys(p.state).Set(id, "stdin", strings.NewReader(key))
	})
}

// nameModel lets the person choose a model of a provider.
func (a *app) nameModel(ctx context.Context, f sessionFlags, p place, g *greeting, id string) (done bool, err error) {
	preset, ok := model.PresetByID(id)
	if !ok {
		return false, nil
	}
	known, err := catalogue(p.state)
	if err != nil {
		return false, err
	}
	s := snap.Start{Folder: short(p.root, p.home), Says: "Which model of " + preset.Title + "? Prices are dollars a million tokens, in and out."}
	for _, m := range known.Models {
		if m.Provider == id && len(s.Can) < len(letters)-1 {
			s.Can = append(s.Can, snap.Action{ID: useChoice(local.Choice{Provider: id, Model: m.Model}), Key: letters[len(s.Can) : len(s.Can)+1], Title: m.Model + "  " + windowText(m.Context) + "  " + priceText(m.Prices)})
		}
	}
	s.Can = append(s.Can, snap.Action{ID: "type", Key: "z", Title: "Another: type its name", Input: &snap.Input{Label: "name of the model, as " + preset.Title + " writes it:"}})
	out, err := a.choose(ctx, f, p, s)
	switch {
	case err != nil || out.Chosen == "back":
		return false, err
	case out.Chosen == "type":
		return true, a.keep(ctx, p, local.Choice{Provider: id, Model: out.Text})
	default:
		return a.took(ctx, f, p, g, out)
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

// startScreen says how things stand, and what can be done without a model.
func (a *app) startScreen(p place, says string) snap.Start {
	s := snap.Start{
		Root: p.root, Folder: short(p.root, p.home), Says: says,
		Level: p.settings.Autonomy, Sandbox: p.settings.Sandbox + " ?",
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
			"docs/local-models.md has a guide for each.",
		},
		Can: []snap.Action{{ID: "back", Key: "b", Title: "Back, and look again"}},
	}
}

// withServers adds the model servers that answer on this machine, their models
// as what can be done, and the grade of the sandbox.
func (a *app) withServers(ctx context.Context, p place, s snap.Start, named []string) snap.Start {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	s.Local, s.Notes = slices.Clone(s.Local), slices.Clone(s.Notes)
	around := a.lookAround(p)
	around.Addresses = append(around.Addresses, named...)
	found, err := model.Discover(ctx, around)
	if err != nil {
		s.Notes = append(s.Notes, "local servers could not be looked for: "+err.Error())
	}
	for i := range s.Local {
		s.Local[i].State, s.Local[i].Hint = "not answering", "start it, then press r"
	}
	var use []snap.Action
	for _, x := range found {
		at := strings.TrimPrefix(x.Address, "http://")
		s.Local = slices.DeleteFunc(s.Local, func(l snap.Server) bool { return l.Address == at })
		s.Local = append([]snap.Server{server(x)}, s.Local...)
		for _, m := range x.Models {
			if x.Kind != "" && len(use) < maxOffered {
				use = append(use, offered(x, m, len(use)+1))
			}
		}
	}
	s.Can = append(use, s.Can...)
	if setting, err := ossandbox.ParseSetting(p.settings.Sandbox); err == nil {
		r := ossandbox.Probe(ctx, ossandbox.Config{Root: p.root, Home: p.home, State: p.state, Env: a.env, Setting: setting})
		s.Sandbox = p.settings.Sandbox + " " + r.Grade.String()
	}
	return s
}

// lookAround says where servers of this machine are looked for: the usual
// ports, OLLAMA_HOST, and the addresses of the settings and of the last choice.
func (a *app) lookAround(p place) model.Discovery {
	var d model.Discovery
	if preset, ok := model.PresetByID("ollama"); ok {
		if cfg, err := preset.FromEnv(a.getenv); err == nil {
			d.Addresses = append(d.Addresses, cfg.BaseURL)
		}
	}
	for _, mine := range p.settings.Providers {
		d.Addresses = append(d.Addresses, mine.BaseURL)
	}
	if c, err := local.Chosen(p.state); err == nil {
		d.Addresses = append(d.Addresses, c.Address)
	}
	slices.Sort(d.Addresses)
	return d
}

// maxOffered is how many models of local servers can be started with one key.
const maxOffered = 5

// offered is a model as an action. Taking it is the yes to its server.
func offered(x model.Found, m model.FoundModel, n int) snap.Action {
	window := local.Window(x, m, 0, freeMemory())
	act := snap.Action{
		ID: useChoice(local.Choice{Provider: x.Kind, Address: x.BaseURL, Model: m.Name}), Key: fmt.Sprint(n),
		Title: "Use " + m.Name + " of " + x.Kind + ", " + tokensText(window) + " window",
	}
	if window < leastWindow {
		act.Note = "too small for the instructions"
	}
	return act
}

// server is one local server that was found.
func server(x model.Found) snap.Server {
	s := snap.Server{Name: x.Kind, Address: strings.TrimPrefix(x.Address, "http://"), State: counted(len(x.Models), "model")}
	switch {
	case x.Kind == "":
		s.Name, s.State, s.Hint = "unknown", "answers", "no model server that tera-pilot knows"
	case x.Loading:
		s.State = "loads its model"
	case len(x.Models) == 0:
		s.Hint = "it has no model yet"
	}
	return s
}
