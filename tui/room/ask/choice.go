package ask

import (
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/safe"
)

// AskLevel is the kind of the front end's own question: whether to raise the
// level. The core asks none of this kind.
const AskLevel event.QuestionKind = "level"

// choice is one answer key.
type choice struct {
	key    string
	name   safe.Text
	short  safe.Text // for narrow screens
	allows bool      // something may happen then: all must have been read
	do     func(*Room) Outcome
}

// choice is the answer of a key, as things stand.
func (r *Room) choice(key string) (choice, bool) {
	for _, c := range r.choices() {
		if c.key == key {
			return c, true
		}
	}
	return choice{}, false
}

// choices are the answers to the question as it stands: what is not true now
// is not offered.
func (r *Room) choices() []choice {
	if r.Revising() {
		return nil // this question is closed
	}
	if r.mode == scoping {
		return []choice{{"a", safe.Lit("allow this from now on"), safe.Lit("allow"), true, (*Room).allowScope}}
	}
	reject := choice{"r", safe.Lit("reject with reason"), safe.Lit("reason"), false, (*Room).startReason}
	deny := choice{"x", safe.Lit("deny"), safe.Lit("deny"), false, (*Room).deny}
	switch r.q.Kind {
	case AskLevel:
		return []choice{deny}
	case event.AskUser:
		if r.form != nil {
			return r.formChoices()
		}
		deny.name, deny.short = safe.Lit("give no answer"), safe.Lit("no answer")
		out := []choice{{"t", safe.Lit("type an answer"), safe.Lit("type"), true, (*Room).startText}, deny}
		if len(r.q.Options) > 0 {
			out = append([]choice{{"a", safe.Lit("answer with the chosen one"), safe.Lit("answer"), true, (*Room).sayOption}}, out...)
		}
		return out
	case event.AskUnknown:
		return []choice{
			{"d", safe.Lit("it was done"), safe.Lit("done"), true, settle("done")},
			{"g", safe.Lit("run it again (asks)"), safe.Lit("again"), true, settle("again")},
			{"l", safe.Lit("look first"), safe.Lit("look"), false, settle("look")},
		}
	case event.AskEdit:
		deny.name, deny.short = safe.Lit("reject all"), safe.Lit("none")
	}
	var out []choice
	if !r.q.Danger {
		name, short := safe.Lit("allow once"), safe.Lit("allow")
		if r.q.Kind == event.AskEdit {
			name, short = r.applyName(), safe.Lit("apply")
		}
		out = append(out, choice{"a", name, short, true, (*Room).allowOnce})
		if len(r.q.Scopes) > 0 {
			out = append(out, choice{"s", safe.Lit("allow more..."), safe.Lit("more"), true, (*Room).startScopes})
		}
	}
	if r.q.Revisable && len(r.q.Proposals) > 0 {
		out = append(out, choice{"e", safe.Lit("edit in $EDITOR"), safe.Lit("edit"), false, (*Room).startEdit})
	}
	return append(out, reject, deny)
}

// applyName says what the yes to an edit does.
func (r *Room) applyName() safe.Text {
	if r.rev != nil {
		if kept, all := r.rev.kept(); kept < all {
			return safe.Join(safe.Lit("apply what is marked * ("), safe.Int(kept), safe.Lit(" of "), safe.Int(all), safe.Lit(" lines)"))
		}
	}
	return safe.Lit("apply all of it")
}

func (r *Room) allowOnce() Outcome {
	return Outcome{Command: r.answer(event.Answer{Choice: event.Once})}
}

func (r *Room) allowScope() Outcome {
	if r.chosen >= len(r.q.Scopes) {
		return Outcome{}
	}
	return Outcome{Command: r.answer(event.Answer{Choice: event.Keep, Scope: r.q.Scopes[r.chosen].ID})}
}

func (r *Room) deny() Outcome { return Outcome{Command: r.answer(event.Answer{Choice: event.Deny})} }

func (r *Room) sayOption() Outcome {
	if r.chosen >= len(r.q.Options) {
		return Outcome{}
	}
	return Outcome{Command: r.answer(event.Answer{Choice: event.Say, Text: r.q.Options[r.chosen]})}
}

func settle(how string) func(*Room) Outcome {
	return func(r *Room) Outcome { return Outcome{Command: event.Settle{Call: r.q.Call, How: how}} }
}

func (r *Room) startReason() Outcome {
	r.mode = reasoning
	r.edit.Clear()
	return Outcome{}
}

func (r *Room) startText() Outcome {
	r.mode = texting
	r.edit.Clear()
	return Outcome{}
}

func (r *Room) startScopes() Outcome {
	r.mode, r.chosen = scoping, 0
	return Outcome{}
}

// answer fills in what every answer carries.
func (r *Room) answer(a event.Answer) event.Answer {
	a.Question, a.Digest = r.q.ID, r.q.Digest
	a.LinesHash = event.HashLines(r.q.Lines) // of what was shown, not of what was said
	a.Unfenced = r.arm.Unfenced() || r.first.IsZero()
	a.By = r.by
	if !r.first.IsZero() {
		a.Millis = max(0, r.press.Sub(r.first).Milliseconds())
	}
	return a
}
