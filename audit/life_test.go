package audit

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// months makes a log whose sessions lie in different months, each month in a
// segment of its own.
func months(t testing.TB) *sample {
	t.Helper()
	x := newSample(t)
	for i, id := range []string{"march", "april", "may", "june"} {
		s := x.session(t, id, 2, nil)
		if i > 0 { // the next month begins in the middle of a session
			act(t, s, edit("b"), Outcome{Status: OK})
		}
		x.now = time.Date(2026, time.Month(4+i), 1, 8, 0, 0, 0, time.UTC)
		act(t, s, edit("c"), Outcome{Status: OK})
		closeSession(t, s)
	}
	return x
}

func TestPurge(t *testing.T) {
	x := months(t)
	before := x.export(t, ExportOptions{})
	whole := x.verify(t, before, VerifyOptions{})
	wantIntact(t, whole)
	may := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	info := SessionInfo{Front: FrontCLI}
	out, err := x.l.Purge(t.Context(), info, may)
	must(t, err)
	if out.Records == 0 || out.First != out.Records || !strings.HasPrefix(out.Since, "2026-05-01") {
		t.Fatalf("%+v", out)
	}
	rep := verifyLayer(t, x.options(), VerifyOptions{Strict: true})
	wantIntact(t, rep)
	if rep.Complete || rep.Start == nil || rep.Start.Seq != out.First {
		t.Errorf("%+v", rep)
	}
	for name, o := range map[string]ExportOptions{
		"whole": {}, "lines": {Lines: true}, "session": {Session: "june"}, "straddling": {Session: "april"}, "disclosed": {Disclose: []string{"all"}},
	} {
		b := x.export(t, o)
		for _, fast := range []bool{true, false} {
			wantIntact(t, x.verify(t, b, VerifyOptions{Fast: fast}))
		}
		if name == "whole" {
			stubIsGuarded(t, x, b)
		}
	}
	if again, err := x.l.Purge(t.Context(), info, may); err != nil || again.Records != 0 {
		t.Errorf("purged again: %+v, %v", again, err)
	}
	more, err := x.l.Purge(t.Context(), info, may.AddDate(0, 1, 0))
	must(t, err)
	if more.Records == 0 || more.First <= out.First {
		t.Errorf("%+v", more)
	}
	wantIntact(t, verifyLayer(t, x.options(), VerifyOptions{Strict: true}))
	delete(x.layer.names, fileState) // the long way
	l := openLog(t, x.options())
	closeSession(t, begin(t, l))
	wantIntact(t, verifyLayer(t, x.options(), VerifyOptions{Strict: true}))
	r, err := OpenReader(t.Context(), x.options())
	must(t, err)
	if _, err := r.Prove(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "purged") {
		t.Errorf("a purged record is proven: %v", err)
	}
	proof, err := r.Prove(t.Context(), more.First+1)
	must(t, err)
	wantIntact(t, x.verify(t, proof, VerifyOptions{}))
}

// stubIsGuarded changes a stub in an export in every way.
func stubIsGuarded(t *testing.T, x *sample, b []byte) {
	t.Helper()
	first := func(doc map[string]any) map[string]any { return doc["stub"].([]any)[0].(map[string]any) }
	for name, change := range map[string]func(doc map[string]any){
		"no stub":           func(doc map[string]any) { delete(doc, "stub") },
		"empty stub":        func(doc map[string]any) { doc["stub"] = []any{} },
		"another size":      func(doc map[string]any) { first(doc)["size"] = json.Number("3") },
		"another head":      func(doc map[string]any) { first(doc)["head"] = strings.Repeat("0", 64) },
		"another time":      func(doc map[string]any) { first(doc)["ts"] = "2020-01-01T00:00:00.000Z" },
		"another tree":      func(doc map[string]any) { first(doc)["tree"].([]any)[0] = strings.Repeat("0", 64) },
		"an open missing":   func(doc map[string]any) { doc["stub"] = slices.Delete(doc["stub"].([]any), 1, 2) },
		"no session":        func(doc map[string]any) { delete(first(doc), "sessions") },
		"a segment later":   func(doc map[string]any) { first(doc)["segment"] = json.Number("9") },
		"the first records": func(doc map[string]any) { doc["records"] = doc["records"].([]any)[1:] },
		"more members":      func(doc map[string]any) { first(doc)["x"] = "y" },
	} {
		for _, fast := range []bool{true, false} {
			if rep := x.verify(t, edited(t, b, change), VerifyOptions{Fast: fast}); rep.Exit != ExitTampered {
				t.Errorf("stub with %s: exit %d", name, rep.Exit)
			}
		}
	}
}

