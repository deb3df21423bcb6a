package lines

import (
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// newest is how many entries /audit prints.
const newest = 20

// log prints the newest part of the audit log and whether it holds, or exports
// it as signed evidence.
func (f *front) log(word string) error {
	switch {
	case f.o.Log == nil:
		f.p.line("log", "there is no log to look at here")
		return nil
	case word == "/audit-signed":
		path, err := f.o.Log.Export()
		if err != nil {
			f.p.line("log", "not exported: "+err.Error())
			return nil
		}
		f.p.line("log", "signed evidence is in "+path)
		return nil
	}
	page, err := f.o.Log.Load(-1)
	if err != nil {
		f.p.line("log", "cannot be read: "+err.Error())
		return nil
	}
	for _, e := range page.Entries[max(0, len(page.Entries)-newest):] {
		status := e.Status
		if status == "" {
			status = "note"
		}
		f.p.line("log", fmt.Sprintf("#%d %s %s %s %s %s", e.Seq, e.At.Format("15:04:05"), status, e.What, e.Title, e.By))
	}
	switch c := f.o.Log.Verify(false); {
	case c.Failed != "":
		f.p.line("log", "the chain could not be checked: "+c.Failed)
	case !c.OK:
		f.p.line("log", "CHAIN BROKEN: "+c.Why)
	default:
		f.p.line("log", fmt.Sprintf("the chain is ok, %d records, head %.8s; details: tera-pilot audit show", c.Size, c.Head))
	}
	return f.send(event.Seen{What: "audit.viewed"})
}
