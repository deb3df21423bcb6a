package budget

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/strictjson"
)

// A Day counts what all sessions of a user spend on one day (UTC), in
// budget.json of the state folder.
type Day struct {
	Limits Limits // Steps and Time do not count here
	file   string
	now    func() time.Time
}

// NewDay is the count of a state folder. Nothing is opened.
func NewDay(state string, l Limits, now func() time.Time) *Day {
	return &Day{Limits: l, file: filepath.Join(state, "budget.json"), now: now}
}

// ledger is the file.
type ledger struct {
	V      int    `json:"v"`
	Day    string `json:"day"` // 2026-11-29, the latest that was seen
	Cost   int64  `json:"cost_micro_usd"`
	Tokens int64  `json:"tokens"`
	Calls  int64  `json:"calls"`
}

// slip says on which day a reserve was written down, and how much.
type slip struct {
	day string
	of  Spent
}

const dayForm = "2006-01-02"

// Used is what was spent today, reserves among it.
func (d *Day) Used() (Spent, error) {
	data, err := statedir.Read(d.file, false)
	if err != nil {
		return Spent{}, err
	}
	l, err := d.read(data)
	return Spent{l.Cost, l.Tokens, l.Calls}, err
}

// read understands the file as of today. A day that lies before the one of the
// file is a clock that was set back: the file's day goes on.
func (d *Day) read(data []byte) (ledger, error) {
	l := ledger{V: 1}
	if len(bytes.TrimSpace(data)) > 0 {
		if _, err := strictjson.Members(data, "v", "day", "cost_micro_usd", "tokens", "calls"); err != nil {
			return l, d.damaged(err.Error())
		}
		if err := json.Unmarshal(data, &l); err != nil {
			return l, d.damaged(err.Error())
		}
		if _, err := time.Parse(dayForm, l.Day); err != nil || l.V != 1 || l.Cost < 0 || l.Tokens < 0 || l.Calls < 0 {
			return l, d.damaged("it holds what this program does not write")
		}
	}
	if today := d.now().UTC().Format(dayForm); today > l.Day {
		return ledger{V: 1, Day: today}, nil
	}
	return l, nil
}

func (d *Day) damaged(why string) error {
	return fmt.Errorf("what was spent today is not known: %s cannot be read (%s): remove it to begin the day anew", d.file, why)
}

func (d *Day) limited() bool { return d.Limits.Cost > 0 || d.Limits.Tokens > 0 }

// reserve writes a reserve down before its request is sent.
func (d *Day) reserve(s Spent, priced bool) (slip, error) {
	if d.Limits.Cost > 0 && !priced {
		return slip{}, ErrUnpriced
	}
	out := slip{of: s}
	err := statedir.Update(d.file, func(old []byte) ([]byte, error) {
		l, err := d.read(old)
		if err != nil && d.limited() {
			return nil, err
		}
		if err != nil {
			l = ledger{V: 1, Day: d.now().UTC().Format(dayForm)}
		}
		used := Spent{l.Cost, l.Tokens, l.Calls}
		next := used.plus(s)
		if err := check(d.Limits, used, next, d.reached(l.Day)); err != nil {
			return nil, err
		}
		out.day = l.Day
		return l.with(next)
	})
	return out, err
}

func (d *Day) reached(day string) func(what, used, limit string) *ReachedError {
	return func(what, used, limit string) *ReachedError {
		e := &ReachedError{What: what, Whose: "today", Used: used, Limit: limit, Raise: "the limit of a day stands in config.json"}
		if now := d.now().UTC().Format(dayForm); now < day {
			e.Whose = day
			e.Raise = "the clock was set back from that day: the count goes on until it has passed; if the clock was wrong then, remove " + d.file
		}
		return e
	}
}

// settle puts what was spent in the place of the reserve. A reserve of a day
// that has passed is let go with it, and what was spent counts today.
func (d *Day) settle(from slip, s Spent) error {
	return statedir.Update(d.file, func(old []byte) ([]byte, error) {
		l, err := d.read(old)
		if err != nil {
			return nil, err
		}
		used := Spent{l.Cost, l.Tokens, l.Calls}
		if l.Day == from.day {
			used = used.minus(from.of)
		}
		return l.with(used.plus(s))
	})
}

func (l ledger) with(s Spent) ([]byte, error) {
	l.Cost, l.Tokens, l.Calls = s.Cost, s.Tokens, s.Steps
	b, err := json.Marshal(l)
	return append(b, '\n'), err
}
