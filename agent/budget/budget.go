package budget

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// Limits are upper bounds; 0 is none.
type Limits struct {
	Cost   int64 // millionths of a dollar
	Tokens int64 // of all kinds, sent and received
	Steps  int64 // model calls
	Time   time.Duration
}

// Spent is what was used. Negative numbers count as 0.
type Spent struct {
	Cost   int64 // millionths of a dollar
	Tokens int64
	Steps  int64
}

// A ReachedError says which limit a request would have passed.
type ReachedError struct {
	What  string // money, tokens, steps or time
	Whose string // this run, today, the session …
	Used  string
	Limit string
	Raise string // how to raise it
}

func (e *ReachedError) Error() string {
	s := fmt.Sprintf("budget reached: %s of %s used (%s, %s): stopped before the next request", e.Used, e.Limit, e.What, e.Whose)
	if e.Raise != "" {
		s += "; " + e.Raise
	}
	return s
}

// ErrUnpriced says that a limit in money cannot be kept, since the model's
// price is not known.
var ErrUnpriced = errors.New("the price of this model is not known, so a budget in money cannot be kept: use a limit in tokens instead")

// A Budget is what one agent may spend. The zero Budget has no limits. Many
// goroutines may use it.
type Budget struct {
	Whose string // for messages: "this run"
	Raise string // for messages: how to raise the limits

	mu     sync.Mutex
	limits Limits
	used   Spent // with what is reserved
	began  time.Time
	now    func() time.Time
	parent *Budget
	day    *Day
}

// New is a budget that begins now. used is what counts already: of a session
// that is gone on with. day, which may be nil, counts what it spends.
func New(l Limits, used Spent, day *Day, now func() time.Time) *Budget {
	return &Budget{Whose: "this session", limits: l, used: used.sane(), began: now(), now: now, day: day}
}

// Child is a budget within b: what it spends counts for b, and b's limits hold
// for it.
func (b *Budget) Child(l Limits) *Budget {
	now := b.now
	if now == nil {
		now = time.Now
	}
	return &Budget{Whose: "this sub-agent", limits: l, began: now(), now: now, parent: b}
}

// A Reservation is what one request may spend at most. It is settled once.
type Reservation struct {
	b     *Budget
	of    Spent
	slip  slip
	guard sync.Mutex // held while the day's file is written: settled is settled
	done  bool
}

// Reserve asks for a request. priced says that its cost is known. A
// *ReachedError and ErrUnpriced say that it must not be sent.
func (b *Budget) Reserve(s Spent, priced bool) (*Reservation, error) {
	s = s.sane()
	if err := b.take(s, priced); err != nil {
		return nil, err
	}
	r := &Reservation{b: b, of: s}
	if day := b.days(); day != nil {
		var err error
		if r.slip, err = day.reserve(s, priced); err != nil {
			b.give(s, Spent{})
			return nil, err
		}
	}
	return r, nil
}

// days is the count of the day that b is part of.
func (b *Budget) days() *Day {
	for ; b != nil; b = b.parent {
		if b.day != nil {
			return b.day
		}
	}
	return nil
}

// take reserves s in b and in those above it.
func (b *Budget) take(s Spent, priced bool) error {
	if b == nil {
		return nil
	}
	if err := b.fits(s, priced); err != nil {
		return err
	}
	if err := b.parent.take(s, priced); err != nil {
		b.give(s, Spent{}, b)
		return err
	}
	return nil
}

func (b *Budget) fits(s Spent, priced bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.limits.Cost > 0 && !priced {
		return ErrUnpriced
	}
	if limit := b.limits.Time; limit > 0 && b.now().Sub(b.began) >= limit {
		return b.reached("time", b.now().Sub(b.began).Truncate(time.Second).String(), limit.String())
	}
	next := b.used.plus(s)
	if err := check(b.limits, b.used, next, b.reached); err != nil {
		return err
	}
	b.used = next
	return nil
}

// check compares what would be used with limits.
func check(l Limits, used, next Spent, reached func(what, used, limit string) *ReachedError) error {
	switch {
	case l.Cost > 0 && next.Cost > l.Cost:
		return reached("money", Dollars(used.Cost), Dollars(l.Cost))
	case l.Tokens > 0 && next.Tokens > l.Tokens:
		return reached("tokens", fmt.Sprint(used.Tokens), fmt.Sprint(l.Tokens))
	case l.Steps > 0 && next.Steps > l.Steps:
		return reached("steps", fmt.Sprint(used.Steps), fmt.Sprint(l.Steps))
	}
	return nil
}

