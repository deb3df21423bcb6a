package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// outputLimit is how much of a result's body the model reads, in bytes; the
// rest is kept under a name that read_file and grep take.
const (
	outputLimit      = 16 << 10
	smallOutputLimit = 4 << 10
)

// frame is what the model reads of a result (docs/contracts.md, section 4):
// one line of our own constants, then the body, between marks that its author
// could not know.
func frame(r event.CallResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[result tool=%s status=%s decision=%s", toolName(r.Tool), r.Status, r.Decision)
	if r.Exit != nil {
		fmt.Fprintf(&b, " exit=%d", *r.Exit)
	}
	if r.Revised {
		b.WriteString(" revised=yes")
	}
	b.WriteString("]")
	if r.Body == "" {
		return b.String()
	}
	b.WriteString("\n")
	if r.Untrusted == "" {
		b.WriteString(r.Body)
		return b.String()
	}
	fmt.Fprintf(&b, "<untrusted %s from=%s>\n%s\n</untrusted %s>", r.Boundary, r.Untrusted, r.Body, r.Boundary)
	return b.String()
}

// frameNotes is what the model reads of the notes beside a message.
func frameNotes(notes []event.Note) string {
	var b strings.Builder
	for _, n := range notes {
		fmt.Fprintf(&b, "\n\n<untrusted %s from=command>\n[the hook %s says]\n%s\n</untrusted %s>", n.Boundary, n.From, n.Text, n.Boundary)
	}
	return b.String()
}

// toolName is a tool's name on the first line of a result. One that is not
// made of letters, digits, _ and - is no tool of ours, but what a model wrote.
func toolName(name string) string {
	if safeName(name) != name || name == "" {
		return "unknown"
	}
	return name
}

// bound cuts a body to its head (two fifths) and its tail, at line ends where
// there are any. name is where the whole can be read.
func bound(body string, limit int, name string) (cut string, hidden int) {
	if len(body) <= limit {
		return body, 0
	}
	head := cutBefore(body[:limit*2/5])
	tail := cutAfter(body[len(body)-limit*3/5:])
	middle := body[len(head) : len(body)-len(tail)]
	hidden = strings.Count(middle, "\n")
	mark := fmt.Sprintf("[… %d lines, %d bytes left out; read_file %s shows them]\n", hidden, len(middle), name)
	if !strings.HasSuffix(head, "\n") {
		mark = "\n" + mark
	}
	return head + mark + tail, hidden
}

// cutBefore ends a text at its last line end, else at a whole character.
func cutBefore(s string) string {
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		return s[:i+1]
	}
	for i := len(s); i > 0 && i > len(s)-4; i-- {
		if utf8.RuneStart(s[i-1]) {
			if !utf8.FullRuneInString(s[i-1:]) {
				return s[:i-1]
			}
			break
		}
	}
	return s
}

// cutAfter begins a text after its first line end, else at a whole character.
func cutAfter(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)-1 {
		return s[i+1:]
	}
	for i := 0; i < len(s) && i < 4; i++ {
		if utf8.RuneStart(s[i]) {
			return s[i:]
		}
	}
	return s
}
