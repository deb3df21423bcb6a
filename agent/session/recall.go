package session

import (
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// Recall reads stored events again, by their numbers, in that order. It reads
// just their lines, wherever in the log they stand. A number that was never
// given, or a line that is no event of its number, is an error.
func (l *Log) Recall(seqs []uint64) ([]event.Event, error) {
	out := make([]event.Event, 0, len(seqs))
	for _, n := range seqs {
		e, err := l.recall(n)
		if err != nil {
			return nil, fmt.Errorf("event %d of session %s: %w", n, l.id, err)
		}
		out = append(out, e)
	}
	return out, nil
}

func (l *Log) recall(n uint64) (event.Event, error) {
	if n == 0 || n > uint64(len(l.starts)) {
		return event.Event{}, fmt.Errorf("there are %d", len(l.starts))
	}
	from, to := l.starts[n-1], l.end
	if n < uint64(len(l.starts)) {
		to = l.starts[n]
	}
	line := make([]byte, to-from-1) // without its end
	if _, err := l.file.ReadAt(line, from); err != nil {
		return event.Event{}, fmt.Errorf("session log: %w", err)
	}
	return readEvent(l.id, n, line, l.key, every)
}