func (b *Budget) reached(what, used, limit string) *ReachedError {
	return &ReachedError{What: what, Whose: b.Whose, Used: used, Limit: limit, Raise: b.Raise}
}

// give puts s in the place of what was reserved: in b and those above it, or
// in b alone when last is b.
func (b *Budget) give(reserved, s Spent, last ...*Budget) {
	for ; b != nil; b = b.parent {
		b.mu.Lock()
		b.used = b.used.minus(reserved).plus(s)
		b.mu.Unlock()
		if len(last) > 0 && b == last[0] {
			return
		}
	}
}

// Settle puts what was really spent in the place of the reserve. A second call
// does nothing.
func (r *Reservation) Settle(s Spent) error {
	r.guard.Lock()
	defer r.guard.Unlock()
	if r.done {
		return nil
	}
	r.done = true
	s = s.sane()
	r.b.give(r.of, s)
	if day := r.b.days(); day != nil {
		return day.settle(r.slip, s)
	}
	return nil
}

// Used is what counts now, reserves among it.
func (b *Budget) Used() Spent {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// Limits are the limits of b itself.
func (b *Budget) Limits() Limits { return b.limits }

// Money is the least limit in money of b and of those above it, in millionths
// of a dollar; 0 is none. A day's limit counts where day is set.
func (b *Budget) Money(day bool) int64 {
	least := int64(0)
	add := func(limit int64) {
		if limit > 0 && (least == 0 || limit < least) {
			least = limit
		}
	}
	for ; b != nil; b = b.parent {
		add(b.limits.Cost)
		if day && b.day != nil {
			add(b.day.Limits.Cost)
		}
	}
	return least
}

// Left is what can still be spent in tokens and money, the least of b, of
// those above it and of the day; -1 is without limit.
func (b *Budget) Left() (tokens, cost int64) {
	tokens, cost = -1, -1
	least := func(n *int64, limit, used int64) {
		if limit > 0 && (*n < 0 || limit-used < *n) {
			*n = max(0, limit-used)
		}
	}
	if day := b.days(); day != nil {
		if used, err := day.Used(); err == nil {
			least(&tokens, day.Limits.Tokens, used.Tokens)
			least(&cost, day.Limits.Cost, used.Cost)
		}
	}
	for ; b != nil; b = b.parent {
		used := b.Used()
		least(&tokens, b.limits.Tokens, used.Tokens)
		least(&cost, b.limits.Cost, used.Cost)
	}
	return tokens, cost
}

// warnAt is the share of a limit, in percent, from which on it is said.
const warnAt = 80

// Warning says which limit is nearly reached, "" for none.
func (b *Budget) Warning() string {
	for ; b != nil; b = b.parent {
		if w := nearly(b.limits, b.Used(), b.Whose); w != "" {
			return w
		}
		if b.day != nil {
			if used, err := b.day.Used(); err == nil {
				if w := nearly(b.day.Limits, used, "today"); w != "" {
					return w
				}
			}
		}
	}
	return ""
}

func nearly(l Limits, used Spent, whose string) string {
	near := func(limit, used int64) bool { return limit > 0 && used >= limit-limit/100*(100-warnAt) }
	switch {
	case near(l.Cost, used.Cost):
		return fmt.Sprintf("%s of %s used (%s)", Dollars(used.Cost), Dollars(l.Cost), whose)
	case near(l.Tokens, used.Tokens):
		return fmt.Sprintf("%d of %d tokens used (%s)", used.Tokens, l.Tokens, whose)
	}
	return ""
}

// Dollars writes millionths of a dollar as people do.
func Dollars(micros int64) string {
	if micros > 0 && micros < 10_000 {
		return fmt.Sprintf("$%d.%06d", micros/1_000_000, micros%1_000_000)
	}
	return fmt.Sprintf("$%d.%02d", micros/1_000_000, micros%1_000_000/10_000)
}

// sane takes away what no count can be.
func (s Spent) sane() Spent { return Spent{max(0, s.Cost), max(0, s.Tokens), max(0, s.Steps)} }

func (s Spent) plus(t Spent) Spent {
	return Spent{sum(s.Cost, t.Cost), sum(s.Tokens, t.Tokens), sum(s.Steps, t.Steps)}
}

func (s Spent) minus(t Spent) Spent {
	return Spent{max(0, s.Cost-t.Cost), max(0, s.Tokens-t.Tokens), max(0, s.Steps-t.Steps)}
}

// sum adds what is not negative; it stops at the largest number.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
