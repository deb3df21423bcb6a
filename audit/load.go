package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// load reads the log up to its end, so that it can be continued. It mends what
// a crash leaves, and refuses what a crash does not leave.
func (w *writer) load() (err error) {
	if err := w.unload(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.unload())
		}
	}()
	l := w.l.layer
	lim, err := measure(l)
	if err != nil {
		return err
	}
	root, err := w.rootKey(len(lim.numbers) == 0)
	if err != nil {
		return err
	}
	if err := w.walkToEnd(root, lim); err != nil {
		return err
	}
	if err := w.epochKey(); err != nil {
		return err
	}
	if err := w.finishPurge(); err != nil {
		return err
	}
	f, err := l.Open(segmentName(w.at.segment), os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	if err := w.moveTo(f, w.at); err != nil {
		return err
	}
	w.l.setHead(w.walk.end())
	w.state = 0
	return nil
}

// unload forgets where the log ends.
func (w *writer) unload() error {
	var errs []error
	for _, f := range []File{w.seg, w.text} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	w.seg, w.text, w.walk, w.since = nil, nil, nil, 0
	return errors.Join(errs...)
}

// rootKey reads the public key. Without one it is derived from the key of an
// installation that has no log yet, or made when there is nothing at all.
func (w *writer) rootKey(empty bool) (PublicKey, error) {
	l := w.l.layer
	root, err := readPublic(l)
	if !missing(err) {
		return root, err
	}
	key, err := readKey(l, fileKey)
	switch {
	case err == nil && !empty:
		return root, &KeyError{fileKeyPub + " is missing, and the log cannot be read without it", waysOut}
	case err == nil:
	case !missing(err):
		return root, err
	case !empty:
		return root, &KeyError{"there is a log, but neither " + fileKey + " nor " + fileKeyPub, waysOut}
	case !w.mayMake:
		return root, ErrNoLog
	default:
		if key, err = w.makeKey(); err != nil {
			return root, err
		}
	}
	defer key.forget()
	root = key.public()
	return root, replaceFile(l, fileKeyPub, fileKeyPub+".tmp", root.File())
}

func (w *writer) makeKey() (signer, error) {
	key, seed, err := freshSigner(w.l.o.Rand)
	if err != nil {
		return signer{}, err
	}
	defer clear(seed)
	return key, replaceFile(w.l.layer, fileKey, fileKeyTemp, seed)
}

// walkToEnd takes a walk to the last whole record: from the state file when it
// is good for that, else from the beginning.
func (w *writer) walkToEnd(root PublicKey, lim limits) error {
	slots, _, err := readSlots(w.l.layer)
	if err != nil {
		return err
	}
	if key, err := readKey(w.l.layer, fileKey); err == nil {
		epoch := key.public()
		key.forget()
		if walk, at, ok := loadState(w.l.layer, root, epoch); ok && w.lineBegins(at, lim) && !w.purgeOpen(lim) {
			ok, err := w.walkOn(walk, lim, at, slots, false)
			if ok || err != nil {
				return err
			}
		}
	}
	walk := newWalk(root)
	first := int64(1)
	stub, err := walkStub(w.l.layer, walk)
	if err != nil {
		return err
	}
	if stub != nil {
		first = stub.segment
	}
	lim = lim.from(first)
	if len(lim.numbers) > 0 && lim.numbers[0] != first {
		return &DamagedError{walk.size, fmt.Sprintf("%s is missing", segmentName(first))}
	}
	if _, err := w.walkOn(walk, lim, place{segment: first}, slots, true); err != nil || stub == nil {
		return err
	}
	if f := stub.confirmed(); f != nil {
		return &DamagedError{0, f.Reason}
	}
	return nil
}

