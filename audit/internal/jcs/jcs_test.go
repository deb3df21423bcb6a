package jcs

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
)

var strict = Rules{Depth: 8}

func TestCanonicalForm(t *testing.T) {
	for in, want := range map[string]string{
		`{}`: `{}`, ` [ ] `: `[]`, `{"b":1,"a":2}`: `{"a":2,"b":1}`, `{"a":{"z":[],"y":true}}`: `{"a":{"y":true,"z":[]}}`,
		`"\u0041\/\u00e9"`: `"A/é"`, `"\u001F\u0007\b\f"`: `"\u001f\u0007\b\f"`, `"\ud83d\uDE00"`: `"😀"`, "\"\u2028\x7f\"": "\"\u2028\x7f\"",
		`-12`: `-12`, `9007199254740991`: `9007199254740991`, `{"\u0061":1}`: `{"a":1}`, `{"A":1,"a":2,"_":3}`: `{"A":1,"_":3,"a":2}`,
	} {
		var d Doc
		if err := d.Parse([]byte(in), strict); err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		got := string(d.Root().AppendCanonical(nil))
		if got != want || d.Canonical() != (in == want) {
			t.Errorf("%s becomes %s, want %s; canonical %v", in, got, want, d.Canonical())
		}
	}
}

func TestRefused(t *testing.T) {
	for _, in := range []string{
		``, ` `, `null`, `[null]`, `1.0`, `1e3`, `-0`, `01`, `+1`, `9007199254740992`, `-9007199254740992`, `99999999999999999999`, `NaN`, `Infinity`,
		`{"a":1,"a":2}`, `{"a":1,"b":2,"\u0061":3}`, `{"é":1}`, `{a:1}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `[,1]`, `[1 2]`, `{"a":1 "b":2}`, `{,}`,
		`"`, `"\`, `"\x"`, `"\u12"`, `"\ud800"`, `"\ud800\u0041"`, `"\udc00"`, "\"\n\"", "\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\xef\xbb\xbf{}",
		`{} x`, `{}{}`, `tru`, `truefalse`, `[[[[[[[[[]]]]]]]]]`, `}`, `]`, `[}`, "\x00", "{\x00}", "{\"a\":1}\x00", `'a'`, `[1]]`, `//`, "\v1",
	} {
		var d Doc
		if err := d.Parse([]byte(in), strict); err == nil {
			t.Errorf("%q is accepted as %s", in, d.Root().AppendCanonical(nil))
		}
		if d.Root().Kind() != Invalid {
			t.Errorf("%q: a value comes with the error", in)
		}
	}
}

func TestLegacyText(t *testing.T) {
	var d Doc
	rules := Rules{Depth: 8, Legacy: true}
	if err := d.Parse([]byte(`{"é":null,"n":[1.50,-0,1e400,12345678901234567890]}`), rules); err != nil {
		t.Fatal(err)
	}
	if got := string(d.Root().AppendCanonical(nil)); got != `{"n":[1.50,-0,1e400,12345678901234567890],"é":null}` {
		t.Error(got)
	}
	for _, in := range []string{`1.`, `.5`, `1e`, `1e+`, `-`, `--1`, `NaN`, `{"a":1,"a":2}`} {
		if d.Parse([]byte(in), rules) == nil {
			t.Errorf("%q is accepted", in)
		}
	}
}

func TestValues(t *testing.T) {
	var d Doc
	if err := d.Parse([]byte(`{"list":[1,"x",{"deep":true}],"n":-5,"s":"a\nb"}`), strict); err != nil {
		t.Fatal(err)
	}
	root := d.Root()
	n, ok := root.Get("n").Int()
	s, ok2 := root.Get("s").Text()
	deep := Value{}
	for _, item := range root.Get("list").All {
		deep = item
	}
	b, ok3 := deep.Get("deep").Bool()
	if n != -5 || s != "a\nb" || !b || !ok || !ok2 || !ok3 || root.Len() != 3 || root.Get("list").Len() != 3 {
		t.Errorf("%d %q %v %v", n, s, b, root.Len())
	}
	var none Value
	if none.Kind() != Invalid || none.Len() != 0 || none.Raw() != nil || root.Get("x").Get("y").Kind() != Invalid || root.Get("n").Get("x").Kind() != Invalid {
		t.Error("the zero value holds something")
	}
	if _, ok := root.Get("s").Int(); ok {
		t.Error("a string is an integer")
	}
	for without, want := range map[string]string{
		"s": `{"list":[1,"x",{"deep":true}],"n":-5}`, "list": `{"n":-5,"s":"a\nb"}`, "n": `{"list":[1,"x",{"deep":true}],"s":"a\nb"}`,
		"none": `{"list":[1,"x",{"deep":true}],"n":-5,"s":"a\nb"}`,
	} {
		if got := string(d.Cut(nil, without)); got != want {
			t.Errorf("without %s: %s", without, got)
		}
	}
}

