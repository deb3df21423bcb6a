package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// serversKey is what notices about MCP servers are told under.
const serversKey = "mcp"

// serversUse are the words that /mcp takes.
const serversUse = "/mcp, /mcp log NAME, /mcp resources NAME, /mcp read NAME URI, /mcp prompts NAME, /mcp prompt NAME PROMPT [ARG=VALUE]…, /mcp approve NAME, /mcp reconnect NAME, /mcp off NAME, /mcp on NAME"

// askServers carries out what the person wants of the MCP servers. What only
// looks, and what ends a server, is done beside the turns; the rest waits for
// none to run, since it comes before the model.
func (s *Session) askServers(o *owned, c event.Servers) {
	words, err := splitWords(c.Words)
	switch verb := first(words); {
	case o.closing:
	case err != nil:
		o.tell(serversNotice("warn", err.Error()))
	case s.o.World.Servers() == nil:
		o.tell(serversNotice("warn", "there are no MCP servers here"))
	case len(words) == 0:
		s.aside(func(context.Context) { _ = s.owner.emit(serversNotice("info", s.health())) }) // an ended session has nobody to tell
	case verb == "log" && len(words) == 2:
		s.aside(func(context.Context) { _ = s.owner.emit(serversNotice("info", s.lastWords(words[1]))) })
	case slices.Contains([]string{"off", "on", "reconnect"}, verb) && len(words) == 2:
		s.aside(func(ctx context.Context) { s.switchServer(ctx, verb, words[1]) })
	case verb == "approve" && len(words) == 2, s.asking(words) != nil:
		switch {
		case o.busy && o.state.TurnOpen:
			o.tell(serversNotice("warn", "the agent is at work: stop it first, or wait"))
		case o.busy: // between two turns: it will soon be known which
			o.later(func(o *owned) { s.askServers(o, c) })
		case verb == "approve":
			s.start(o, task{approve: words[1]})
		default:
			s.start(o, task{asking: s.asking(words)})
		}
	default:
		o.tell(serversNotice("warn", "not understood; there is "+serversUse))
	}
}

func serversNotice(severity, text string) event.Notice {
	return event.Notice{Severity: severity, Key: serversKey, Text: text}
}

func first(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// splitWords parts a line at its blanks; within double quotes they count as letters.
func splitWords(line string) ([]string, error) {
	var out []string
	var b strings.Builder
	quoted, any := false, false
	for _, r := range line {
		switch {
		case r == '"':
			quoted, any = !quoted, true
		case !quoted && (r == ' ' || r == '\t'):
			if any {
				out = append(out, b.String())
			}
			b.Reset()
			any = false
		default:
			b.WriteRune(r)
			any = true
		}
	}
	if quoted {
		return nil, errors.New("a quotation mark is not closed")
	}
	if any {
		out = append(out, b.String())
	}
	return out, nil
}

// serversAlone does between two turns what the person wants of a server.
func (s *Session) serversAlone(ctx context.Context, t task) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := s.owner.do(func(o *owned) { o.stoppedBy(cancel) })
	note := event.Notice{}
	switch {
	case err != nil:
		return
	case ctx.Err() != nil:
		note = serversNotice("info", "stopped before it was begun")
	case t.asking != nil:
		note, err = s.askServer(ctx, *t.asking)
	default:
		note, err = s.approveServer(ctx, t.approve)
	}
	if err != nil {
		note = serversNotice("error", visible.Prose(err.Error()))
	}
	_ = errors.Join(s.owner.emit(note), s.owner.barrier(), s.tellHead()) // an ended session has nobody to tell
}

// health lists the servers, one a line.
func (s *Session) health() string {
	var b strings.Builder
	for _, h := range s.o.World.Servers().Health() {
		state := "not started"
		switch {
		case h.Off:
			state = "off for this session"
		case h.Why != "":
			state = "withdrawn: " + h.Why
		case h.Runs:
			state = "running"
		}
		facts := []string{h.Entry.Name, state, fmt.Sprintf("%d tools", h.Tools)}
		if h.Starts > 1 {
			facts = append(facts, fmt.Sprintf("started %d times", h.Starts))
		}
		if h.Noise > 0 {
			facts = append(facts, fmt.Sprintf("%d lines of noise", h.Noise))
		}
		if h.Login {
			facts = append(facts, "logged in")
		}
		b.WriteString(visible.Strict(strings.Join(facts, "  ")) + "\n")
	}
	if b.Len() == 0 {
		return "no MCP server is set up: `tera-pilot mcp add NAME -- COMMAND`"
	}
	n := strings.Count(b.String(), "\n")
	if n == 1 {
		return strings.TrimSuffix(b.String(), "\n")
	}
	return fmt.Sprintf("%d MCP servers\n%s", n, strings.TrimSuffix(b.String(), "\n"))
}

// lastWords are the last lines of a server's stderr.
func (s *Session) lastWords(name string) string {
	for _, h := range s.o.World.Servers().Health() {
		if h.Entry.Name == name && h.Words != "" {
			return "the last words of " + name + ":\n" + strings.Join(visible.StrictLines(h.Words), "\n")
		}
	}
	return "nothing is known that " + visible.Strict(name) + " wrote to its stderr"
}

// switchServer ends a server, or lets it be started again. It is stated first.
func (s *Session) switchServer(ctx context.Context, verb, name string) {
	what := map[string]string{"off": "switched off for the session", "on": "switched on again", "reconnect": "ended, to be started anew"}[verb]
	servers := s.o.World.Servers()
	err := s.record(audit.PinChange(what, visible.Strict(name), "", "", "", s.disp.person()))
	if err == nil && verb == "reconnect" {
		err = servers.Restart(name)
	} else if err == nil {
		err = servers.Switch(name, verb == "off")
	}
	note := serversNotice("info", "MCP server "+visible.Strict(name)+": "+what)
	if err != nil {
		note = serversNotice("warn", visible.Prose(err.Error()))
	}
	_ = errors.Join(s.owner.emit(note), s.owner.barrier(), s.tellHead()) // an ended session has nobody to tell
}