// lineBegins reports whether a line can begin at a place: the log must not have
// changed below a state file that names it.
func (w *writer) lineBegins(at place, lim limits) bool {
	size, ok := lim.sizes[at.segment]
	if !ok || size < at.offset {
		return false
	}
	if at.offset == 0 {
		return true
	}
	f, err := w.l.layer.Open(segmentName(at.segment), os.O_RDONLY)
	if err != nil {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, at.offset-1)
	return errors.Join(err, f.Close()) == nil && last[0] == '\n'
}

// absent reports whether there is no file of this name.
func (w *writer) absent(name string) bool {
	_, err := w.l.layer.Stat(name)
	return missing(err)
}

// walkStub takes a walk over the stub of the log, when there is one.
func walkStub(l Layer, walk *walk) (*stubReader, error) {
	b, _, err := readSmall(l, fileStub)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := startStub(walk)
	f := eachLine(b, func(line []byte) *fault { return s.line(line, true) })
	if f == nil {
		f = s.finish()
	}
	if f != nil {
		return nil, &DamagedError{0, f.Reason}
	}
	return s, nil
}

// walkOn goes from a place to the end. Unless this is the last word, it reports
// false when the walk does not fit the files, so that the caller can begin
// further back.
func (w *writer) walkOn(walk *walk, lim limits, from place, slots []checkpoint, lastWord bool) (bool, error) {
	sigs := newLastSignatures()
	end, broken, err := walkFiles(w.ctx, w.l.layer, walk, lim, from, sigs, nil)
	if err != nil {
		return false, err
	}
	if at, bad := sigs.finish(); bad {
		return false, damaged(lastWord, &DamagedError{at.seq, "a signature does not verify"})
	}
	if broken != nil && !broken.torn {
		return false, damaged(lastWord, &DamagedError{broken.seq, broken.reason.Reason})
	}
	if !walk.begun && walk.size > 0 {
		return false, &KeyError{fileKeyPub + " is the key of another log", waysOut}
	}
	for _, c := range slots {
		if c.size > walk.size && c.log == walk.log && c.signedBy(walk.epoch) {
			return false, &DamagedError{walk.size, fmt.Sprintf("it has %d records where its head file states %d: its end was cut off", walk.size, c.size)}
		}
	}
	if broken != nil {
		if err := w.cutTorn(broken.at, lim.sizes[broken.at.segment]); err != nil {
			return false, err
		}
	}
	w.walk, w.at = walk, end
	return true, w.dropEmpty(lim)
}

// damaged is err when it is the last word, nil when it is worth trying from
// the beginning.
func damaged(lastWord bool, err error) error {
	if lastWord {
		return err
	}
	return nil
}

// dropEmpty removes a last segment file without a record, since an open must
// not be the first one in it.
func (w *writer) dropEmpty(lim limits) error {
	n := len(lim.numbers)
	if n < 2 || lim.numbers[n-1] != w.at.segment || w.at.offset > 0 {
		return nil
	}
	if err := w.l.layer.Remove(segmentName(w.at.segment)); err != nil {
		return err
	}
	if err := w.l.layer.SyncDir(dirLog); err != nil {
		return err
	}
	before, err := w.l.layer.Stat(segmentName(w.at.segment - 1))
	w.at = place{w.at.segment - 1, before.Size}
	return err
}

// cutTorn moves what a crash left behind the last whole record into a file of
// its own. The copy is durable before the original goes.
func (w *writer) cutTorn(from place, size int64) (err error) {
	l := w.l.layer
	f, err := l.Open(segmentName(from.segment), os.O_RDWR)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	torn := func() io.Reader { return io.NewSectionReader(f, from.offset, size-from.offset) }
	h := sha256.New()
	if _, err := io.Copy(h, torn()); err != nil {
		return err
	}
	name := fmt.Sprintf("%s/%06d-%d-%s", dirTorn, from.segment, from.offset, hex.EncodeToString(h.Sum(nil)))
	if err := copyTo(l, name, torn()); err != nil {
		return fmt.Errorf("what a crash left behind could not be kept: %w", err)
	}
	if err := f.Truncate(from.offset); err != nil {
		return err
	}
	return f.Sync()
}

