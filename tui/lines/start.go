package lines

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/tty"
)

// StartOptions are what Start needs.
type StartOptions struct {
	Start    snap.Start
	Refresh  func() snap.Start                 // looks again; nil when nothing can change
	Sessions func() ([]snap.SessionRow, error) // for the action "sessions"; nil: whoever asked lists them
	In       io.Reader
	Out      io.Writer
}

// A Chosen is how a start screen ended: the action and what was typed for it, or
// a session; zero when the person left.
type Chosen struct {
	ID, Text string
	Next     snap.Request
}

// Start prints what the start screen shows as a numbered menu, and asks for a
// number until one is chosen, the person leaves, the input ends or ctx does.
// Nothing is chosen by an empty line, and nothing but a number of the menu
// chooses.
func Start(ctx context.Context, o StartOptions) (Chosen, error) {
	m := &menu{ctx: ctx, in: o.In, scan: bufio.NewScanner(o.In), p: &printer{w: tty.NewGate(o.Out, nil)}}
	s := o.Start
	if o.Refresh != nil {
		s = o.Refresh()
	}
	for {
		c, again := m.start(s, o)
		if m.p.err != nil || !again {
			return c, m.p.err
		}
		if o.Refresh != nil {
			s = o.Refresh()
		}
	}
}

// menu asks for lines at the prompt of a start screen.
type menu struct {
	ctx  context.Context
	in   io.Reader
	scan *bufio.Scanner
	p    *printer
}

// start shows the menu once; again says that it has to be shown again.
func (m *menu) start(s snap.Start, o StartOptions) (c Chosen, again bool) {
	m.says(s)
	out := "leave"
	if s.Back {
		out = "back"
	}
	var rows []string
	for _, a := range s.Can {
		row := a.Title
		if a.Note != "" {
			row += "  (not now: " + a.Note + ")"
		}
		rows = append(rows, row)
	}
	n, ok := m.choose("start", rows, out)
	switch {
	case !ok:
		return Chosen{}, false
	case s.Can[n].Note != "":
		m.p.line("start", s.Can[n].Note)
		return Chosen{}, true
	}
	switch a := s.Can[n]; {
	case a.ID == "refresh" && o.Refresh != nil:
		return Chosen{}, true
	case a.ID == "sessions" && o.Sessions != nil:
		next, ok := m.sessions(o.Sessions)
		return Chosen{Next: next}, !ok
	case a.Input != nil:
		text, ok := m.typed(*a.Input)
		return Chosen{ID: a.ID, Text: text}, !ok
	default:
		return Chosen{ID: a.ID}, false
	}
}

// says prints how things stand.
func (m *menu) says(s snap.Start) {
	m.p.line("start", s.Says)
	for _, l := range s.Local {
		m.p.line("start", strings.TrimSpace(fmt.Sprintf("local   %s  %s  %s  %s", l.Name, l.Address, l.State, l.Hint)))
	}
	for _, t := range s.Remote {
		m.p.line("start", "remote  "+t)
	}
	for _, t := range s.Notes {
		m.p.line("start", t)
	}
}

// choose prints numbered rows and asks for a number; false when the person goes.
func (m *menu) choose(prefix string, rows []string, out string) (n int, ok bool) {
	for i, row := range rows {
		m.p.line(prefix, fmt.Sprintf("%d  %s", i+1, row))
	}
	m.p.line(prefix, fmt.Sprintf("0  %s", out))
	for {
		m.p.line(prefix, "type a number and enter")
		text, ok := m.line()
		n, err := strconv.Atoi(text)
		switch {
		case !ok, text == "q", text == "0", m.p.err != nil:
			return 0, false
		case err == nil && n >= 1 && n <= len(rows):
			return n - 1, true
		case text != "":
			m.p.line(prefix, fmt.Sprintf("%q is no number from 0 to %d", text, len(rows)))
		}
	}
}

// sessions lets the person choose a stored session.
func (m *menu) sessions(list func() ([]snap.SessionRow, error)) (snap.Request, bool) {
	all, err := list()
	if err != nil {
		m.p.line("sessions", "cannot be listed: "+err.Error())
		return snap.Request{}, false
	}
	var rows []string
	var can []snap.SessionRow
	for _, r := range all {
		if r.Archived || r.Gone || r.Problem != "" || len(can) == maxSessions {
			continue
		}
		can = append(can, r)
		title := r.Title
		if title == "" {
			title = "without a title"
		}
		rows = append(rows, fmt.Sprintf("%s  %s  %d turns  in %s", title, r.Updated.Local().Format("2006-01-02 15:04"), r.Turns, r.Root))
	}
	if left := len(all) - len(can); left > 0 {
		m.p.line("sessions", fmt.Sprintf("%d more: tera-pilot sessions list --all", left))
	}
	n, ok := m.choose("sessions", rows, "back")
	if !ok {
		return snap.Request{}, false
	}
	return snap.Request{Open: can[n].ID, Root: can[n].Root}, true
}

// maxSessions is how many sessions are listed, the last used ones.
const maxSessions = 20

// typed asks for a line; false when it is empty, which goes back.
func (m *menu) typed(i snap.Input) (string, bool) {
	m.p.line("start", strings.TrimSuffix(i.Label, ":")+" (an empty line goes back)")
	if !i.Hidden {
		text, ok := m.line()
		return text, ok && text != ""
	}
	f, ok := m.in.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		m.p.line("start", "it cannot be typed unseen here: tera-pilot keys set NAME --from stdin")
		return "", false
	}
	m.p.line("start", "what you type is not shown")
	text, err := m.hidden(f)
	if err != nil {
		m.p.line("start", "nothing was read: "+err.Error())
	}
	return text, text != ""
}

// line reads one line, without the blanks around it; false when none comes.
// Nothing is read beyond it, so that what follows is for whoever asks next.
func (m *menu) line() (string, bool) {
	got := make(chan bool, 1)
	go func() { got <- m.scan.Scan() }() // a terminal's read ends with the program at the latest
	select {
	case ok := <-got:
		return strings.TrimSpace(m.scan.Text()), ok
	case <-m.ctx.Done():
		return "", false
	}
}

// hidden reads a line without its echo. The terminal is as it was before, also
// when the program is told to end meanwhile.
func (m *menu) hidden(f *os.File) (string, error) {
	before, err := term.GetState(f.Fd())
	if err != nil {
		return "", err
	}
	type answer struct {
		text []byte
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		text, err := term.ReadPassword(f.Fd())
		got <- answer{text, err}
	}()
	select {
	case a := <-got:
		return strings.TrimSpace(string(a.text)), a.err
	case <-m.ctx.Done():
		return "", errors.Join(m.ctx.Err(), term.Restore(f.Fd(), before))
	}
}
