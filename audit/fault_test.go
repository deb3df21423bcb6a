package audit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A sync that fails stops everything in this process, for good.
func TestAFailedSyncStopsEverything(t *testing.T) {
	for _, op := range []string{"sync", "write", "fstat", "lock"} {
		layer := newMemLayer()
		l := openLog(t, Options{Layer: layer})
		s := begin(t, l)
		before, err := s.Intent(t.Context(), edit("a"))
		if err != nil {
			t.Fatal(err)
		}
		layer.mu.Lock()
		layer.fail = func(what, name string) error {
			if what == op && (strings.HasSuffix(name, ".jsonl") || op == "lock") {
				return syscall.EIO
			}
			return nil
		}
		layer.mu.Unlock()
		tok, err := s.Intent(t.Context(), edit("b"))
		var stopped *StoppedError
		if !errors.As(err, &stopped) || !errors.Is(err, syscall.EIO) || tok.Valid() {
			t.Errorf("%s: intent with EIO: %v, token %v", op, err, tok.Valid())
		}
		layer.mu.Lock()
		layer.fail = nil
		layer.mu.Unlock()
		if before.Covers([32]byte{1}) {
			t.Errorf("%s: an earlier token still covers its effect", op)
		}
		if _, err := s.Intent(t.Context(), edit("c")); !errors.As(err, &stopped) {
			t.Errorf("%s: the disk works again, and so does the log: %v", op, err)
		}
		if err := s.Outcome(before, Outcome{Status: OK}); !errors.As(err, &stopped) {
			t.Errorf("%s: an outcome was written: %v", op, err)
		}
		if err := s.Close(CloseOK); !errors.As(err, &stopped) {
			t.Errorf("%s: the session was closed: %v", op, err)
		}
		if _, err := l.Session(t.Context(), SessionInfo{Front: FrontRun}); !errors.As(err, &stopped) {
			t.Errorf("%s: another session began: %v", op, err)
		}
		select {
		case <-l.Failed():
		default:
			t.Errorf("%s: nobody is told", op)
		}
		if l.Err() == nil {
			t.Errorf("%s: no error to show", op)
		}
		again := openLog(t, Options{Layer: layer})
		closeSession(t, begin(t, again))
		wantIntact(t, verifyLayer(t, Options{Layer: layer}, VerifyOptions{}))
	}
}