func TestCrashAtEachStepOfAPurge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	may := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	purged := 0
	for at := 1; ; at += 2 {
		x := months(t)
		must(t, x.l.Close())
		x.layer.mu.Lock()
		x.layer.count, x.layer.crashAt = 0, at
		x.layer.mu.Unlock()
		l := openLog(t, x.options())
		_, err := l.Purge(t.Context(), SessionInfo{Front: FrontCLI}, may)
		x.layer = x.layer.crash(rng)
		again := openLog(t, x.options())
		closeSession(t, begin(t, again))
		rep := verifyLayer(t, x.options(), VerifyOptions{})
		if !rep.OK {
			t.Fatalf("crash at step %d: %+v\n%s", at, rep.FirstBad, x.layer.dump())
		}
		if !rep.Complete {
			purged++
		}
		if x.layer.names[fileStubNext] != nil {
			t.Errorf("crash at step %d: a stub is left half way", at)
		}
		if err == nil {
			break
		}
	}
	if purged == 0 {
		t.Error("no crash was behind the point of no return")
	}
}

// Open intents of dead processes are settled before they are purged; nothing of
// a running session goes.
func TestPurgeAndOpenSessions(t *testing.T) {
	layer := newMemLayer()
	var dead sync.Map
	now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	opts := func(pid int64) Options {
		return Options{Layer: layer, Now: func() time.Time { return now }, processes: memProcesses{pid, &dead}}
	}
	crashed, running := openLog(t, opts(1)), openLog(t, opts(2))
	_, err := begin(t, crashed).Intent(t.Context(), edit("a"))
	must(t, err)
	live := begin(t, running)
	now = now.AddDate(0, 1, 0)
	act(t, live, edit("b"), Outcome{Status: OK})
	purger := openLog(t, opts(3))
	next := now.AddDate(0, 1, 0)
	out, err := purger.Purge(t.Context(), SessionInfo{Front: FrontCLI}, next)
	must(t, err)
	if out.Records != 0 {
		t.Errorf("%d records of running sessions were purged", out.Records)
	}
	dead.Store(int64(1), true)
	closeSession(t, live)
	now = next
	act(t, begin(t, purger), edit("c"), Outcome{Status: OK})
	out, err = purger.Purge(t.Context(), SessionInfo{Front: FrontCLI}, next)
	must(t, err)
	if out.Records == 0 {
		t.Error("nothing was purged")
	}
	rep := verifyLayer(t, Options{Layer: layer}, VerifyOptions{})
	wantIntact(t, rep)
	if slices.ContainsFunc(rep.Warnings, func(w Warning) bool { return w.Kind == warnIntent }) {
		t.Errorf("%+v", rep.Warnings)
	}
}

