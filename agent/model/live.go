package model

import (
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/model/wire"
)

// live passes deltas on while a reply arrives, so that what is shown comes as
// near to the final Reply as can be known by then: think tags become
// reasoning, and what may turn out to be a call in prose is held back.
type live struct {
	out   func(Delta)
	calls bool // calls in prose are possible
	shown bool // something was shown
	phase phase
	held  string          // text that is not shown yet
	half  string          // the beginning of a character of reasoning
	kept  strings.Builder // what comes while a call may be on its way
	shut  string          // the tag that ends the reasoning
}

type phase uint8

const (
	phaseStart   phase = iota // a think tag may come
	phaseThink                // inside one
	phaseText                 // prose
	phaseHolding              // a call may have begun: nothing is shown until the end
)

func newLive(out func(Delta), calls bool) *live { return &live{out: out, calls: calls} }

func (l *live) show(kind DeltaKind, text string) {
	if text == "" {
		return
	}
	clean, _ := wire.Clean(text)
	l.shown = true
	l.out(Delta{Kind: kind, Text: clean})
}

// add takes one delta of the stream.
func (l *live) add(d Delta) {
	switch d.Kind {
	case DeltaText:
		if l.phase == phaseHolding {
			l.kept.WriteString(d.Text)
			return
		}
		l.held += d.Text
		for l.step() {
		}
	case DeltaReasoning:
		ready, rest := wire.Split(l.half + d.Text)
		l.half = rest
		l.show(DeltaReasoning, ready)
	case DeltaCall:
		l.shown = true
		l.out(d)
	case DeltaUsage, DeltaWarning:
		l.out(d)
	}
}

// step moves on as far as the held text tells; false: more is needed.
func (l *live) step() bool {
	switch l.phase {
	case phaseStart:
		return l.start()
	case phaseThink:
		return l.think()
	case phaseText:
		return l.text()
	default:
		return false
	}
}

func (l *live) start() bool {
	trimmed := strings.TrimLeft(l.held, " \t\r\n")
	if trimmed == "" {
		return false
	}
	for _, tag := range thinkTags {
		if rest, ok := strings.CutPrefix(trimmed, tag[0]); ok {
			l.held, l.shut, l.phase = rest, tag[1], phaseThink
			return true
		}
		if strings.HasPrefix(tag[0], trimmed) {
			return false
		}
	}
	l.phase = phaseText
	if l.calls && (strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") || strings.HasPrefix(trimmed, "`")) {
		l.phase = phaseHolding
	}
	return true
}

func (l *live) think() bool {
	inside, rest, ended := strings.Cut(l.held, l.shut)
	if ended {
		l.show(DeltaReasoning, inside)
		l.held, l.phase = rest, phaseStart
		return true
	}
	ready, _ := wire.Split(l.held[:len(l.held)-partial(l.held, l.shut)])
	l.show(DeltaReasoning, ready)
	l.held = l.held[len(ready):]
	return false
}

// longHeld bounds the end tokens that are held back in case they are the end.
const longHeld = 4 << 10

func (l *live) text() bool {
	ready, _ := wire.Split(l.held)
	if len(ready) < longHeld {
		ready = trimEnd(ready)
	}
	keep := 0
	for _, token := range endTokens {
		keep = max(keep, partial(ready, token))
	}
	if l.calls {
		for _, mark := range callMarks {
			if i := strings.Index(ready, mark); i >= 0 {
				l.show(DeltaText, ready[:i])
				l.held, l.phase = l.held[i:], phaseHolding
				return false
			}
			keep = max(keep, partial(ready, mark))
		}
	}
	ready = ready[:len(ready)-keep]
	l.show(DeltaText, ready)
	l.held = l.held[len(ready):]
	return false
}

// partial counts the bytes at the end of s that may be the beginning of mark.
func partial(s, mark string) int {
	for n := min(len(s), len(mark)-1); n > 0; n-- {
		if strings.HasSuffix(s, mark[:n]) {
			return n
		}
	}
	return 0
}

// end shows what was held and turned out to be text.
func (l *live) end(r Reply) {
	switch {
	case l.phase == phaseThink:
		l.show(DeltaReasoning, l.held)
	case l.phase != phaseHolding || !recovered(r):
		l.show(DeltaText, trimEnd(l.held+l.kept.String()))
	}
	l.held = ""
}

func recovered(r Reply) bool {
	return len(r.Calls) > 0 && r.Calls[0].Origin == OriginText
}
