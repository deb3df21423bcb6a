package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Attempts of other kinds than those of the tamper kit: two features against
// each other, and files that are not what they were. docs/security-testing.md
// lists them.

// other opens the same log as another process would.
func (x *sample) other(t *testing.T, pid int64) *Log {
	t.Helper()
	o := x.options()
	o.processes = memProcesses{pid, &sync.Map{}}
	return openLog(t, o)
}

// TestANewRootUnderARunningSession of another process, in the middle of a
// month's end, then adopted, then purged: both keys verify all that is left.
func TestANewRootUnderARunningSession(t *testing.T) {
	x := newSample(t)
	info := SessionInfo{Front: FrontCLI}
	closeSession(t, x.session(t, "old", 2, nil))
	theirs := x.other(t, 8)
	running, err := theirs.Session(t.Context(), SessionInfo{Session: "theirs", Front: FrontTUI})
	must(t, err)
	act(t, running, edit("before"), Outcome{Status: OK})
	tok, err := running.Intent(t.Context(), edit("across"))
	must(t, err)
	r, err := x.l.RotateRoot(t.Context(), info)
	must(t, err)
	x.now = time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	must(t, running.Outcome(tok, Outcome{Status: OK}))
	act(t, running, edit("after"), Outcome{Status: OK})
	if _, err := theirs.AdoptRoot(t.Context(), info); err != nil {
		t.Fatal(err)
	}
	closeSession(t, running)
	closeSession(t, x.session(t, "new", 2, nil))
	x.now = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	closeSession(t, x.session(t, "may", 2, nil))
	check := func(when string) {
		t.Helper()
		for name, k := range map[string]PublicKey{"old": r.Old, "new": r.New} {
			for _, fast := range []bool{true, false} {
				if rep := verifyLayer(t, x.options(), VerifyOptions{Key: k, Fast: fast}); !rep.OK {
					t.Errorf("%s, under the %s key: %+v", when, name, rep.FirstBad)
				}
				if rep := x.verify(t, x.export(t, ExportOptions{}), VerifyOptions{Key: k, Fast: fast}); !rep.OK {
					t.Errorf("%s, exported, under the %s key: %+v", when, name, rep.FirstBad)
				}
			}
		}
	}
	check("adopted")
	p, err := theirs.Purge(t.Context(), info, time.Date(2026, 4, 30, 0, 0, 0, 0, time.UTC))
	must(t, err)
	if p.Records == 0 {
		t.Error("nothing was purged")
	}
	check("purged")
	delete(x.layer.names, fileState)
	closeSession(t, begin(t, x.other(t, 9)))
	check("purged and walked anew")
}

// TestAnIdleProcessSleepsThroughAPurge: the file that it had open is gone, with
// the part of the chain that it knew.
func TestAnIdleProcessSleepsThroughAPurge(t *testing.T) {
	x := newSample(t)
	idle := x.other(t, 8)
	closeSession(t, begin(t, idle))
	for m := range 3 {
		x.now = time.Date(2026, time.Month(4+m), 1, 0, 0, 0, 0, time.UTC)
		closeSession(t, x.session(t, fmt.Sprint(m), 2, nil))
	}
	if p, err := x.l.Purge(t.Context(), SessionInfo{Front: FrontCLI}, x.now.AddDate(0, -1, 0)); err != nil || p.Records == 0 {
		t.Fatalf("%+v %v", p, err)
	}
	closeSession(t, begin(t, idle))
	wantIntact(t, verifyLayer(t, x.options(), VerifyOptions{Strict: true}))
}