func TestNewRootKey(t *testing.T) {
	x := newSample(t)
	info := SessionInfo{Front: FrontCLI}
	closeSession(t, x.session(t, "one", 2, nil))
	running := x.session(t, "running", 1, nil)
	r, err := x.l.RotateRoot(t.Context(), info)
	must(t, err)
	if r.Old != x.key || r.New == r.Old || r.Aside != "" {
		t.Fatalf("%+v", r)
	}
	act(t, running, edit("after"), Outcome{Status: OK})
	closeSession(t, x.session(t, "two", 2, nil))
	closeSession(t, running)
	if k, err := readPublic(x.layer); err != nil || k != r.Old {
		t.Error("the public key changed before it was adopted")
	}
	all := map[string][]byte{"whole": x.export(t, ExportOptions{}), "session": x.export(t, ExportOptions{Session: "two"})}
	reader, err := OpenReader(t.Context(), x.options())
	must(t, err)
	if all["proof"], err = reader.Prove(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for name, b := range all {
		for _, fast := range []bool{true, false} {
			wantIntact(t, x.verify(t, b, VerifyOptions{Key: r.Old, Fast: fast}))
			rep := x.verify(t, b, VerifyOptions{Key: r.New, Fast: fast})
			if name != "proof" && (!rep.OK || rep.Start == nil || rep.Start.Why != "rekey") { // record 1 is older than the key
				t.Errorf("%s under the new key: %+v %+v", name, rep.FirstBad, rep.Start)
			}
			if rep := x.verify(t, b, VerifyOptions{Key: PublicKey{3: 9}, Fast: fast}); rep.Exit != ExitTampered || rep.FirstBad.Kind != kindGenesis {
				t.Errorf("%s under another key: %+v", name, rep.FirstBad)
			}
		}
	}
	// Before the rekey only hashes bind, and they do.
	b := edited(t, all["whole"], func(doc map[string]any) {
		doc["records"].([]any)[1].(map[string]any)["title"] = "x"
	})
	if rep := x.verify(t, b, VerifyOptions{Key: r.New}); rep.Exit != ExitTampered {
		t.Error("a record before the rekey was changed, and the new key says intact")
	}
	key, err := x.l.AdoptRoot(t.Context(), info)
	must(t, err)
	if key != r.New {
		t.Error("another key was adopted")
	}
	if _, err := x.l.AdoptRoot(t.Context(), info); err == nil {
		t.Error("the key was adopted twice")
	}
	rep := verifyLayer(t, x.options(), VerifyOptions{})
	wantIntact(t, rep)
	if rep.Start == nil || rep.Start.Why != "rekey" {
		t.Errorf("%+v", rep.Start)
	}
	must(t, x.l.Close())
	for _, cached := range []bool{true, false} {
		if !cached {
			delete(x.layer.names, fileState)
		}
		l := openLog(t, x.options())
		closeSession(t, begin(t, l))
		must(t, l.Close())
	}
	wantIntact(t, verifyLayer(t, x.options(), VerifyOptions{Key: r.Old}))
	wantIntact(t, verifyLayer(t, x.options(), VerifyOptions{Key: r.New}))
}

func TestCrashAtEachStepOfANewRoot(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for at := 1; ; at++ {
		x := newSample(t)
		closeSession(t, x.session(t, "one", 1, nil))
		must(t, x.l.Close())
		x.layer.mu.Lock()
		x.layer.count, x.layer.crashAt = 0, at
		x.layer.mu.Unlock()
		l := openLog(t, x.options())
		_, err := l.RotateRoot(t.Context(), SessionInfo{Front: FrontCLI})
		x.layer = x.layer.crash(rng)
		again := openLog(t, x.options())
		closeSession(t, begin(t, again))
		wantIntact(t, verifyLayer(t, x.options(), VerifyOptions{}))
		if err == nil {
			break
		}
	}
}

// Keys that do not fit the log are refused with the ways out, and one of them,
// a new root, sets the old log aside and begins a new one that names it.
func TestKeysThatDoNotFit(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(l *memLayer)
		works bool // without a new root
	}{
		"key gone":              {func(l *memLayer) { delete(l.names, fileKey) }, false},
		"key of another log":    {func(l *memLayer) { l.names[fileKey].data = bytes.Repeat([]byte{7}, 32) }, false},
		"key cut":               {func(l *memLayer) { l.names[fileKey].data = []byte{1} }, false},
		"public key gone":       {func(l *memLayer) { delete(l.names, fileKeyPub) }, false},
		"both gone":             {func(l *memLayer) { delete(l.names, fileKeyPub); delete(l.names, fileKey) }, false},
		"public key of another": {func(l *memLayer) { l.names[fileKeyPub].data = otherPublic().File() }, false},
		"public key cut":        {func(l *memLayer) { l.names[fileKeyPub].data = []byte("CLWA1") }, false},
		"next that fits nothing": {func(l *memLayer) {
			l.names[fileKeyNext] = l.newNode(false)
			l.names[fileKeyNext].data = bytes.Repeat([]byte{9}, 32)
		}, true},
		"next that is torn": {func(l *memLayer) { l.names[fileKeyNext] = l.newNode(false) }, true},
		"log gone": {func(l *memLayer) {
			for n := range l.names {
				if strings.HasPrefix(n, "audit/") || n == "audit" {
					delete(l.names, n)
				}
			}
		}, false},
	} {
		for _, cached := range []bool{true, false} {
			x := newSample(t)
			closeSession(t, x.session(t, "one", 2, nil))
			old := x.l.Head()
			must(t, x.l.Close())
			c.spoil(x.layer)
			if !cached {
				delete(x.layer.names, fileState)
			}
			l := openLog(t, x.options())
			_, err := l.Session(t.Context(), SessionInfo{Front: FrontRun})
			if c.works {
				must(t, err)
				continue
			}
			keyErr, ok := errors.AsType[*KeyError](err)
			if !ok || !strings.Contains(keyErr.Mend, "--new-root") {
				t.Errorf("%s: %v", name, err)
			}
			r, err := l.RotateRoot(t.Context(), SessionInfo{Front: FrontCLI})
			if err != nil || r.Aside == "" {
				t.Errorf("%s: a new root: %+v, %v", name, r, err)
				continue
			}
			closeSession(t, begin(t, l))
			wantIntact(t, verifyLayer(t, x.options(), VerifyOptions{Strict: true}))
			text := string(x.layer.names[segmentName(1)].data)
			if name != "log gone" && !strings.Contains(text, `"head":"`+old.Hash+`"`) || !strings.Contains(text, `"kind":"restarted"`) {
				t.Errorf("%s: the new log does not name the old one", name)
			}
			if name != "log gone" && x.layer.names[r.Aside+"/000001.jsonl"] == nil {
				t.Errorf("%s: the old log is not in %s", name, r.Aside)
			}
		}
	}
}

