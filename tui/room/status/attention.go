package status

import (
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

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
