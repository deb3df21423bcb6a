package tty

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// Times of a self test.
const (
	probeWait  = time.Second      // for the answers of the terminal
	probePress = 15 * time.Second // for the person to press a key
)

// A Probe is a self test of the terminal: it asks, waits for a bounded time, and
// claims nothing that was not answered. The terminal is in raw mode meanwhile;
// whoever calls sees to that, and takes it back. What the person types or
// pastes is neither shown nor kept.
type Probe struct {
	In  io.Reader
	Out io.Writer
	Env func(name string) string
	Ask bool // also the part in which the person presses keys

	Wait, Press time.Duration // zero: the usual ones

	in      chan []byte
	results []Finding
	undo    string // what takes back the modes that were set
}

// Finding is what one part of a self test found. Status is ok, warn, fail or
// skip.
type Finding struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

// errStopped says that the person ended the test.
var errStopped = errors.New("stopped")

// Run does the test. The modes it sets are taken back before it returns.
func (p *Probe) Run(ctx context.Context) (found []Finding, err error) {
	if p.Wait == 0 {
		p.Wait = probeWait
	}
	if p.Press == 0 {
		p.Press = probePress
	}
	p.in = make(chan []byte, 256) // a terminal answers while it is written to
	done := make(chan struct{})
	defer close(done)
	go p.read(done) // nobody waits for its end: it may stay in a read of a terminal
	defer func() { err = errors.Join(err, p.write(p.undo+"\x1b[0m\r\x1b[K")) }()
	answers, err := p.ask(ctx, "\x1b[>0q")
	if err != nil {
		return nil, err
	}
	if answers == nil {
		p.say("terminal", "fail", "it does not answer what it is (device attributes): nothing else can be told, and no question can be made sure to be on the screen", "take another terminal, or --lines")
		return p.results, nil
	}
	p.named(answers)
	for _, part := range []func(context.Context) error{p.colours, p.widths, p.modes, p.keyboard, p.pressed, p.pasted} {
		if err := part(ctx); err != nil {
			return p.results, err
		}
	}
	return p.results, nil
}

func (p *Probe) say(name, status, detail, hint string) {
	p.results = append(p.results, Finding{name, status, detail, hint})
}

func (p *Probe) write(text string) error {
	if _, err := io.WriteString(p.Out, text); err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	return nil
}

