package lines

import (
	"fmt"

	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// window ends a window at once. Opening one wants a code, like every yes.
func (f *front) window(word, rest string) error {
	c, ok := snap.ParseWindow(word, rest)
	switch {
	case !ok:
		f.p.line("window", word+" takes a time: /trust 10m, /unsafe 5m, /strict")
	case c.Mode == "strict":
		return f.send(c)
	case f.state.Question != nil:
		f.p.line("window", "answer the open question first")
	default:
		f.grant = grant{f.o.Code(), "open", c}
		does := " lets more happen without a question for a while"
		if f.state.Terms.Level == "plan" {
			does = " changes nothing while plan mode denies all but reads; after it, more happens without a question for a while"
		}
		f.p.line("window", c.Mode+does+"; to open it, type: "+f.grant.code+" open")
	}
	return nil
}

// rules prints what was remembered.
func (f *front) rules() {
	if f.o.Rules == nil {
		f.p.line("policy", "there is no list here: tera-pilot policy list")
		return
	}
	rows, err := f.o.Rules()
	if err != nil {
		f.p.line("policy", err.Error())
		return
	}
	if len(rows) == 0 {
		f.p.line("policy", "nothing is remembered")
	}
	for _, r := range rows {
		until := "this session"
		if r.Until != "" {
			until = "until " + r.Until
		}
		f.p.line("policy", fmt.Sprintf("%s  %s  %s  %s  (%s)", r.ID, r.Says, until, r.Silent, r.Where))
	}
}
