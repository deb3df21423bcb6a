package budget

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func clock(t *time.Time) func() time.Time { return func() time.Time { return *t } }

func reached(err error) string {
	var r *ReachedError
	if errors.As(err, &r) {
		return r.What
	}
	return ""
}

func TestLimits(t *testing.T) {
	now := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		limits Limits
		ask    Spent
		priced bool
		want   string
	}{
		{"none", Limits{}, Spent{math.MaxInt64, math.MaxInt64, 1}, false, ""},
		{"money fits", Limits{Cost: 100}, Spent{Cost: 100}, true, ""},
		{"money", Limits{Cost: 100}, Spent{Cost: 101}, true, "money"},
		{"tokens", Limits{Tokens: 10}, Spent{Tokens: 11}, true, "tokens"},
		{"steps", Limits{Steps: 1}, Spent{Steps: 2}, true, "steps"},
		{"negative cost is 0", Limits{Cost: 100}, Spent{Cost: -5}, true, ""},
	} {
		b := New(c.limits, Spent{}, nil, clock(&now))
		_, err := b.Reserve(c.ask, c.priced)
		if got := reached(err); got != c.want || (err != nil) != (c.want != "") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	b := New(Limits{Cost: 1}, Spent{}, nil, clock(&now))
	if _, err := b.Reserve(Spent{}, false); !errors.Is(err, ErrUnpriced) {
		t.Errorf("an unknown price was let through: %v", err)
	}
	b = New(Limits{Time: time.Minute}, Spent{}, nil, clock(&now))
	now = now.Add(time.Minute)
	if _, err := b.Reserve(Spent{}, true); reached(err) != "time" {
		t.Errorf("time: %v", err)
	}
}

