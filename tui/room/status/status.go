// Package status is the room of what is always true: title, banners, and the
// status line with level, sandbox, network, model, context, cost and log.
package status

import (
	"slices"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// Wide is the width from which on the status line is one row.
const Wide = 80

// Rows is how many rows Line takes.
func Rows(width int) int {
	if width < Wide {
		return 2
	}
	return 1
}

// Line is the status line. Level, sandbox and network never go; the others go
// from the end where there is no room.
func Line(s *snap.State, width int, w view.Widths) []view.Line {
	fixed := []view.Line{level(s.Terms.Level), sandbox(s.Terms.Sandbox), network(&s.Net)}
	rest := rest(s)
	if width >= Wide {
		return []view.Line{w.Cut(parts(fixed, rest, width, w), width)}
	}
	return []view.Line{w.Cut(parts(fixed, nil, width, w), width), w.Cut(parts(nil, rest, width, w), width)}
}

// parts joins what must stay, and as many of the others as fit.
func parts(fixed, rest []view.Line, width int, w view.Widths) view.Line {
	var out view.Line
	for i, p := range append(fixed, rest...) {
		joined := p
		if i > 0 {
			joined = view.Join(out, view.Spaces(3), p)
		}
		if i >= len(fixed) && w.Line(joined) > width {
			break
		}
		out = joined
	}
	return out
}

// level shows the autonomy level by its mark and its name.
func level(l string) view.Line {
	switch l {
	case "always_ask":
		return view.Lit(theme.Strong, safe.Lit("[=] always_ask"))
	case "new_files_only":
		return view.Lit(theme.Warn, safe.Lit("[+] new_files_only"))
	case "never_ask":
		return view.Lit(theme.Alarm, safe.Lit("[!] never_ask"))
	case "":
		return view.Lit(theme.Dim, safe.Lit("[ ] no session"))
	default:
		return view.Join(view.Lit(theme.Alarm, safe.Lit("[?] ")), view.Text(theme.Alarm, safe.Strict(l)))
	}
}

// sandbox shows the grade, and the setting where it is not the usual one.
func sandbox(s string) view.Line {
	setting, grade, _ := strings.Cut(s, " ")
	switch {
	case s == "":
		return view.Lit(theme.Warn, safe.Lit("box unknown"))
	case setting == "off":
		return view.Lit(theme.Alarm, safe.Lit("box OFF"))
	case grade == "?":
		return view.Lit(theme.Dim, safe.Lit("box ..."))
	case grade == "" || strings.HasPrefix(grade, "none"):
		return view.Lit(theme.Alarm, safe.Lit("box NONE: commands are refused"))
	case grade == "A":
		return view.Lit(theme.Good, safe.Lit("box A"))
	default:
		return view.Join(view.Lit(theme.Warn, safe.Lit("box ")), view.Text(theme.Warn, safe.Strict(grade)))
	}
}

// network says what commands reach, and how often something left the machine.
func network(net *snap.Net) view.Line {
	n := net.Now()
	if n == "" {
		n = "off"
	}
	style := theme.Plain
	if n != "off" {
		style = theme.Warn
	}
	out := view.Join(view.Lit(style, safe.Lit("net ")), view.Text(style, safe.Strict(n)))
	if l := net.Left; l.Times > 0 && !net.Talking() {
		t := safe.Join(safe.Lit(" "), safe.Int(l.Times), safe.Lit(" out"))
		if l.Blocked > 0 {
			t = safe.Join(t, safe.Lit(", "), safe.Int(l.Blocked), safe.Lit(" blocked"))
		}
		out = view.Join(out, view.Lit(theme.Warn, t))
	}
	return out
}

func rest(s *snap.State) []view.Line {
	switch {
	case s.Session.Opened:
	case s.Session.Root != "": // on its way: what it spent and where its log stands is not known yet
		return []view.Line{model(s.Model)}
	default:
		return []view.Line{model(s.Model), logHead(s.Head)}
	}
	out := []view.Line{model(s.Model), view.Lit(theme.Plain, context(s.Model, s.Spent.Used)), view.Lit(theme.Plain, cost(s.Spent))}
	if n := len(s.Jobs); n > 0 {
		jobs := safe.Join(safe.Int(n), safe.Lit(" jobs"))
		if n == 1 {
			jobs = safe.Lit("1 job")
		}
		out = append([]view.Line{view.Lit(theme.Warn, jobs)}, out...)
	}
	if s.Model.Thought != "" {
		out = append(out, view.Join(view.Lit(theme.Dim, safe.Lit("think ")), view.Text(theme.Plain, safe.Strict(s.Model.Thought))))
	}
	log := logHead(s.Head)
	if s.Head.Broken != "" {
		return append([]view.Line{log}, out...) // nothing is more important
	}
	return append(out, log)
}

func model(m snap.Model) view.Line {
	switch {
	case m.Name == "" && m.Provider == "":
		return view.Lit(theme.Warn, safe.Lit("no model"))
	case m.Name == "":
		return view.Text(theme.Plain, safe.Strict(m.Provider))
	default:
		return view.Join(view.Text(theme.Plain, safe.Strict(m.Name)), view.Spaces(1), view.Text(theme.Dim, safe.Strict(m.Provider)))
	}
}

// context is how much of the model's window the last request took.
func context(m snap.Model, used int64) safe.Text {
	switch {
	case m.Window > 0:
		return safe.Join(safe.Lit("ctx "), safe.Int(used*100/m.Window), safe.Lit("%"))
	case used >= 1000:
		return safe.Join(safe.Lit("ctx "), safe.Int(used/1000), safe.Lit("k"))
	default:
		return safe.Join(safe.Lit("ctx "), safe.Int(used))
	}
}

// cost is what the session cost so far. What has no price is not called free.
func cost(s snap.Spent) safe.Text {
	t := money(s.Cost)
	if s.Unpriced && s.Cost == 0 {
		t = safe.Lit("cost unknown")
	} else if s.Unpriced {
		t = safe.Join(t, safe.Lit(" + unknown"))
	}
	if s.MaxCost > 0 {
		t = safe.Join(t, safe.Lit(" of "), money(s.MaxCost))
	}
	return t
}

func money(millionths int64) safe.Text {
	cents := (millionths + 5000) / 10000
	pad := safe.Lit("$")
	dot := safe.Lit(".")
	if cents%100 < 10 {
		dot = safe.Lit(".0")
	}
	return safe.Join(pad, safe.Int(cents/100), dot, safe.Int(cents%100))
}

func logHead(h event.AuditHead) view.Line {
	switch {
	case h.Broken != "":
		return view.Lit(theme.Alarm, safe.Lit("LOG BROKEN"))
	case h.Head == "":
		return view.Lit(theme.Dim, safe.Lit("log new"))
	}
	return view.Lit(theme.Dim, safe.Join(safe.Lit("log "), safe.Strict(h.Head[:min(6, len(h.Head))]), safe.Lit(" #"), safe.Int(h.Size)))
}

// Title is the first row.
func Title(s *snap.State, width int, w view.Widths) view.Line {
	left := view.Text(theme.Title, safe.Strict(s.Session.Name()))
	if s.Session.Branch != "" {
		left = view.Join(left, view.Spaces(2), view.Text(theme.Dim, safe.Strict(s.Session.Branch)))
	}
	if s.Session.Front == "demo" {
		left = view.Join(left, view.Spaces(2), view.Lit(theme.Alarm, safe.Lit("DEMO")), view.Lit(theme.Dim, safe.Lit(" scripted, no model")))
	}
	if s.Session.Title != "" {
		left = view.Join(left, view.Spaces(2), view.Lit(theme.Dim, safe.Lit(`"`)), view.Text(theme.Plain, safe.Strict(s.Session.Title)), view.Lit(theme.Dim, safe.Lit(`"`)))
	}
	right := safe.Lit("")
	if s.Talk.Turn > 0 {
		right = safe.Join(safe.Lit("turn "), safe.Int(s.Talk.Turn))
	}
	switch n := len(s.Changed); {
	case n == 0 || width < 50:
	case n == 1:
		right = safe.Join(right, safe.Lit("  1 file changed"))
	default:
		right = safe.Join(right, safe.Lit("  "), safe.Int(n), safe.Lit(" files changed"))
	}
	return w.Ends(left, view.Lit(theme.Dim, right), width, 12)
}

// Window is the timed window that is open, with what is left of it. still
// leaves the seconds out.
func Window(t snap.Terms, width int, w view.Widths, now time.Time, still bool) []view.Line {
	if t.Window.Mode == "" {
		return nil
	}
	left := t.Window.Until.Sub(now)
	says := safe.Lit("until then less is asked")
	switch {
	case t.Level == "plan":
		says = safe.Lit("in plan mode all but reads is denied, with it too")
	case t.Window.Mode == "unsafe":
		says = safe.Lit("until then much less is asked")
	}
	rest := safe.Join(view.Seconds(max(0, left).Truncate(time.Second)), safe.Lit(" left"))
	if still {
		rest = safe.Join(safe.Lit("until "), safe.Strict(t.Window.Until.Local().Format("15:04")))
	}
	l := view.Join(view.Lit(theme.Alarm, safe.Lit(" ! ")), view.Spaces(1), view.Text(theme.Warn, safe.Strict(t.Window.Mode)), view.Spaces(2), view.Lit(theme.Warn, rest), view.Spaces(3), view.Lit(theme.Plain, says))
	return []view.Line{w.Ends(l, view.Lit(theme.Key, safe.Lit("/strict ends it")), width, 30)}
}

// maxBanners is how many notices are on the screen, the newest ones.
const maxBanners = 3

// An Act is what a letter in a banner does. The zero Act is none.
type Act uint8

// Acts of banners.
const (
	Nothing    Act = iota
	OtherModel     // choose another model
	Details        // look at the log
	Changes        // look at what can be taken back
	Again          // read the policy again
)

// A Key is a letter that a banner offers. Each letter stands in one banner: the
// newest that has it.
type Key struct {
	Row    int // of the banner
	Letter string
	Does   Act
	Says   safe.Text
}

// keyOf is the letter of a notice; false for one without a next step that a key
// can take.
func keyOf(n event.Notice) (Key, bool) {
	switch bad := n.Severity != "info"; {
	case n.Key == "retry", n.Key == "model" && bad, n.Key == "images" && bad, strings.HasPrefix(n.Key, "model-") && bad:
		return Key{Letter: "m", Does: OtherModel, Says: safe.Lit("another model")}, true
	case n.Key == "undo" && bad:
		return Key{Letter: "u", Does: Changes, Says: safe.Lit("what can be undone")}, true
	case n.Key == "policy" && n.Severity == "error":
		return Key{Letter: "r", Does: Again, Says: safe.Lit("read it again")}, true
	}
	return Key{}, false
}

// Keys are the letters of the banners that Banners shows.
func Keys(head event.AuditHead, notices []event.Notice) (out []Key) {
	first := 0
	if head.Broken != "" {
		out = append(out, Key{Letter: "d", Does: Details, Says: safe.Lit("details")})
		first = 1
	}
	notices = newest(notices)
	for i := len(notices) - 1; i >= 0; i-- {
		if k, ok := keyOf(notices[i]); ok && !slices.ContainsFunc(out, func(o Key) bool { return o.Letter == k.Letter }) {
			k.Row = first + i
			out = append(out, k)
		}
	}
	return out
}

func newest(notices []event.Notice) []event.Notice { return notices[max(0, len(notices)-maxBanners):] }

// Banners are what the person should know now: they never hide the composer.
// live says that their letters count.
func Banners(head event.AuditHead, notices []event.Notice, live bool, width int, w view.Widths) []view.Line {
	var out []view.Line
	letter := func(row int) view.Line {
		for _, k := range Keys(head, notices) {
			if live && k.Row == row {
				return view.Join(view.Lit(theme.Key, safe.Strict(k.Letter)), view.Lit(theme.Dim, safe.Join(safe.Lit(" "), k.Says)))
			}
		}
		return nil
	}
	if head.Broken != "" {
		l := banner(theme.Bad, safe.Lit("log cannot be written"), safe.Strict(head.Broken), safe.Lit("nothing is done until it can"))
		out = append(out, w.Ends(l, letter(0), width, 20))
	}
	for _, n := range newest(notices) {
		style := theme.Warn
		switch n.Severity {
		case "error":
			style = theme.Bad
		case "info":
			style = theme.Dim
		}
		l := banner(style, safe.Strict(n.Text), safe.Lit(""), safe.Strict(n.Hint))
		out = append(out, w.Ends(l, letter(len(out)), width, 20))
	}
	return out
}

func banner(style theme.Style, what, why, hint safe.Text) view.Line {
	mark := safe.Lit(" ! ")
	if style == theme.Dim {
		mark = safe.Lit(" - ")
	}
	l := view.Join(view.Lit(style, mark), view.Text(style, what))
	for _, t := range []safe.Text{why, hint} {
		if !t.Empty() {
			l = view.Join(l, view.Spaces(3), view.Text(theme.Plain, t))
		}
	}
	return l
}

// Queue shows what was typed while the agent works.
func Queue(texts []string, width int, w view.Widths) []view.Line {
	var out []view.Line
	for i, t := range texts {
		right := view.Line(nil)
		if i == len(texts)-1 {
			right = view.Lit(theme.Dim, safe.Lit("up takes it back"))
		}
		left := view.Join(view.Lit(theme.Dim, safe.Lit(" next  ")), view.Text(theme.Plain, safe.Strict(t)))
		out = append(out, w.Ends(left, right, width, 20))
	}
	return out[max(0, len(out)-maxBanners):]
}

// Todo is the agent's list of tasks, in one row: what it is at, and how far.
func Todo(items []event.TodoItem, width int, w view.Widths) []view.Line {
	done, active := 0, ""
	for _, t := range items {
		switch t.Status {
		case "done":
			done++
		case "active":
			if active == "" {
				active = t.Text
			}
		}
	}
	if len(items) == 0 || done == len(items) {
		return nil
	}
	left := view.Lit(theme.Dim, safe.Join(safe.Lit(" plan  "), safe.Int(done), safe.Lit(" of "), safe.Int(len(items)), safe.Lit(" done")))
	if active != "" {
		left = view.Join(left, view.Spaces(3), view.Text(theme.Plain, safe.Strict(active)))
	}
	return []view.Line{w.Cut(left, width)}
}

// Waiting says that a question is open which is not on the screen.
func Waiting(q *event.Question, width int, w view.Widths, now time.Time) []view.Line {
	if q == nil {
		return nil
	}
	n := safe.Join(safe.Lit(" "), safe.Int(q.Waiting+1), safe.Lit(" waiting  "))
	left := view.Join(view.Lit(theme.Warn, n), view.Text(theme.Plain, safe.Shown(q.Title)))
	if !q.Deadline.IsZero() {
		if d := q.Deadline.Sub(now); d < time.Minute {
			left = view.Join(left, view.Spaces(2), view.Lit(theme.Warn, view.Seconds(max(0, d).Truncate(time.Second))), view.Lit(theme.Warn, safe.Lit(" left")))
		}
	}
	return []view.Line{w.Ends(left, view.Lit(theme.Key, safe.Lit("ctrl+p to look")), width, 20)}
}

// Hints is the row of keys under the composer.
func Hints(s *snap.State, width int, w view.Widths, now time.Time, newline safe.Text) view.Line {
	left := view.Lit(theme.Dim, safe.Lit("enter send"))
	if s.Busy {
		what := safe.Lit("working")
		since := s.Working.Since
		switch {
		case s.Question != nil:
			what, since = safe.Lit("waiting for you"), s.Question.Opened
		case s.Working.Writes != "":
			what = safe.Join(safe.Lit("writing "), safe.Strict(s.Working.Writes), safe.Lit(" "), size(s.Working.Bytes))
		case s.Working.On == "model":
			what = safe.Lit("thinking")
		}
		left = view.Lit(theme.Plain, what)
		if !since.IsZero() && now.After(since) {
			left = view.Join(left, view.Spaces(1), view.Lit(theme.Plain, view.Seconds(now.Sub(since).Truncate(time.Second))))
		}
		left = view.Join(left, view.Spaces(3), view.Lit(theme.Key, safe.Lit("esc")), view.Lit(theme.Dim, safe.Lit(" stops")))
		if s.Question == nil && s.Working.Says != "" {
			left = view.Join(left, view.Spaces(3), view.Text(theme.Dim, safe.Strict(s.Working.Says)))
		}
	}
	right := view.Join(view.Lit(theme.Key, newline), view.Lit(theme.Dim, safe.Lit(" newline   ")), view.Lit(theme.Key, safe.Lit("?")), view.Lit(theme.Dim, safe.Lit(" keys")))
	if s.Busy && s.Working.Says != "" && width < 72 {
		return w.Cut(left, width) // what is unusual counts more
	}
	return w.Ends(left, right, width, 24)
}

// size is that of a call on its way: whole kilobytes, once there are any.
func size(bytes int) safe.Text {
	if bytes < 1<<10 {
		return safe.Join(safe.Int(bytes), safe.Lit(" bytes"))
	}
	return safe.Join(safe.Int(bytes>>10), safe.Lit(" KB"))
}
