package world

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// 1,000 random edits of files with every kind of line end and encoding: only
// the wanted bytes differ.
func TestThousandEdits(t *testing.T) {
	d := newDesk(t)
	rng := rand.New(rand.NewPCG(11, 13))
	kinds := map[string]int{}
	for i := range 1600 {
		f := randomFile(rng)
		name := fmt.Sprintf("f%d.txt", i%50)
		mode := []fs.FileMode{0o644, 0o600, 0o755, 0o444}[rng.IntN(4)]
		p := filepath.Join(d.dir, "ws", name)
		delete(d.seen, p)
		must(t, os.RemoveAll(p))
		must(t, os.WriteFile(p, f.bytes(f.lines), 0o644))
		must(t, os.Chmod(p, mode))
		e := f.edit(rng)
		if e == nil {
			continue
		}
		r := d.call(e.tool, e.args(name))
		if want := f.bytes(e.after); d.get(t, "ws/"+name) != string(want) || r.Status != tool.OK {
			t.Fatalf("edit %d, %s %v of\n%q\ngave\n%q, want\n%q\n%s", i, e.tool, e.args(name), f.bytes(f.lines), d.get(t, "ws/"+name), want, r.Body)
		}
		if info, err := os.Stat(p); err != nil || info.Mode().Perm() != mode {
			t.Fatalf("edit %d: mode %v, want %v, %v", i, info.Mode(), mode, err)
		}
		kinds[e.tool+" "+f.enc]++
	}
	for _, tl := range []string{"str_replace", "apply_diff", "multi_edit"} {
		for _, enc := range []string{"utf8", "bom", "utf16le", "utf16be"} {
			if kinds[tl+" "+enc] < 50 {
				t.Errorf("only %d edits by %s of %s", kinds[tl+" "+enc], tl, enc)
			}
		}
	}
}

// textLine is one line of a random file with its own end.
type textLine struct{ text, end string }

type randomText struct {
	enc   string
	lines []textLine
}

func randomFile(rng *rand.Rand) randomText {
	f := randomText{enc: []string{"utf8", "utf8", "bom", "utf16le", "utf16be"}[rng.IntN(5)]}
	style := rng.IntN(3) // LF, CRLF, mixed
	words := []string{"alpha", "β", "gamma delta", "", "\tindented", "    spaces", "“quoted”", "日本語 text", "😀", "trailing  ", "end;"}
	for i := range 3 + rng.IntN(30) {
		l := textLine{fmt.Sprintf("%s %d", words[rng.IntN(len(words))], i), "\n"}
		if rng.IntN(5) == 0 {
			l.text = words[rng.IntN(len(words))]
		}
		if style == 1 || style == 2 && rng.IntN(2) == 0 {
			l.end = "\r\n"
		}
		f.lines = append(f.lines, l)
	}
	if rng.IntN(2) == 0 {
		f.lines[len(f.lines)-1].end = ""
		if f.lines[len(f.lines)-1].text == "" {
			f.lines[len(f.lines)-1].text = "last"
		}
	}
	return f
}

func (f randomText) bytes(lines []textLine) []byte {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text + l.end)
	}
	s := b.String()
	switch f.enc {
	case "bom":
		return []byte("\xef\xbb\xbf" + s)
	case "utf16le", "utf16be":
		out := []byte{0xff, 0xfe}
		if f.enc == "utf16be" {
			out = []byte{0xfe, 0xff}
		}
		for _, u := range utf16.Encode([]rune(s)) {
			if f.enc == "utf16le" {
				out = append(out, byte(u), byte(u>>8))
			} else {
				out = append(out, byte(u>>8), byte(u))
			}
		}
		return out
	default:
		return []byte(s)
	}
}

// textEdit is an edit as a model asks for it, who sees lines and not their
// ends, and what should come of it.
type textEdit struct {
	tool  string
	old   []string
	new   []string
	from  int
	total int
	after []textLine
}

// edit changes, adds and deletes lines in a random range that stands in the
// file once; nil when there is none.
func (f randomText) edit(rng *rand.Rand) *textEdit {
	from := rng.IntN(len(f.lines))
	to := from + 1 + rng.IntN(min(5, len(f.lines)-from))
	e := &textEdit{tool: []string{"str_replace", "apply_diff", "multi_edit"}[rng.IntN(3)], from: from, total: len(f.lines)}
	e.after = append(e.after, f.lines[:from]...)
	changed := from + rng.IntN(to-from)
	for i := from; i < to; i++ {
		l := f.lines[i]
		e.old = append(e.old, l.text)
		if i == changed {
			l.text = "changed " + fmt.Sprint(rng.IntN(100))
		}
		e.new = append(e.new, l.text)
		e.after = append(e.after, l)
		if i == changed && l.end != "" && rng.IntN(3) == 0 {
			added := textLine{"added", l.end} // it takes the end of the line before it
			e.new, e.after = append(e.new, added.text), append(e.after, added)
		}
	}
	e.after = append(e.after, f.lines[to:]...)
	if e.once(f) {
		return e
	}
	return nil
}

// once says that what the model quotes stands in the file in one place.
func (e *textEdit) once(f randomText) bool {
	var all []string
	for _, l := range f.lines {
		all = append(all, l.text)
	}
	return strings.TrimSpace(strings.Join(e.old, "")) != "" && strings.Count(strings.Join(all, "\n"), strings.Join(e.old, "\n")) == 1
}

func (e *textEdit) args(name string) args {
	if e.tool == "str_replace" {
		return args{"path": name, "old_str": strings.Join(e.old, "\n"), "new_str": strings.Join(e.new, "\n")}
	}
	if e.tool == "multi_edit" { // in two steps
		step := append([]string{}, e.old...)
		for i := range step {
			if e.old[i] != e.new[i] {
				step[i] = "the step between"
				break
			}
		}
		old, mid, new := strings.Join(e.old, "\n"), strings.Join(step, "\n"), strings.Join(e.new, "\n")
		return args{"path": name, "edits": []args{{"old_str": old, "new_str": mid}, {"old_str": mid, "new_str": new}}}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", e.from+1, len(e.old), e.from+1, len(e.new))
	i := 0
	for ; i < len(e.old) && e.old[i] == e.new[i]; i++ {
		b.WriteString(" " + e.old[i] + "\n")
	}
	rest := len(e.new) - len(e.old)
	b.WriteString("-" + e.old[i] + "\n")
	for _, line := range e.new[i : i+1+rest] {
		b.WriteString("+" + line + "\n")
	}
	for i++; i < len(e.old); i++ {
		b.WriteString(" " + e.old[i] + "\n")
	}
	return args{"path": name, "diff": b.String()}
}
