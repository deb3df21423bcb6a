package audit

import (
	"bytes"
	"encoding/json"
	"errors"
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

// onlyDisclosures says that a cut of an export in lines takes away whole
// disclosures and nothing else.
func onlyDisclosures(b []byte, cut int) bool {
	rest := bytes.TrimPrefix(b[cut:], []byte("\n"))
	if cut == 0 || b[cut-1] != '\n' && len(rest) == len(b[cut:]) {
		return false
	}
	for line := range bytes.Lines(rest) {
		if !bytes.HasPrefix(line, []byte(`{"disclosure":`)) {
			return false
		}
	}
	return true
}

// edited changes an export through its JSON.
func edited(t testing.TB, b []byte, change func(doc map[string]any)) []byte {
	t.Helper()
	var doc map[string]any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	must(t, d.Decode(&doc))
	change(doc)
	out, err := json.Marshal(doc)
	must(t, err)
	return out
}

// remove takes the items out of a list for which drop says so.
func remove(list any, drop func(map[string]any) bool) []any {
	return slices.DeleteFunc(list.([]any), func(v any) bool { return drop(v.(map[string]any)) })
}

// What can be done to an export of single sessions, whose log chain has gaps.
func TestPartialExportsAreGuarded(t *testing.T) {
	x, all := exports(t)
	isOpen := func(r map[string]any) bool { return r["type"] == "open" }
	var sids []string
	edited(t, all["session"], func(doc map[string]any) {
		for _, p := range doc["proofs"].([]any) {
			sids = append(sids, p.(map[string]any)["sid"].(string))
		}
	})
	given := sids[1] // the exporter's own is the first
	last := func(doc map[string]any) (seq string) {
		for _, r := range doc["records"].([]any) {
			if r := r.(map[string]any); r["sid"] == given {
				seq = r["seq"].(json.Number).String()
			}
		}
		return seq
	}
	for name, change := range map[string]func(doc map[string]any){
		"no proofs":    func(doc map[string]any) { delete(doc, "proofs") },
		"empty proofs": func(doc map[string]any) { doc["proofs"] = []any{} },
		"a proof missing": func(doc map[string]any) {
			doc["proofs"] = remove(doc["proofs"], func(p map[string]any) bool { return p["sid"] == given })
		},
		"the session and its proof missing": func(doc map[string]any) {
			doc["proofs"] = remove(doc["proofs"], func(p map[string]any) bool { return p["sid"] == given })
			doc["records"] = remove(doc["records"], func(r map[string]any) bool { return r["sid"] == given && !isOpen(r) })
		},
		"an open missing": func(doc map[string]any) {
			doc["records"] = remove(doc["records"], func(r map[string]any) bool { return isOpen(r) && r["session"] == "one" })
		},
		"the last open missing": func(doc map[string]any) {
			doc["records"] = remove(doc["records"], func(r map[string]any) bool { return r["sid"] == sids[0] })
		},
		"the end of the session cut": func(doc map[string]any) {
			seq := last(doc)
			doc["records"] = remove(doc["records"], func(r map[string]any) bool { return r["seq"].(json.Number).String() == seq })
		},
		"a record in the middle missing": func(doc map[string]any) {
			n := 0
			doc["records"] = remove(doc["records"], func(r map[string]any) bool {
				if r["sid"] == given {
					n++
				}
				return r["sid"] == given && n == 3
			})
		},
		"an own record missing": func(doc map[string]any) {
			doc["records"] = remove(doc["records"], func(r map[string]any) bool { return r["kind"] == kindExported })
		},
		"the own close missing": func(doc map[string]any) {
			n := len(doc["records"].([]any))
			doc["records"] = doc["records"].([]any)[:n-1]
		},
		"a proof twice": func(doc map[string]any) {
			p := doc["proofs"].([]any)
			doc["proofs"] = append(p, p[1])
		},
		"a path changed": func(doc map[string]any) {
			p := doc["proofs"].([]any)[1].(map[string]any)
			p["path"].([]any)[0] = strings.Repeat("0", 64)
		},
	} {
		for _, fast := range []bool{true, false} {
			b := edited(t, all["session"], change)
			if rep := x.verify(t, b, VerifyOptions{Fast: fast}); rep.Exit != ExitTampered {
				t.Errorf("%s: exit %d", name, rep.Exit)
			}
		}
	}
	// A later checkpoint does not make an older export a newer one.
	newer := edited(t, x.export(t, ExportOptions{Session: "two"}), func(map[string]any) {})
	var doc map[string]any
	must(t, json.Unmarshal(newer, &doc))
	mixed := edited(t, all["session"], func(d map[string]any) { d["checkpoint"] = doc["checkpoint"] })
	if rep := x.verify(t, mixed, VerifyOptions{}); rep.Exit != ExitTampered {
		t.Error("an older export passes with a newer checkpoint")
	}
}

func TestDisclosuresMustFit(t *testing.T) {
	x, all := exports(t)
	for name, change := range map[string]func(list []any){
		"another record": func(list []any) { list[0].(map[string]any)["seq"] = json.Number("2") },
		"another name":   func(list []any) { list[0].(map[string]any)["name"] = "out" },
		"another value": func(list []any) {
			a, b := list[0].(map[string]any), list[1].(map[string]any)
			a["sd"], b["sd"] = b["sd"], a["sd"]
		},
		"another order":  func(list []any) { slices.Reverse(list) },
		"another member": func(list []any) { list[0].(map[string]any)["x"] = "y" },
	} {
		b := edited(t, all["disclosed"], func(doc map[string]any) { change(doc["disclosures"].([]any)) })
		if rep := x.verify(t, b, VerifyOptions{}); rep.Exit != ExitTampered {
			t.Errorf("%s: exit %d", name, rep.Exit)
		}
	}
	b := edited(t, all["disclosed"], func(doc map[string]any) { doc["disclosures"] = doc["disclosures"].([]any)[3:5] })
	wantIntact(t, x.verify(t, b, VerifyOptions{}))
}

func TestAnchors(t *testing.T) {
	x := newSample(t)
	closeSession(t, x.session(t, "one", 2, nil))
	older := x.export(t, ExportOptions{})
	note, head, err := x.l.Anchor(t.Context(), SessionInfo{Front: FrontCLI})
	must(t, err)
	closeSession(t, x.session(t, "two", 2, nil))
	newer := x.export(t, ExportOptions{})
	partial := x.export(t, ExportOptions{Session: "two"})
	other := newSample(t)
	closeSession(t, other.session(t, "one", 20, nil))
	foreign := other.l.Head()

	exact, err := ParseAnchor(head.String())
	must(t, err)
	short, err := ParseAnchor(head.String()[:strings.Index(head.String(), ":")+9])
	must(t, err)
	fromNote, err := FindAnchors("note", note)
	must(t, err)
	fromTrailer, err := FindAnchors("git", []byte("A commit\n\n    "+head.Trailer()+"\n    "+foreign.Trailer()+"\n"))
	must(t, err)
	forged := exact
	forged.Hash = strings.Repeat("0", 64)
	forgedNote := fromNote[0]
	forgedNote.Root = &[32]byte{1}
	for _, c := range []struct {
		name    string
		export  []byte
		anchors []Anchor
		exit    int
		kind    string
	}{
		{"seen", newer, []Anchor{exact}, 0, ""},
		{"short", newer, []Anchor{short}, 0, ""},
		{"note", newer, fromNote, 0, ""},
		{"trailers, one of another log", newer, fromTrailer, 0, ""},
		{"rollback", older, []Anchor{exact}, 1, kindRollback},
		{"rollback by note", older, fromNote, 1, kindRollback},
		{"rollback by trailer", older, fromTrailer, 1, kindRollback},
		{"fork", newer, []Anchor{forged}, 1, kindFork},
		{"fork by note", newer, []Anchor{forgedNote}, 1, kindFork},
		{"not in a partial export", partial, []Anchor{exact}, 2, ""},
		{"rollback of a partial export", partial, []Anchor{{Size: 9999, Hash: exact.Hash}}, 1, kindRollback},
		{"only of another log", newer, fromTrailer[1:], 2, ""},
	} {
		rep := x.verify(t, c.export, VerifyOptions{Anchors: c.anchors})
		kind := ""
		if rep.FirstBad != nil {
			kind = rep.FirstBad.Kind
		}
		if rep.Exit != c.exit || kind != c.kind || len(rep.Anchors) != len(c.anchors) {
			t.Errorf("%s: exit %d, kind %q, %+v", c.name, rep.Exit, kind, rep.Anchors)
		}
	}
	for _, s := range []string{"", "1", "1:", "0:" + exact.Hash, "01:" + exact.Hash, "1:abc", "1:ABCDEF0123", "-1:" + exact.Hash, "x:" + exact.Hash} {
		if _, err := ParseAnchor(s); err == nil {
			t.Errorf("%q is taken as an anchor", s)
		}
	}
	if _, err := FindAnchors("x", []byte("nothing here\n")); err == nil {
		t.Error("a file without an anchor is taken")
	}
}

// The head file is compared with the log.
func TestHeadFile(t *testing.T) {
	x := newSample(t)
	closeSession(t, x.session(t, "one", 2, nil))
	oldHead := slices.Clone(x.layer.names[fileHead].data)
	oldLog := slices.Clone(x.layer.names[segmentName(1)].data)
	closeSession(t, x.session(t, "two", 2, nil))
	newHead := slices.Clone(x.layer.names[fileHead].data)
	newLog := slices.Clone(x.layer.names[segmentName(1)].data)
	for _, c := range []struct {
		name      string
		head, log []byte
		exit      int
		kind      string
	}{
		{"both new", newHead, newLog, 0, ""},
		{"head older", oldHead, newLog, 0, ""},
		{"log older", newHead, oldLog, 1, kindTruncated},
		{"one line less", newHead, newLog[:bytes.LastIndexByte(newLog[:len(newLog)-1], '\n')+1], 1, kindTruncated},
		{"no head", nil, newLog, 1, kindCheckpoint},
		{"head of zeros", make([]byte, 2*slotSize), newLog, 1, kindCheckpoint},
	} {
		x.layer.names[fileHead].data = c.head
		x.layer.names[segmentName(1)].data = c.log
		rep := verifyLayer(t, x.options(), VerifyOptions{})
		kind := ""
		if rep.FirstBad != nil {
			kind = rep.FirstBad.Kind
		}
		if rep.Exit != c.exit || kind != c.kind {
			t.Errorf("%s: exit %d, %q", c.name, rep.Exit, kind)
		}
	}
	x.layer.names[fileHead].data, x.layer.names[segmentName(1)].data = newHead, oldLog
	delete(x.layer.names, fileState)
	l := openLog(t, x.options())
	_, err := l.Session(t.Context(), SessionInfo{Front: FrontRun})
	if err == nil {
		t.Error("a log that was cut off is continued")
	}
}

// A head that nobody signed is reported, and does not stay for ever.
func TestForgedHead(t *testing.T) {
	x := newSample(t)
	closeSession(t, x.session(t, "one", 1, nil))
	slots, _, err := readSlots(x.layer)
	must(t, err)
	forged := strings.Replace(slotText(slots[1]), `"size":`, `"size":9`, 1)[1:]
	forged = "{" + strings.Replace(forged, "  \n", " \n", 1)
	copy(x.layer.names[fileHead].data[slots[1].slot*slotSize:], forged)
	if rep := verifyLayer(t, x.options(), VerifyOptions{}); rep.Exit != ExitTampered || rep.FirstBad.Kind != kindTruncated {
		t.Errorf("%+v", rep.FirstBad)
	}
	closeSession(t, x.session(t, "two", 1, nil))
	wantIntact(t, verifyLayer(t, x.options(), VerifyOptions{}))
}

// A log whose lines were changed is neither verified nor continued.
func TestChangedLog(t *testing.T) {
	x := newSample(t)
	closeSession(t, x.session(t, "one", 2, nil))
	x.session(t, "two", 2, nil)
	must(t, x.l.Close())
	whole := slices.Clone(x.layer.names[segmentName(1)].data)
	for name, change := range map[string]func([]byte) []byte{
		"a word":      func(b []byte) []byte { return bytes.Replace(b, []byte(`"approved"`), []byte(`"blockedd"`), 1) },
		"a line gone": func(b []byte) []byte { return b[bytes.IndexByte(b, '\n')+1:] },
		"a space":     func(b []byte) []byte { return bytes.Replace(b, []byte(`":"`), []byte(`": "`), 1) },
		"a line more": func(b []byte) []byte { return append(bytes.Clone(b), b[:bytes.IndexByte(b, '\n')+1]...) },
		"a torn line in the middle": func(b []byte) []byte {
			i := bytes.IndexByte(b, '\n')
			return append(bytes.Clone(b[:i-10]), b[i:]...)
		},
	} {
		x.layer.names[segmentName(1)].data = change(slices.Clone(whole))
		delete(x.layer.names, fileState)
		if rep := verifyLayer(t, x.options(), VerifyOptions{}); rep.Exit != ExitTampered {
			t.Errorf("%s: exit %d", name, rep.Exit)
		}
		l := openLog(t, x.options())
		_, err := l.Session(t.Context(), SessionInfo{Front: FrontRun})
		if _, ok := errors.AsType[*DamagedError](err); !ok {
			t.Errorf("%s: the log is continued: %v", name, err)
		}
		must(t, l.Close())
	}
}

// What another program appends while we write is noticed before we go on.
func TestForeignRecordsStopTheLog(t *testing.T) {
	x := newSample(t)
	s := x.session(t, "one", 1, nil)
	b := x.layer.names[segmentName(1)].data
	x.layer.mu.Lock()
	x.layer.names[segmentName(1)].data = append(b, b[:bytes.IndexByte(b, '\n')+1]...)
	x.layer.mu.Unlock()
	_, err := s.Intent(t.Context(), edit("b"))
	if _, ok := errors.AsType[*StoppedError](err); !ok {
		t.Errorf("%v", err)
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
