package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

// Purged is what a purge took away.
type Purged struct {
	Records int64  // records deleted now; 0 when nothing was old enough
	First   int64  // seq of the first record that is still there
	Since   string // its time
}

// Purge deletes the oldest segments, as far as every record in them is older
// than before and belongs to no session that is still running. A signed stub
// takes their place, so that the rest verifies as before.
func (l *Log) Purge(ctx context.Context, info SessionInfo, before time.Time) (Purged, error) {
	var out Purged
	err := l.within(ctx, info, func(s *Session) error {
		return l.withLog(func(w *writer) (err error) {
			out, err = w.purge(s, before.UTC().Format(timeForm))
			return err
		})
	})
	return out, err
}

// within runs do in a session of its own, as a command typed by a person is.
func (l *Log) within(ctx context.Context, info SessionInfo, do func(*Session) error) error {
	s, err := l.Session(ctx, info)
	if err != nil {
		return err
	}
	if err := do(s); err != nil {
		return errors.Join(err, s.Close(CloseError))
	}
	return s.Close(CloseOK)
}

func (w *writer) purge(s *Session, before string) (Purged, error) {
	lim, err := measure(w.l.layer)
	if err != nil {
		return Purged{}, err
	}
	out, keep, err := w.purgeable(lim, before)
	if err != nil || out.Records == 0 {
		return out, err
	}
	var drafts []*draft
	for _, in := range w.openIntents(func(in *openIntent) bool { return in.seq < out.First && w.orphan(in) }) {
		d, err := w.l.drafter.outcome(s, hashText(in.hash), in.aid, Outcome{Status: Unknown, Reason: "never settled, and purged"})
		if err != nil {
			return out, err
		}
		d.body.True("recovered", true)
		drafts = append(drafts, d)
	}
	if len(drafts) > 0 {
		if err := w.write(drafts, true); err != nil {
			return out, err
		}
	}
	stub, head, err := w.makeStub(lim, keep)
	if err != nil {
		return out, err
	}
	if err := writeFile(w.l.layer, fileStubNext, stub); err != nil {
		return out, err
	}
	if err := w.l.layer.SyncDir(dirLog); err != nil {
		return out, err
	}
	sum := sha256.Sum256(stub)
	d, err := w.l.drafter.event(s, Event{Kind: kindPurged, Title: fmt.Sprintf("%d records older than %s", out.Records, before),
		Data: map[string]any{"size": out.First, "head": head, "stub": hex.EncodeToString(sum[:]), "before": before}})
	if err != nil {
		return out, err
	}
	if err := errors.Join(w.write([]*draft{d}, true), d.err); err != nil {
		return out, err
	}
	return out, w.replaceBeginning(keep)
}

// purgeable finds the first segment to keep.
func (w *writer) purgeable(lim limits, before string) (out Purged, keep int64, err error) {
	walk, start, err := w.fromStart()
	if err != nil {
		return out, 0, err
	}
	live := map[string]bool{}
	for sid, m := range w.walk.sids {
		live[sid] = !w.gone(m)
	}
	first, enough := walk.size, errors.New("enough")
	_, broken, err := walkFiles(w.ctx, w.l.layer, walk, lim.from(start), place{segment: start}, nil, func(r *record, at place) error {
		if at.segment != keep {
			keep, out = at.segment, Purged{r.seq - first, r.seq, string(r.ts)}
		}
		if string(r.ts) >= before || r.typ == typeOpen && live[string(r.sid)] {
			return enough
		}
		return nil
	})
	if errors.Is(err, enough) {
		err = nil
	}
	if broken != nil {
		err = &DamagedError{broken.seq, broken.reason.Reason}
	}
	return out, keep, err
}

// fromStart is a walk at the beginning of the log, and the first segment.
func (w *writer) fromStart() (*walk, int64, error) {
	root, err := readPublic(w.l.layer)
	if err != nil {
		return nil, 0, err
	}
	walk := newWalk(root)
	stub, err := walkStub(w.l.layer, walk)
	if stub == nil {
		return walk, 1, err
	}
	return walk, stub.segment, nil
}