// copyTo makes a durable file of what r reads.
func copyTo(l Layer, name string, r io.Reader) (err error) {
	f, err := l.Open(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Truncate(0); err != nil { // an earlier attempt
		return err
	}
	if _, err := io.Copy(onlyWriter{f}, r); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return l.SyncDir(folderOf(name))
}

// onlyWriter keeps io.Copy from using more of a File than its Write.
type onlyWriter struct{ io.Writer }

// A tornPiece is a file in the folder of what crashes left.
type tornPiece struct {
	sum   string
	bytes int64
}

// tornPieces lists those that no recover record has stated.
func (w *writer) tornPieces() ([]tornPiece, error) {
	names, err := w.l.layer.List(dirTorn)
	if missing(err) {
		return nil, nil
	}
	var out []tornPiece
	for _, name := range names {
		sum := name[strings.LastIndexByte(name, '-')+1:]
		if !hexDigits([]byte(sum), 64) || w.walk.named[sum] {
			continue
		}
		st, err := w.l.layer.Stat(dirTorn + "/" + name)
		if err != nil {
			return nil, err
		}
		out = append(out, tornPiece{sum, st.Size})
	}
	return out, err
}

// epochKey sees to it that the key on disk is the one that the log says is in
// force, finishing a hand-over that a crash interrupted.
func (w *writer) epochKey() error {
	l := w.l.layer
	if err := l.Remove(fileKeyTemp); err != nil && !missing(err) {
		return err
	}
	next, err := readKey(l, fileKeyNext)
	switch {
	case missing(err):
	case err == nil && next.public() == w.walk.epoch:
		next.forget()
		if err := renameSynced(l, fileKeyNext, fileKey); err != nil {
			return err
		}
	default: // it was made for an open that was never written, or is torn
		if err := l.Remove(fileKeyNext); err != nil {
			return err
		}
		if err := l.SyncDir(""); err != nil {
			return err
		}
	}
	key, err := readKey(l, fileKey)
	if missing(err) {
		return &KeyError{fileKey + " is missing", waysOut}
	}
	if err != nil {
		return err
	}
	defer key.forget()
	if key.public() != w.walk.epoch {
		return &KeyError{fileKey + " is not the key that the log says is in force: an old copy, or the key of another log", waysOut}
	}
	return nil
}

// catchUp reads what other processes appended.
func (w *writer) catchUp() error {
	st, err := w.seg.Stat()
	if err != nil {
		return err
	}
	if st.Links == 0 { // it was empty, and somebody removed it
		return w.load()
	}
	if st.Size < w.at.offset {
		return &DamagedError{w.walk.size, "it became shorter while we wrote into it"}
	}
	if st.Size == w.at.offset && w.absent(segmentName(w.at.segment+1)) {
		return nil
	}
	lim, err := measure(w.l.layer)
	if err != nil {
		return err
	}
	lim = lim.from(w.at.segment)
	sigs := newLastSignatures()
	end, broken, err := walkFiles(w.ctx, w.l.layer, w.walk, lim, w.at, sigs, nil)
	if err != nil {
		return err
	}
	if at, bad := sigs.finish(); bad {
		return &DamagedError{at.seq, "something else wrote into it: a signature does not verify"}
	}
	if broken != nil && !broken.torn {
		return &DamagedError{broken.seq, "something else wrote into it: " + broken.reason.Reason}
	}
	if broken != nil {
		if err := w.cutTorn(broken.at, lim.sizes[broken.at.segment]); err != nil {
			return err
		}
	}
	if end.segment == w.at.segment {
		w.at = end
		return nil
	}
	f, err := w.l.layer.Open(segmentName(end.segment), os.O_RDWR|os.O_APPEND)
	if err != nil {
		return err
	}
	return w.moveTo(f, end)
}