// TestReservesCount: what is under way counts, so that two requests at once do
// not each get the last of it.
func TestReservesCount(t *testing.T) {
	now := time.Unix(0, 0)
	b := New(Limits{Tokens: 100}, Spent{Tokens: 10}, nil, clock(&now))
	r, err := b.Reserve(Spent{Tokens: 80}, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Reserve(Spent{Tokens: 20}, true); reached(err) != "tokens" {
		t.Errorf("reserved twice: %v", err)
	}
	for range 2 {
		if err := r.Settle(Spent{Tokens: 30}); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.Used().Tokens; got != 40 {
		t.Errorf("used %d, want 40", got)
	}
}

// TestAmountsDoNotWrap: no sum becomes small or negative by being too large.
func TestAmountsDoNotWrap(t *testing.T) {
	now := time.Unix(0, 0)
	b := New(Limits{Cost: math.MaxInt64 - 1}, Spent{Cost: math.MaxInt64 - 2}, nil, clock(&now))
	if _, err := b.Reserve(Spent{Cost: math.MaxInt64}, true); reached(err) != "money" {
		t.Errorf("%v", err)
	}
	free := New(Limits{}, Spent{Cost: math.MaxInt64 - 2}, nil, clock(&now))
	r, err := free.Reserve(Spent{Cost: math.MaxInt64}, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := free.Used().Cost; got != math.MaxInt64 {
		t.Errorf("used %d", got)
	}
	if err := r.Settle(Spent{Cost: -1 << 62}); err != nil {
		t.Fatal(err)
	}
	if got := free.Used().Cost; got < 0 {
		t.Errorf("a negative price gave money back: %d", got)
	}
}

// TestChildrenSpendTheirParents: a child has no more than its parent, and what
// it spends is gone for the parent.
func TestChildrenSpendTheirParents(t *testing.T) {
	now := time.Unix(0, 0)
	p := New(Limits{Tokens: 100, Cost: 50}, Spent{}, nil, clock(&now))
	c := p.Child(Limits{Tokens: 1000}).Child(Limits{})
	r, err := c.Reserve(Spent{Tokens: 90, Cost: 1}, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Reserve(Spent{Tokens: 20}, true); reached(err) != "tokens" {
		t.Errorf("more than the parent's: %v", err)
	}
	if got := c.Used().Tokens; got != 90 {
		t.Errorf("a refused reserve stayed: %d", got)
	}
	if _, err := c.Reserve(Spent{}, false); !errors.Is(err, ErrUnpriced) {
		t.Errorf("a child's unknown price passes the parent's limit: %v", err)
	}
	if err := r.Settle(Spent{Tokens: 60, Cost: 40}); err != nil {
		t.Fatal(err)
	}
	if tokens, cost := c.Left(); tokens != 40 || cost != 10 {
		t.Errorf("left %d tokens, %d of money", tokens, cost)
	}
	if got := p.Used(); got.Tokens != 60 {
		t.Errorf("the parent counts %d", got.Tokens)
	}
}

func TestDay(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	now := time.Date(2026, 11, 29, 23, 0, 0, 0, time.UTC)
	day := func() *Day { return NewDay(state, Limits{Tokens: 100}, clock(&now)) }
	first, second := New(Limits{}, Spent{}, day(), clock(&now)), New(Limits{}, Spent{}, day(), clock(&now))
	r, err := first.Reserve(Spent{Tokens: 60}, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Reserve(Spent{Tokens: 60}, true); reached(err) != "tokens" {
		t.Errorf("two processes reserve the same: %v", err)
	}
	if got := second.Used().Tokens; got != 0 {
		t.Errorf("a refused reserve stayed: %d", got)
	}
	// a crash: the reserve is never settled, and counts
	third := New(Limits{}, Spent{}, day(), clock(&now))
	if tokens, _ := third.Left(); tokens != 40 {
		t.Errorf("after a crash %d are left", tokens)
	}
	if err := r.Settle(Spent{Tokens: 10}); err != nil {
		t.Fatal(err)
	}
	if tokens, _ := third.Left(); tokens != 90 {
		t.Errorf("settled: %d are left", tokens)
	}
	now = now.Add(-48 * time.Hour)
	if tokens, _ := third.Left(); tokens != 90 {
		t.Errorf("a clock that was set back brought a new day: %d are left", tokens)
	}
	_, err = third.Reserve(Spent{Tokens: 95}, true)
	if reached(err) != "tokens" || !strings.Contains(err.Error(), "set back") {
		t.Errorf("the clock is not named: %v", err)
	}
	now = now.Add(96 * time.Hour)
	if tokens, _ := third.Left(); tokens != 100 {
		t.Errorf("the next day has %d", tokens)
	}
}

// TestManyAtOnceStayWithin: whatever the order, no more than the limit is
// reserved.
func TestManyAtOnceStayWithin(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	var wait sync.WaitGroup
	var mu sync.Mutex
	given := 0
	for range 20 {
		wait.Go(func() {
			b := New(Limits{}, Spent{}, NewDay(state, Limits{Tokens: 100}, time.Now), time.Now)
			if _, err := b.Reserve(Spent{Tokens: 15}, true); err == nil {
				mu.Lock()
				given += 15
				mu.Unlock()
			} else if reached(err) == "" {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if given != 90 {
		t.Errorf("%d tokens were given of 100", given)
	}
}

// TestADamagedDayRefuses: with a limit, what cannot be read is no empty day.
func TestADamagedDayRefuses(t *testing.T) {
	for _, text := range []string{"{", `{"v":1,"day":"2026-11-29","cost_micro_usd":-5,"tokens":0,"calls":0}`, `{"v":1,"day":"x"}`, `{"v":1,"day":"2026-11-29","tokens":1e40}`, `{"v":2,"day":"2026-11-29"}`,
		`{"v":1,"day":"2026-11-29","tokens":500,"Tokens":0}`, `{"v":1,"day":"2026-11-29","tokens":500}{}`, "null"} {
		state := t.TempDir()
		if err := os.Chmod(state, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(state, "budget.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b := New(Limits{}, Spent{}, NewDay(state, Limits{Tokens: 100}, time.Now), time.Now)
		if _, err := b.Reserve(Spent{Tokens: 1}, true); err == nil {
			t.Errorf("%s was taken", text)
		}
		free := New(Limits{}, Spent{}, NewDay(state, Limits{}, time.Now), time.Now)
		if _, err := free.Reserve(Spent{Tokens: 1}, true); err != nil {
			t.Errorf("without a limit %s stops the work: %v", text, err)
		}
	}
}

func TestWarning(t *testing.T) {
	now := time.Unix(0, 0)
	b := New(Limits{Cost: 1_000_000}, Spent{Cost: 790_000}, nil, clock(&now))
	if w := b.Warning(); w != "" {
		t.Errorf("warned at 79 percent: %s", w)
	}
	if _, err := b.Reserve(Spent{Cost: 20_000}, true); err != nil {
		t.Fatal(err)
	}
	if w := b.Child(Limits{}).Warning(); w != "$0.81 of $1.00 used (this session)" {
		t.Errorf("%q", w)
	}
}