// makeStub writes the stub that stands for the segments before keep, and the
// head at its end.
func (w *writer) makeStub(lim limits, keep int64) (stub []byte, head string, err error) {
	var opens bytes.Buffer
	count := int64(0)
	if old, _, err := readSmall(w.l.layer, fileStub); err == nil {
		_, rest, _ := bytes.Cut(old, []byte{'\n'})
		opens.Write(rest)
		count = int64(bytes.Count(rest, []byte{'\n'}))
	} else if !missing(err) {
		return nil, "", err
	}
	walk, start, err := w.fromStart()
	if err != nil {
		return nil, "", err
	}
	i, _ := slices.BinarySearch(lim.numbers, keep)
	lim.numbers = lim.numbers[:i]
	_, broken, err := walkFiles(w.ctx, w.l.layer, walk, lim.from(start), place{segment: start}, nil, func(r *record, _ place) error {
		if !r.typ.inSession() {
			opens.Write(r.line)
			opens.WriteByte('\n')
			count++
		}
		return nil
	})
	if err == nil && broken != nil {
		err = &DamagedError{broken.seq, broken.reason.Reason}
	}
	if err != nil {
		return nil, "", err
	}
	key, err := readKey(w.l.layer, fileKey)
	if err != nil {
		return nil, "", err
	}
	defer key.forget()
	line := w.stubLine(walk, keep, count, opens.Bytes(), key)
	return append(append(line, '\n'), opens.Bytes()...), hashText(walk.head), nil
}

// stubLine is the first line of a stub. It hands over the sessions that have
// records behind it.
func (w *writer) stubLine(walk *walk, keep, count int64, opens []byte, key signer) []byte {
	var sessions [][]byte
	for _, sid := range slices.Sorted(maps.Keys(walk.sids)) {
		if now := w.walk.sids[sid]; now == nil || now.last >= walk.size {
			sessions = append(sessions, walk.sids[sid].encode(false))
		}
	}
	sum := sha256.Sum256(opens)
	root := walk.tree.Root()
	var b, o jcs.Builder
	o.Int("count", count)
	o.Text("sha256", hex.EncodeToString(sum[:]))
	b.Object("opens", o)
	b.Text("log", walk.log)
	b.Int("size", walk.size)
	b.Text("head", hashText(walk.head))
	b.Text("root", hashText(root))
	b.List("tree", encodeEdges(&walk.tree))
	b.Int("segment", keep)
	b.List("sessions", sessions)
	b.Text("ts", w.l.o.Now().UTC().Format(timeForm))
	b.Text("sig", key.sign(contextStub, b.Append(nil)))
	return b.Append(nil)
}

// replaceBeginning puts the stub in its place and deletes what it stands for.
// A crash on the way is finished by finishPurge.
func (w *writer) replaceBeginning(keep int64) error {
	if err := renameSynced(w.l.layer, fileStubNext, fileStub); err != nil {
		return err
	}
	numbers, err := listSegments(w.l.layer)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		if n >= keep {
			break
		}
		for _, name := range []string{segmentName(n), disclosureName(n)} {
			if err := w.l.layer.Remove(name); err != nil && !missing(err) {
				return err
			}
		}
	}
	return errors.Join(w.l.layer.SyncDir(dirLog), w.l.layer.SyncDir(dirDisclosures))
}

// finishPurge goes on with a purge that a crash interrupted: once the event is
// in the log, the stub that it names counts.
func (w *writer) finishPurge() error {
	l := w.l.layer
	next, _, err := readSmall(l, fileStubNext)
	switch {
	case missing(err):
	case err != nil:
		return err
	default:
		sum := sha256.Sum256(next)
		if p := w.walk.purge; p == nil || p.sum != hex.EncodeToString(sum[:]) {
			if err := l.Remove(fileStubNext); err != nil {
				return err
			}
			return l.SyncDir(dirLog)
		}
		if err := renameSynced(l, fileStubNext, fileStub); err != nil {
			return err
		}
	}
	numbers, err := listSegments(l)
	if err != nil {
		return err
	}
	keep, err := stubSegment(l)
	if err != nil || len(numbers) == 0 || numbers[0] >= keep {
		return err
	}
	b, _, err := readSmall(l, fileStub)
	if err == nil {
		err = writeFile(l, fileStubNext, b) // so that a crash here is seen again
	}
	if err != nil {
		return err
	}
	return w.replaceBeginning(keep)
}

// purgeOpen reports whether a purge may have to be finished. Only a walk from
// the beginning can tell whether the stub is the one to believe.
func (w *writer) purgeOpen(lim limits) bool {
	keep, err := stubSegment(w.l.layer)
	return err != nil || !w.absent(fileStubNext) || len(lim.numbers) > 0 && lim.numbers[0] < keep
}

// stubSegment is the first segment that the stub says was kept, 1 when there is
// no stub.
func stubSegment(l Layer) (keep int64, err error) {
	f, err := l.Open(fileStub, os.O_RDONLY)
	if missing(err) {
		return 1, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	line, _, whole, err := newLineReader(f, 0, jcs.MaxInt, maxRecord).next()
	if err != nil || !whole {
		return 0, &DamagedError{0, "the stub has no first line"}
	}
	s := startStub(newWalk(PublicKey{}))
	if f := s.line(line, true); f != nil {
		return 0, &DamagedError{0, f.Reason}
	}
	return s.segment, nil
}
