package tty

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
)

// feed sends parts with pauses between them and returns what was posted.
func feed(t *testing.T, pause time.Duration, parts ...string) []Input {
	t.Helper()
	var got []Input
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		s := NewSource(r, time.Now)
		stop := make(chan struct{})
		ran := make(chan struct{})
		go func() {
			s.Run(stop, func(in Input) { got = append(got, in) })
			close(ran)
		}()
		go func() {
			buf := make([]byte, 4096)
			for {
				if n, err := s.Read(buf); n != 0 || err != nil {
					return
				}
			}
		}()
		for _, p := range parts {
			if _, err := w.Write([]byte(p)); err != nil {
				t.Error(err)
			}
			time.Sleep(pause)
		}
		_ = w.Close()
		<-ran
		if n := len(got); n == 0 || got[n-1].Event != (Ended{}) {
			t.Error("the end was not told")
		} else {
			got = got[:n-1]
		}
	})
	return got
}

func words(in []Input) string {
	var out []string
	for _, i := range in {
		var s string
		switch ev := i.Event.(type) {
		case nil:
			s = "nothing"
		case uv.KeyPressEvent:
			s = ev.Keystroke()
		case uv.PasteEvent:
			s = fmt.Sprintf("paste(%q)", ev.Content)
		default:
			s = fmt.Sprintf("%T", ev)
		}
		if i.Alone {
			s += "!"
		}
		if i.Followed {
			s += "+"
		}
		if i.Cut {
			s += "cut"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestEvents(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts []string
		want  string
	}{
		{"one key", []string{"a"}, "a!"},
		{"two reads", []string{"a", "b"}, "a! b!"},
		{"one read", []string{"ab"}, "a+ b"},
		{"enter inside", []string{"a\rb"}, "a+ enter+ b"},
		{"arrow", []string{"\x1b[A"}, "up!"},
		{"split arrow", []string{"\x1b", "[A"}, "up"},
		{"kitty", []string{"\x1b[13;2u", "\x1b[97;5u"}, "shift+enter! ctrl+a!"},
		{"alt", []string{"\x1b\r", "\x1ba"}, "alt+enter! alt+a!"},
		{"wide", []string{"日本"}, "日+ 本"},
		{"split wide", []string{"\xe6", "\x97\xa5"}, "日"},
		{"no text", []string{"\xff"}, "nothing!"},
		{"c1 is no control", []string{"\x9b", "A"}, "nothing! shift+a!"},
		{"paste", []string{"\x1b[200~hello\x1b[201~"}, `paste("hello")`},
		{"paste, key after it", []string{"\x1b[200~x\x1b[201~a"}, `paste("x")+ a`},
		{"paste in pieces", []string{"\x1b[20", "0~he", "llo\x1b[2", "01~"}, `paste("hello")`},
		{"smuggled end", []string{"\x1b[200~x\x1b[201~a\x1b[201~"}, `paste("x")+ a+ uv.PasteEndEvent`},
		{"sequences in a paste", []string{"\x1b[200~\x1b[A\x1b]0;x\x07\xff\x1b[201~"}, `paste("\x1b[A\x1b]0;x\a")`},
		{"answer", []string{"\x1b[?62;1;4c"}, "uv.PrimaryDeviceAttributesEvent!"},
		{"linux function key", []string{"\x1b[[A"}, "nothing!"},
		{"focus", []string{"\x1b[I", "\x1b[O"}, "uv.FocusEvent! uv.BlurEvent!"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := words(feed(t, time.Millisecond, c.parts...)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestIncompleteIsTakenInTheEnd(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b":            "esc",
		"\x1b[":           "alt+[",
		"\x1b[12;":        "nothing",
		"\x1b]11;rgb":     "nothing",
		"\xe6\x97":        "nothing+ nothing",
		"\x1b[200~hel":    `paste("hel")cut`,
		"\x1b[200~\x1b[2": `paste("\x1b[2")cut`,
	} {
		got := words(feed(t, 3*time.Second, in, "x"))
		if got != want+" x!" {
			t.Errorf("%q: got %s, want %s x!", in, got, want)
		}
	}
}

func TestLongPasteIsCut(t *testing.T) {
	got := feed(t, 0, "\x1b[200~", strings.Repeat("x", maxPaste+5), "\x1b[201~")
	if len(got) != 1 || !got[0].Cut || len(got[0].Event.(uv.PasteEvent).Content) != maxPaste {
		t.Errorf("got %d inputs", len(got))
	}
}

// TestTimesAreThoseOfReading keeps the program busy: the times stay true.
func TestTimesAreThoseOfReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		s := NewSource(r, time.Now)
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			buf := make([]byte, 10)
			for {
				if _, err := s.Read(buf); err != nil {
					return
				}
			}
		}()
		start := time.Now()
		for range 3 {
			time.Sleep(time.Second)
			_, _ = w.Write([]byte("a"))
		}
		if got := s.Last().Sub(start); got != 3*time.Second {
			t.Errorf("last read after %v", got)
		}
		var mu sync.Mutex
		var at []time.Duration
		ran := make(chan struct{})
		go func() {
			s.Run(stop, func(in Input) {
				time.Sleep(time.Minute)
				mu.Lock()
				defer mu.Unlock()
				at = append(at, in.At.Sub(start))
			})
			close(ran)
		}()
		time.Sleep(time.Hour)
		mu.Lock()
		if fmt.Sprint(at) != "[1s 2s 3s]" {
			t.Errorf("keys were read at %v", at)
		}
		mu.Unlock()
		_ = w.Close()
		<-ran
	})
}

func FuzzSource(f *testing.F) {
	f.Add([]byte("\x1b[200~a\x1b[201~b\x1b[A"), 4)
	f.Fuzz(func(t *testing.T, in []byte, at int) {
		at = min(max(at, 0), len(in))
		n := 0
		sc := scanner{post: func(Input) { n++ }}
		for _, part := range [][]byte{in[:at], in[at:]} {
			if len(part) > 0 {
				sc.add(chunk{part, time.Time{}})
			}
		}
		sc.expire()
		sc.expire()
		if len(sc.buf) > 0 || sc.paste != nil {
			t.Fatalf("%q leaves %q", in, sc.buf)
		}
		if len(in) > 0 && n == 0 {
			t.Fatalf("%q tells nothing", in)
		}
	})
}