// TestRedactionUnderAnAnchor, while another process writes values into the same
// file: the anchor holds, the values are gone, and no other one is.
func TestRedactionUnderAnAnchor(t *testing.T) {
	x := newSample(t)
	s := x.session(t, "one", 3, nil)
	note, head, err := x.l.Anchor(t.Context(), SessionInfo{Front: FrontCLI})
	must(t, err)
	theirs := x.other(t, 8)
	running := begin(t, theirs)
	var wait sync.WaitGroup
	wait.Go(func() {
		for i := range 60 {
			act(t, running, edit(fmt.Sprint(i)), Outcome{Status: OK, Out: []byte("value that stays")})
		}
	})
	n := 0
	for seq := int64(1); seq < head.Size; seq++ {
		k, err := x.l.Redact(t.Context(), SessionInfo{Front: FrontCLI}, []int64{seq})
		must(t, err)
		n += k
	}
	wait.Wait()
	closeSession(t, running)
	closeSession(t, s)
	if n == 0 {
		t.Fatal("there was nothing to redact")
	}
	anchors, err := FindAnchors("note", note)
	must(t, err)
	rep := verifyLayer(t, x.options(), VerifyOptions{Anchors: append(anchors, Anchor{Log: head.Log, Size: head.Size, Hash: head.Hash})})
	wantIntact(t, rep)
	b := x.export(t, ExportOptions{Disclose: []string{"all"}})
	wantIntact(t, x.verify(t, b, VerifyOptions{}))
	values := 0
	for _, name := range []string{disclosureName(1)} {
		text, _, err := readSmall(x.layer, name)
		must(t, err)
		for _, line := range bytes.Split(text, []byte("\n")) {
			if i := bytes.Index(line, []byte(`"sd":"`)); i >= 0 {
				sd, _, _ := strings.Cut(string(line[i+6:]), `"`)
				_, v, ok := openDisclosure(sd)
				if !ok {
					t.Errorf("a line was torn: %q", line)
				}
				if strings.Contains(string(v), "output of one") {
					t.Errorf("a value is left: %s", v)
				}
				if strings.Contains(string(v), "value that stays") {
					values++
				}
			}
		}
	}
	if values != 60 {
		t.Errorf("%d of 60 values that were to stay", values)
	}
}

// TestAHoleIsNoTornTail: a file that was made longer by terabytes of nothing is
// not copied, and is not taken for what a crash leaves.
func TestAHoleIsNoTornTail(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Options{Dir: dir})
	closeSession(t, begin(t, l))
	must(t, l.Close())
	name := filepath.Join(dir, segmentName(1))
	info, err := os.Stat(name)
	must(t, err)
	must(t, os.Truncate(name, info.Size()+1<<42))
	began := time.Now()
	if rep := verifyLive(t, dir, VerifyOptions{}); rep.Exit != ExitTampered || rep.FirstBad == nil || rep.FirstBad.Kind != kindMalformed {
		t.Errorf("%+v", rep)
	}
	again := openLog(t, Options{Dir: dir})
	_, err = again.Session(t.Context(), SessionInfo{Front: FrontRun})
	if _, damaged := errors.AsType[*DamagedError](err); !damaged {
		t.Errorf("a session began: %v", err)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
	must(t, os.Truncate(name, info.Size()+100)) // this is one
	rep := verifyLive(t, dir, VerifyOptions{})
	if !rep.OK || len(rep.Warnings) == 0 || rep.Warnings[0].Kind != warnTorn {
		t.Errorf("%+v", rep)
	}
	closeSession(t, begin(t, openLog(t, Options{Dir: dir})))
	wantIntact(t, verifyLive(t, dir, VerifyOptions{}))
}

