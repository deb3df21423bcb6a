package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Anchor records that the head of the log was shown, and gives it: as a
// checkpoint in C2SP's form, and as a Head. Kept where this machine cannot
// change it, it shows later whether an older copy took the place of the log.
func (l *Log) Anchor(ctx context.Context, info SessionInfo) (note []byte, head Head, err error) {
	s, err := l.Session(ctx, info)
	if err != nil {
		return nil, head, err
	}
	if err := s.Event(ctx, Event{Kind: KindAnchored, Title: "the head was shown, to be kept elsewhere"}); err != nil {
		return nil, head, errors.Join(err, s.Close(CloseError))
	}
	err = l.withLog(func(w *writer) error {
		err := w.closeSession(s, CloseOK, nil)
		note, head = w.note, w.walk.end()
		return err
	})
	s.closed.Store(true)
	l.setSession(s.sid, false)
	s.key.forget()
	return note, head, err
}

// Redact deletes, for good, the values and salts of the committed members of
// these records. The records, and so the chain, stay as they are. It gives the
// number of values that were there.
func (l *Log) Redact(ctx context.Context, info SessionInfo, seqs []int64) (int, error) {
	if len(seqs) == 0 {
		return 0, errors.New("no record is named")
	}
	names := make([]string, len(seqs))
	for i, seq := range seqs {
		names[i] = strconv.FormatInt(seq, 10)
	}
	n := 0
	err := l.within(ctx, info, func(s *Session) error {
		if last := l.Head().Size - 1; slices.Max(seqs) > last || slices.Min(seqs) < 0 {
			return fmt.Errorf("no value was deleted: records are numbered from 0 to %d", last)
		}
		// The tombstone first: a crash may leave one without a deletion, which
		// can be repeated, but no deletion without a tombstone.
		d, err := l.drafter.event(s, Event{Kind: KindRedacted, Title: "values deleted of records " + strings.Join(names, ", "), Data: map[string]any{"seqs": names}})
		if err != nil {
			return err
		}
		if err := l.submit(true, d); err != nil {
			return err
		}
		return l.withLog(func(w *writer) (err error) {
			n, err = w.overwrite(seqs)
			return err
		})
	})
	return n, err
}

// overwrite replaces the lines of some records by spaces, in place: a new file
// would leave the old blocks to the disk.
func (w *writer) overwrite(seqs []int64) (n int, err error) {
	numbers, err := listSegments(w.l.layer)
	if err != nil {
		return 0, err
	}
	for _, segment := range numbers {
		var found []textAt
		err := eachDisclosure(w.l.layer, segment, func(d disclosed, at int64, size int) error {
			if slices.Contains(seqs, d.seq) {
				found = append(found, textAt{at, size})
			}
			return nil
		})
		if err != nil {
			return n, err
		}
		if len(found) == 0 {
			continue
		}
		if err := blank(w.l.layer, disclosureName(segment), found); err != nil {
			return n, err
		}
		n += len(found)
	}
	return n, nil
}

func blank(l Layer, name string, lines []textAt) (err error) {
	f, err := l.Open(name, os.O_RDWR)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for _, t := range lines {
		if _, err := f.WriteAt(bytes.Repeat([]byte{' '}, t.size), t.at); err != nil {
			return fmt.Errorf("a value could not be deleted: %w", err)
		}
	}
	return f.Sync()
}
