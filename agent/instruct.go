package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/guide"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// instruct tells what the project's own files say to the model, and what was
// left out. It is told again when a session goes on and the files are others.
func (s *Session) instruct() error {
	state, err := s.owner.state()
	if err != nil {
		return err
	}
	var bodies []event.Body
	hash := ""
	for _, f := range s.o.Notes.Files {
		hash += f.Path + " " + f.SHA256 + "\n"
		text := fmt.Sprintf("%s is read by the model: %s, sha256 %.12s", visible.Strict(f.Path), size(f.Size), f.SHA256)
		if f.Cut {
			text += fmt.Sprintf("; only the first of %d bytes in all", guide.MaxNotes)
		}
		bodies = append(bodies, event.Notice{Severity: "info", Text: text})
	}
	if hash != state.NotesHash {
		bodies = append(bodies, s.o.Notes)
	}
	if (hash != "" || s.o.Skills != "") && !slices.Contains(state.Taint, "file") {
		bodies = append(bodies, event.Tainted{Source: "file", What: "notes of the project"})
	}
	for _, p := range s.o.Problems {
		bodies = append(bodies, event.Notice{Severity: "warn", Text: p})
	}
	if len(s.o.Past) > 0 && planned(s.o.Past) {
		bodies = append(bodies, planNudge(false, state.Turn))
	}
	if len(bodies) == 0 {
		return nil
	}
	return s.owner.emit(bodies...)
}

// planned says that the model was last told of plan mode that it is on.
func planned(past []event.Event) bool {
	for i := len(past) - 1; i >= 0; i-- {
		if n, ok := past[i].Body.(event.Nudged); ok && n.Kind == "plan" {
			return n.Text == planNote
		}
	}
	return false
}

// offered is what front ends are told of commands.
func offered(commands []guide.Command) []event.SlashCommand {
	var out []event.SlashCommand
	for _, c := range commands {
		out = append(out, event.SlashCommand{Name: c.Name, Does: c.Does, From: c.From})
	}
	return out
}

// expand gives what is sent for a message of the person, and what of it the
// person typed.
func (s *Session) expand(text string) (sent, typed string) {
	sent, typed = text, text
	_ = s.owner.do(func(o *owned) { sent, typed = s.expandIn(o, text) }) // an ended session sends nothing
	return sent, typed
}

// expandIn is expand in the owner's goroutine. The text of a project's command
// is a repository's: it taints the session.
func (s *Session) expandIn(o *owned, text string) (sent, typed string) {
	word, args, _ := strings.Cut(strings.TrimSpace(text), " ")
	name, ok := strings.CutPrefix(word, "/")
	if !ok {
		return text, text
	}
	for _, c := range s.o.Commands {
		if c.Name != name {
			continue
		}
		if c.From != "user" && !slices.Contains(o.state.Taint, "file") {
			o.tell(event.Tainted{Source: "file", What: "the command /" + c.Name + " of the project"})
		}
		return c.Expand(args), args
	}
	return text, text
}

// maxMentions is how many files of a message are read for it.
const maxMentions = 10

// mention is @name at the beginning of a word; with quotes it may have blanks.
var mention = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\s(])@(?:"([^"\n]+)"|([^\s"@]+))`)
})

// mentions reads the files that a message names, by the road that every call
// takes: what may not be read without a question is asked about here too.
func (s *Session) mentions(ctx context.Context, typed string) error {
	done := map[string]bool{}
	for _, m := range mention().FindAllStringSubmatch(typed, -1) {
		name := m[1]
		if name == "" {
			name = strings.TrimRight(m[2], ".,;:!?)'")
		}
		if name == "" || done[name] || len(done) >= maxMentions || ctx.Err() != nil {
			continue
		}
		p, err := s.o.World.View(s.disp.seen).Path(ctx, name)
		if err != nil || !p.Exists {
			continue // a word with an @, and no file
		}
		done[name] = true
		if err := s.readFor(ctx, name, p.Type.String() == "folder"); err != nil {
			return err
		}
	}
	return nil
}

// readFor reads one file, or lists one folder, for the person's message.
func (s *Session) readFor(ctx context.Context, name string, folder bool) error {
	tool, field := "read_file", "path"
	if folder {
		tool, field = "list_files", "directory"
	}
	args, err := json.Marshal(map[string]string{field: name})
	if err != nil {
		return err
	}
	_, err = s.disp.Call(ctx, event.Call{ID: "mention_" + newAID(), Tool: tool, Args: args, Origin: "native", Status: callOK})
	return err
}
