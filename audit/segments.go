package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
)

// The folders and files of the log, below the state folder.
const (
	dirLog         = "audit"
	dirTorn        = "audit/torn"
	dirDisclosures = "audit/disclosures"
	fileLock       = "audit/lock"
	fileNote       = "audit/checkpoint"
	fileNoteTemp   = "audit/checkpoint.tmp"
)

func segmentName(n int64) string { return fmt.Sprintf("%s/%06d.jsonl", dirLog, n) }

// listSegments gives the numbers of the segment files, which have no gap.
func listSegments(l Layer) ([]int64, error) {
	names, err := l.List(dirLog)
	if err != nil {
		return nil, err
	}
	var out []int64
	form := regexp.MustCompile(`^([0-9]{6,15})\.jsonl$`)
	for _, name := range names {
		if m := form.FindStringSubmatch(name); m != nil {
			n, err := strconv.ParseInt(m[1], 10, 64)
			if err == nil && n > 0 && segmentName(n) == dirLog+"/"+name {
				out = append(out, n)
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

// A lineReader reads the lines of a file from an offset up to a limit.
type lineReader struct {
	r     io.ReaderAt
	buf   []byte
	have  []byte // read and not yet given
	at    int64  // offset of have
	limit int64
	max   int // longest line
}

func newLineReader(r io.ReaderAt, from, limit int64, longest int) *lineReader {
	return &lineReader{r: r, at: from, limit: limit, max: longest, buf: make([]byte, min(max(limit-from, 0)+1, 32<<10))}
}

// next gives a line without its line feed, valid until the following call, and
// where it begins. At the end the error is io.EOF. A line that the end cuts
// short, or that is longer than the longest, is given as far as it was
// read, and is not whole.
func (lr *lineReader) next() (line []byte, at int64, whole bool, err error) {
	for {
		if i := bytes.IndexByte(lr.have, '\n'); i >= 0 {
			line, at = lr.have[:i], lr.at
			lr.have, lr.at = lr.have[i+1:], lr.at+int64(i)+1
			return line, at, true, nil
		}
		end := lr.at + int64(len(lr.have))
		if end >= lr.limit || len(lr.have) > lr.max {
			if len(lr.have) == 0 {
				return nil, lr.at, false, io.EOF
			}
			return lr.have, lr.at, false, nil
		}
		if len(lr.have) > len(lr.buf)/2 && len(lr.buf) < 2*(lr.max+1) {
			grown := make([]byte, min(4*len(lr.buf), 2*(lr.max+1)))
			copy(grown, lr.have)
			lr.buf, lr.have = grown, grown[:len(lr.have)]
		}
		n := copy(lr.buf, lr.have)
		want := min(int64(len(lr.buf)-n), lr.limit-end)
		m, err := lr.r.ReadAt(lr.buf[n:n+int(want)], end)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, lr.at, false, err
		}
		if m == 0 {
			lr.limit = end // the file is shorter than it was said to be
		}
		lr.have = lr.buf[:n+m]
	}
}

// tornMost is the most that a crash leaves behind the last whole record, in
// bytes: what was written since the last sync, and that is one batch beside what
// waits 200 ms at most. More is no accident, and is neither read nor copied.
const tornMost = 128 << 20

// A breach is where the log on disk stops to be one.
type breach struct {
	spot
	at     place
	reason *fault
	torn   bool // what a crash leaves: unfinished, at the very end
}

func (b *breach) Error() string { return b.reason.Reason }

// limits are the files of a log and how far each is to be read.
type limits struct {
	numbers []int64
	sizes   map[int64]int64
}

// measure lists the segments with their sizes. It is consistent when the
// caller holds the lock.
func measure(l Layer) (limits, error) {
	out := limits{sizes: map[int64]int64{}}
	var err error
	if out.numbers, err = listSegments(l); err != nil {
		return out, err
	}
	for _, n := range out.numbers {
		st, err := l.Stat(segmentName(n))
		if err != nil {
			return out, err
		}
		out.sizes[n] = st.Size
	}
	return out, nil
}

// from leaves out the segments before n, which a stub replaces.
func (lim limits) from(n int64) limits {
	i, _ := slices.BinarySearch(lim.numbers, n)
	lim.numbers = lim.numbers[i:]
	return lim
}

// walkFiles takes w through the files from a place on. It returns the place where the next record would
// stand. sigs and each may be nil.
func walkFiles(ctx context.Context, l Layer, w *walk, lim limits, from place, sigs signatures, each func(*record, place) error) (place, *breach, error) {
	for i, n := range lim.numbers {
		if n < from.segment {
			continue
		}
		at := place{segment: n}
		if n == from.segment {
			at = from
		}
		f, err := l.Open(segmentName(n), os.O_RDONLY)
		if err != nil {
			return at, nil, err
		}
		s := segmentWalk{ctx: ctx, w: w, file: n, sigs: sigs, each: each, last: i == len(lim.numbers)-1}
		b, err := s.run(newLineReader(f, at.offset, lim.sizes[n], maxRecord))
		if err = errors.Join(err, f.Close()); err != nil || b != nil {
			return place{n, s.end}, b, err
		}
		from = place{n, s.end}
	}
	return from, nil, nil
}

// A segmentWalk takes a walk through one segment file.
type segmentWalk struct {
	ctx  context.Context
	w    *walk
	file int64
	last bool // no segment follows
	sigs signatures
	each func(*record, place) error

	rec  record
	end  int64 // offset behind the last good record
	line int64
}

func (s *segmentWalk) run(lr *lineReader) (*breach, error) {
	s.end = lr.at
	for {
		text, at, whole, err := lr.next()
		if errors.Is(err, io.EOF) {
			return nil, s.ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		s.line++
		if f := s.take(text, at, whole); f != nil {
			b := &breach{s.spot(), place{s.file, at}, f, false}
			if s.last && f.Kind == kindMalformed && lr.limit-at <= tornMost {
				b.torn = bytes.IndexByte(text, 0) >= 0 || !whole && lr.at+int64(len(lr.have)) >= lr.limit || lr.at >= lr.limit
			}
			return b, nil
		}
		if s.each != nil {
			if err := s.each(&s.rec, place{s.file, at}); err != nil {
				return nil, err
			}
		}
		s.end = lr.at
		if s.line&0xff == 0 && s.ctx.Err() != nil {
			return nil, s.ctx.Err()
		}
		if s.sigs != nil && s.sigs.bad() {
			return nil, nil
		}
	}
}

func (s *segmentWalk) spot() spot {
	at := spot{index: s.w.count, line: s.line, seq: s.w.size, file: s.file}
	copy(at.sid[:], s.rec.sid)
	return at
}

// take moves the walk past one line.
func (s *segmentWalk) take(text []byte, at int64, whole bool) *fault {
	if !whole {
		return faultf(kindMalformed, "the line has no end")
	}
	if f := s.rec.parse(text, true); f != nil {
		return f
	}
	key, f := s.w.next(&s.rec)
	if f != nil {
		return f
	}
	if key != nil && s.sigs != nil {
		s.sigs.add(s.spot(), key, &s.rec)
	}
	s.w.take(&s.rec, place{s.file, at})
	if s.w.segment != s.file {
		return faultf(kindSequence, "the file %s does not begin with the record of its segment, or holds that of another", segmentName(s.file))
	}
	return nil
}
