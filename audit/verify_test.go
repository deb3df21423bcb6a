package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

// A sample is a log in memory, with what exports of it need.
type sample struct {
	layer *memLayer
	l     *Log
	mu    sync.Mutex // over now, which a copy of the log asks for too
	now   time.Time
	key   PublicKey
}

// tick is the time of the sample's world: a second later each time.
func (x *sample) tick() time.Time {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.now = x.now.Add(time.Second)
	return x.now
}

func newSample(t testing.TB) *sample {
	t.Helper()
	x := &sample{layer: newMemLayer(), now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}
	x.l = openLog(t, x.options())
	return x
}

func (x *sample) options() Options {
	return Options{Layer: x.layer, Now: x.tick, processes: memProcesses{7, &sync.Map{}}}
}

// session writes a session with some actions, a child of parent if that is set.
func (x *sample) session(t testing.TB, id string, actions int, parent *Parent) *Session {
	t.Helper()
	s, err := x.l.Session(t.Context(), SessionInfo{Session: id, Front: FrontRun, Parent: parent})
	if err != nil {
		t.Fatal(err)
	}
	for i := range actions {
		act(t, s, edit(fmt.Sprintf("%s-%d.go", id, i)), Outcome{Status: OK, Out: []byte("output of " + id)})
	}
	if x.key, err = readPublic(x.layer); err != nil {
		t.Fatal(err)
	}
	return s
}

