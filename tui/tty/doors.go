package tty

import (
	"encoding/base64"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// The doors past the list of the gate: each writes one form, made here, out of
// text that cannot leave it.

// MaxCopy is how much goes to the clipboard at once, in bytes. Terminals drop
// what is longer.
const MaxCopy = 74 << 10

// Copy asks the terminal to take a text into its clipboard (OSC 52). Whether
// it does, nobody tells. The clipboard is never read. Within tmux the sequence
// is written twice: for tmux itself, and passed on to the terminal outside.
func (g *Gate) Copy(text string, tmux bool) error {
	text = text[:min(len(text), MaxCopy)]
	seq := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x07"
	if tmux {
		seq += ansi.TmuxPassthrough(seq)
	}
	return g.direct(seq)
}

// Bell rings.
func (g *Gate) Bell() error { return g.direct("\a") }

// Notify shows a notice outside of the terminal's window, where the terminal
// can (OSC 9). What it says is a word of ours, and no more.
func (g *Gate) Notify(w Notice) error {
	text := "tera-pilot is done"
	if w == Asks {
		text = "tera-pilot waits for you"
	}
	return g.direct("\x1b]9;" + text + "\x07")
}

// Notice is what a notification says.
type Notice uint8

// Notices.
const (
	Done Notice = iota // a turn ended
	Asks               // a question is open
)

// direct writes a whole sequence between two writes of the renderer.
func (g *Gate) direct(seq string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, err := g.w.Write([]byte(seq))
	return err
}

// Run gives the terminal to another program, an editor, until that ends.
func Run(c tea.ExecCommand, then func(error) tea.Msg) tea.Cmd {
	return tea.Exec(lasting{c}, func(err error) tea.Msg { return then(err) })
}

// lasting is a program that takes a moment. Bubble Tea stops the ticker of its
// frames a little after it says so (tea.go, startRenderer): one that ended sooner
// could have the ticker stopped after it was started again, and no frame would
// come any more.
type lasting struct{ tea.ExecCommand }

// moment is more than a goroutine needs to run on, and less than a person sees.
const moment = 30 * time.Millisecond

// Run implements tea.ExecCommand.
func (l lasting) Run() error {
	err := l.ExecCommand.Run()
	time.Sleep(moment)
	return err
}
