package agent

import (
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
)

// warning is what the person is told of a warning of the model layer; ok is
// false for those that matter to nobody at the screen.
func warning(w string) (n event.Notice, ok bool) {
	switch w {
	case model.WarnProbing:
		n = event.Notice{Severity: "info", Text: "the model is asked once how it calls tools; nothing of yours is in that"}
	case model.WarnNoTools:
		n = event.Notice{Severity: "warn", Text: "told to call a tool, this model called none: it may only talk", Hint: "/model takes another one; tera-pilot models probe shows those of this machine"}
	case model.WarnTextTools:
		n = event.Notice{Severity: "info", Text: "this model calls tools as text: a call of it that writes, runs or sends something always asks", Hint: "agent_text_calls as_native in config.json counts them as others"}
	case model.WarnPromptTruncated:
		n = event.Notice{Severity: "warn", Text: "the model's server seems to have cut the conversation to its window: what came first is gone for it", Hint: "the older part is summed up now; a larger window is `context` of the provider in config.json"}
	case model.WarnNotKept:
		n = event.Notice{Severity: "warn", Text: "how the model calls tools could not be stored: the next start asks again"}
	default:
		return event.Notice{}, false
	}
	n.Key = "model-" + w
	return n, true
}

// hint tells the person of a warning, once for each model.
func (s *Session) hint(model, w string) {
	n, ok := warning(w)
	if key := model + " " + w; ok && !s.hinted[key] {
		if s.hinted == nil {
			s.hinted = map[string]bool{}
		}
		s.hinted[key] = true
		_ = s.owner.emit(n) // transient
	}
}

// compactSoon has the conversation made shorter before the next request, where
// that is not switched off.
func (s *Session) compactSoon() {
	if s.o.KeepAll {
		return
	}
	_ = s.owner.do(func(o *owned) { // a session that ends needs it no more
		if o.compact == nil && !o.state.Held {
			o.compact = &event.Compact{}
		}
	})
}
