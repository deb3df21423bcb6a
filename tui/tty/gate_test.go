package tty

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
)

func through(t *testing.T, parts ...string) (out string, faults int) {
	t.Helper()
	var b bytes.Buffer
	g := NewGate(&b, nil)
	for _, p := range parts {
		if n, err := g.Write([]byte(p)); n != len(p) || err != nil {
			t.Fatalf("Write(%q) = %d, %v", p, n, err)
		}
	}
	return b.String(), g.Faults()
}

func TestPassed(t *testing.T) {
	for _, s := range []string{
		"text 日本語 e\u0301\r\n\t\b", "\x1b[m", "\x1b[1;38;2;1;2;3m", "\x1b[4:3m", "\x1b[2;5H", "\x1b[H", "\x1b[5G", "\x1b[3d", "\x1b[3`",
		"\x1b[K", "\x1b[1K", "\x1b[2J", "\x1b[J", "\x1b[3X", "\x1b[4b", "\x1b[2;10r", "\x1b[r", "\x1b[S", "\x1b[2T", "\x1bM",
		"\x1b[?1049h", "\x1b[?1049l", "\x1b[?25l", "\x1b[?2004h", "\x1b[?2026$p\x1b[?2027$p", "\x1b[?2026h", "\x1b[4h", "\x1b[?7l", "\x1b[?5W",
		"\x1b[>4;2m", "\x1b[>4m", "\x1b[>1u", "\x1b[<1u", "\x1b[=1;1u", "\x1b[?u", "\x1b[6 q", "\x1b[0 q",
		"\x1b]11;?\x07", "\x1b]11;?\x1b\\",
	} {
		if out, faults := through(t, s); out != s || faults != 0 {
			t.Errorf("%q came out as %q, %d faults", s, out, faults)
		}
		for i := range s { // however it is split
			if out, faults := through(t, s[:i], s[i:]); out != s || faults != 0 {
				t.Errorf("%q, split at %d, came out as %q, %d faults", s, i, out, faults)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for in, want := range map[string]string{
		"\x07":                                   "?",
		"\x00\x7f\x0e":                           "???",
		"a\u202eb\ufeff\ufe0f":                   "a?b??",
		"\u0085\u009b31m":                        "??31m",
		"\xff\xc0x":                              "??x",
		"\x1b]0;title\x07":                       "?]0;title?",
		"\x1b]2;title\x07":                       "?]2;title?",
		"\x1b]2;tera-pilot frame x\x07":          "?]2;tera-pilot frame x?",
		"\x1b]2;tera-pilot frame 0\x07":          "?]2;tera-pilot frame 0?",
		"\x1b]52;c;aGk=\x07":                     "?]52;c;aGk=?",
		"\x1b]8;;http://x\x1b\\a":                "?]8;;http://x?\\a",
		"\x1b]11;rgb:0/0/0\x07":                  "?]11;rgb:0/0/0?",
		"\x1bPtmux;x\x1b\\":                      "?Ptmux;x?\\",
		"\x1b_Gx\x1b\\\x1b^x\x1bXx":              "?_Gx?\\?^x?Xx",
		"\x1b[c\x1b[0c\x1b[>c\x1b[6n":            "????",
		"\x1b[3J":                                "?",
		"\x1b[?1000h\x1b[?1003h":                 "??",
		"\x1b[21t\x1b[8;1;1t":                    "??",
		"\x1b[?25$p":                             "?",
		"\x1b[>3u\x1b[5i\x1b[!p":                 "???",
		"\x1b[1;\x1b[m":                          "?\x1b[m",
		"\x1bc\x1b7\x1b(0":                       "?c?7?(0",
		"\x1b[" + strings.Repeat("1;", 60) + "m": "?[" + strings.Repeat("1;", 60) + "m",
	} {
		for i := range len(in) + 1 {
			out, faults := through(t, in[:i], in[i:])
			if out != want || faults != strings.Count(want, "?") {
				t.Errorf("%q, split at %d, came out as %q, %d faults; want %q", in, i, out, faults, want)
			}
		}
	}
	// What never ends is not held for ever.
	if out, _ := through(t, "\x1b]2;"+strings.Repeat("x", 200)); !strings.HasPrefix(out, "?]2;xxx") {
		t.Errorf("an endless title came out as %q", out)
	}
}

func TestFence(t *testing.T) {
	var b bytes.Buffer
	var got []uint64
	g := NewGate(&b, func(n uint64) { got = append(got, n) })
	write := func(s string) {
		if _, err := g.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	write("\x1b]2;" + FrameTitle(7) + "\x07hello")
	write("\x1b]2;" + FrameTitle(8)[:9])
	if b.String() != "hello\x1b[c" {
		t.Errorf("wrote %q", b.String())
	}
	write(FrameTitle(8)[9:] + "\x07x")
	write("\x1b]2;" + FrameTitle(0) + "\x07y")
	if b.String() != "hello\x1b[cx\x1b[cy" || len(got) != 2 || got[0] != 7 || got[1] != 8 || g.Faults() != 0 {
		t.Errorf("wrote %q, fences %v, %d faults", b.String(), got, g.Faults())
	}
}

// TestAnswersInOrder: a late answer is never one to a newer frame.
func TestAnswersInOrder(t *testing.T) {
	g := NewGate(io.Discard, nil)
	if g.Answered() != 0 {
		t.Error("an answer nobody asked for is for a frame")
	}
	for n := uint64(1); n <= 1000; n++ {
		if _, err := g.Write([]byte("\x1b]2;" + FrameTitle(n) + "\x07x")); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := g.Answered(), g.Answered(); a != 1 || b != 2 {
		t.Errorf("answers for %d, %d", a, b)
	}
	if len(g.fences.out) > maxUnanswered {
		t.Errorf("%d are waited for", len(g.fences.out))
	}
}

// early answers a query from inside of the write.
type early struct{ g *Gate }

func (e early) Write(p []byte) (int, error) {
	if n := e.g.Answered(); n != 5 {
		return 0, errors.New("the answer came before the question")
	}
	return len(p), nil
}

func TestNoAnswerIsTooEarly(t *testing.T) {
	g := NewGate(nil, nil)
	g.w = early{g}
	if _, err := g.Write([]byte("\x1b]2;" + FrameTitle(5) + "\x07x")); err != nil {
		t.Error(err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestWriteErrorIsReported(t *testing.T) {
	called := false
	g := NewGate(broken{}, func(uint64) { called = true })
	if _, err := g.Write([]byte("\x1b]2;" + FrameTitle(1) + "\x07x")); err == nil || called {
		t.Errorf("error %v, fence reported %v", err, called)
	}
}

// FuzzGate: whatever is written, a terminal behind the gate answers nothing,
// keeps its title and clipboard, and what came out passes a second gate as it
// is.
func FuzzGate(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\x1b]0;x\x07\x1bP+q544e\x1b\\\x1b[6n"), 3)
	f.Add([]byte("\x1b]52;c;?\x07\x1b[?1049h\xff\u202e"), 1)
	f.Fuzz(func(t *testing.T, in []byte, at int) {
		at = min(max(at, 0), len(in))
		out, faults := through(t, string(in[:at]), string(in[at:]))
		again, more := through(t, out)
		if again != out || more != 0 {
			t.Fatalf("%q (%d faults) became %q at the second gate", out, faults, again)
		}
		e := vt.NewEmulator(20, 5)
		answers := make(chan []byte, 1)
		go func() {
			b, _ := io.ReadAll(e)
			answers <- b
		}()
		e.SetCallbacks(vt.Callbacks{Title: func(s string) { t.Errorf("title %q", s) }, Bell: func() { t.Error("bell") }})
		queries := strings.NewReplacer("\x1b[?u", "", "\x1b[?2026$p", "", "\x1b[?2027$p", "", "\x1b]11;?\x07", "", "\x1b]11;?\x1b\\", "")
		if _, err := e.WriteString(queries.Replace(out)); err != nil {
			t.Fatal(err)
		}
		if err := e.InputPipe().(io.Closer).Close(); err != nil { // the emulator's own Close races with Read
			t.Fatal(err)
		}
		if got := <-answers; len(got) > 0 {
			t.Errorf("the terminal answered %q to %q", got, out)
		}
	})
}