// On a full disk no intent is taken, what is under way can still be ended, and
// with space everything goes on.
func TestFullDisk(t *testing.T) {
	layer := newMemLayer()
	l := openLog(t, Options{Layer: layer})
	s := begin(t, l)
	var tokens []Token
	for range 40 {
		tok, err := s.Intent(t.Context(), edit("a"))
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, tok)
	}
	layer.mu.Lock()
	layer.limited, layer.room = true, 0
	layer.mu.Unlock()
	full := false
	for range 5000 { // until the reserve would be needed
		_, err := s.Intent(t.Context(), edit("b"))
		if errors.Is(err, ErrFull) {
			full = true
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !full || l.Err() != nil {
		t.Fatalf("full %v, stopped %v", full, l.Err())
	}
	for _, tok := range tokens {
		if !tok.Covers([32]byte{1}) {
			t.Error("a full disk took a token back")
		}
		if err := s.Outcome(tok, Outcome{Status: OK}); err != nil {
			t.Fatalf("an outcome did not fit into the reserve: %v", err)
		}
	}
	if err := s.Event(t.Context(), Event{Kind: "note"}); !errors.Is(err, ErrFull) {
		t.Errorf("an event took of the reserve: %v", err)
	}
	layer.mu.Lock()
	layer.room = 10 << 20
	layer.mu.Unlock()
	act(t, s, edit("c"), Outcome{Status: OK})
	layer.mu.Lock()
	layer.room = 0
	layer.mu.Unlock()
	closeSession(t, s)
	if _, err := l.Session(t.Context(), SessionInfo{Front: FrontRun}); !errors.Is(err, ErrFull) {
		t.Errorf("a session began on a full disk: %v", err)
	}
	layer.mu.Lock()
	layer.limited = false
	layer.mu.Unlock()
	closeSession(t, begin(t, l))
	wantIntact(t, verifyLayer(t, Options{Layer: layer}, VerifyOptions{}))
}

// A disk without a reserve, which fills up in the middle of a record.
func TestFullInTheMiddleOfARecord(t *testing.T) {
	for room := int64(0); room < 1200; room += 37 {
		layer := newMemLayer()
		l := openLog(t, Options{Layer: noReserve{layer}})
		s := begin(t, l)
		act(t, s, edit("a"), Outcome{Status: OK})
		layer.mu.Lock()
		layer.limited, layer.room = true, room
		layer.mu.Unlock()
		tok, err := s.Intent(t.Context(), edit("b"))
		if err != nil && !errors.Is(err, ErrFull) || err == nil != tok.Valid() {
			t.Fatalf("room for %d bytes: %v", room, err)
		}
		layer.mu.Lock()
		layer.limited = false
		layer.mu.Unlock()
		act(t, s, edit("c"), Outcome{Status: OK})
		closeSession(t, s)
		wantIntact(t, verifyLayer(t, Options{Layer: layer}, VerifyOptions{}))
	}
}

type noReserve struct{ *memLayer }

func (l noReserve) Open(name string, flag int) (File, error) {
	f, err := l.memLayer.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return noReserveFile{f}, nil
}

type noReserveFile struct{ File }

func (noReserveFile) Reserve(int64) error { return nil }

// The log goes on after the last record was torn at any byte.
func TestTornAtEveryByte(t *testing.T) {
	layer := newMemLayer()
	var dead sync.Map
	opts := func(pid int64) Options { return Options{Layer: layer, processes: memProcesses{pid, &dead}} }
	l := openLog(t, opts(1))
	s := begin(t, l)
	act(t, s, edit("a"), Outcome{Status: OK})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	dead.Store(int64(1), true)
	whole := slices.Clone(layer.names[segmentName(1)].data)
	heads := slices.Clone(layer.names[fileHead].data)
	state := layer.names[fileState]
	last := strings.LastIndexByte(strings.TrimSuffix(string(whole), "\n"), '\n') + 1
	at := last
	if !soak() {
		at += rand.IntN(3)
	}
	step := 3
	if soak() {
		step = 1
	}
	for ; at < len(whole); at += step {
		for _, tail := range []string{"", "\x00\x00\x00", "\x00\n" + string(whole[last:])} {
			layer = newMemLayer()
			restore(t, layer, l.layer.(*memLayer), at, whole, tail)
			if at%2 == 0 && state != nil {
				delete(layer.names, fileState)
			}
			checkTorn(t, layer, opts, at-last+len(tail), heads)
		}
	}
}

// restore copies a layer, with the segment cut and something in its place. The
// head file is that of before the last record.
func restore(t *testing.T, to, from *memLayer, at int, whole []byte, tail string) {
	t.Helper()
	for name, n := range from.names {
		m := to.newNode(n.dir)
		m.data = slices.Clone(n.data)
		switch name {
		case segmentName(1):
			m.data = append(slices.Clone(whole[:at]), tail...)
		case fileHead:
			// The slot that covers the last record was not written yet.
			slots, _, err := readSlots(from)
			if err != nil || len(slots) != 2 {
				t.Fatal(err, len(slots))
			}
			m.data = m.data[:0]
			m.data = append(m.data, slotText(slots[1])...)
		}
		m.synced = slices.Clone(m.data)
		to.names[name], to.disk[name] = m, m
	}
}

func slotText(c checkpoint) string {
	return string(c.text) + strings.Repeat(" ", slotSize-1-len(c.text)) + "\n"
}

func checkTorn(t *testing.T, layer *memLayer, opts func(int64) Options, torn int, _ []byte) {
	t.Helper()
	if torn > 0 {
		rep := verifyLayer(t, opts(2), VerifyOptions{})
		wantIntact(t, rep)
		if !slices.ContainsFunc(rep.Warnings, func(w Warning) bool { return w.Kind == warnTorn }) {
			t.Fatalf("%d torn bytes: no warning in %+v", torn, rep.Warnings)
		}
	}
	l := openLog(t, opts(2))
	s := begin(t, l)
	act(t, s, edit("b"), Outcome{Status: OK})
	closeSession(t, s)
	rep := verifyLayer(t, opts(2), VerifyOptions{})
	wantIntact(t, rep)
	names, err := layer.List(dirTorn)
	if err != nil || torn > 0 && len(names) != 1 || torn == 0 && len(names) != 0 {
		t.Fatalf("%d torn bytes: %v %v", torn, names, err)
	}
	if torn > 0 && len(layer.names[dirTorn+"/"+names[0]].data) != torn {
		t.Fatalf("%d torn bytes, kept %d", torn, len(layer.names[dirTorn+"/"+names[0]].data))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// A session start is finished or undone, wherever it stopped.
func TestCrashAtEachStepOfTheHandOver(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, first := range []bool{true, false} {
		steps := 0
		for at := 1; ; at++ {
			layer := newMemLayer()
			var dead sync.Map
			opts := func(pid int64) Options { return Options{Layer: layer, processes: memProcesses{pid, &dead}} }
			if !first {
				l := openLog(t, opts(1))
				closeSession(t, begin(t, l))
				l.Close()
			}
			layer.mu.Lock()
			layer.count, layer.crashAt = 0, at
			layer.mu.Unlock()
			l := openLog(t, opts(2))
			_, err := l.Session(t.Context(), SessionInfo{Front: FrontRun})
			dead.Store(int64(2), true)
			for range 3 {
				after := layer.crash(rng)
				kept := layer
				layer = after
				again := openLog(t, opts(3))
				s, err := again.Session(t.Context(), SessionInfo{Front: FrontRun})
				if err != nil {
					t.Fatalf("crash at step %d (%s): %v\n%s", at, kept.seen[len(kept.seen)-1], err, layer.dump())
				}
				closeSession(t, s)
				wantIntact(t, verifyLayer(t, opts(3), VerifyOptions{}))
				for _, name := range []string{fileKeyNext, fileKeyTemp} {
					if layer.names[name] != nil {
						t.Errorf("crash at step %d: %s was left", at, name)
					}
				}
				layer = kept
			}
			if err == nil {
				steps = at
				break
			}
		}
		if steps < 30 {
			t.Errorf("only %d steps were met", steps)
		}
	}
}

// Two processes write at the same time.
func TestTwoWritersOneChain(t *testing.T) {
	dir := t.TempDir()
	n := 300
	if soak() {
		n = 10_000
	}
	var wait sync.WaitGroup
	for p := range 2 {
		wait.Go(func() {
			l, err := Open(t.Context(), Options{Dir: dir, segmentSize: 200 << 10})
			if err != nil {
				t.Error(err)
				return
			}
			defer l.Close()
			s, err := l.Session(t.Context(), SessionInfo{Front: FrontRun})
			if err != nil {
				t.Error(err)
				return
			}
			for i := range n {
				tok, err := s.Intent(t.Context(), edit(fmt.Sprintf("%d-%d", p, i)))
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.Outcome(tok, Outcome{Status: OK}); err != nil {
					t.Error(err)
					return
				}
			}
			if err := s.Close(CloseOK); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	rep := verifyLive(t, dir, VerifyOptions{Strict: true})
	wantIntact(t, rep)
	if rep.Records < int64(4*n) {
		t.Errorf("%d records", rep.Records)
	}
}

// What somebody else could have changed is refused, with the mend.
func TestUnsafeFilesAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"state folder is a link": func(t *testing.T, dir string) { relink(t, dir) },
		"log folder is a link":   func(t *testing.T, dir string) { relink(t, dir+"/audit") },
		"log is a link":          func(t *testing.T, dir string) { relink(t, dir+"/audit/000001.jsonl") },
		"key is a link":          func(t *testing.T, dir string) { relink(t, dir+"/audit_key") },
		"public key is a link":   func(t *testing.T, dir string) { relink(t, dir+"/audit_key.pub") },
		"lock is a link":         func(t *testing.T, dir string) { relink(t, dir+"/audit/lock") },
		"log is a pipe": func(t *testing.T, dir string) {
			must(t, os.Remove(dir+"/audit/000001.jsonl"))
			must(t, syscall.Mkfifo(dir+"/audit/000001.jsonl", 0o600))
		},
		"folder for all":   func(t *testing.T, dir string) { must(t, os.Chmod(dir, 0o777)) },
		"folder for group": func(t *testing.T, dir string) { must(t, os.Chmod(dir+"/audit", 0o770)) },
		"log for all":      func(t *testing.T, dir string) { must(t, os.Chmod(dir+"/audit/000001.jsonl", 0o666)) },
		"key for group":    func(t *testing.T, dir string) { must(t, os.Chmod(dir+"/audit_key", 0o640)) },
		"log of another user": func(t *testing.T, dir string) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a file away")
			}
			must(t, os.Chown(dir+"/audit/000001.jsonl", 12345, 12345))
		},
		"parent for all": func(t *testing.T, dir string) { must(t, os.Chmod(filepath.Dir(dir), 0o777)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "home", "state")
			l := openLog(t, Options{Dir: dir})
			closeSession(t, begin(t, l))
			must(t, l.Close())
			spoil(t, dir)
			again := openLog(t, Options{Dir: dir})
			_, err := again.Session(t.Context(), SessionInfo{Front: FrontRun})
			if _, ok := errors.AsType[*UnsafeError](err); !ok {
				t.Errorf("%v", err)
			}
		})
	}
}

func relink(t *testing.T, path string) {
	t.Helper()
	must(t, os.Rename(path, path+".real"))
	must(t, os.Symlink(path+".real", path))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A folder that cannot be written gives a plain error, and no session.
func TestReadOnlyFolder(t *testing.T) {
	layer := newMemLayer()
	layer.fail = func(op, name string) error {
		if op == "open" || op == "write" || op == "mkdir" {
			return &os.PathError{Op: op, Path: name, Err: syscall.EROFS}
		}
		return nil
	}
	l := openLog(t, Options{Layer: layer})
	if _, err := l.Session(t.Context(), SessionInfo{Front: FrontRun}); !errors.Is(err, syscall.EROFS) {
		t.Errorf("%v", err)
	}
}

// Another process that keeps the lock does not hang us for ever.
func TestAStuckLock(t *testing.T) {
	layer := newMemLayer()
	l := openLog(t, Options{Layer: layer})
	s := begin(t, l)
	f, err := layer.Open(fileLock, os.O_RDWR)
	must(t, err)
	must(t, f.Lock(t.Context(), true))
	done := make(chan error, 1)
	go func() {
		_, err := s.Intent(t.Context(), edit("a"))
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("an intent was written without the lock: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	must(t, f.Unlock())
	must(t, <-done)
}

// Outcomes become durable within 200 ms, also while others keep coming.
func TestABusyLogIsSynced(t *testing.T) {
	layer := newMemLayer()
	l := openLog(t, Options{Layer: layer})
	s := begin(t, l)
	var last time.Time // of the last sync of the segment
	worst := time.Duration(0)
	layer.mu.Lock()
	last = time.Now()
	layer.fail = func(op, name string) error {
		if op == "sync" && name == segmentName(1) {
			worst = max(worst, time.Since(last))
			last = time.Now()
		}
		return nil
	}
	layer.mu.Unlock()
	for range 40 {
		must(t, s.Event(t.Context(), Event{Kind: "note"}))
		time.Sleep(30 * time.Millisecond)
	}
	layer.mu.Lock()
	defer layer.mu.Unlock()
	if worst = max(worst, time.Since(last)); worst > 900*time.Millisecond {
		t.Errorf("records waited %v for a sync", worst)
	}
}
