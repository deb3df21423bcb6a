package transcript

import (
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// tool draws a call: one row, a few lines of its output where they matter, and
// all of it when it is opened.
func (r *Room) tool(c *snap.Call, opened bool, width int) (label view.Line, lines []view.Line) {
	label = stateOf(c)
	verb, title := snap.Act(c.Tool, c.Title)
	row := view.Join(r.widths.Pad(view.Text(theme.Dim, safe.Strict(verb)), 8), view.Spaces(1), view.Text(theme.Plain, safe.Strict(title)))
	body := bodyLines(c)
	shown := preview(c, body)
	if opened {
		shown = body
	}
	right := decision(c)
	if width < narrow {
		right = briefly(c)
	}
	hidden := len(body) - len(shown) + c.Hidden
	facts := r.facts(c, hidden, width < narrow)
	if r.widths.Line(row)+r.widths.Line(facts)+2+r.widths.Of(right) > width {
		facts = r.facts(c, hidden, true) // in few words, before the end is lost
	}
	row = append(row, facts...)
	lines = append(lines, r.widths.Ends(row, view.Text(theme.Dim, right), width, width/2))
	if opened {
		lines = append(lines, r.details(c, width)...)
	}
	for _, t := range shown {
		style := theme.Dim
		if opened {
			style = theme.Plain
		}
		lines = append(lines, r.widths.Wrap(view.Join(view.Spaces(2), view.Text(style, t)), width, 2)...)
	}
	return label, lines
}

// stateOf is the word before a call.
func stateOf(c *snap.Call) view.Line {
	switch {
	case c.Held:
		return view.Lit(theme.Warn, safe.Lit(" held"))
	case c.Status == "running" && !c.Done:
		return view.Lit(theme.Dim, safe.Lit(" job"))
	case !c.Done:
		return view.Lit(theme.Dim, safe.Lit(" ..."))
	}
	switch c.Status {
	case "ok":
		if c.Exit != nil && *c.Exit != 0 {
			return view.Lit(theme.Warn, safe.Lit(" exit"))
		}
		return view.Lit(theme.Good, safe.Lit(" ok"))
	case "error":
		return view.Lit(theme.Bad, safe.Lit("!fail"))
	case "rejected":
		return view.Lit(theme.Warn, safe.Lit(" no"))
	case "blocked":
		return view.Lit(theme.Bad, safe.Lit("!stop"))
	case "cancelled":
		return view.Lit(theme.Dim, safe.Lit(" cut"))
	case "timeout":
		return view.Lit(theme.Bad, safe.Lit("!late"))
	case "not_run":
		return view.Lit(theme.Dim, safe.Lit(" --"))
	default:
		return view.Lit(theme.Bad, safe.Lit("!????"))
	}
}

// facts are the numbers behind a call's title.
func (r *Room) facts(c *snap.Call, hidden int, brief bool) view.Line {
	var out view.Line
	add := func(style theme.Style, t safe.Text) {
		out = append(out, view.Span{Text: safe.Join(safe.Lit("  "), t), Style: style})
	}
	if c.Diff != "" && !strings.Contains(c.Title, c.Diff) {
		add(theme.Dim, safe.Strict(c.Diff))
	}
	if c.Exit != nil {
		style := theme.Dim
		if *c.Exit != 0 {
			style = theme.Warn
		}
		add(style, safe.Join(safe.Lit("exit "), safe.Int(*c.Exit)))
	}
	if c.Signal != "" {
		add(theme.Warn, safe.Join(safe.Lit("signal "), safe.Strict(c.Signal)))
	}
	switch {
	case c.Done && c.Millis >= 1000:
		add(theme.Dim, view.Seconds(time.Duration(c.Millis)*time.Millisecond))
	case !c.Done && !c.Held:
		if d := r.now.Sub(c.Since); d >= time.Second && d < 1000*time.Hour {
			add(theme.Dim, view.Seconds(d.Truncate(time.Second)))
		}
	}
	if c.Images > 0 {
		add(theme.Dim, safe.Join(safe.Int(c.Images), safe.Lit(" image")))
	}
	if n := len(c.Left); n > 0 {
		add(theme.Warn, safe.Join(safe.Lit("net "), safe.Int(n)))
	}
	if hidden > 0 {
		t := more(hidden)
		if brief {
			t = safe.Join(safe.Lit("+"), safe.Int(hidden))
		}
		add(theme.Dim, t)
	}
	return out
}

// decision says who let a call happen, or did not.
func decision(c *snap.Call) safe.Text {
	if c.Held {
		return safe.Lit("waiting for you   ctrl+p")
	}
	if c.Decision == "" {
		return safe.Lit("")
	}
	out := safe.Strict(c.Decision)
	switch {
	case c.Rule != "":
		return safe.Join(out, safe.Lit(": "), safe.Strict(c.Rule))
	case c.By != "":
		return safe.Join(out, safe.Lit(": "), Who(c.By))
	default:
		return out
	}
}

// narrow is the width below which a decision is one word.
const narrow = 66

// briefly is decision in a word.
func briefly(c *snap.Call) safe.Text {
	switch {
	case c.Held:
		return safe.Lit("ctrl+p")
	case c.Decision == "approved":
		return safe.Lit("you")
	case c.Decision == "allowed" && c.By == "table":
		return safe.Lit("level")
	case c.Decision == "allowed" && c.Rule != "":
		return safe.Lit("rule")
	default:
		return safe.Strict(c.Decision)
	}
}

// Who is a person, or what of the program, that decided, in words.
func Who(by string) safe.Text {
	if rest, ok := strings.CutPrefix(by, "user:"); ok {
		if rest == "tui" {
			return safe.Lit("you")
		}
		return safe.Join(safe.Lit("you, by "), safe.Strict(rest))
	}
	switch by {
	case "table":
		return safe.Lit("by the level")
	case "floor":
		return safe.Lit("never, by any rule")
	case "headless":
		return safe.Lit("nobody to ask")
	}
	return safe.Strict(by)
}

// bodyLines are the lines of a call's result, or of its output so far.
func bodyLines(c *snap.Call) []safe.Text {
	text := c.Body
	if !c.Done && text == "" {
		text = c.Output
	}
	text = strings.Trim(text, "\n")
	if text == "" {
		return nil
	}
	return safe.Lines(text)
}

// previewLines is how many lines of a failed or running call are shown.
const previewLines = 3

// preview is what is shown of a closed call: of what runs the end, of what
// failed the lines that tell why, as far as one can see that from outside.
func preview(c *snap.Call, body []safe.Text) []safe.Text {
	end := body[max(0, len(body)-previewLines):]
	if !c.Done {
		return end
	}
	failed := c.Exit != nil && *c.Exit != 0 || c.Status == "error" || c.Status == "rejected" || c.Status == "blocked" || c.Status == "timeout"
	if !failed {
		return nil
	}
	var out []safe.Text
	for _, t := range body {
		if len(out) < previewLines && telling(t.String()) {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return end
	}
	return out
}

// telling says that a line names a place in a source, or speaks of an error.
func telling(s string) bool {
	for _, word := range []string{"rror", "anic", "atal", "FAIL:", "not found", "denied"} {
		if strings.Contains(s, word) {
			return true
		}
	}
	for i := 0; i+2 < len(s); i++ {
		if s[i] == ':' && s[i+1] >= '0' && s[i+1] <= '9' {
			j := i + 1
			for j < len(s) && s[j] >= '0' && s[j] <= '9' {
				j++
			}
			return j < len(s) && s[j] == ':' && i > 0 && (s[i-1]|0x20 >= 'a' && s[i-1]|0x20 <= 'z')
		}
	}
	return false
}

// details are what an opened call shows besides its output.
func (r *Room) details(c *snap.Call, width int) []view.Line {
	var out []view.Line
	add := func(name, value safe.Text) {
		if !value.Empty() {
			l := view.Join(view.Spaces(2), r.widths.Pad(view.Lit(theme.Dim, name), 10), view.Text(theme.Plain, value))
			out = append(out, r.widths.Wrap(l, width, 12)...)
		}
	}
	add(safe.Lit("tool"), safe.Strict(c.Tool))
	for i, e := range c.Effects {
		name := safe.Lit("effect")
		if i > 0 {
			name = safe.Lit("")
		}
		add(name, safe.Strict(e))
	}
	if c.Decision != "" {
		add(safe.Lit("decision"), safe.Join(decision(c), safe.Lit(" "), safe.Strict(c.Reason)))
	}
	add(safe.Lit("status"), safe.Strict(c.Status))
	for i, f := range c.Files {
		name := safe.Lit("changed")
		if i > 0 {
			name = safe.Lit("")
		}
		add(name, safe.Strict(f))
	}
	for i, l := range c.Left {
		name := safe.Lit("network")
		if i > 0 {
			name = safe.Lit("")
		}
		add(name, safe.Strict(l))
	}
	return out
}
