package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
)

// randomText is a text in one of the forms that files come in.
func randomText(rng *rand.Rand, form int) []byte {
	var b strings.Builder
	n := rng.IntN(8)
	for i := range n {
		b.WriteString([]string{"a", "b", "c\t", "", "ü", "𝄞", "long line of text"}[rng.IntN(7)])
		switch end := rng.IntN(6); {
		case i == n-1 && end == 0: // no line end at the end
		case form == 1, form == 3 && end < 3, form == 5:
			b.WriteString("\r\n")
		default:
			b.WriteString("\n")
		}
	}
	switch form {
	case 2:
		return []byte("\xEF\xBB\xBF" + b.String())
	case 4, 5:
		out := []byte("\xFF\xFE")
		for _, u := range utf16.Encode([]rune(b.String())) {
			out = append(out, byte(u), byte(u>>8))
		}
		return out
	case 6:
		return []byte(b.String() + "\xff\xfe raw")
	}
	return []byte(b.String())
}

func hashed(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// TestChosenBytes: taking all gives the proposal's bytes, taking nothing those
// that were there, and any choice just the lines that the question shows, each
// with the bytes that it had, over several files of one call.
func TestChosenBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 3000 {
		var set effect.Set
		r := &revision{files: map[string]fileRevision{}}
		want := map[string][]byte{}
		for _, name := range []string{"a", "b", "d/c"} {
			form := rng.IntN(7)
			before, after := randomText(rng, form), randomText(rng, form)
			if bytes.Equal(before, after) {
				continue
			}
			e := effect.Effect{
				Kind: effect.Write, Path: &effect.Path{Name: name, Exists: true, Type: effect.Regular, Before: before, SHA256: hashed(before), Mode: 0o640},
				After: &effect.Bytes{Data: after, SHA256: hashed(after), Size: int64(len(after))},
			}
			set.Effects = append(set.Effects, e)
			c, ok := r.change(e)
			if !ok {
				t.Fatalf("%q and %q cannot be read as lines", before, after)
			}
			var shown strings.Builder
			how := rng.IntN(4)
			c.revision.choice.left = map[int]bool{}
			for i, l := range c.lines {
				if l.op != ' ' && (how == 0 || how > 1 && rng.IntN(2) == 0) {
					c.revision.choice.left[i] = true
				}
			}
			d := layDiff(c.lines, c.revision.choice, false)
			last := 0
			for i, l := range c.lines {
				if c.revision.choice.stays(i, l) {
					last = i
				}
			}
			for i, l := range c.lines {
				if !c.revision.choice.stays(i, l) {
					continue
				}
				shown.WriteString(l.text)
				if i != last && !strings.HasSuffix(l.text, "\n") {
					at := indexOf(d.refs, i)
					if !strings.Contains(d.lines[at].Text, "(gets a line feed)") {
						t.Errorf("a line end is added unseen: %q", d.lines[at].Text)
					}
					shown.WriteString(lineEnd(c.reading.before + c.reading.after))
				}
			}
			r.files[name] = c.revision
			want[name] = c.reading.write(shown.String())
			switch {
			case how == 0:
				want[name] = before
			case how == 1 || len(c.revision.choice.left) == 0:
				want[name] = after
			}
		}
		got := map[string][]byte{}
		for _, e := range r.apply(set).Effects {
			if e.After.SHA256 != hashed(e.After.Data) || e.After.Size != int64(len(e.After.Data)) {
				t.Fatalf("round %d: the digest is not that of the content", round)
			}
			got[e.Path.Name] = e.After.Data
		}
		for _, e := range set.Effects {
			have, ok := got[e.Path.Name]
			if !ok {
				have = e.Path.Before // nothing is left to be done to it
			}
			if !bytes.Equal(have, want[e.Path.Name]) {
				t.Fatalf("round %d: %q and %q with %v come to %q, want %q", round, e.Path.Before, e.After.Data, r.files[e.Path.Name].choice.left, have, want[e.Path.Name])
			}
		}
	}
}

func indexOf(refs []int, line int) int {
	for i, r := range refs {
		if r == line {
			return i
		}
	}
	return 0
}

// TestLeftOutOfADeletion: a file of whose deletion something is left out is
// written, and one of whose deletion all is left out is left alone.
func TestLeftOutOfADeletion(t *testing.T) {
	before := []byte("one\ntwo\n")
	set := effect.Set{Effects: []effect.Effect{{Kind: effect.Delete, Path: &effect.Path{Name: "a", Exists: true, Type: effect.Regular, Before: before, SHA256: hashed(before), Mode: 0o600}}}}
	for _, tt := range []struct {
		left map[int]bool
		want string
	}{{nil, "delete"}, {map[int]bool{1: true}, "write two\n"}, {map[int]bool{0: true, 1: true}, ""}} {
		r := &revision{files: map[string]fileRevision{"a": {base: hashed(before), choice: choice{left: tt.left}}}}
		got := ""
		for _, e := range r.apply(set).Effects {
			if got = e.Kind.String(); e.After != nil {
				got += " " + string(e.After.Data)
			}
		}
		if got != tt.want {
			t.Errorf("%v: %q", tt.left, got)
		}
	}
}

// TestUTF16IsReviewedAsLines: what is stored two bytes a character is shown as
// text.
func TestUTF16IsReviewedAsLines(t *testing.T) {
	wide := func(s string) []byte {
		out := []byte("\xFF\xFE")
		for _, u := range utf16.Encode([]rune(s)) {
			out = append(out, byte(u), byte(u>>8))
		}
		return out
	}
	before, after := wide("one\r\ntwo\r\n"), wide("one\r\nzwei\r\n")
	w := lines{refs: map[int]lineRef{}}
	w.change(effect.Effect{Kind: effect.Write, Path: &effect.Path{Name: "a", Exists: true, Type: effect.Regular, Before: before, SHA256: hashed(before)}, After: &effect.Bytes{Data: after, SHA256: hashed(after)}}, nil)
	lineOf(t, event.Question{Lines: w.out}, event.LineAdd, "+ zwei")
	if len(w.refs) != 2 {
		t.Errorf("%d lines can be left out", len(w.refs))
	}
}
