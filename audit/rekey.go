package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

// Rotated is what a new root key changed.
type Rotated struct {
	Old, New PublicKey
	Aside    string // folder of the old log when it could not be continued, else empty
}

// RotateRoot gives the log a new root key. Where the log can be continued, a
// rekey record signed by the old and the new key leads from one to the other,
// and audit_key.pub stays the old one until AdoptRoot. Where it cannot, because
// a key is gone or the log is damaged, the log is set aside and a new one
// begins, whose first event names the old one.
func (l *Log) RotateRoot(ctx context.Context, info SessionInfo) (Rotated, error) {
	var out Rotated
	var aside Head
	err := l.do(&request{run: func(w *writer) error {
		if w.absent(dirLog) && w.absent(fileKeyPub) {
			return ErrNoLog
		}
		if pub, err := readPublic(l.layer); err == nil {
			out.Old = pub
		}
		if !w.absent(dirLog) {
			err := w.locked(func() (err error) { out.New, err = w.rekey(); return err })
			_, isKey := errors.AsType[*KeyError](err)
			_, isDamaged := errors.AsType[*DamagedError](err)
			if !isKey && !isDamaged {
				return err
			}
		}
		var err error
		w.broken = nil
		out.Aside, aside, err = w.setAside(out.Old)
		return err
	}})
	if err != nil || out.Aside == "" {
		return out, err
	}
	err = l.within(ctx, info, func(s *Session) error {
		return s.Event(ctx, Event{Kind: KindRestarted, Title: "the log before this one is in " + out.Aside,
			Data: map[string]any{"log": aside.Log, "size": aside.Size, "head": aside.Hash, "folder": out.Aside}})
	})
	if err != nil {
		return out, err
	}
	out.New, err = readPublic(l.layer)
	return out, err
}

// rekey writes the record that leads to a new root key.
func (w *writer) rekey() (PublicKey, error) {
	l := w.l.layer
	if w.walk.size == 0 {
		return PublicKey{}, ErrNoLog
	}
	root, seed, err := freshSigner(w.l.o.Rand)
	if err != nil {
		return PublicKey{}, err
	}
	defer root.forget()
	defer clear(seed)
	sid, err := randomHex(w.l.o.Rand, 16)
	if err != nil {
		return PublicKey{}, err
	}
	key, err := readKey(l, fileKey)
	if err != nil {
		return PublicKey{}, err
	}
	defer key.forget()
	if err := errors.Join(writeFile(l, fileKeyNext, seed), l.SyncDir("")); err != nil {
		return PublicKey{}, err
	}
	var b jcs.Builder
	b.Text("root", hexKey(root.public()))
	b.Text("rootlog", root.public().LogID())
	var sessions [][]byte
	for _, sid := range slices.Sorted(maps.Keys(w.walk.sids)) {
		if m := w.walk.sids[sid]; !w.gone(m) {
			sessions = append(sessions, m.encode(false))
		}
	}
	b.List("sessions", sessions)
	w.buf, w.open = w.buf[:0], w.open[:0]
	if err := w.seal(typeRekey, sid, b, key, &root); err != nil {
		return PublicKey{}, w.breakOff(err)
	}
	if full, err := w.flush(); err != nil || full {
		return PublicKey{}, orFull(err)
	}
	if err := w.breakOff(w.sync()); err != nil {
		return PublicKey{}, err
	}
	if err := w.breakOff(renameSynced(l, fileKeyNext, fileKey)); err != nil {
		return PublicKey{}, err
	}
	w.l.setHead(w.walk.end())
	return root.public(), w.checkpoint(true)
}

func orFull(err error) error {
	if err == nil {
		return ErrFull
	}
	return err
}

// setAside moves a log that cannot be continued, with its keys, into a folder
// beside it. It can be called again after a crash on the way.
func (w *writer) setAside(root PublicKey) (folder string, last Head, err error) {
	l := w.l.layer
	if err := w.unload(); err != nil {
		return "", last, err
	}
	last = lastHead(l, root.LogID())
	folder, err = freeName(l, "audit."+last.Log)
	if err != nil {
		return "", last, err
	}
	if w.absent(dirLog) {
		err = l.Mkdir(folder)
	} else {
		err = l.Rename(dirLog, folder)
	}
	if err != nil {
		return "", last, err
	}
	for _, name := range []string{fileKeyPub, fileKey, fileKeyNext} {
		if err := l.Rename(name, folder+"/"+name); err != nil && !missing(err) {
			return "", last, err
		}
	}
	if w.lock != nil {
		err = w.lock.Close()
		w.lock = nil
	}
	return folder, last, errors.Join(err, l.SyncDir(""), l.SyncDir(folder))
}

func freeName(l Layer, name string) (string, error) {
	for i := range 1000 {
		try := name
		if i > 0 {
			try = fmt.Sprintf("%s-%d", name, i+1)
		}
		if _, err := l.Stat(try); missing(err) {
			return try, nil
		} else if err != nil {
			return "", err
		}
	}
	return "", errors.New("too many logs were set aside; move some of them away")
}

// lastHead is the head of a log as its last readable record states it.
func lastHead(l Layer, log string) Head {
	out := Head{Log: log}
	numbers, err := listSegments(l)
	if err != nil {
		return out
	}
	for i := len(numbers) - 1; i >= 0 && out.Size == 0; i-- {
		f, err := l.Open(segmentName(numbers[i]), os.O_RDONLY)
		if err != nil {
			return out
		}
		var rec record
		lr := newLineReader(f, 0, jcs.MaxInt, maxRecord)
		for {
			line, _, whole, err := lr.next()
			if err != nil || !whole {
				break
			}
			if rec.parse(line, true) == nil {
				out = Head{string(rec.log), rec.seq + 1, hashText(rec.hash)}
			}
		}
		if f.Close() != nil {
			return out
		}
	}
	return out
}

// AdoptRoot makes the root key that the last rekey named the one that the local
// audit_key.pub holds.
func (l *Log) AdoptRoot(ctx context.Context, info SessionInfo) (PublicKey, error) {
	var key PublicKey
	err := l.within(ctx, info, func(s *Session) error {
		err := l.withLog(func(w *writer) error {
			walk, start, err := w.fromStart()
			if err != nil {
				return err
			}
			lim, err := measure(l.layer)
			if err != nil {
				return err
			}
			sigs := newLastSignatures()
			_, broken, err := walkFiles(w.ctx, l.layer, walk, lim.from(start), place{segment: start}, sigs, nil)
			if err != nil {
				return err
			}
			if at, bad := sigs.finish(); bad {
				return &DamagedError{at.seq, "a signature does not verify"}
			}
			if broken != nil {
				return &DamagedError{broken.seq, broken.reason.Reason}
			}
			if walk.latest == walk.root {
				return errors.New("there is no new root key to adopt: `tera-pilot audit key rotate --new-root` makes one")
			}
			key = walk.latest
			return replaceFile(l.layer, fileKeyPub, fileKeyPub+".tmp", key.File())
		})
		if err != nil {
			return err
		}
		return s.Event(ctx, Event{Kind: KindAdopted, Title: "the new root key is adopted", Data: map[string]any{"root": hexKey(key)}})
	})
	return key, err
}
