package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// A Reader reads the log of a state folder as it was at one moment. It makes no
// key and writes nothing.
type Reader struct {
	layer Layer
	lim   limits
	slots []checkpoint
	first int64 // first segment that counts
}

// readLockWithin is how long a reader waits for a writer. The lock only makes
// the moment exact: a reader that does not get it cuts at the last whole line.
const readLockWithin = 2 * time.Second

// OpenReader looks at the log in o.Dir. It gives [ErrNoLog] when there is none.
func OpenReader(ctx context.Context, o Options) (r *Reader, err error) {
	o, err = o.filled()
	if err != nil {
		return nil, err
	}
	r = &Reader{layer: o.Layer}
	if _, err := r.layer.Stat(dirLog); missing(err) {
		return nil, ErrNoLog
	} else if err != nil {
		return nil, err
	}
	unlock := r.lock(ctx)
	defer func() { err = errors.Join(err, unlock()) }()
	if r.lim, err = measure(r.layer); err != nil {
		return nil, err
	}
	if r.slots, _, err = readSlots(r.layer); err != nil {
		return nil, err
	}
	if r.first, err = stubSegment(r.layer); err != nil {
		if _, damaged := errors.AsType[*DamagedError](err); !damaged {
			return nil, err
		}
		r.first, err = 1, nil // Verify says what is wrong with the stub
	}
	if len(r.lim.numbers) == 0 && len(r.slots) == 0 {
		return nil, ErrNoLog
	}
	return r, nil
}

// lock keeps writers out for the moment, if they let us.
func (r *Reader) lock(ctx context.Context) (unlock func() error) {
	nothing := func() error { return nil }
	f, err := r.layer.Open(fileLock, os.O_RDONLY)
	if err != nil {
		return nothing
	}
	ctx, cancel := context.WithTimeout(ctx, readLockWithin)
	defer cancel()
	if f.Lock(ctx, false) != nil {
		return f.Close
	}
	return func() error { return errors.Join(f.Unlock(), f.Close()) }
}

// Key is the local public key.
func (r *Reader) Key() (PublicKey, error) { return readPublic(r.layer) }

// Head is the end of the log, unchecked: its last whole record.
func (r *Reader) Head(ctx context.Context) (Head, error) {
	var out Head
	numbers := r.lim.from(r.first).numbers
	for i := len(numbers) - 1; i >= 0 && out.Size == 0; i-- {
		one := limits{numbers[i : i+1], r.lim.sizes}
		err := r.lines(ctx, one, func(rec *record, _ place) error {
			out = Head{string(rec.log), rec.seq + 1, hashText(rec.hash)}
			return nil
		})
		if err != nil {
			return out, err
		}
	}
	if out.Size == 0 {
		return out, ErrNoLog
	}
	return out, nil
}

// lines parses the records of some segments, without following the chain. What
// a crash may have left at the very end is passed over.
func (r *Reader) lines(ctx context.Context, lim limits, do func(*record, place) error) error {
	return r.linesLike(ctx, lim, nil, do)
}

