package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/seal"
)

// Log appends to one session. Its methods are for one goroutine.
type Log struct {
	id     string
	dir    string
	file   *os.File
	lock   *os.File
	seq    uint64
	dirty  bool
	closed bool
	starts []int64 // of the line of each event, by its number less one
	end    int64   // of the last line
	err    error   // of a failed write: sticky, since the file's end is unknown then
	vault  *vault
	key    seal.Key // zero: not encrypted
}

// head writes the first line of an encrypted log.
func (l *Log) head() error {
	if l.key.IsZero() {
		return nil
	}
	line, err := l.vault.firstLine()
	if err == nil {
		_, err = l.file.Write(line)
		l.end = int64(len(line))
	}
	if err != nil {
		return fmt.Errorf("session log: %w", err)
	}
	return nil
}

// load reads what the log holds and puts its end in order.
func (l *Log) load() (events []event.Event, torn int64, err error) {
	have, err := l.vault.load()
	if err != nil {
		return nil, 0, err
	}
	if have && l.vault.secret == "" {
		return nil, 0, &LockedError{l.id}
	}
	events, starts, good, err := l.vault.events(l.id, l.file, &l.key)
	if err != nil {
		return nil, 0, err
	}
	l.starts, l.end = starts, good
	if l.key.IsZero() && good > 0 && l.vault.secret != "" {
		return nil, 0, &OpenError{l.id}
	}
	if torn, err = l.cut(good); err != nil {
		return nil, 0, err
	}
	if good == 0 { // it died before its first line
		if l.key, err = l.vault.writing(); err == nil {
			err = l.head()
		}
		if err != nil {
			return nil, 0, err
		}
	}
	if len(events) > 0 {
		l.seq = events[len(events)-1].Seq
	}
	return events, torn, nil
}

// cut removes what stands behind the last whole line, after keeping a copy.
func (l *Log) cut(good int64) (int64, error) {
	size, err := l.file.Seek(0, io.SeekEnd)
	if err != nil || size == good {
		return 0, err
	}
	rest := make([]byte, size-good)
	if _, err := l.file.ReadAt(rest, good); err != nil {
		return 0, fmt.Errorf("torn end of the session log: %w", err)
	}
	name := filepath.Join(l.dir, fmt.Sprintf("torn-%d", good))
	if err := os.WriteFile(name, rest, 0o600); err != nil {
		return 0, fmt.Errorf("torn end of the session log: %w", err)
	}
	return size - good, l.file.Truncate(good)
}

// Append writes events, whose Seq and Session it sets, and returns them as
// written. Transient ones get the session alone and are not written. After an
// error the log takes nothing more.
func (l *Log) Append(now time.Time, bodies ...event.Body) ([]event.Event, error) {
	if l.err != nil {
		return nil, l.err
	}
	out := make([]event.Event, 0, len(bodies))
	var buf bytes.Buffer
	seq, starts := l.seq, l.starts
	for _, body := range bodies {
		e := event.Event{Time: now.UTC().Truncate(time.Millisecond), Session: l.id, Body: body}
		if !e.Transient() {
			seq++
			e.Seq = seq
			line, err := json.Marshal(e)
			if err != nil {
				return nil, fmt.Errorf("event %d: %w", seq, err)
			}
			if !l.key.IsZero() {
				line = l.key.SealLine(lineContext(l.id, seq), line)
			}
			starts = append(starts, l.end+int64(buf.Len()))
			buf.Write(append(line, '\n'))
		}
		out = append(out, e)
	}
	if buf.Len() > 0 {
		err := l.untouched()
		if err == nil {
			_, err = l.file.Write(buf.Bytes())
		}
		if err != nil {
			l.err = fmt.Errorf("session log cannot be written, so nothing more is done in this session: %w", err)
			return nil, l.err
		}
		l.dirty = true
	}
	l.seq, l.starts, l.end = seq, starts, l.end+int64(buf.Len())
	return out, nil
}

// untouched says that the file is as this process left it. What is written
// behind a cut, a rotation or somebody else's line could not be read again.
func (l *Log) untouched() error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() != l.end {
		return fmt.Errorf("it has %d bytes, and this process left it with %d: somebody else cut it or wrote to it", info.Size(), l.end)
	}
	return nil
}

// Sync makes what was appended durable.
func (l *Log) Sync() error {
	if l.err != nil || !l.dirty {
		return l.err
	}
	if err := datasync(l.file); err != nil {
		l.err = fmt.Errorf("session log cannot be made durable, so nothing more is done in this session: %w", err)
		return l.err
	}
	l.dirty = false
	return nil
}

// ID is the session's id.
func (l *Log) ID() string { return l.id }

// OutDir is the folder for outputs that were cut; it may not exist yet.
func (l *Log) OutDir() string { return filepath.Join(l.dir, outFolder) }

// Empty says that nothing was ever written.
func (l *Log) Empty() bool { return l.seq == 0 }

// Close makes everything durable and lets others write. A second Close does
// nothing.
func (l *Log) Close() error {
	if l.closed {
		return nil
	}
	l.closed = true
	return errors.Join(l.Sync(), l.file.Close(), l.lock.Close())
}
