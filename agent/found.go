package agent

import (
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// maxFound is how many findings are told of one run; the result that the model
// reads has all.
const maxFound = 12

// foundText says what was found after a run, and what became of it.
func foundText(found []string) string {
	more := ""
	if n := len(found) - maxFound; n > 0 {
		found, more = found[:maxFound], fmt.Sprintf("; and %d more", n)
	}
	return "found after the run: " + visible.Strict(strings.Join(found, "; ")) + more
}

// foundNotice tells the person what a call left that could act later; nothing
// when it left nothing.
func (d *Dispatcher) foundNotice(call string, out tool.Result) []event.Body {
	return foundNotice(call, d.redactor.Text, out)
}

func foundNotice(call string, mask func(string) string, out tool.Result) []event.Body {
	if len(out.Found) == 0 {
		return nil
	}
	return []event.Body{event.Notice{
		Severity: "warn", Key: event.FoundKey + call, Text: mask(foundText(out.Found)),
		Hint: "what is still there acts when a program of yours loads it: read it, or take it back with undo",
	}}
}
