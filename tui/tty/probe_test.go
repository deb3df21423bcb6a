package tty

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/termtest"
)

// talk is a terminal of a test: what it is sent goes to hear, whose answers come
// back, besides what the person types.
type talk struct {
	mu   sync.Mutex
	out  bytes.Buffer
	keys *io.PipeWriter
	hear func(text string) string
}

func (t *talk) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out.Write(b)
	if answer := t.hear(string(b)); answer != "" {
		go func() { _, _ = io.WriteString(t.keys, answer) }() // after the end nobody reads
	}
	return len(b), nil
}

// probed runs a self test against a terminal.
func probed(t *testing.T, env map[string]string, ask bool, hear func(string) string) (map[string]Finding, string, error) {
	t.Helper()
	r, w := io.Pipe()
	defer w.Close()
	term := &talk{keys: w, hear: hear}
	p := Probe{In: r, Out: term, Env: func(n string) string { return env[n] }, Ask: ask, Wait: 300 * time.Millisecond, Press: 500 * time.Millisecond}
	found, err := p.Run(context.Background())
	out := map[string]Finding{}
	for _, f := range found {
		if (f.Status != "ok" && f.Status != "warn" && f.Status != "fail" && f.Status != "skip") || f.Detail == "" || strings.ContainsAny(f.Detail+f.Hint, "\x1b\n\r") {
			t.Errorf("%+v", f)
		}
		out[f.Name] = f
	}
	return out, term.out.String(), err
}

// TestProbeOfATerminalThatSaysNothing: nothing is claimed, and it ends.
func TestProbeOfATerminalThatSaysNothing(t *testing.T) {
	found, out, err := probed(t, nil, true, func(string) string { return "" })
	if err != nil || len(found) != 1 || found["terminal"].Status != "fail" || found["terminal"].Hint == "" {
		t.Errorf("%+v, %v", found, err)
	}
	if !strings.HasSuffix(out, "\x1b[0m\r\x1b[K") {
		t.Errorf("%q", out)
	}
}

// modern answers as a terminal does that knows everything, and counts its own
// way.
func modern(width string, press ...string) func(string) string {
	return func(text string) string {
		var out string
		for _, q := range []struct{ query, answer string }{
			{"\x1b[>0q", "\x1bP>|Test \u202eterm\x1b\\"}, {"$qm", "\x1bP1$r0;48:2::1:2:3m\x1b\\"}, {"]11;?", "\x1b]11;rgb:0000/0000/0000\a"}, {"\x1b[6n", "\x1b[7;" + width + "R"},
			{"?2004$p", "\x1b[?2004;2$y"}, {"?2026$p", "\x1b[?2026;2$y"}, {"?1004$p", "\x1b[?1004;0$y"}, {"?2027$p", "\x1b[?2027;2$y"}, {"\x1b[?u", "\x1b[?0u"}, {"\x1b[c", "\x1b[?62;52;22c"},
		} {
			if strings.Contains(text, q.query) {
				out += q.answer
			}
		}
		for i, says := range []string{"press shift", "paste something"} {
			if strings.Contains(text, says) && i < len(press) {
				out += press[i]
			}
		}
		return out
	}
}

// TestProbeOfATerminalThatKnows: each part is found by its answer, what it takes
// back is taken back, and nothing of a paste or a name gets through raw.
func TestProbeOfATerminalThatKnows(t *testing.T) {
	found, out, err := probed(t, map[string]string{"TERM": "xterm-256color", "TMUX": "x"}, true, modern("3", "\x1b[13;2u", "\x1b[200~my \x1b[31msecret\x1b[201~"))
	if err != nil {
		t.Fatal(err)
	}
	for name, status := range map[string]string{
		"terminal": "ok", "clipboard": "ok", "tmux": "warn", "colours": "ok", "width of emoji": "ok", "width of wide characters": "warn", "bracketed paste": "ok",
		"synchronized output": "ok", "focus": "warn", "key protocol": "ok", "shift+enter": "ok", "a paste": "ok",
	} {
		if found[name].Status != status {
			t.Errorf("%s: %+v, want %s", name, found[name], status)
		}
	}
	if !strings.Contains(found["terminal"].Detail, "<U+202E>") || strings.Contains(out, "secret") {
		t.Errorf("%q\n%q", found["terminal"].Detail, out)
	}
	for _, pair := range [][2]string{{"\x1b[>1u", "\x1b[<u"}, {"\x1b[?2004h", "\x1b[?2004l"}} {
		if strings.Count(out, pair[0]) != 1 || strings.LastIndex(out, pair[1]) < strings.Index(out, pair[0]) {
			t.Errorf("%q is not taken back: %q", pair[0], out)
		}
	}
	if strings.Contains(out, "]52;") {
		t.Error("the clipboard is touched")
	}
}

// TestProbeOfThePerson: what is left out, what comes as something else, and the
// end by ctrl+c.
func TestProbeOfThePerson(t *testing.T) {
	for _, tt := range []struct{ key, paste, wantKey, wantPaste string }{
		{"", "", "skip", "skip"}, {"\x1b", "\x1b", "skip", "skip"}, {"\r", "plain", "warn", "warn"}, {"\x1b[27;2;13~", "\x1b[200~", "ok", "skip"},
	} {
		found, _, err := probed(t, nil, true, modern("3", tt.key, tt.paste))
		if err != nil || found["shift+enter"].Status != tt.wantKey || found["a paste"].Status != tt.wantPaste {
			t.Errorf("%q %q: %+v %+v %v", tt.key, tt.paste, found["shift+enter"], found["a paste"], err)
		}
	}
	_, out, err := probed(t, nil, true, modern("3", "\x03"))
	if err == nil || !strings.HasSuffix(out, "\x1b[<u\x1b[0m\r\x1b[K") {
		t.Errorf("%v: %q", err, out)
	}
}

// TestProbeOfTheEmulator: the widths that a terminal of today counts are those
// that the screens are laid out by.
func TestProbeOfTheEmulator(t *testing.T) {
	screen := termtest.NewScreen(80, 24)
	defer screen.Close()
	p := Probe{In: screen.Answers(), Out: screen, Env: func(string) string { return "" }, Wait: 2 * time.Second}
	found, err := p.Run(t.Context())
	if err != nil || len(found) < 8 {
		t.Fatalf("%+v, %v", found, err)
	}
	for _, f := range found {
		if strings.HasPrefix(f.Name, "width of ") && f.Status != "ok" {
			t.Errorf("%+v", f)
		}
	}
	if text := strings.TrimSpace(screen.Text()); text != "" {
		t.Errorf("something is left on the screen: %q", text)
	}
}

// FuzzSequences: whatever a terminal sends, reading it ends, and finds only what
// is there.
func FuzzSequences(f *testing.F) {
	f.Add("\x1b[?62;52c\x1bP>|x\x1b\\\x1b]11;y\a")
	f.Add("\x1b[\x1b]\x1bP\x1b")
	f.Fuzz(func(t *testing.T, s string) {
		for _, q := range sequences(s) {
			if !strings.Contains(s, "\x1b"+string(q.kind)+q.body) {
				t.Errorf("%q has no %q", s, q)
			}
			column([]heard{q})
			modeOf([]heard{q}, "2004")
		}
	})
}