// read hands on what comes, until the test is over.
func (p *Probe) read(done <-chan struct{}) {
	defer close(p.in)
	for {
		b := make([]byte, 4096)
		n, err := p.In.Read(b)
		if n > 0 {
			select {
			case p.in <- b[:n]:
			case <-done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// ask writes queries and gives the sequences that came back before the answer to
// the last query, which every terminal knows. Nil: that one did not come.
func (p *Probe) ask(ctx context.Context, queries string) ([]heard, error) {
	if err := p.write(queries + "\x1b[c"); err != nil {
		return nil, err
	}
	var got []byte
	timer := time.NewTimer(p.Wait)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timer.C:
			return nil, nil
		case b, ok := <-p.in:
			if !ok {
				return nil, nil
			}
			got = append(got, b...)
			if strings.IndexByte(string(b), 3) >= 0 { // ctrl+c
				return nil, errStopped
			}
			all := sequences(string(got))
			for i, s := range all {
				if s.kind == '[' && strings.HasPrefix(s.body, "?") && strings.HasSuffix(s.body, "c") {
					return all[:i+1], nil
				}
			}
		}
	}
}

// named says which terminal it is, and whether it says that it takes a
// clipboard.
func (p *Probe) named(answers []heard) {
	name := "it does not say its name"
	for _, s := range answers {
		if text, ok := strings.CutPrefix(s.body, ">|"); ok && s.kind == 'P' {
			name = visible.Strict(text)
		}
	}
	p.say("terminal", "ok", name+", TERM="+visible.Strict(p.Env("TERM")), "")
	attributes := strings.TrimSuffix(strings.TrimPrefix(answers[len(answers)-1].body, "?"), "c")
	takes := false
	for n := range strings.SplitSeq(attributes, ";") {
		takes = takes || n == "52"
	}
	if takes {
		p.say("clipboard", "ok", "it says that it takes what is copied (OSC 52)", "")
	} else {
		p.say("clipboard", "warn", "it does not say whether it takes what is copied (OSC 52); the clipboard is never read to find out", "y in the conversation, then paste elsewhere, shows it")
	}
	if p.Env("TMUX") != "" {
		p.say("tmux", "warn", "whether tmux hands the clipboard on to the terminal outside cannot be asked from within", "tmux set -g set-clipboard on, or tmux set -g allow-passthrough on")
	}
}

// colours sets one of 16 million colours and asks which one is in force.
func (p *Probe) colours(ctx context.Context) error {
	answers, err := p.ask(ctx, "\x1b[48;2;1;2;3m\x1bP$qm\x1b\\\x1b[0m\x1b]11;?\x1b\\")
	if err != nil {
		return err
	}
	full, ground := false, "; it does not say its background, so the theme is dark"
	for _, s := range answers {
		full = full || s.kind == 'P' && (strings.Contains(s.body, "1:2:3") || strings.Contains(s.body, "1;2;3"))
		if text, ok := strings.CutPrefix(s.body, "11;"); ok && s.kind == ']' {
			ground = "; its background is " + visible.Strict(text)
		}
	}
	depth := p.Env("COLORTERM")
	switch {
	case full:
		p.say("colours", "ok", "16 million"+ground, "")
	case depth == "truecolor" || depth == "24bit":
		p.say("colours", "ok", "16 million, as COLORTERM says; the terminal itself does not"+ground, "")
	case strings.Contains(p.Env("TERM"), "256color"):
		p.say("colours", "ok", "256, as TERM says"+ground, "")
	default:
		p.say("colours", "warn", "16, as far as it says"+ground, "COLORTERM=truecolor, where it can show them")
	}
	return nil
}

// samples are texts whose widths terminals do not agree about.
var samples = []struct{ name, text string }{
	{"wide characters", "漢字"}, {"accents", "e\u0301"}, {"emoji", "🙂"}, {"joined emoji", "👩\u200d👩\u200d👧"}, {"flags", "🇨🇭"},
}

// widths writes texts and asks where the cursor is then. What the screens draw
// has to be counted as the terminal counts it.
func (p *Probe) widths(ctx context.Context) error {
	answers, err := p.ask(ctx, "\x1b[?2027$p")
	if err != nil {
		return err
	}
	count := view.Widths(false)
	if m := modeOf(answers, "2027"); m == "1" || m == "2" || m == "3" {
		count = view.Graphemes
	}
	for _, x := range samples {
		// The screens show what cannot be told apart as escapes: see tui/safe.
		shown := safe.Prose(x.text)[0]
		answers, err := p.ask(ctx, "\r\x1b[K"+shown.String()+"\x1b[6n\r\x1b[K")
		if err != nil {
			return err
		}
		want, got := count.Of(shown), column(answers)-1
		switch {
		case got < 0:
			p.say("width of "+x.name, "warn", "it does not say where the cursor is", "")
		case got != want:
			p.say("width of "+x.name, "warn", fmt.Sprintf("%s, and tera-pilot counts %d: columns behind them stand apart", cells(got), want), "another version of the terminal, or --lines")
		default:
			p.say("width of "+x.name, "ok", cells(got)+", as counted", "")
		}
	}
	return nil
}

func cells(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}

// modes asks which of the modes that the screens use it knows.
func (p *Probe) modes(ctx context.Context) error {
	for _, m := range []struct{ number, name, without string }{
		{"2004", "bracketed paste", "a paste looks like typing: its line ends are taken for line ends, and it sends nothing"},
		{"2026", "synchronized output", "a frame may be seen half drawn"},
		{"1004", "focus", "notices go by the keyboard alone"},
	} {
		answers, err := p.ask(ctx, "\x1b[?"+m.number+"$p")
		if err != nil {
			return err
		}
		switch modeOf(answers, m.number) {
		case "1", "2", "3":
			p.say(m.name, "ok", "it knows it", "")
		case "":
			p.say(m.name, "warn", "it does not say whether it knows it; without: "+m.without, "")
		default:
			p.say(m.name, "warn", "it does not know it: "+m.without, "")
		}
	}
	return nil
}

// keyboard asks for the key protocol, and switches it on for what follows.
func (p *Probe) keyboard(ctx context.Context) error {
	answers, err := p.ask(ctx, "\x1b[?u")
	if err != nil {
		return err
	}
	for _, s := range answers {
		if s.kind == '[' && strings.HasPrefix(s.body, "?") && strings.HasSuffix(s.body, "u") {
			p.say("key protocol", "ok", "it tells keys apart (kitty): shift+enter is a new line", "")
			p.undo = "\x1b[<u" + p.undo
			return p.write("\x1b[>1u")
		}
	}
	p.say("key protocol", "warn", "it does not tell shift+enter from enter", "ctrl+j or alt+enter is a new line everywhere")
	return nil
}
