package tty

import (
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// A Gate passes to the terminal what is on its list.
type Gate struct {
	fenced func(uint64) // told after a numbered frame was written; may be nil
	fences fences

	wrote func() // told after each write; may be nil

	mu     sync.Mutex // held while the terminal is written: two writers would mix their sequences
	w      io.Writer
	held   []byte // a sequence or character whose rest has not been written yet
	out    []byte
	faults int
}

// NewGate puts a gate before w. fenced, when not nil, is called with the
// number of each frame that was written together with its query; it must not
// block.
func NewGate(w io.Writer, fenced func(uint64)) *Gate { return &Gate{w: w, fenced: fenced} }

// Watch has f called after each write. It is set before the first one, and f
// must not block.
func (g *Gate) Watch(f func()) { g.wrote = f }

// fault stands for what was refused.
const fault = '?'

// maxSequence is the length from which on no sequence is on the list.
const maxSequence = 64

// Faults is how much was refused so far.
func (g *Gate) Faults() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.faults
}

// Write passes on p. It reports all of p as written, since nothing of it may
// be written again by another way.
func (g *Gate) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	in := append(g.held, p...)
	g.out = g.out[:0]
	var fence uint64
	for len(in) > 0 {
		n, what := look(in)
		if what.kind == partial {
			break
		}
		switch what.kind {
		case passed:
			g.out = append(g.out, in[:n]...)
		case marked:
			fence = what.fence
		default:
			g.faults++
			g.out = append(g.out, fault)
		}
		in = in[n:]
	}
	g.held = append(g.held[:0:0], in...)
	if fence != 0 {
		g.out = append(g.out, ansi.RequestPrimaryDeviceAttributes...)
		g.fences.asked(fence)
	}
	if len(g.out) > 0 {
		if _, err := g.w.Write(g.out); err != nil {
			return 0, err
		}
	}
	if fence != 0 && g.fenced != nil {
		g.fenced(fence)
	}
	if g.wrote != nil {
		g.wrote()
	}
	return len(p), nil
}

type verdict uint8

const (
	refused verdict = iota
	passed
	partial // more bytes decide
	marked  // the number of a frame; nothing for the terminal
)

type finding struct {
	kind  verdict
	fence uint64
}

// look judges the first character or sequence of b, n bytes long.
func look(b []byte) (n int, what finding) {
	switch c := b[0]; {
	case c == ansi.ESC:
		return sequence(b)
	case c == '\n' || c == '\r' || c == '\t' || c == '\b':
		return 1, finding{kind: passed}
	case c < ' ' || c == ansi.DEL:
		return 1, finding{}
	case c < utf8.RuneSelf:
		return run(b), finding{kind: passed}
	case !utf8.FullRune(b):
		return 0, finding{kind: partial}
	}
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n == 1 || visible.Hidden(r) {
		return n, finding{}
	}
	return n, finding{kind: passed}
}

// run is how many bytes of b are plain ASCII.
func run(b []byte) int {
	n := 1
	for n < len(b) && b[n] >= ' ' && b[n] < ansi.DEL {
		n++
	}
	return n
}

// sequence judges what an ESC begins. A refused string sequence loses its ESC
// alone: its body is text then, and cannot swallow what follows.
func sequence(b []byte) (int, finding) {
	if len(b) == 1 {
		return 0, finding{kind: partial}
	}
	switch b[1] {
	case 'M': // reverse index
		return 2, finding{kind: passed}
	case '[':
		return control(b)
	case ']':
		return osc(b)
	default:
		return 1, finding{}
	}
}

// control judges a CSI sequence.
func control(b []byte) (int, finding) {
	i := 2
	for i < len(b) && b[i] >= 0x30 && b[i] <= 0x3f {
		i++
	}
	params := string(b[2:i])
	j := i
	for i < len(b) && b[i] >= 0x20 && b[i] <= 0x2f {
		i++
	}
	between := string(b[j:i])
	switch {
	case i >= maxSequence:
		return 1, finding{}
	case i == len(b):
		return 0, finding{kind: partial}
	case b[i] < 0x40 || b[i] > 0x7e:
		return i, finding{} // what broke the sequence is judged on its own
	case onList(params, between, b[i]):
		return i + 1, finding{kind: passed}
	default:
		return i + 1, finding{}
	}
}

