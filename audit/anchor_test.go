package audit

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

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
	// Wherever it was cut, the log is blamed and not the key.
	lines := bytes.SplitAfter(newLog, []byte{'\n'})
	for n := range len(lines) - 1 { // what follows the last line end is empty
		x.layer.names[segmentName(1)].data = bytes.Join(lines[:n], nil)
		delete(x.layer.names, fileState)
		_, err := openLog(t, x.options()).Session(t.Context(), SessionInfo{Front: FrontRun})
		if damage, ok := errors.AsType[*DamagedError](err); !ok || damage.Seq != int64(n) || !strings.Contains(damage.Reason, "its end was cut off") {
			t.Errorf("cut to %d of %d records: %v", n, len(lines)-1, err)
		}
	}
	// A key of another log is still said to be one.
	x.layer.names[segmentName(1)].data = newLog
	for i := range x.layer.names[fileKey].data {
		x.layer.names[fileKey].data[i] ^= 1
	}
	_, err = openLog(t, x.options()).Session(t.Context(), SessionInfo{Front: FrontRun})
	if _, ok := errors.AsType[*KeyError](err); !ok {
		t.Errorf("another key: %v", err)
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