// linesLike parses the records whose lines fit like, and passes over the
// others; nil fits all.
func (r *Reader) linesLike(ctx context.Context, lim limits, like func([]byte) bool, do func(*record, place) error) error {
	for i, n := range lim.numbers {
		f, err := r.layer.Open(segmentName(n), os.O_RDONLY)
		if err != nil {
			return err
		}
		last := n == r.lim.numbers[len(r.lim.numbers)-1]
		s := recordLines{ctx: ctx, file: n, last: last && i == len(lim.numbers)-1, like: like}
		if err := errors.Join(s.run(newLineReader(f, 0, lim.sizes[n], maxRecord), do), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

type recordLines struct {
	ctx  context.Context
	file int64
	last bool
	like func([]byte) bool
	rec  record
	seq  int64
}

// since are the segments from the one on that holds the record seq.
func (r *Reader) since(ctx context.Context, seq int64) (limits, error) {
	lim := r.lim.from(r.first)
	begun := errors.New("begun")
	for i := len(lim.numbers) - 1; i > 0 && seq > 0; i-- {
		first := int64(-1)
		err := r.lines(ctx, limits{lim.numbers[i : i+1], lim.sizes}, func(rec *record, _ place) error {
			first = rec.seq
			return begun
		})
		if err != nil && !errors.Is(err, begun) {
			return lim, err
		}
		if first >= 0 && first <= seq {
			return r.lim.from(lim.numbers[i]), nil
		}
	}
	return lim, nil
}

func (s *recordLines) run(lr *lineReader, do func(*record, place) error) error {
	for n := 1; ; n++ {
		line, at, whole, err := lr.next()
		if isEOF(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if whole && s.like != nil && !s.like(line) {
			continue
		}
		if f := s.rec.parse(line, true); !whole || f != nil {
			if s.last {
				return nil
			}
			return &DamagedError{s.seq, fmt.Sprintf("line %d of %s is no record", n, segmentName(s.file))}
		}
		s.seq = s.rec.seq + 1
		if err := do(&s.rec, place{s.file, at}); err != nil {
			return err
		}
		if n&0xff == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
	}
}

// Verify checks the log itself.
func (r *Reader) Verify(ctx context.Context, o VerifyOptions) Report {
	rep, err := r.verify(ctx, o)
	if o.Fast && err == nil && rep.FirstBad != nil && rep.FirstBad.Kind == kindSignature {
		o.Fast = false
		rep, err = r.verify(ctx, o)
	}
	if err != nil {
		return unreadable(err)
	}
	return rep
}

func (r *Reader) verify(ctx context.Context, o VerifyOptions) (Report, error) {
	t := newTrial(ctx, o, false)
	t.slots = r.slots
	if f, err := r.beginning(t); err != nil || f != nil {
		_, _ = t.sigs.finish() // nothing was handed to them
		if err == nil {
			t.bad(spot{}, f)
		}
		return t.report(), err
	}
	t.reached()
	start := int64(1)
	if t.stub != nil {
		start = t.stub.segment
	}
	lim := r.lim.from(start)
	var broken *breach
	var err error
	if len(lim.numbers) > 0 && lim.numbers[0] != start {
		t.bad(spot{}, faultf(kindMissing, "%s is not there", segmentName(start)))
	} else {
		_, broken, err = walkFiles(ctx, r.layer, t.walk, lim, place{segment: start}, t.sigs, func(rec *record, _ place) error {
			t.passed(rec)
			return nil
		})
	}
	if err != nil {
		_, _ = t.sigs.finish() // ends their goroutines; what they found does not matter any more
		return Report{}, err
	}
	if broken != nil && broken.torn {
		t.warn(Warning{warnTorn, broken.index, broken.reason.Reason})
	} else if broken != nil {
		t.bad(broken.spot, broken.reason)
	}
	return t.judge(func() (spot, *fault) { return t.end(), t.heads() }), nil
}

// beginning takes the trial past the stub, when there is one.
func (r *Reader) beginning(t *trial) (*fault, error) {
	b, _, err := readSmall(r.layer, fileStub)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t.stub = startStub(t.walk)
	if f := eachLine(b, func(line []byte) *fault { return t.stub.line(line, true) }); f != nil {
		return f, nil
	}
	return t.stub.finish(), nil
}

// heads judges the head file: it must vouch for a part of the log, and not for
// more than there is.
func (t *trial) heads() *fault {
	for _, c := range t.slots {
		if c.size > t.walk.size {
			return faultf(kindTruncated, "the head file states %d records, and the log has %d", c.size, t.walk.size)
		}
	}
	if !t.slotOK {
		return faultf(kindCheckpoint, "the head file holds no checkpoint that the keys of this log signed, so that a cut end would not be seen")
	}
	return nil
}

func isEOF(err error) bool { return errors.Is(err, io.EOF) }