// onList is the list of control sequences that the renderer writes.
func onList(params, between string, final byte) bool {
	switch final {
	case 'A', 'B', 'C', 'D', 'G', 'H', 'd', '`', 'I', 'Z', 'L', 'M', 'P', 'X', '@', 'S', 'T', 'b', 'r':
		return between == "" && only(params, "0123456789;")
	case 'J', 'K': // not 3, which would empty the scrollback
		return between == "" && (params == "" || params == "0" || params == "1" || params == "2")
	case 'm':
		return between == "" && (only(params, "0123456789;:") || params == ">4" || params == ">4;2")
	case 'h', 'l':
		return between == "" && mode(params)
	case 'u':
		return between == "" && keyboard(params)
	case 'W':
		return between == "" && params == "?5"
	case 'p':
		return between == "$" && (params == "?2026" || params == "?2027")
	case 'q':
		return between == " " && len(params) <= 1 && only(params, "0123456")
	default:
		return false
	}
}

// mode says what may be switched: insertion, wrap, cursor, focus reports, the
// alternate screen, bracketed paste, synchronized output, grapheme clusters.
func mode(params string) bool {
	switch params {
	case "4", "?7", "?25", "?1004", "?1049", "?2004", "?2026", "?2027":
		return true
	default:
		return false
	}
}

// keyboard says what may be asked of the kitty keyboard protocol: query, push,
// set and pop of plain disambiguation.
func keyboard(params string) bool {
	switch params {
	case "?", ">1", "=1;1", "<", "<1":
		return true
	default:
		return false
	}
}

func only(s, set string) bool { return strings.Trim(s, set) == "" }

// framePrefix begins the window title by which a view numbers its frame. The
// renderer writes it together with the frame; it goes no further than here.
const framePrefix = "tera-pilot frame "

// FrameTitle is the window title that numbers a frame; 0 numbers none.
func FrameTitle(fence uint64) string {
	if fence == 0 {
		return ""
	}
	return framePrefix + strconv.FormatUint(fence, 10)
}

// osc judges an operating system command: the query for the background, and
// the number of a frame.
func osc(b []byte) (int, finding) {
	for i := 2; i < len(b) && i < maxSequence; i++ {
		switch {
		case b[i] == ansi.BEL:
			return command(string(b[2:i]), i+1)
		case b[i] == ansi.ESC && i+1 == len(b):
			return 0, finding{kind: partial}
		case b[i] == ansi.ESC && b[i+1] == '\\':
			return command(string(b[2:i]), i+2)
		case b[i] < ' ' || b[i] >= ansi.DEL:
			return 1, finding{}
		}
	}
	if len(b) < maxSequence {
		return 0, finding{kind: partial}
	}
	return 1, finding{}
}

func command(body string, n int) (int, finding) {
	title, isTitle := strings.CutPrefix(body, "2;")
	switch {
	case body == "11;?":
		return n, finding{kind: passed}
	case isTitle && title == "":
		return n, finding{kind: marked}
	case isTitle:
		number, ok := strings.CutPrefix(title, framePrefix)
		fence, err := strconv.ParseUint(number, 10, 64)
		if ok && err == nil && fence != 0 {
			return n, finding{kind: marked, fence: fence}
		}
	}
	return 1, finding{}
}

// A gate before a file is taken for that file: the renderer asks it for its
// size. Reading through it is not possible.

// Fd is the descriptor of the file behind the gate.
func (g *Gate) Fd() uintptr {
	if f, ok := g.w.(*os.File); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// Read always fails: a gate has no way back.
func (g *Gate) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

// Close does nothing: the file belongs to someone else.
func (g *Gate) Close() error { return nil }
