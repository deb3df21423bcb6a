package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// events reads a body to its end, in the notation name:data, with ! for an
// event that the end cut off.
func events(r io.Reader) (string, error) {
	return eventsOf(NewReader(r))
}

func eventsOf(reader *Reader) (string, error) {
	var out []string
	for {
		e, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return strings.Join(out, " "), nil
		}
		if err != nil {
			return strings.Join(out, " "), err
		}
		s := fmt.Sprintf("%s:%s", e.Name, e.Data)
		if e.Open {
			s += "!"
		}
		out = append(out, s)
	}
}

func TestEvents(t *testing.T) {
	for body, want := range map[string]string{
		"":                                      "",
		"data: a\n\n":                           ":a",
		"data:a\n\ndata:  b\n\n":                ":a : b",
		"data: a\r\n\r\ndata: b\r\rdata: c\n\n": ":a :b :c",
		"\ufeffdata: a\n\n":                     ":a",
		"data: a\ndata: b\n\n":                  ":a\nb",
		"data\n\n":                              ":",
		"event: x\ndata: a\n\n":                 "x:a",
		"event: x\n\ndata: a\n\n":               ":a",
		": c\n\ndata: a\n\n:c\n":                ":a",
		"data: a":                               ":a!",
		"data: a\n":                             ":a!",
		"data: a\r":                             ":a!",
		"data: a\r\n":                           ":a!",
		"event: x":                              "",
		"nonsense\n\n":                          "",
		`{"a":1}`:                               `:{"a":1}`,
		"{\"a\":1}\n{\"b\":\"}\"}\r\n":          `:{"a":1} :{"b":"}"}`,
		"{\n \"a\": [1,\n 2]\n}":                ":{\n \"a\": [1,\n 2]\n}",
		`[{"a":1}, {"b":"]\""}]`:                `:{"a":1} :{"b":"]\""}`,
		`{"a":{`:                                `:{"a":{!`,
		"{\"a\":1}\noops\n{\"b\":2}":            `:{"a":1} :oops :{"b":2}`,
		"{\"a\":1}\noops":                       `:{"a":1} :oops!`,
		"  \n {\"a\":1}":                        `:{"a":1}`,
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(body), "bytes": iotest.OneByteReader(strings.NewReader(body)), "halves": iotest.HalfReader(strings.NewReader(body))} {
			if got, err := events(r); err != nil || got != want {
				t.Errorf("%q (%s): %q, %v; want %q", body, name, got, err, want)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	long := strings.Repeat("x", MaxEvent)
	for name, body := range map[string]io.Reader{
		"a line":   strings.NewReader("data: " + long),
		"lines":    strings.NewReader("data: " + long[:MaxEvent/2+8] + "\ndata: " + long[:MaxEvent/2+8] + "\n\n"),
		"a value":  strings.NewReader(`{"a":"` + long),
		"depth":    strings.NewReader(strings.Repeat(`{"a":`, MaxEvent/4)),
		"a body":   io.MultiReader(strings.NewReader("data: x\n\n"), &blank{}),
		"a prefix": &blank{},
	} {
		r := NewReader(body)
		r.left = 4 * MaxEvent // a smaller bound than the real one, for the test's time
		if _, err := eventsOf(r); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := events(strings.NewReader("data: " + long[:MaxEvent-6] + "\n\n")); err != nil || len(got) != MaxEvent-5 {
		t.Errorf("a line of just the allowed size: %d, %v", len(got), err)
	}
	broken := errors.New("broken")
	if got, err := events(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken))); !errors.Is(err, broken) || got != ":a" {
		t.Errorf("%q, %v", got, err)
	}
}

// blank is a body of line ends without end.
type blank struct{}

func (blank) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '\n'
	}
	return len(p), nil
}

func TestText(t *testing.T) {
	for raw, want := range map[string]string{
		`"a\nb\t\"\\\/\u00e9"`: "a\nb\t\"\\/é", `null`: "", `7`: "7", `true`: "true", `"\ud83d\ude00"`: "😀", "\"\xc3\"": "\xc3",
	} {
		var text Text
		if err := json.Unmarshal([]byte(raw), &text); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		if raw == `"\ud83d\ude00"` {
			if clean, replaced := Clean(string(text)); clean != want || replaced {
				t.Errorf("%s: %q", raw, clean)
			}
		} else if string(text) != want {
			t.Errorf("%s: %q", raw, text)
		}
	}
	var text Text
	if json.Unmarshal([]byte(`["a"]`), &text) == nil {
		t.Error("a list is no text")
	}
}

// FuzzReader: no body breaks the reader; the cut into packets changes nothing;
// nothing is given that was not sent.
func FuzzReader(f *testing.F) {
	for _, s := range []string{"data: a\r\n\r\n", "\ufeffevent: x\rdata: y\r\r", `[{"a":"\""},{"b":2}]`, "{\"a\":1}\noops\n", "data\ndata:\n\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		whole, err := events(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		pieces, err := events(iotest.OneByteReader(bytes.NewReader(body)))
		if err != nil || whole != pieces {
			t.Fatalf("%q and %q: %v", whole, pieces, err)
		}
	})
}

// FuzzText: joined pieces of a JSON string, cleaned, are what encoding/json
// makes of the whole, and valid UTF-8 always.
func FuzzText(f *testing.F) {
	for _, s := range []string{"a", `\ud83d\ude00`, `\ud83d`, "gr\xc3\xbc\xc3", `\u0000\n\"`, `\ude00\ud83dx`} {
		f.Add(s, 1)
	}
	f.Fuzz(func(t *testing.T, inside string, at int) {
		var want string
		if json.Unmarshal([]byte(`"`+inside+`"`), &want) != nil {
			return
		}
		var text Text
		if err := json.Unmarshal([]byte(`"`+inside+`"`), &text); err != nil {
			t.Fatal(err)
		}
		clean, replaced := Clean(string(text))
		if !utf8.ValidString(clean) {
			t.Fatalf("%q", clean)
		}
		if !replaced && clean != want {
			t.Fatalf("%q is %q, and encoding/json says %q", inside, clean, want)
		}
		ready, rest := Split(string(text))
		if ready+rest != string(text) {
			t.Fatalf("%q was cut into %q and %q", text, ready, rest)
		}
	})
}
