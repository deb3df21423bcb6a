package snap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// applyWorld applies what goes on around the conversation: what of it the model
// gets, what runs beside it, and what left the machine.
func (s *State) applyWorld(e event.Event) bool {
	switch b := e.Body.(type) {
	case event.Masked:
		s.Talk.tell(e, "context", fmt.Sprintf("%d old results are no longer sent to the model  -%s tokens", len(b.Calls), short(b.Freed)))
	case event.Compacted:
		s.Talk.aside(&Item{Kind: Change, Told: &Told{Word: "compacted", Body: b.Summary, At: e.Time, Text: fmt.Sprintf("what came before is sent as a summary  %s -> %s tokens; the log keeps all of it", short(b.From), short(b.To))}})
	case event.Uncompacted:
		s.Talk.tell(e, "compacted", "taken back: all of it is sent again")
	case event.Nudged:
		s.Talk.aside(&Item{Kind: Change, Told: &Told{Word: "program", Text: nudge(b.Kind), Body: b.Text, At: e.Time}})
	case event.Instructed:
		s.Talk.aside(&Item{Kind: Change, Told: &Told{Word: "notes", Text: instructed(b), Body: b.Text, At: e.Time}})
	case event.JobChanged:
		s.job(b, e)
	case event.Egress:
		s.egress(b, e)
	case event.Spent:
		s.Spent.pay(b.Usage)
	case event.Refused:
		s.Talk.tell(e, "sub-agent", b.Decision+"  "+b.Title+": "+b.Reason)
	default:
		return false
	}
	return true
}

func (s *State) job(b event.JobChanged, e event.Event) {
	s.Jobs = slices.DeleteFunc(slices.Clone(s.Jobs), func(j Job) bool { return j.ID == b.Job })
	if b.Status == "running" {
		s.Jobs = append(s.Jobs, Job{b.Job, b.Call, b.Title})
		return
	}
	text := b.Title + "  " + b.Status
	if b.Exit != nil {
		text += fmt.Sprintf("  exit %d", *b.Exit)
	}
	s.Talk.tell(e, "job", text)
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
func instructed(b event.Instructed) string {
	if len(b.Files) == 0 {
		return "the model reads none any more"
	}
	var names []string
	for _, f := range b.Files {
		name := f.Path
		if f.Cut {
			name += " (its beginning)"
		}
		names = append(names, name)
	}
	return "the model reads " + strings.Join(names, ", ")
}

// short is a number of tokens for people.
func short(n int64) string {
	if n >= 1000 {
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}
