package session

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/seal"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// maxLine is the longest event line that is read, in bytes.
const maxLine = 96 << 20

// Read returns the events of a session without opening it for writing. A torn
// last line is left out.
func (s *Store) Read(id string) ([]event.Event, error) {
	return s.read(id, every)
}

// Said are the messages of the person in a session, oldest first. What else the
// session holds is passed over.
func (s *Store) Said(id string) ([]string, error) {
	mark := []byte(`"type":"` + event.TurnStarted{}.Type() + `"`)
	events, err := s.read(id, func(line []byte) bool { return bytes.Contains(line, mark) })
	var out []string
	for _, e := range events {
		if b, ok := e.Body.(event.TurnStarted); ok {
			out = append(out, b.Text)
		}
	}
	return out, err
}

func (s *Store) read(id string, want func(line []byte) bool) ([]event.Event, error) {
	dir, err := s.folder(id)
	if err != nil {
		return nil, err
	}
	file, err := statedir.OpenRegular(filepath.Join(dir, eventsFile), os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("session log: %w", err)
	}
	defer file.Close()
	events, _, _, err := s.vault.some(id, file, new(seal.Key), want)
	return events, err
}

// events reads whole lines; starts is where each of them begins, good where the
// last of them ends, and key what they are encrypted with. Only the last line may be broken: a torn end. One
// that is encrypted and has its end was written whole.
func (v *vault) events(id string, r io.Reader, key *seal.Key) (events []event.Event, starts []int64, good int64, err error) {
	return v.some(id, r, key, every)
}

// every wants all lines.
func every([]byte) bool { return true }

// some are the events whose lines are wanted; of the others not even the form
// is looked at.
func (v *vault) some(id string, r io.Reader, key *seal.Key, want func(line []byte) bool) (events []event.Event, starts []int64, good int64, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	first, err := in.Peek(len(sealPrefix))
	if err != nil && err != io.EOF {
		return nil, nil, 0, &DamagedError{id, 1, err}
	}
	if *key, err = v.reading(id, first); err != nil {
		return nil, nil, 0, err
	}
	if !key.IsZero() {
		line, err := readLine(in)
		if err == io.EOF {
			return nil, nil, 0, nil
		}
		if err == nil {
			err = v.headed(line)
		}
		if err != nil {
			return nil, nil, 0, &DamagedError{id, 1, err}
		}
		good = int64(len(line)) + 1
	}
	for n := uint64(1); ; n++ {
		line, readErr := readLine(in)
		if readErr == io.EOF {
			return events, starts, good, nil
		}
		if readErr != nil {
			return nil, nil, 0, &DamagedError{id, int(n), readErr}
		}
		e, err := readEvent(id, n, line, *key, want)
		if err != nil {
			if _, more := in.Peek(1); more == io.EOF && key.IsZero() {
				return events, starts, good, nil
			}
			return nil, nil, 0, &DamagedError{id, int(n), err}
		}
		if e.Body != nil {
			events, starts = append(events, e), append(starts, good)
		}
		good += int64(len(line)) + 1
	}
}

// readEvent reads one line; an event without a body is one that is not wanted.
func readEvent(id string, n uint64, line []byte, key seal.Key, want func([]byte) bool) (e event.Event, err error) {
	if !key.IsZero() {
		if line, err = key.OpenLine(lineContext(id, n), line); err != nil {
			return e, err
		}
	}
	if !want(line) {
		return e, nil
	}
	err = e.UnmarshalJSON(line) // which checks the whole line itself
	if err == nil && e.Seq != n {
		err = fmt.Errorf("event %d stands there", e.Seq)
	}
	return e, err
}

// readLine returns the next line without its end; io.EOF for a line that has
// none.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("line of more than %d bytes", maxLine)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			return nil, err
		}
		return line[:len(line)-1], nil
	}
}
