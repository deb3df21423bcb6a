package arm

import (
	"testing"
	"time"
)

var start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func ms(n int) time.Time { return start.Add(time.Duration(n) * time.Millisecond) }

// ready is a prompt that was focused at 0 and drawn at 20: armed from 420 on.
func ready() *Prompt {
	p := New(ms(0))
	p.Frame(1)
	p.Confirm(1, ms(20), true)
	return p
}

func TestTheRoadToAnAnswer(t *testing.T) {
	p := New(ms(0))
	expect := func(at int, want State) {
		t.Helper()
		if got := p.State(ms(at)); got != want {
			t.Fatalf("at %d: state %d, want %d", at, got, want)
		}
	}
	expect(5000, Hidden)
	p.Frame(1)
	expect(5000, Hidden)
	p.Confirm(1, ms(20), true)
	expect(20, Drawn)
	expect(419, Drawn)
	expect(420, Armed)
	if counts, typed := p.Press("a", ms(500), true); !counts || typed != "" {
		t.Fatal("the press does not count")
	}
	expect(600, Pending)
	if key, wait := p.Due(ms(749), ms(500), ms(500)); key != "" || wait != time.Millisecond {
		t.Fatalf("too early: %q, %v", key, wait)
	}
	if key, _ := p.Due(ms(750), ms(500), ms(500)); key != "a" {
		t.Fatal("no answer")
	}
	if key, _ := p.Due(ms(900), ms(500), ms(500)); key != "" {
		t.Fatal("answered twice")
	}
}

func TestWhatDisarms(t *testing.T) {
	for name, c := range map[string]struct {
		act   func(*Prompt)
		press int
		alone bool
		want  bool
	}{
		"nothing":                  {func(*Prompt) {}, 420, true, true},
		"just too early":           {func(*Prompt) {}, 419, true, false},
		"read before drawn":        {func(*Prompt) {}, 10, true, false},
		"not alone":                {func(*Prompt) {}, 1000, false, false},
		"key before":               {func(p *Prompt) { p.Disturb(ms(601)) }, 1000, true, false},
		"key long before":          {func(p *Prompt) { p.Disturb(ms(600)) }, 1000, true, true},
		"new frame":                {func(p *Prompt) { p.Frame(2) }, 5000, true, false},
		"new frame, drawn":         {func(p *Prompt) { p.Frame(2); p.Confirm(2, ms(700), true) }, 1100, true, true},
		"new frame, just drawn":    {func(p *Prompt) { p.Frame(2); p.Confirm(2, ms(701), true) }, 1100, true, false},
		"old frame confirmed":      {func(p *Prompt) { p.Frame(2); p.Confirm(1, ms(500), true) }, 5000, true, false},
		"frame 0 confirmed":        {func(p *Prompt) { p.Frame(0); p.Confirm(0, ms(500), true) }, 5000, true, false},
		"press that did not count": {func(p *Prompt) { p.Press("a", ms(300), true); p.Disturb(ms(600)) }, 700, true, false},
	} {
		p := ready()
		c.act(p)
		if got, _ := p.Press("a", ms(c.press), c.alone); got != c.want {
			t.Errorf("%s: counts %v, want %v", name, got, c.want)
		}
	}
}

func TestASecondKeyTakesThePressBack(t *testing.T) {
	for after, want := range map[int]string{1: "a", 249: "a", 250: "", 2000: ""} {
		p := ready()
		p.Press("a", ms(1000), true)
		if got := p.Disturb(ms(1000 + after)); got != want {
			t.Errorf("a key %d ms later gives back %q, want %q", after, got, want)
		}
		if key, _ := p.Due(ms(5000), ms(1000), ms(1000)); key != "" {
			t.Errorf("a key %d ms later and still an answer", after)
		}
	}
}

func TestTwoAnswersAtOnceAreTyping(t *testing.T) {
	p := ready()
	p.Press("a", ms(1000), true)
	if counts, typed := p.Press("a", ms(1100), true); counts || typed != "a" {
		t.Errorf("the second press counts %v, and gives back %q", counts, typed)
	}
	if key, _ := p.Due(ms(5000), ms(1100), ms(1100)); key != "" {
		t.Errorf("answered %q", key)
	}
	if counts, _ := p.Press("a", ms(1499), true); counts {
		t.Error("armed too early again")
	}
}

func TestUnheardBytesHoldTheAnswer(t *testing.T) {
	p := ready()
	p.Press("a", ms(1000), true)
	if key, wait := p.Due(ms(1300), ms(1100), ms(1000)); key != "" || wait == 0 {
		t.Errorf("answered %q before the bytes that were read were heard", key)
	}
	if got := p.Disturb(ms(1100)); got != "a" {
		t.Errorf("got back %q", got)
	}
	if key, _ := p.Due(ms(1400), ms(1100), ms(1100)); key != "" {
		t.Error("answered all the same")
	}
}

func TestAnUncountedPressIsForgotten(t *testing.T) {
	p := ready()
	p.Press("a", ms(100), true)
	if key, _ := p.Due(ms(2000), ms(100), ms(100)); key != "" {
		t.Errorf("answered %q", key)
	}
	if got := p.Disturb(ms(200)); got != "" {
		t.Errorf("still holds %q", got)
	}
}

func TestUnfencedIsRemembered(t *testing.T) {
	p := ready()
	p.Frame(2)
	p.Confirm(2, ms(500), false)
	p.Frame(3)
	p.Confirm(3, ms(600), true)
	if !p.Unfenced() {
		t.Error("forgot")
	}
}
