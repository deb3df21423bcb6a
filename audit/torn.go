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