// TestLinkedAndPlantedFiles: names that lead to another file, and files that
// stand where the log will make its own.
func TestLinkedAndPlantedFiles(t *testing.T) {
	for name, plant := range map[string]func(dir, victim string) error{
		"the next segment, a hard link": func(dir, victim string) error { return os.Link(victim, filepath.Join(dir, segmentName(2))) },
		"the next segment, a link":      func(dir, victim string) error { return os.Symlink(victim, filepath.Join(dir, segmentName(2))) },
		"the next segment, a pipe":      func(dir, _ string) error { return syscall.Mkfifo(filepath.Join(dir, segmentName(2)), 0o600) },
		"the next segment, text": func(dir, _ string) error {
			return os.WriteFile(filepath.Join(dir, segmentName(2)), []byte("{}\n"), 0o600)
		},
		"the values, a link":    func(dir, victim string) error { return replaceBy(os.Symlink, victim, dir, disclosureName(1)) },
		"the head, a link":      func(dir, victim string) error { return replaceBy(os.Symlink, victim, dir, fileHead) },
		"the state, a link":     func(dir, victim string) error { return replaceBy(os.Symlink, victim, dir, fileState) },
		"the next key, a link":  func(dir, victim string) error { return os.Symlink(victim, filepath.Join(dir, fileKeyNext)) },
		"the note's temp, link": func(dir, victim string) error { return os.Symlink(victim, filepath.Join(dir, fileNoteTemp)) },
		"a torn piece, a link": func(dir, victim string) error {
			return os.Symlink(victim, filepath.Join(dir, dirTorn, "000001-0-"+strings.Repeat("0", 64)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			victim := filepath.Join(t.TempDir(), "victim")
			must(t, os.WriteFile(victim, []byte("not ours\n"), 0o600))
			o := Options{Dir: dir, segmentSize: 6000}
			l := openLog(t, o)
			s := begin(t, l)
			act(t, s, edit("a"), Outcome{Status: OK, Out: []byte("x")})
			must(t, plant(dir, victim))
			acked := l.Head().Size
			for range 20 {
				if _, err := s.Intent(t.Context(), edit("b")); err != nil {
					break
				}
				acked++
			}
			_ = s.Close(CloseOK) // the log may have stopped
			_ = l.Close()
			if b, err := os.ReadFile(victim); err != nil || string(b) != "not ours\n" {
				t.Errorf("another file was written: %q %v", b, err)
			}
			// What was acknowledged is in the log, whatever else stands beside it.
			for _, n := range []string{segmentName(2), fileHead, fileState, disclosureName(1)} {
				if st, err := os.Lstat(filepath.Join(dir, n)); err == nil && (st.Mode()&os.ModeType != 0 || st.Sys().(*syscall.Stat_t).Nlink > 1) {
					must(t, os.Remove(filepath.Join(dir, n)))
				}
			}
			r, err := OpenReader(t.Context(), o)
			must(t, err)
			n := int64(0)
			for _, err := range r.Entries(context.Background(), Filter{}) {
				if err != nil {
					break
				}
				n++
			}
			if n == 0 {
				t.Error("nothing is left")
			}
		})
	}
}

func replaceBy(link func(string, string) error, victim, dir, name string) error {
	if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return link(victim, filepath.Join(dir, name))
}

// TestClocksThatJump: to a year that has five digits, before the epoch, months
// back and forth within a session. Where the clock cannot be written nothing is
// done, and nothing is broken when it can be again.
func TestClocksThatJump(t *testing.T) {
	x := newSample(t)
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	o := x.options()
	o.Now = func() time.Time { return now }
	l := openLog(t, o)
	s := begin(t, l)
	for _, at := range []time.Time{
		time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC),
		time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC), now,
	} {
		now = at
		act(t, s, edit("a"), Outcome{Status: OK})
	}
	for _, at := range []time.Time{time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(292277, 1, 1, 0, 0, 0, 0, time.UTC)} {
		now = at
		if _, err := s.Intent(t.Context(), edit("b")); err == nil {
			t.Errorf("an intent in the year %d", at.Year())
		}
	}
	_ = s.Close(CloseOK) // the clock cannot be written
	_ = l.Close()
	now = time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC)
	closeSession(t, begin(t, openLog(t, o)))
	wantIntact(t, verifyLayer(t, x.options(), VerifyOptions{}))
}

// TestAFullDiskAtTheCheckpoint: what can be made again may fail to be written;
// the log goes on, and what was acknowledged is there.
func TestAFullDiskAtTheCheckpoint(t *testing.T) {
	for _, name := range []string{fileHead, fileState, fileStateTemp, fileNote, fileNoteTemp, disclosureName(1)} {
		t.Run(name, func(t *testing.T) {
			x := newSample(t)
			s := x.session(t, "one", 2, nil)
			x.layer.mu.Lock()
			x.layer.fail = func(op, at string) error {
				if at == name {
					return syscall.ENOSPC
				}
				return nil
			}
			x.layer.mu.Unlock()
			for range 3 * checkpointEvery {
				act(t, s, edit("a"), Outcome{Status: OK, Out: []byte("x")})
			}
			if err := x.l.Err(); err != nil {
				t.Errorf("the log stopped: %v", err)
			}
			x.layer.mu.Lock()
			x.layer.fail = nil
			x.layer.mu.Unlock()
			closeSession(t, s)
			wantIntact(t, verifyLayer(t, x.options(), VerifyOptions{Strict: true}))
			wantIntact(t, x.verify(t, x.export(t, ExportOptions{Disclose: []string{"all"}}), VerifyOptions{}))
		})
	}
}

// TestCachesOfOtherVersions: a state file that another version wrote, or that
// somebody else signed, is walked past.
func TestCachesOfOtherVersions(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "another version": `{"v":99,"at":{"segment":1,"offset":0}}`, "no object": "[]", "binary": "\x00\x01\x02", "long": strings.Repeat("x", 9<<20),
	} {
		x := newSample(t)
		closeSession(t, x.session(t, "one", 2, nil))
		must(t, x.l.Close())
		node := x.layer.names[fileState]
		node.data = []byte(text)
		closeSession(t, begin(t, x.other(t, 8)))
		if rep := verifyLayer(t, x.options(), VerifyOptions{Strict: true}); !rep.OK {
			t.Errorf("%s: %+v", name, rep.FirstBad)
		}
	}
}