func otherPublic() PublicKey { return newSigner(bytes.Repeat([]byte{3}, 32)).public() }

// The key of an installation of the original becomes the first epoch.
func TestAKeyWithoutALogIsAdopted(t *testing.T) {
	for _, withPublic := range []bool{true, false} {
		layer := newMemLayer()
		seed := bytes.Repeat([]byte{5}, 32)
		must(t, writeFile(layer, fileKey, seed))
		pub := newSigner(seed).public()
		if withPublic {
			must(t, writeFile(layer, fileKeyPub, pub.File()))
		}
		l := openLog(t, Options{Layer: layer})
		closeSession(t, begin(t, l))
		rep := verifyLayer(t, Options{Layer: layer}, VerifyOptions{Key: pub})
		wantIntact(t, rep)
		if string(layer.names[fileKeyPub].data) != string(pub.File()) || bytes.Equal(layer.names[fileKey].data, seed) {
			t.Error("the public key is not that of the original, or the old epoch key is still there")
		}
	}
}

func TestRecoverAndSettle(t *testing.T) {
	layer := newMemLayer()
	var dead sync.Map
	opts := func(pid int64) Options { return Options{Layer: layer, processes: memProcesses{pid, &dead}} }
	crashed := openLog(t, opts(1))
	s, err := crashed.Session(t.Context(), SessionInfo{Session: "work", Front: FrontTUI})
	must(t, err)
	in := edit("a.go")
	in.Pre = append(in.Pre, FileRef{Path: ".env", SHA256: hexOf('3'), Size: 9, Mode: 0o600})
	tok, err := s.Intent(t.Context(), in)
	must(t, err)
	denied := edit("b.go")
	denied.Decision, denied.By = Denied, ByHeadless
	_, err = s.Intent(t.Context(), denied)
	must(t, err)

	alive := openLog(t, opts(2))
	two := begin(t, alive)
	if open, err := two.OpenIntents(t.Context()); err != nil || len(open) != 0 {
		t.Fatalf("intents of a running process: %v, %v", open, err)
	}
	dead.Store(int64(1), true)
	closeSession(t, two)
	_, err = s.Intent(t.Context(), edit("c.go")) // it was not dead after all: nobody settles for it
	must(t, err)

	again := openLog(t, opts(3))
	three := begin(t, again)
	open, err := three.OpenIntents(t.Context())
	must(t, err)
	if len(open) != 3 || open[0].Session != "work" || open[0].Hash != tok.Hash() || open[0].Intent.AID != tok.AID() {
		t.Fatalf("%+v", open)
	}
	got := open[0].Intent
	if !slices.Equal(got.Paths, in.Paths) || got.Decision != Approved || !slices.Equal(got.Want, in.Want) {
		t.Errorf("read back: %+v", got)
	}
	if f := got.Pre[1]; f.SHA256 != hexOf('3') || !f.Secret || f.Mode != 0o600 || f.Size != 9 {
		t.Errorf("the digest of a secret file, read back: %+v", f)
	}
	if err := three.Settle(open[1], Outcome{Status: OK}); err == nil {
		t.Error("a denied intent was settled as ok")
	}
	must(t, three.Settle(open[0], Outcome{Status: NotRun, Reason: "the file is as before"}))
	must(t, three.Settle(open[1], Outcome{Status: Rejected}))
	must(t, three.Settle(open[2], Outcome{Status: Unknown}))
	if err := three.Settle(open[0], Outcome{Status: OK}); !errors.Is(err, ErrSettled) {
		t.Errorf("settled twice: %v", err)
	}
	if open, err := three.OpenIntents(t.Context()); err != nil || len(open) != 0 {
		t.Errorf("%v %v", open, err)
	}
	closeSession(t, three)
	closeSession(t, begin(t, again))
	text := string(layer.names[segmentName(1)].data)
	if n := strings.Count(text, `"type":"recover"`); n != 1 {
		t.Errorf("%d recover records: an intent is listed once", n)
	}
	rep := verifyLayer(t, Options{Layer: layer}, VerifyOptions{})
	wantIntact(t, rep)
	if len(rep.Warnings) != 1 || rep.Warnings[0].Kind != warnNoClose {
		t.Errorf("%+v", rep.Warnings)
	}
}

