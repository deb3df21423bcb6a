package gate

import (
	"fmt"
	"time"

	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// A Remembered is one rule that the person chose to keep, for people.
type Remembered struct {
	ID, Says, Where string
	Until           time.Time // zero: with the session
	Silent          string    // why it does not count now, "" when it does
}

// Remembered lists what was kept, for long or for the session.
func (in Input) Remembered() []Remembered {
	var out []Remembered
	when := in.chain()[0].when
	for _, f := range in.Rules.Files() {
		if f.Layer != commandpolicy.LayerRemembered && f.Layer != commandpolicy.LayerSession {
			continue
		}
		for i := range f.Rules {
			r := &f.Rules[i]
			one := Remembered{ID: r.ID, Says: r.Summary(), Where: fmt.Sprintf("%s:%d", r.File, r.Line), Until: r.Expires(), Silent: r.Silent(when)}
			if f.Layer == commandpolicy.LayerSession {
				one.Where = "this session"
			}
			out = append(out, one)
		}
	}
	for _, host := range in.HostGrants {
		out = append(out, Remembered{ID: host, Says: "reading from " + host, Where: "this session"})
	}
	return out
}
