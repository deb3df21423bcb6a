package agent

import (
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/fit"
	"github.com/tera-pilot/tera-pilot/agent/model"
)

// A Mind is a model that can answer, with what is stated of it.
type Mind struct {
	Provider  model.Provider
	Model     string
	Host      string                   // where requests go: "local", a host, or "" for nowhere
	Price     func(model.Usage) *int64 // millionths of a dollar; nil: unknown
	Window    int64                    // in tokens; 0 when unknown
	MaxOutput int64                    // in tokens; 0 when unknown
	Images    bool                     // it takes pictures
	Small     bool                     // its window is small, whatever was learnt
}

// priced says that what the model costs is known.
func (m Mind) priced() bool {
	return m.Price != nil && m.Price(model.Usage{Input: 1, Output: 1, CacheRead: 1, CacheWrite: 1}) != nil
}

// id is the provider's id; "" for none.
func (m Mind) id() string {
	if m.Provider == nil {
		return ""
	}
	return m.Provider.ID()
}

// cost is what usage costs; nil when that is not known.
func (m Mind) cost(u model.Usage) *int64 {
	if m.Price == nil {
		return nil
	}
	return m.Price(u)
}

// A mind is a model with what was learnt of how it counts its tokens.
type mind struct {
	Mind
	known fit.Known
}

// taught is a model with what earlier sessions learnt of it.
func (s *Session) taught(m Mind) mind { return mind{m, s.o.Learnt.Get(m.id(), m.Model)} }

// window is the model's, in tokens, as far as it is known.
func (m mind) window() int64 { return m.known.In(m.Window) }

// tokens is the estimate of a request.
func (m mind) tokens(r model.Request) int64 { return m.known.Tokens(m.untaught(r)) }

// untaught is the estimate of a request without what was learnt of the model.
func (m mind) untaught(r model.Request) int64 { return fit.Request(r, m.pictures()) }

// pictures is how the model counts pictures.
func (m mind) pictures() fit.Pictures { return fit.PicturesOf(m.id(), m.Model) }

// small says that the model gets the short prompt, few tools and short results.
func (m mind) small() bool { return m.Small || m.window() < fit.SmallWindow }

// mind is the model that answers now.
func (s *Session) mind() (m mind, err error) {
	err = s.owner.do(func(o *owned) { m = o.mind })
	return m, err
}

// sees gives a model that takes pictures those of this session.
func (s *Session) sees(m mind) sight {
	if !m.Images {
		return nil
	}
	return s.o.Log.Blob
}

// outputLimitNow is how much of a result the model reads, in bytes.
func (s *Session) outputLimitNow() int {
	if m, err := s.mind(); err == nil && m.small() {
		return smallOutputLimit
	}
	return outputLimit
}

// setModel changes the model, in the owner's goroutine. Another provider is
// opened as the launch would; nothing is sent to it before the next request.
// What only its own provider reads goes to no other (model.Opaque).
func (s *Session) setModel(o *owned, c event.SetModel) {
	if c.Provider == "" {
		c.Provider = o.mind.id()
	}
	if s.o.Switch == nil {
		o.tell(event.Notice{Severity: "warn", Text: "the model of this session cannot be changed", Hint: "start again with --provider and --model", Key: "model"})
		return
	}
	next, err := s.o.Switch(c.Provider, c.Model)
	if err != nil {
		o.tell(event.Notice{Severity: "warn", Text: err.Error(), Hint: "the model is still " + o.mind.Model, Key: "model"})
		return
	}
	if s.o.Budget.Money(true) > 0 && !next.priced() {
		o.tell(event.Notice{Severity: "warn", Text: "the price of " + next.Model + " is not known, and this session has a budget in money", Hint: "the model is still " + o.mind.Model, Key: "model"})
		return
	}
	o.mind = s.taught(next)
	o.tell(event.ModelChanged{Provider: next.id(), Model: next.Model, Host: next.Host, Window: o.mind.window()}, event.Notice{Key: "model"})
}

// setThought changes how much the model may think.
func (s *Session) setThought(o *owned, c event.SetThought) {
	switch c.Level {
	case "", "off", "low", "medium", "high":
		o.tell(event.ThoughtChanged(c))
	default:
		o.tell(event.Notice{Severity: "warn", Text: fmt.Sprintf("no level of thought is called %q", c.Level), Hint: "off, low, medium or high", Key: "thought"})
	}
}

// effort is a session's level of thought for the model layer.
func effort(level string) model.Effort {
	switch level {
	case "off":
		return model.EffortOff
	case "low":
		return model.EffortLow
	case "medium":
		return model.EffortMedium
	case "high":
		return model.EffortHigh
	}
	return ""
}
