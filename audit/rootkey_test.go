package audit

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

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
