package agent

import (
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// A LeakError says that a request was not sent, since it holds a secret that
// this program knows.
type LeakError struct {
	Where string // "message 12, a result of grep"
}

func (e *LeakError) Error() string {
	return "nothing was sent: " + e.Where + " holds a secret that is known now (a key that was set since, or of another spelling): start a new session, or `tera-pilot sessions fork` from a turn before it"
}

// Outgoing looks through a request at the last moment for secrets that were
// registered: keys of providers, and our own. Events are masked before they
// are stored; what was stored before a key became known is not, nor is what
// the person adds to the system prompt. Our own constants are not looked at.
func Outgoing(r *secret.Redactor, overlay string, req model.Request) error {
	if r == nil {
		return nil
	}
	if knows(r, overlay) {
		return &LeakError{"what you add to the system prompt"}
	}
	for i, m := range req.Messages {
		for _, p := range m.Parts {
			if where := leaks(r, p); where != "" {
				return &LeakError{fmt.Sprintf("message %d, %s,", i+1, where)}
			}
		}
	}
	return nil
}

// leaks says what of a part holds a known secret; "" for nothing.
func leaks(r *secret.Redactor, p model.Part) string {
	what := map[model.PartKind]string{
		model.PartText: "a text", model.PartReasoning: "what the model thought", model.PartCall: "a call of " + p.Name,
	}[p.Kind]
	if what == "" {
		what = "a result of " + p.Name
	}
	switch {
	case knows(r, p.Text), knows(r, string(p.Args)), knows(r, p.Name), knows(r, p.CallID):
		return what
	case p.Opaque != nil && knows(r, p.Opaque.Value):
		return "data of the provider"
	case p.Image != nil && knows(r, string(p.Image.Data)):
		return "a picture"
	}
	return ""
}

// knows says that a text holds a registered secret.
func knows(r *secret.Redactor, s string) bool {
	for _, m := range r.Find(s) {
		if m.Kind == "registered" {
			return true
		}
	}
	return false
}
