package audit

import (
	"errors"
	"fmt"
	"os"
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
			return false, endCutOff(walk.size, c.size)
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