// A secret that is planted everywhere stands nowhere.
func TestAPlantedSecretIsNowhere(t *testing.T) {
	const value = "pl4nted/Secret+Value==x9"
	dir := t.TempDir()
	mask := secret.New()
	mask.Add(value)
	l := openLog(t, Options{Dir: dir, Redactor: mask})
	s, err := l.Session(t.Context(), SessionInfo{Session: value, Version: value, Host: value, User: value, Front: FrontRun, Workspace: "/w/" + value, Head: value, Level: value, Sandbox: SandboxInfo{value, value}})
	must(t, err)
	forms := []string{value, hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))), url.QueryEscape(value), url.PathEscape(value)}
	for before := range 3 {
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
			forms = append(forms, e.EncodeToString([]byte("abc"[:before]+value)))
		}
	}
	all := strings.Join(forms, " ")
	js, err := json.Marshal(map[string]string{value: all})
	must(t, err)
	in := edit("dir/" + value + ".txt")
	in.Agent, in.Tool, in.Title, in.Command, in.Reason, in.Level = value, value, all, "curl "+all, all, value
	in.Args, in.Effect, in.Inputs, in.Asked = js, js, js, &Asked{Question: value, Lines: []byte(all)}
	in.Rule, in.Taint, in.Net = &Rule{value, value, 1}, []string{value}, []string{value + ".example.org"}
	in.Sandbox = Profile{value, value}
	in.Paths = append(in.Paths, strings.Repeat(all, 500)) // into cut
	in.Paths = append(in.Paths, strings.Repeat(all, 500))
	act(t, s, in, Outcome{Status: Failed, Signal: value, Diff: value, Out: []byte(strings.Repeat(all, 3000)), Reason: all, Post: in.Pre})
	must(t, s.Event(t.Context(), Event{Kind: value, Title: all, Data: map[string]any{value: all, "list": []string{value}, "in": map[string]any{value: value}}}))
	closeSession(t, s)
	f, err := os.Create(dir + "/export.json")
	must(t, err)
	_, err = l.Export(t.Context(), SessionInfo{Front: FrontCLI}, f, ExportOptions{Disclose: []string{"all"}})
	must(t, errors.Join(err, f.Close()))
	must(t, l.Close())
	searched := 0
	must(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		must(t, err)
		searched += len(b)
		nowhere(t, path, b, forms)
		for _, line := range bytes.Split(b, []byte("\n")) { // and inside of disclosures
			if i := bytes.Index(line, []byte(`"sd":"`)); i >= 0 {
				text, _, _ := strings.Cut(string(line[i+6:]), `"`)
				if _, v, ok := openDisclosure(text); ok {
					nowhere(t, path+" disclosed", v, forms)
				}
			}
		}
		return nil
	}))
	if searched < 10_000 {
		t.Errorf("only %d bytes were searched", searched)
	}
	wantIntact(t, verifyLive(t, dir, VerifyOptions{}))
}

