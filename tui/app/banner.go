package app

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/arm"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/room/status"
	"github.com/tera-pilot/tera-pilot/tui/tty"
)

// banners are the letters that the banners on the screen offer. One counts as an
// answer does, and only in an empty message: the banner was there, the keyboard
// was quiet, and nothing comes after it. Everything else is typing.
type banners struct {
	keys   string // on the screen, in order; "" for none
	arm    *arm.Prompt
	opened time.Time // when a letter opened what lies above the conversation; zero when none did
	letter string    // that did
	held   string    // letters that a frame took the banner of: typing
}

// drawn says which letters a frame shows; next numbers one that has others. A
// letter that was held and stands for nothing any more is typing.
func (b *banners) drawn(letters string, now time.Time, next func() uint64) {
	if letters == b.keys {
		return
	}
	b.held += b.disturb(now)
	if b.keys, b.arm = letters, nil; letters != "" {
		b.arm = arm.New(now)
		b.arm.Frame(next())
	}
}

// typed is what frames left behind of typing, once.
func (b *banners) typed() string {
	held := b.held
	b.held = ""
	return held
}

// disturb says that something came or changed. It returns typing, see
// arm.Prompt.Disturb.
func (b *banners) disturb(at time.Time) string {
	if b.arm == nil {
		return ""
	}
	return b.arm.Disturb(at)
}

// typedOn says that a key came so soon after the letter that both are typing.
func (b *banners) typedOn(at time.Time) (letter string) {
	if !b.opened.IsZero() && at.Sub(b.opened) < arm.Quiet {
		letter = b.letter
	}
	b.opened, b.letter = time.Time{}, ""
	return letter
}

// letters are those that count, of the banners that a frame has rows for.
func (m *Model) letters(notices []event.Notice, rows int) (out string) {
	if !m.listens() {
		return ""
	}
	for _, k := range status.Keys(m.state.Head, notices) {
		if k.Row < rows {
			out += k.Letter
		}
	}
	return out
}

// listens says that letters of banners count: nothing else takes them.
func (m *Model) listens() bool {
	return m.panel == nil && m.start == nil && !m.find.on() && !m.transcript.Reading() && m.asks.focused() == nil && m.composer.Empty()
}

// bannerKey takes a letter that a banner offers; false for every other key, and
// for a letter that is typing.
func (m *Model) bannerKey(in tty.Input, k uv.Key) bool {
	b := &m.banners
	if b.arm == nil || k.Text == "" || !strings.Contains(b.keys, k.Text) || !m.listens() {
		return false
	}
	counts, typed := b.arm.Press(k.Text, in.At, in.Alone)
	if !counts {
		b.arm.Drop()
		m.composer.Insert(typed)
	}
	return counts
}

// bannerDue does what a letter stands for, when it has become an answer.
func (m *Model) bannerDue(now time.Time) (cmd tea.Cmd, wait time.Duration) {
	b := &m.banners
	if b.arm == nil {
		return nil, 0
	}
	letter, wait := b.arm.Due(now, m.o.Read(), m.person.heard)
	if letter == "" || !m.listens() {
		return nil, wait
	}
	m.frame.dirty = true
	notices := m.state.Notices
	i := slices.IndexFunc(status.Keys(m.state.Head, notices), func(k status.Key) bool { return k.Letter == letter })
	if i < 0 {
		return nil, 0
	}
	b.opened, b.letter = now, letter
	switch status.Keys(m.state.Head, notices)[i].Does {
	case status.OtherModel:
		return m.do(keys.Models, now), 0
	case status.Details:
		return m.do(keys.Activity, now), 0
	case status.Changes:
		return m.do(keys.Undo, now), 0
	case status.Again:
		m.o.Send(event.Reload{})
	case status.Nothing:
	}
	return nil, 0
}

// typedOn gives a letter of a banner, and the key that follows it at once, to the
// message: what it opened goes.
func (m *Model) typedOn(in tty.Input, k uv.Key) bool {
	letter := m.banners.typedOn(in.At)
	if letter == "" || k.Text == "" || m.panel == nil {
		return false
	}
	m.open(nil)
	m.composer.Insert(letter + k.Text)
	return true
}
