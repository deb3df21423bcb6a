package session

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/seal"
)

const (
	sessionSecret = "correct horse battery"
	planted       = "PLANTED-what-nobody-may-read"
)

// locked makes an encrypted session with a text in everything that is kept.
func locked(t *testing.T) (store *Store, id string) {
	t.Helper()
	store = NewStore(filepath.Join(t.TempDir(), "sessions")).With(sessionSecret)
	log, err := store.Create(noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range append(story(), event.TurnEnded{Turn: 2, Status: "done", Message: planted}, event.Renamed{Title: planted}) {
		if _, err := log.Append(noon, body); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := log.KeepBlob([]byte("picture " + planted)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(log.KeepOutput("call_1", []byte(strings.Repeat(planted+"\n", 100))), log.Close()); err != nil {
		t.Fatal(err)
	}
	return store, log.ID()
}

// files are all files beneath a folder.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			out[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func mustWrite(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNothingOfAnEncryptedSessionIsInTheOpen(t *testing.T) {
	store, id := locked(t)
	if _, err := store.List(); err != nil { // which writes the index
		t.Fatal(err)
	}
	all := files(t, store.dir)
	if len(all) < 5 {
		t.Fatalf("only %d files were written", len(all))
	}
	for path, b := range all {
		for _, bad := range []string{planted, "fix it", "a.go", hashOf([]byte("picture " + planted))} {
			if bytes.Contains(b, []byte(bad)) || strings.Contains(path, bad) {
				t.Errorf("%s holds %q", path, bad)
			}
		}
	}
	again := NewStore(store.dir).With(sessionSecret)
	events, err := again.Read(id)
	if err != nil || Fold(events).Title != planted {
		t.Fatalf("with the key: %v", err)
	}
	hits, err := again.Search(id, "planted-WHAT")
	if err != nil || len(hits) != 0 { // the title is no message
		t.Errorf("%v %v", hits, err)
	}
	if hits, err = again.Search(id, "FIX it"); err != nil || len(hits) != 1 {
		t.Errorf("%v %v", hits, err)
	}
	rows, err := again.List()
	if err != nil || len(rows) != 1 || !rows[0].Sealed || rows[0].Title != planted {
		t.Errorf("%+v %v", rows, err)
	}
}

func TestWithoutTheKeyAndWithAnother(t *testing.T) {
	store, id := locked(t)
	none, other := NewStore(store.dir), NewStore(store.dir).With("another key of mine")
	var shut *LockedError
	if _, err := none.Read(id); !errors.As(err, &shut) {
		t.Errorf("read: %v", err)
	}
	if _, err := none.Create(noon); !errors.As(err, &shut) {
		t.Errorf("a session in the open was begun: %v", err)
	}
	if _, _, _, err := none.Resume(id); !errors.As(err, &shut) {
		t.Errorf("resume: %v", err)
	}
	rows, err := none.List()
	if err != nil || len(rows) != 1 || !rows[0].Sealed || !strings.Contains(rows[0].Problem, "TERA_PILOT_SESSION_KEY") {
		t.Errorf("%+v %v", rows, err)
	}
	var wrong *seal.WrongKeyError
	if _, err := other.Read(id); !errors.As(err, &wrong) {
		t.Errorf("read: %v", err)
	}
	if _, err := other.Create(noon); !errors.As(err, &wrong) {
		t.Errorf("create: %v", err)
	}
	if _, err := none.Latest("/w"); !errors.As(err, &shut) {
		t.Errorf("the latest: %v", err)
	}
	if _, err := other.Latest("/w"); !errors.As(err, &wrong) {
		t.Errorf("the latest: %v", err)
	}
	if err := none.Delete(id); err != nil {
		t.Errorf("deleting takes no key: %v", err)
	}
	short := NewStore(filepath.Join(t.TempDir(), "s")).With("short")
	if _, err := short.Create(noon); err == nil {
		t.Error("a key of five letters was taken")
	}
}

// TestAnEncryptedLogCutAtEveryByte: the events before the cut are there, and
// it can be gone on with.
func TestAnEncryptedLogCutAtEveryByte(t *testing.T) {
	store, id := locked(t)
	path := filepath.Join(store.dir, id, eventsFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := store.Read(id)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		mustWrite(t, path, whole[:n])
		lines := max(0, bytes.Count(whole[:n], []byte("\n"))-1)
		events, err := store.Read(id)
		if err != nil || len(events) != lines || lines > 0 && cmp.Diff(want[:lines], events) != "" {
			t.Fatalf("cut at %d: %d events of %d, %v", n, len(events), lines, err)
		}
		if n%37 != 0 {
			continue // going on writes, and is slower
		}
		log, _, _, err := store.Resume(id)
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		_, err = log.Append(noon, event.Renamed{Title: "after"})
		if err = errors.Join(err, log.Close()); err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if events, err := store.Read(id); err != nil || len(events) != lines+1 {
			t.Fatalf("cut at %d and gone on: %d events, %v", n, len(events), err)
		}
	}
}

// TestAnEncryptedLogWithAByteChanged: it is never read as if nothing were. A
// last line without its end is a torn one.
func TestAnEncryptedLogWithAByteChanged(t *testing.T) {
	store, id := locked(t)
	path := filepath.Join(store.dir, id, eventsFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := store.Read(id)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		bad := bytes.Clone(whole)
		bad[i] ^= 1
		mustWrite(t, path, bad)
		events, err := store.Read(id)
		var damaged *DamagedError
		var replaced *ReplacedError
		switch {
		case errors.As(err, &damaged), errors.As(err, &replaced):
		case i == len(whole)-1 && err == nil && len(events) == len(want)-1:
		default:
			t.Fatalf("byte %d: %d events, %v", i, len(events), err)
		}
	}
}

func TestPiecesThatAreMoved(t *testing.T) {
	store, id := locked(t)
	log, err := store.Create(noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range story() {
		if _, err := log.Append(noon, b); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(log.KeepOutput("call_1", []byte("other")), log.Close()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(store.dir, id, eventsFile)
	whole, _ := os.ReadFile(path)
	other, _ := os.ReadFile(filepath.Join(store.dir, log.ID(), eventsFile))
	lines, theirs := bytes.SplitAfter(whole, []byte("\n")), bytes.SplitAfter(other, []byte("\n"))
	join := func(l ...[]byte) []byte { return bytes.Join(l, nil) }
	for name, b := range map[string][]byte{
		"of another session":   join(append([][]byte{lines[0], theirs[1]}, lines[2:]...)...),
		"the whole of another": other,
		"in another order":     join(append([][]byte{lines[0], lines[2], lines[1]}, lines[3:]...)...),
		"one left out":         join(append([][]byte{lines[0]}, lines[2:]...)...),
		"one twice":            join(append([][]byte{lines[0], lines[1], lines[1]}, lines[2:]...)...),
		"its first line":       join(lines[1:]...),
		"its last line plain":  join(whole, []byte(`{"v":1,"seq":99}`+"\n")),
		"zeros at the end":     join(whole, make([]byte, 100), []byte("\n")),
	} {
		mustWrite(t, path, b)
		if events, err := store.Read(id); err == nil {
			t.Errorf("%s: read as %d events", name, len(events))
		}
	}
	mustWrite(t, path, whole)
	out := filepath.Join(store.dir, id, outFolder, "call_1")
	theirOut, _ := os.ReadFile(filepath.Join(store.dir, log.ID(), outFolder, "call_1"))
	mustWrite(t, out, theirOut)
	l, _, _, err := store.Resume(id)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var altered *seal.AlteredError
	if _, err := l.OpenOutput("call_1", theirOut); !errors.As(err, &altered) {
		t.Errorf("an output of another session: %v", err)
	}
	if _, err := l.OpenOutput("call_1", []byte("in the open")); err == nil {
		t.Error("an output in the open was taken")
	}
}

// TestAnEncryptedSessionReplacedByOneInTheOpen: that is no old session.
func TestAnEncryptedSessionReplacedByOneInTheOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sessions")
	before := NewStore(dir)
	old, err := before.Create(noon)
	if err != nil {
		t.Fatal(err)
	}
	_, err = old.Append(noon, story()...)
	if err = errors.Join(err, old.Close()); err != nil {
		t.Fatal(err)
	}
	store := NewStore(dir).With(sessionSecret)
	log, err := store.Create(noon)
	if err != nil {
		t.Fatal(err)
	}
	_, err = log.Append(noon, story()...)
	if err = errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	if events, err := store.Read(old.ID()); err != nil || len(events) == 0 {
		t.Errorf("the old session is readable: %v", err)
	}
	var open *OpenError
	if _, _, _, err := store.Resume(old.ID()); !errors.As(err, &open) {
		t.Errorf("it would be written to in the open: %v", err)
	}
	plain, _ := os.ReadFile(filepath.Join(dir, old.ID(), eventsFile))
	mustWrite(t, filepath.Join(dir, log.ID(), eventsFile), plain)
	var replaced *ReplacedError
	if _, err := store.Read(log.ID()); !errors.As(err, &replaced) {
		t.Errorf("read: %v", err)
	}
	if _, _, _, err := store.Resume(log.ID()); !errors.As(err, &replaced) {
		t.Errorf("resume: %v", err)
	}
}

// TestTheHeader: each byte changed, each cut, gone, and of another store.
func TestTheHeader(t *testing.T) {
	store, id := locked(t)
	path := filepath.Join(store.dir, sealFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(whole)-1; i += 23 {
		bad := bytes.Clone(whole)
		bad[i] ^= 4
		for _, b := range [][]byte{bad, whole[:i]} {
			mustWrite(t, path, b)
			if _, err := NewStore(store.dir).With(sessionSecret).Read(id); err == nil {
				t.Fatalf("byte %d: read", i)
			}
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	gone := NewStore(store.dir).With(sessionSecret)
	if _, err := gone.Create(noon); err == nil || !strings.Contains(err.Error(), "--recover") {
		t.Errorf("a new header was made beside encrypted sessions: %v", err)
	}
	if _, err := gone.Encrypt(true, func(string, seal.Key) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := NewStore(store.dir).With(sessionSecret).Read(id); err != nil {
		t.Errorf("after the header was recovered: %v", err)
	}
}

func TestEncryptingWhatIsThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sessions")
	log, err := NewStore(dir).Create(noon)
	if err != nil {
		t.Fatal(err)
	}
	_, err = log.Append(noon, append(story(), event.TurnEnded{Turn: 2, Status: "done", Message: planted})...)
	sum, blobErr := log.KeepBlob([]byte("picture " + planted))
	if err = errors.Join(err, blobErr, log.KeepOutput("call_1", []byte(planted)), log.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, log.ID(), eventsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(`{"torn ` + planted)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	want, err := NewStore(dir).Read(log.ID())
	if err != nil {
		t.Fatal(err)
	}
	store := NewStore(dir).With(sessionSecret)
	stop := errors.New("the machine stopped")
	if done, err := store.Encrypt(false, func(string, seal.Key) error { return stop }); !errors.Is(err, stop) || len(done) != 0 {
		t.Fatalf("%v %v", done, err)
	}
	store = NewStore(dir).With(sessionSecret)
	if done, err := store.Encrypt(false, func(string, seal.Key) error { return nil }); err != nil || len(done) != 1 {
		t.Fatalf("%v %v", done, err)
	}
	for path, b := range files(t, dir) {
		if bytes.Contains(b, []byte(planted)) || strings.Contains(path, sum) {
			t.Errorf("%s is in the open", path)
		}
	}
	l, events, _, err := store.Resume(log.ID())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if d := cmp.Diff(want, events); d != "" {
		t.Error(d)
	}
	if b, err := l.Blob(sum); err != nil || string(b) != "picture "+planted {
		t.Errorf("picture: %q %v", b, err)
	}
	stored, _ := os.ReadFile(filepath.Join(l.OutDir(), "call_1"))
	if b, err := l.OpenOutput("call_1", stored); err != nil || string(b) != planted {
		t.Errorf("output: %q %v", b, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, filepath.Join(dir, log.ID(), eventsFile), []byte(`{"v":1,"seq":1`+"\n"))
	var replaced *ReplacedError
	if _, err := store.Read(log.ID()); !errors.As(err, &replaced) {
		t.Errorf("put back in the open after it was encrypted: %v", err)
	}
	if done, err := store.Encrypt(false, func(string, seal.Key) error { return nil }); !errors.As(err, &replaced) || len(done) != 0 {
		t.Errorf("what was put there is encrypted as if it were ours: %v %v", done, err)
	}
}

func TestForkOfAnEncryptedSession(t *testing.T) {
	store := NewStore(filepath.Join(t.TempDir(), "sessions")).With(sessionSecret)
	log, err := store.Create(noon)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := log.KeepBlob([]byte("a picture"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = log.Append(noon, event.TurnStarted{Turn: 1, Text: "look", Images: []event.ImageRef{{Name: "a.png", SHA256: sum}}}, event.TurnEnded{Turn: 1, Status: "done"})
	if err = errors.Join(err, log.KeepOutput("call_1", []byte(planted)), log.Close()); err != nil {
		t.Fatal(err)
	}
	id, err := store.Fork(log.ID(), 0, noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Delete(log.ID()); err != nil {
		t.Fatal(err)
	}
	l, _, _, err := store.Resume(id)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	stored, _ := os.ReadFile(filepath.Join(l.OutDir(), "call_1"))
	if b, err := l.OpenOutput("call_1", stored); err != nil || string(b) != planted || bytes.Contains(stored, b) {
		t.Errorf("output: %q %v", b, err)
	}
	if b, err := l.Blob(sum); err != nil || string(b) != "a picture" {
		t.Errorf("picture: %q %v", b, err)
	}
}