func nowhere(t *testing.T, path string, b []byte, forms []string) {
	t.Helper()
	for _, form := range forms {
		if i := bytes.Index(b, []byte(form)); i >= 0 {
			t.Errorf("%s holds %q: …%s…", path, form, b[max(0, i-40):min(len(b), i+80)])
		}
		core := form[4 : len(form)-4]
		if bytes.Contains(b, []byte(core)) {
			t.Errorf("%s holds the core of %q", path, form)
		}
	}
}

func TestRedactDeletesForGood(t *testing.T) {
	x := newSample(t)
	closeSession(t, x.session(t, "one", 3, nil))
	r, err := OpenReader(t.Context(), x.options())
	must(t, err)
	_, values, err := r.Record(t.Context(), 1)
	must(t, err)
	if len(values) == 0 {
		t.Fatal("nothing to delete")
	}
	if _, err := x.l.Redact(t.Context(), SessionInfo{Front: FrontCLI}, []int64{1, x.l.Head().Size + 100}); err == nil {
		t.Error("a record that does not exist was taken")
	}
	n, err := x.l.Redact(t.Context(), SessionInfo{Front: FrontCLI}, []int64{1, 2})
	must(t, err)
	if n != len(values)+1 {
		t.Errorf("%d values deleted", n)
	}
	for seq := range int64(6) {
		_, values, err := r.Record(t.Context(), seq+1)
		must(t, err)
		if (len(values) == 0) != (seq < 2) {
			t.Errorf("record %d has %d values", seq+1, len(values))
		}
	}
	wantIntact(t, verifyLayer(t, x.options(), VerifyOptions{}))
	wantIntact(t, x.verify(t, x.export(t, ExportOptions{Disclose: []string{"all"}}), VerifyOptions{}))
	if !bytes.Contains(x.layer.names[segmentName(1)].data, []byte(`"kind":"redacted"`)) {
		t.Error("no tombstone")
	}
}

func TestEntries(t *testing.T) {
	x := newSample(t)
	s := x.session(t, "one", 1, nil)
	in := edit("b.go")
	in.Category, in.Decision, in.By = CategoryShell, Denied, ByTUI
	act(t, s, in, Outcome{Status: Rejected, Reason: "not now"})
	_, err := s.Intent(t.Context(), edit("open.go"))
	must(t, err)
	r, err := OpenReader(t.Context(), x.options())
	must(t, err)
	for _, c := range []struct {
		f    Filter
		seqs []int64
	}{
		{Filter{}, []int64{0, 1, 3, 5}},
		{Filter{Category: CategoryShell}, []int64{3}},
		{Filter{Status: Rejected}, []int64{3}},
		{Filter{Status: StatusOpen}, []int64{5}},
		{Filter{Text: "NOT NOW"}, []int64{3}},
		{Filter{Text: "open.go"}, []int64{5}},
		{Filter{Text: "nothing"}, nil},
	} {
		var got []int64
		for e, err := range r.Entries(t.Context(), c.f) {
			must(t, err)
			got = append(got, e.Seq)
		}
		if !slices.Equal(got, c.seqs) {
			t.Errorf("%+v: %v, want %v", c.f, got, c.seqs)
		}
	}
}