func (x *sample) export(t testing.TB, o ExportOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := x.l.Export(t.Context(), SessionInfo{Front: FrontCLI}, &b, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (x *sample) verify(t testing.TB, b []byte, o VerifyOptions) Report {
	t.Helper()
	if o.Key == (PublicKey{}) {
		o.Key = x.key
	}
	return Verify(t.Context(), bytes.NewReader(b), int64(len(b)), o)
}

// exports are all the forms that an export can have, of a log with everything.
func exports(t testing.TB) (*sample, map[string][]byte) {
	t.Helper()
	x := newSample(t)
	closeSession(t, x.session(t, "one", 2, nil))
	s := x.session(t, "two", 2, nil)
	tok := act(t, s, edit("spawn"), Outcome{Status: OK})
	closeSession(t, x.session(t, "child", 1, &Parent{s.ID(), tok.Hash()}))
	must(t, s.Event(t.Context(), Event{Kind: "note", Title: "tëxt \u2028 \"quoted\"", Data: map[string]any{"n": -1, "list": []string{"a"}, "map": map[string]any{"é": true}}}))
	closeSession(t, s)
	out := map[string][]byte{
		"whole":                   x.export(t, ExportOptions{}),
		"lines":                   x.export(t, ExportOptions{Lines: true}),
		"session":                 x.export(t, ExportOptions{Session: "two"}),
		"since":                   x.export(t, ExportOptions{Since: x.now.Add(-10 * time.Second)}),
		"disclosed":               x.export(t, ExportOptions{Disclose: []string{"all"}}),
		"partial disclosed lines": x.export(t, ExportOptions{Session: "two", Disclose: []string{"out", "args"}, Lines: true}),
	}
	r, err := OpenReader(t.Context(), x.options())
	must(t, err)
	if out["proof"], err = r.Prove(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	return x, out
}

func TestExportsVerify(t *testing.T) {
	x, all := exports(t)
	for name, b := range all {
		for _, fast := range []bool{false, true} {
			rep := x.verify(t, b, VerifyOptions{Fast: fast, Strict: true})
			wantIntact(t, rep)
			if whole := name == "whole" || name == "lines" || name == "disclosed"; rep.Complete != whole {
				t.Errorf("%s: complete %v", name, rep.Complete)
			}
		}
	}
	if n := bytes.Count(all["session"], []byte(`"type":"intent"`)); n != 4 {
		t.Errorf("the session and its child have 4 intents, the export %d", n)
	}
	if n := bytes.Count(all["disclosed"], []byte(`"name":"out"`)); n != 5 {
		t.Errorf("%d outputs are disclosed", n)
	}
	if bytes.Contains(all["whole"], []byte("output of")) || bytes.Contains(all["whole"], []byte(`"sd":`)) {
		t.Error("values stand in an export that discloses nothing")
	}
}

// Order and white space of the JSON text carry no meaning.
func TestSpellingCarriesNoMeaning(t *testing.T) {
	x, all := exports(t)
	for _, name := range []string{"whole", "session", "disclosed", "since", "proof"} {
		var doc any
		d := json.NewDecoder(bytes.NewReader(all[name]))
		d.UseNumber()
		must(t, d.Decode(&doc))
		sorted, err := json.Marshal(doc)
		must(t, err)
		indented, err := json.MarshalIndent(doc, "\t", "    ")
		must(t, err)
		for spelling, b := range map[string][]byte{
			"sorted": sorted, "indented": indented, "crlf": bytes.ReplaceAll(indented, []byte("\n"), []byte("\r\n")),
			"ascii": asciiOnly(sorted), "spaces around": []byte(" \n" + string(all[name]) + "\n\n "),
		} {
			rep := x.verify(t, b, VerifyOptions{})
			if !rep.OK || rep.Head.Hash == "" {
				t.Errorf("%s, %s: %+v %s", name, spelling, rep.FirstBad, rep.Error)
			}
		}
	}
}

func asciiOnly(b []byte) []byte {
	var out bytes.Buffer
	for _, r := range string(b) {
		if r < 0x80 {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, `\u%04X`, r)
		}
	}
	return out.Bytes()
}

// One flipped bit anywhere: not intact, or the same meaning.
func TestEveryFlippedBitIsFound(t *testing.T) {
	x, all := exports(t)
	for name, b := range all {
		step := 1
		if !soak() {
			step = 211 + 2*rand.IntN(20) // odd, so that every bit of a byte has its turn
		}
		var wait sync.WaitGroup
		const workers = 4
		for w := range workers {
			wait.Go(func() {
				for i := w * step; i < 8*len(b); i += workers * step {
					c := bytes.Clone(b)
					c[i/8] ^= 1 << (i % 8)
					rep := x.verify(t, c, VerifyOptions{Fast: true})
					if rep.Exit == ExitIntact && !sameMeaning(b, c) {
						t.Errorf("%s: bit %d of byte %d (%q) flipped, and intact", name, i%8, i/8, b[max(0, i/8-20):min(len(b), i/8+20)])
					}
				}
			})
		}
		wait.Wait()
	}
}

func sameMeaning(a, b []byte) bool {
	var x, y jcs.Doc
	rules := jcs.Rules{Depth: 12}
	if x.Parse(a, rules) != nil || y.Parse(b, rules) != nil {
		return false
	}
	return bytes.Equal(x.Root().AppendCanonical(nil), y.Root().AppendCanonical(nil))
}

// Every byte cut off at the end: not intact. Only whole disclosures can be taken
// away, which is what redacting them does: what is left says no less of what
// was done.
func TestEveryCutIsFound(t *testing.T) {
	x, all := exports(t)
	for name, b := range all {
		end := len(bytes.TrimRight(b, "\n"))
		for i := rand.IntN(61); i < end; i += 61 {
			rep := x.verify(t, b[:i], VerifyOptions{Fast: true})
			if rep.Exit == ExitIntact && !onlyDisclosures(b, i) {
				t.Errorf("%s: %d of %d bytes are intact", name, i, end)
			}
		}
	}
}

// Members that this version does not know are signed like the others, and
// reported.
func TestUnknownMembersAreReported(t *testing.T) {
	x := newSample(t)
	s := x.session(t, "one", 1, nil)
	must(t, x.l.withLog(func(w *writer) error {
		d := &draft{session: s, typ: typeEvent}
		d.body.Text("kind", "note")
		d.body.Text("future", "of a later version")
		return w.write([]*draft{d}, true)
	}))
	closeSession(t, s)
	rep := x.verify(t, x.export(t, ExportOptions{}), VerifyOptions{Strict: true})
	wantIntact(t, rep)
	if !slices.Equal(rep.Unknown, []string{"future"}) {
		t.Errorf("%v", rep.Unknown)
	}
}

// What is no export at all: unreadable when it is another file, tampered when
// it can only be damage.
func TestOtherFiles(t *testing.T) {
	x := newSample(t)
	closeSession(t, x.session(t, "one", 1, nil))
	good := x.export(t, ExportOptions{})
	for text, exit := range map[string]int{
		"": 1, " \n": 1, "{}": 1, "[]": 1, "{": 1, "# A page": 2, "null": 2, "\x00\x01": 2, "\xff\xfe": 1, "\xef\xbb\xbf" + string(good): 1,
		`{"format":"tera-pilot-audit-export/2"}`: 1, `{"format":1}`: 1, `{"format":"tera-pilot-audit-export/1","records":[]}`: 1,
		`{"format":"tera-pilot-audit-export/1","records":{}}`: 1, strings.Repeat("[", 1<<20): 1, `{"records":` + strings.Repeat("[", 4<<20): 1,
		`{"format":"tera-pilot-audit-export/1","records":["` + strings.Repeat("x", 10<<20): 1, string(good) + "x": 1, string(good) + string(good): 1,
	} {
		rep := x.verify(t, []byte(text), VerifyOptions{})
		if rep.Exit != exit || rep.OK {
			t.Errorf("%.60q: exit %d, want %d (%+v %s)", text, rep.Exit, exit, rep.FirstBad, rep.Error)
		}
	}
}
