package audit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
)

// soak says that the long forms of tests are wanted.
func soak() bool { return os.Getenv("TERA_PILOT_SOAK") != "" }

// A crashRun is one log that crashes again and again.
type crashRun struct {
	t     *testing.T
	rng   *rand.Rand
	layer *memLayer
	dead  sync.Map
	pid   int64

	mu    sync.Mutex
	acked map[string]string // title of each acknowledged intent, by its hash
	sent  map[string]bool   // titles of everything that was tried
	stats crashStats
}

// crashStats show that the test met what it is about.
type crashStats struct{ stopped, torn, open, intents int }

func (a *crashStats) add(b crashStats) {
	a.stopped += b.stopped
	a.torn += b.torn
	a.open += b.open
	a.intents += b.intents
}

func (c *crashRun) options() Options {
	return Options{Layer: c.layer, segmentSize: 6 << 10, processes: memProcesses{c.pid, &c.dead}}
}

func (c *crashRun) title(what string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	title := fmt.Sprintf("%s %d", what, len(c.sent))
	c.sent[title] = true
	return title
}

// work is a process that lives until the machine stops, or its work is done.
func (c *crashRun) work(ctx context.Context) {
	l, err := Open(ctx, c.options())
	if err != nil {
		c.t.Fatal(err)
	}
	defer l.Close()
	defer c.dead.Store(c.pid, true)
	s, err := l.Session(ctx, SessionInfo{Front: FrontRun})
	if err != nil {
		return
	}
	var wait sync.WaitGroup
	for range 1 + c.rng.IntN(3) {
		seed := c.rng.Uint64()
		wait.Go(func() { c.agent(ctx, s, rand.New(rand.NewPCG(seed, 0))) })
	}
	wait.Wait()
	if c.rng.IntN(2) == 0 {
		_ = s.Close(CloseOK) // the machine may have stopped
	}
}

// agent does what agents do, until something fails.
func (c *crashRun) agent(ctx context.Context, s *Session, rng *rand.Rand) {
	for range 6 {
		in := edit("f.go")
		in.Title = c.title("intent")
		tok, err := s.Intent(ctx, in)
		if err != nil {
			return
		}
		c.mu.Lock()
		c.acked[tok.Hash()] = in.Title
		c.mu.Unlock()
		if rng.IntN(8) == 0 {
			continue // left open
		}
		if s.Outcome(tok, Outcome{Status: OK, Out: []byte("out")}) != nil {
			return
		}
		if rng.IntN(3) == 0 && s.Event(ctx, Event{Kind: "note", Title: c.title("event")}) != nil {
			return
		}
	}
}

// TestCrashes stops the machine at random operations, drops what was not
// synced, and looks whether anything that was acknowledged is missing and
// whether every byte is explained.
func TestCrashes(t *testing.T) {
	crashes := 1000
	if soak() {
		crashes = 10_000
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const each = 10
	var stats crashStats
	for i := range crashes / each {
		c := &crashRun{t: t, rng: rand.New(rand.NewPCG(seed, uint64(i))), layer: newMemLayer(), acked: map[string]string{}, sent: map[string]bool{}}
		for range each {
			c.pid++
			c.layer.crashAt = 1 + c.rng.IntN(400)
			c.work(t.Context())
			if c.layer.count >= c.layer.crashAt {
				c.stats.stopped++
			}
			c.layer = c.layer.crash(c.rng)
			if c.rng.IntN(4) == 0 { // a second crash, while recovering
				c.pid++
				c.layer.crashAt = 1 + c.rng.IntN(60)
				c.work(t.Context())
				c.layer = c.layer.crash(c.rng)
			}
			c.recover(i)
			if t.Failed() {
				t.Fatalf("seed %d, log %d", seed, i)
			}
		}
		wantIntact(t, verifyLayer(t, c.options(), VerifyOptions{}))
		c.stats.intents = len(c.acked)
		stats.add(c.stats)
	}
	t.Logf("%+v", stats)
	if stats.stopped < crashes/2 || stats.torn < crashes/50 || stats.open < crashes/20 || stats.intents < crashes {
		t.Errorf("the test did not meet what it is about: %+v", stats)
	}
}

// recover begins and ends a session after a crash, and checks everything.
func (c *crashRun) recover(log int) {
	t := c.t
	c.pid++
	l, err := Open(t.Context(), c.options())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, err := l.Session(t.Context(), SessionInfo{Front: FrontRun})
	if err != nil {
		t.Fatalf("log %d cannot be continued after a crash: %v\n%s", log, err, c.layer.dump())
	}
	open, err := s.OpenIntents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.stats.open += len(open)
	for _, in := range open {
		if err := s.Settle(in, Outcome{Status: Unknown}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(CloseOK); err != nil {
		t.Fatal(err)
	}
	c.dead.Store(c.pid, true)
	rep := verifyLayer(t, c.options(), VerifyOptions{Fast: true})
	wantIntact(t, rep)
	for _, w := range rep.Warnings {
		if w.Kind != warnNoClose {
			t.Errorf("after recovery: %+v", w)
		}
	}
	c.explained()
}

// explained checks that what was acknowledged is there, that nothing else is,
// and that what was cut off is kept and stated.
func (c *crashRun) explained() {
	t := c.t
	r, err := OpenReader(t.Context(), c.options())
	if err != nil {
		t.Fatal(err)
	}
	there, stated := map[string]bool{}, map[string]bool{}
	err = r.lines(t.Context(), r.lim, func(rec *record, _ place) error {
		switch rec.typ {
		case typeIntent, typeEvent:
			there[hashText(rec.hash)] = true
			if title := rec.text("title"); !c.sent[title] {
				t.Errorf("nobody wrote %q", title)
			}
		case typeRecover:
			for _, v := range rec.doc.Root().Get("torn").All {
				sum, _ := v.Get("sha256").Text()
				stated[sum] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for hash, title := range c.acked {
		if !there[hash] {
			t.Errorf("the acknowledged %q is lost", title)
		}
	}
	pieces, err := c.layer.List(dirTorn)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pieces {
		if sum := name[strings.LastIndexByte(name, '-')+1:]; !stated[sum] {
			t.Errorf("the torn piece %s is stated nowhere", name)
		}
	}
	c.stats.torn = len(pieces)
}

// dump lists the files, for a failure.
func (m *memLayer) dump() string {
	var b strings.Builder
	for _, name := range sortedKeys(m.names) {
		fmt.Fprintf(&b, "%s: %d bytes\n", name, len(m.names[name].data))
	}
	return b.String()
}
