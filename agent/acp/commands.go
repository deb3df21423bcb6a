package acp

import (
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/acp/wire"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/strictjson"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// builtins are the slash commands that mean something in an editor. What an
// editor has a selector for (modes, the model, thought) is none of them.
var builtins = []commandInfo{
	{"compact", "Sum up the older part of the conversation; nothing is lost from the log", &commandInput{"back: take the last summary back"}},
	{"mcp", "MCP servers: how they do; their resources and prompts; reconnect, off, on", &commandInput{"resources NAME, read NAME URI, prompts NAME, prompt NAME PROMPT, reconnect NAME, off NAME, on NAME"}},
	{"undo", "Put back what the agent's last turn changed, and only that", &commandInput{"all: of the whole session"}},
}

// A slash is a builtin that a person typed.
type slash struct {
	name    string
	command event.Command
}

// typed is the builtin that a message is, if it is one. A message with more
// than the command in it is a message.
func typed(m said) (slash, bool) {
	if len(m.attached) > 0 || len(m.images) > 0 {
		return slash{}, false
	}
	if words, ok := strings.CutPrefix(strings.TrimSpace(m.text)+" ", "/mcp "); ok && !strings.Contains(words, "\n") {
		return slash{"mcp", event.Servers{Words: strings.TrimSpace(words)}}, true
	}
	switch strings.Join(strings.Fields(m.text), " ") {
	case "/compact":
		return slash{"compact", event.Compact{}}, true
	case "/compact back":
		return slash{"compact", event.Compact{Back: true}}, true
	case "/undo":
		return slash{"undo", event.Undo{}}, true
	case "/undo all":
		return slash{"undo", event.Undo{All: true}}, true
	default:
		return slash{}, false
	}
}

// do carries a builtin out. Its request is answered when it is over.
func (s *session) do(r *wire.Request, c slash) error {
	s.mu.Lock()
	s.prompt, s.doing = r, c.name
	s.mu.Unlock()
	err := s.opened.Send(c.command)
	if err != nil {
		s.taken()
	}
	return err
}

// done sees the events that end a builtin, and says what came of it. taken is
// true for an event that was shown.
func (s *session) done(b event.Body) (taken bool) {
	s.mu.Lock()
	doing, reason := s.doing, "end_turn"
	if s.stopped {
		reason = "cancelled"
	}
	s.mu.Unlock()
	switch b := b.(type) {
	case event.Compacted:
		s.view.say(fmt.Sprintf("The older part of the conversation is summed up from now on: about %d tokens before, %d after. `/compact back` takes that back.", b.From, b.To))
		return true
	case event.Uncompacted:
		s.view.say("The summary is taken back: the whole conversation is sent again.")
		return true
	case event.Notice:
		if doing == "" || doing != b.Key {
			return false
		}
		s.view.say(strings.TrimSpace(b.Text + "  " + b.Hint))
		if doing == "undo" || doing == "mcp" {
			s.answer(reason)
		}
		return true
	case event.Working:
		if doing == "compact" && b.On == "" {
			s.answer(reason)
		}
	}
	return false
}

// offer tells the client which slash commands there are: ours, and those that
// the person has ready.
func (s *session) offer(own []event.SlashCommand) {
	list := append([]commandInfo{}, builtins...)
	for _, c := range own {
		list = append(list, commandInfo{visible.Strict(c.Name), visible.Strict(c.Does + " (" + c.From + ")"), &commandInput{"arguments"}})
	}
	s.update(commandsUpdate{"available_commands_update", list})
}

// maxNamed is how many servers of a client are named.
const maxNamed = 5

// welcome says what a client has to know of a session that was just opened. Its
// MCP servers stay inert: the person approves servers, not an editor.
func (s *session) welcome(p params) {
	servers, err := p.list("mcpServers", false)
	if err != nil || len(servers) == 0 {
		return
	}
	var names []string
	for _, raw := range servers {
		member, err := strictjson.Object(raw)
		if err != nil || len(names) == maxNamed {
			continue
		}
		if name, ok := stringOf(member["name"]); ok {
			names = append(names, strings.Join(strings.Fields(strings.ToValidUTF8(name[:min(len(name), 60)], "")), " "))
		}
	}
	s.view.notice(event.Notice{Severity: "warn", Text: fmt.Sprintf("the editor passed %d MCP servers (%s): they are not started", len(servers), strings.Join(names, ", ")),
		Hint: "`tera-pilot mcp add` and `tera-pilot mcp approve` let one in"})
}
