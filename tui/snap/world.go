package snap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// Job is a command that runs in the background.
type Job struct{ ID, Call, Title string }

// Egress is what left the machine in this session.
type Egress struct {
	Times, Blocked int
	Sent, Received int64
}

// maxLeft is how much of what left for one call is kept by name.
const maxLeft = 64

// applyWorld applies what is about windows, rules, the model's context, jobs
// and the network.
func (s *State) applyWorld(e event.Event) bool {
	tell := func(word, text, by string) {
		s.aside(&Item{Kind: Change, Told: &Told{Word: word, Text: text, By: by, At: e.Time}})
	}
	switch b := e.Body.(type) {
	case event.WindowChanged:
		s.window(b, tell)
	case event.PolicyChanged:
		tell("rules", strings.TrimSpace(b.What+" "+b.Rule), "")
	case event.ThoughtChanged:
		s.Thought = b.Level
		tell("thinking", b.Level, "")
	case event.Masked:
		tell("context", fmt.Sprintf("%d old results are no longer sent to the model  -%s tokens", len(b.Calls), short(b.Freed)), "")
	case event.Compacted:
		s.aside(&Item{Kind: Change, Told: &Told{Word: "compacted", Body: b.Summary, At: e.Time, Text: fmt.Sprintf("what came before is sent as a summary  %s -> %s tokens; the log keeps all of it", short(b.From), short(b.To))}})
	case event.Uncompacted:
		tell("compacted", "taken back: all of it is sent again", "")
	case event.JobChanged:
		s.job(b, tell)
	case event.Nudged:
		s.aside(&Item{Kind: Change, Told: &Told{Word: "program", Text: nudge(b.Kind), Body: b.Text, At: e.Time}})
	case event.Instructed:
		s.instructed(b, e)
	case event.Offered:
		s.Offered = b.Commands
	case event.UndoPoints:
		s.Points = b.Points
	case event.UndoPlan:
		s.Plan = &b
	case event.Egress:
		s.egress(b, e)
	default:
		return false
	}
	return true
}

func (s *State) window(b event.WindowChanged, tell func(word, text, by string)) {
	was := s.Windowed
	s.Windowed, s.Until = b.Mode, b.Until
	switch {
	case b.Mode != "":
		tell("window", b.Mode+" until "+b.Until.Local().Format("15:04:05"), "")
	case b.Why != "":
		tell("window", was+" ended: "+b.Why, "")
	default:
		tell("window", was+" ended", "")
	}
}

func (s *State) job(b event.JobChanged, tell func(word, text, by string)) {
	s.Jobs = slices.DeleteFunc(slices.Clone(s.Jobs), func(j Job) bool { return j.ID == b.Job })
	if b.Status == "running" {
		s.Jobs = append(s.Jobs, Job{b.Job, b.Call, b.Title})
		return
	}
	text := b.Title + "  " + b.Status
	if b.Exit != nil {
		text += fmt.Sprintf("  exit %d", *b.Exit)
	}
	tell("job", text, "")
}

// egress counts what left, notes it at the call it belongs to, and shows whom a
// call talks to: in the status line while it runs, and once a host in the
// transcript.
func (s *State) egress(b event.Egress, e event.Event) {
	l := &s.Left
	l.Times++
	l.Sent, l.Received = l.Sent+b.Sent, l.Received+b.Received
	if b.Status != "ok" {
		l.Blocked++
	}
	if it := s.calls[b.Call]; it != nil && b.Call != "" && it.Told == nil {
		it.told(s.now)
		it.Rev++
	} else if it != nil && b.Call != "" && len(it.Call.Left) < maxLeft {
		line := fmt.Sprintf("%s %s  %d bytes out, %d in", b.Method, b.Host, b.Sent, b.Received)
		if b.Status != "ok" {
			line = fmt.Sprintf("%s %s  %s: %s", b.Method, b.Host, b.Status, b.Reason)
		}
		it.Call.Left = append(it.Call.Left, strings.TrimSpace(line))
		it.told(s.now)
		it.Rev++
	}
	if s.netCall == "" {
		s.netRest = s.Network
	}
	if s.netCall != b.Call || s.netTold == nil {
		s.netCall, s.netTold = b.Call, map[string]bool{}
	}
	text := b.Host
	if b.Status != "ok" {
		text += " " + b.Status
	}
	if b.Call != "" {
		s.Network = text
	}
	if s.netTold[text] {
		return
	}
	s.netTold[text] = true
	if b.Reason != "" {
		text += ": " + b.Reason
	}
	s.aside(&Item{Kind: Change, Told: &Told{Word: "network", Text: strings.TrimSpace(b.Method + " " + text), At: e.Time}})
}

// nudge is why the program itself told the model something.
func nudge(kind string) string {
	switch kind {
	case "loop":
		return "told the model that it repeats itself"
	case "edits":
		return "told the model that its edits do not fit"
	case "verify":
		return "told the model to check its work"
	case "empty":
		return "told the model that its answer was empty"
	case "plan":
		return "told the model how to plan"
	default:
		return "told the model: " + kind
	}
}

// instructed says which notes of the project the model reads.
func (s *State) instructed(b event.Instructed, e event.Event) {
	var names []string
	for _, f := range b.Files {
		name := f.Path
		if f.Cut {
			name += " (its beginning)"
		}
		names = append(names, name)
	}
	text := "the model reads " + strings.Join(names, ", ")
	if len(names) == 0 {
		text = "the model reads none any more"
	}
	s.aside(&Item{Kind: Change, Told: &Told{Word: "notes", Text: text, Body: b.Text, At: e.Time}})
}

// Talking says that Network is about a call that runs.
func (s *State) Talking() bool { return s.netCall != "" }

// images says how many pictures came with a message.
func images(refs []event.ImageRef) string {
	switch len(refs) {
	case 0:
		return ""
	case 1:
		return "with a picture: " + refs[0].Name
	default:
		return fmt.Sprintf("with %d pictures", len(refs))
	}
}

// short is a number of tokens for people.
func short(n int64) string {
	if n >= 1000 {
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}
