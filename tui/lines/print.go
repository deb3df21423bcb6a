package lines

import (
	"fmt"
	"io"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/tui/room/ask"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// A printer writes prefixed lines. Its first error stays.
type printer struct {
	w   io.Writer
	err error
}

// put writes one line.
func (p *printer) put(prefix string, text safe.Text) {
	if p.err != nil {
		return
	}
	_, p.err = fmt.Fprintf(p.w, "%s: %s\n", prefix, text)
}

// line writes text of anybody on one line.
func (p *printer) line(prefix, text string) { p.put(prefix, safe.Strict(text)) }

// prose writes an answer, line by line.
func (p *printer) prose(prefix, text string) {
	for _, t := range safe.Prose(strings.TrimRight(text, "\n")) {
		p.put(prefix, t)
	}
}

// question writes the whole record of a question.
func (p *printer) question(q event.Question, code string, f ask.Form) {
	id := "prompt " + q.ID[:min(4, len(q.ID))]
	if q.Digest != "" {
		id += "  effect " + q.Digest[:min(8, len(q.Digest))]
	}
	p.put("held", safe.Join(safe.Strict(id), safe.Lit("  "), safe.Shown(q.Title)))
	for _, l := range q.Lines {
		mark := safe.Lit("  ")
		switch l.Kind {
		case event.LineWarn:
			mark = safe.Lit("! ")
		case event.LineModel:
			mark = safe.Lit("  model says  ")
		}
		p.put("held", safe.Join(mark, safe.Shown(l.Text)))
	}
	if len(f.Fields) > 0 {
		p.form(q, f)
	}
	for i, o := range q.Options {
		p.put("held", safe.Join(safe.Lit("  option "), safe.Int(i+1), safe.Lit("  "), safe.Shown(o)))
	}
	for i, s := range q.Scopes {
		p.put("held", safe.Join(safe.Lit("  keep "), safe.Int(i+1), safe.Lit("  "), safe.Shown(s.Title)))
		match := safe.Join(safe.Lit("    match  "), safe.Shown(s.Match), safe.Lit("    not  "), safe.Shown(s.NoMatch))
		if s.Seen != "" {
			match = safe.Join(match, safe.Lit("    "), safe.Shown(s.Seen))
		}
		p.put("held", match)
		if s.Rule != "" {
			p.put("held", safe.Join(safe.Lit("    rule   "), safe.Shown(snap.OneRow(s.Rule))))
		}
	}
	if !q.Deadline.IsZero() && !q.Opened.IsZero() {
		p.line("held", fmt.Sprintf("no answer within %.0f s is no", q.Deadline.Sub(q.Opened).Seconds()))
	}
	if !sound(q) {
		p.line("held", "THE LINES DO NOT FIT THEIR DIGEST: it can only be denied")
	}
	p.line("held", choices(q, code))
}

// sound says that the lines are those that the core hashed, and printable.
func sound(q event.Question) bool {
	for _, l := range q.Lines {
		if !visible.Harmless(l.Text) {
			return false
		}
	}
	return len(q.Lines) > 0 && q.LinesHash == event.HashLines(q.Lines)
}

// choices is what can be answered.
func choices(q event.Question, code string) string {
	switch {
	case q.Kind == event.AskUser && len(q.Form) > 0:
		return fmt.Sprintf("type: %s N VALUE to fill in, then: %s send, or: %s decline, or: %s away (no word on it)", code, code, code, code)
	case q.Kind == event.AskUser:
		return fmt.Sprintf("type: %s say TEXT, or: %s deny", code, code)
	case q.Kind == event.AskUnknown:
		return fmt.Sprintf("type: %s done, or: %s again, or: %s look", code, code, code)
	case len(q.Scopes) > 0:
		return fmt.Sprintf("type: %s allow, or: %s keep N, or: %s deny, or: %s reason TEXT", code, code, code, code)
	default:
		return fmt.Sprintf("type: %s allow, or: %s deny, or: %s reason TEXT", code, code, code)
	}
}

// event applies an event and prints it.
func (f *front) event(e event.Event) {
	f.heard++
	before := f.state.Talk.Added()
	f.state.Apply(e)
	f.state.Talk.Rest(len(f.state.Talk.Items), 0, 0) // what was printed is not kept
	if !f.said(e) {
		f.happened(e, before)
	}
}

// said prints what begins, is said and ends.
func (f *front) said(e event.Event) bool {
	switch b := e.Body.(type) {
	case event.Opened:
		f.p.line("session", fmt.Sprintf("%s  %s", e.Session, b.Root))
		f.p.line("level", b.Level)
		f.p.line("box", b.Sandbox)
		f.p.line("net", word(b.Network, "off"))
		f.p.line("model", word(strings.TrimSpace(b.Provider+" "+b.Model), "none")+goes(b.Host))
		f.p.line("type", "what should be done, then enter; /help has the rest, ctrl+d leaves")
	case event.TurnStarted:
		f.partial = ""
		f.p.prose("you", b.Text)
	case event.TextDelta:
		f.partial += b.Text
	case event.Reply:
		f.partial = ""
		if b.Text != "" {
			f.p.prose("pilot", b.Text)
		}
	case event.TurnEnded:
		f.turnEnded(b)
	default:
		return false
	}
	return true
}

// happened prints what was done, and what is another one now. before is the last
// item that there was.
func (f *front) happened(e event.Event, before int) {
	switch b := e.Body.(type) {
	case event.CallResult:
		f.result(b)
	case event.QuestionClosed:
		f.code = ""
		f.p.line("held", "closed: "+strings.TrimSpace(b.How+" "+b.Said))
	case event.LevelChanged:
		f.p.line("level", b.From+" -> "+b.To)
	case event.ModelChanged:
		f.p.line("model", b.Provider+" "+b.Model+goes(b.Host))
	case event.Egress:
		f.p.line("net", strings.TrimSpace(b.Status+"  "+b.Method+" "+b.Host+"  "+b.Reason))
	case event.Refused:
		f.p.line("sub", b.Decision+"  "+b.Title+": "+b.Reason)
	case event.Notice:
		if b.Text != "" {
			for _, line := range strings.Split(strings.TrimSpace(b.Text+"   "+b.Hint), "\n") {
				f.p.line("note", line)
			}
		}
	case event.UndoPoints:
		f.p.points(b.Points)
	case event.UndoPlan:
		f.p.plan(b)
	case event.Recovered:
		f.p.line("found", b.Status+"  "+b.Title)
	case event.TodoChanged:
		for _, t := range b.Items {
			f.p.line("plan", fmt.Sprintf("%-7s %s", t.Status, t.Text))
		}
	case event.Queued:
		if len(b.Texts) > 0 {
			f.p.line("queue", fmt.Sprintf("%d waiting", len(b.Texts)))
		}
	case event.AuditHead:
		if b.Broken != "" {
			f.p.line("log", "BROKEN  "+b.Broken)
		}
	case event.Working:
		if b.Says != "" {
			f.p.line("note", b.Says)
		}
	case event.Interjected:
		f.p.prose("you", b.Text)
	case event.WindowChanged, event.PolicyChanged, event.ThoughtChanged, event.Masked, event.Compacted, event.Uncompacted, event.JobChanged, event.Nudged, event.Instructed:
		f.changed(before)
	}
}

// changed prints what the last event added to the story.
func (f *front) changed(before int) {
	for _, it := range f.state.Talk.Since(before) {
		if it.Kind == snap.Change {
			f.p.line(it.Word, it.Text)
		}
	}
}

func word(s, none string) string {
	if s == "" {
		return none
	}
	return s
}

func (f *front) turnEnded(b event.TurnEnded) {
	if f.partial != "" {
		f.p.prose("pilot", f.partial)
		f.partial = ""
	}
	text := b.Status
	if b.Message != "" {
		text += "  " + b.Message
	}
	if h := f.state.Head; h.Head != "" {
		text += fmt.Sprintf("  log %s #%d", h.Head[:min(6, len(h.Head))], h.Size)
	}
	f.p.line("turn", text)
}

// maxOutput is how many lines of a result are printed, the last ones.
const maxOutput = 20

func (f *front) result(b event.CallResult) {
	verb, what := snap.Act(b.Tool, b.Title)
	text := b.Status + "  " + what
	if b.Diff != "" && !strings.Contains(b.Title, b.Diff) {
		text += "  " + b.Diff
	}
	if b.Exit != nil {
		text += fmt.Sprintf("  exit %d", *b.Exit)
	}
	f.p.line(verb, text+"  "+b.Decision)
	if b.Status == "ok" && (b.Exit == nil || *b.Exit == 0) {
		return
	}
	all := safe.Lines(strings.Trim(b.Body, "\n"))
	for _, t := range all[max(0, len(all)-maxOutput):] {
		f.p.put(verb, safe.Join(safe.Lit("  "), t))
	}
}

// goes says where requests to a model go; nothing for a script.
func goes(host string) string {
	if host == "" {
		return ""
	}
	return ", " + host
}