func TestBuilder(t *testing.T) {
	var b, in Builder
	in.Int("x", 1<<60)
	b.Text("s", "a\xffb\"\x01é")
	b.Text("empty", "")
	b.True("no", false)
	b.True("yes", true)
	b.Texts("t", []string{"", "x"})
	b.List("none", nil)
	b.Object("o", in)
	b.Object("none", Builder{})
	got := string(b.Append(nil))
	if want := `{"o":{"x":9007199254740991},"s":"a\\xffb\"\u0001é","t":["","x"],"yes":true}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	var d Doc
	if err := d.Parse([]byte(got), strict); err != nil || !d.Canonical() {
		t.Error(err, d.Canonical())
	}
	if n := b.Size(); n < len(got) || n > len(got)+20 {
		t.Errorf("size %d of %d", n, len(got))
	}
}

// other is the reader in Python: for each line of hex it answers with the
// canonical form in hex, or with "refused".
const other = `
import sys
sys.path.insert(0, "../../../contrib/verify")
import verify
sys.setrecursionlimit(10000)
for line in sys.stdin:
    try:
        text = bytes.fromhex(line.strip()).decode("utf-8")
        if text.startswith("\ufeff"): raise ValueError
        found = [v for v, _ in verify.values_in(text)]
        if len(found) != 1: raise ValueError
        verify.check_values(found[0])
        print(verify.canon(found[0]).hex() or "-")
    except (ValueError, verify.Bad):
        print("refused")
    sys.stdout.flush()
`

// A snake is that program, running.
type snake struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func startSnake(t testing.TB) *snake {
	t.Helper()
	py, err := exec.LookPath("python3")
	if err != nil {
		t.Log("python3 is not installed: only our own reader is tested")
		return nil
	}
	cmd := exec.Command(py, "-B", "-c", other)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	return &snake{in, bufio.NewReaderSize(out, 1<<20)}
}

func (s *snake) ask(t testing.TB, b []byte) (canonical []byte, refused bool) {
	t.Helper()
	if _, err := fmt.Fprintf(s.in, "%x\n", b); err != nil {
		t.Fatal(err)
	}
	line, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatalf("python gave up on %q: %v", b, err)
	}
	line = strings.TrimSpace(line)
	if line == "refused" {
		return nil, true
	}
	canonical, err = hex.DecodeString(line)
	if err != nil {
		t.Fatal(err)
	}
	return canonical, false
}

// FuzzCanon: what is accepted has one canonical form, the same that Python's
// json.dumps gives, and Python accepts and refuses the same texts.
func FuzzCanon(f *testing.F) {
	for _, s := range []string{
		`{"b":[1,-2,{"x":true}],"a":"é\n\u0001\/"}`, `{"a":1,"a":2}`, `[9007199254740992]`, `"\ud83d\ude00"`, `"\ud800"`, `[1.0]`, `null`, `{"é":1}`,
		`[[[[[[[[1]]]]]]]]`, `[[[[[[[[[1]]]]]]]]]`, "\xef\xbb\xbf1", `-0`, `"\u2028"`, ` {"x" : [ ] } `, `{"":{"":[]}}`, `1 2`, `{"\"":"\\"}`, `"\b\f\r\t"`,
	} {
		f.Add([]byte(s))
	}
	py := startSnake(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		var d, e Doc
		err := d.Parse(b, strict)
		var canonical []byte
		if err == nil {
			canonical = d.Root().AppendCanonical(nil)
			if err := e.Parse(canonical, strict); err != nil || !e.Canonical() {
				t.Fatalf("the canonical form %q of %q is none: %v", canonical, b, err)
			}
			if again := e.Root().AppendCanonical(nil); !bytes.Equal(again, canonical) || d.Canonical() != bytes.Equal(b, canonical) {
				t.Fatalf("%q, %q, %q: canonical %v", b, canonical, again, d.Canonical())
			}
		}
		if py == nil || len(b) > 1<<15 {
			return
		}
		theirs, refused := py.ask(t, b)
		if refused != (err != nil) || !bytes.Equal(theirs, canonical) {
			t.Fatalf("%q: here %q (%v), in Python %q, refused %v", b, canonical, err, theirs, refused)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	rec := []byte(`{"agent":"main","aid":"697b79b46ce3049d845536212cd4d6ae","args":"sd:aZ8_JkMCTxZIhqyWmoywcAMm-J4ROdMTj6f1uo_SyoA","by":"user:tui","cat":"file","decision":"approved","effect":"sd:94iMULumNy53AAcGcn9eHQPd4gFOYV_0xi9QFRfBfMw","level":"always_ask","log":"190ad179702f8084f7f8c3f6c52a588d","mono":29,"n":1,"origin":"native","paths":["a.go"],"prev":"7e6ab6dfea32fcb464ed60f78b0706439d2ea2b1ec1e42da56c31fd24f96b4f9","seq":1,"sid":"ca89effdeb3504b98ca4312c99a6367d","sig":"6JjTvm6nmU5vQDo1v6OlM-qVbRxAvCd__WQPD2Pbd_2ITDWqGD6D7DnytWkqHkALYO4lRrLHqQk-aNSZkIMWBw","ts":"2026-11-29T19:00:57.011Z","type":"intent","v":1}`)
	var d Doc
	b.SetBytes(int64(len(rec)))
	for b.Loop() {
		if err := d.Parse(rec, strict); err != nil || !d.Canonical() {
			b.Fatal(err)
		}
	}
}
