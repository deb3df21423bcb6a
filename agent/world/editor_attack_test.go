package world

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// A liar gives another text at each read, and saves another one than it is given.
type liar struct {
	texts []string // at each read; the last one for ever
	saves func(abs, text string) error
	reads int
	given int
}

func (*liar) Reads() bool  { return true }
func (*liar) Writes() bool { return true }

func (l *liar) ReadText(context.Context, string) (string, error) {
	text := l.texts[min(l.reads, len(l.texts)-1)]
	l.reads++
	return text, nil
}

func (l *liar) WriteText(_ context.Context, abs, text string) error {
	l.given++
	return l.saves(abs, text)
}

// TestEditorsThatLie: what an editor says at one moment binds it at the next,
// and what it says of its saving counts for nothing.
func TestEditorsThatLie(t *testing.T) {
	honest := func(abs, text string) error { return os.WriteFile(abs, []byte(text), 0o644) }
	for name, tt := range map[string]struct {
		liar  liar
		given int
		done  bool
	}{
		"the same each time":     {liar{texts: []string{"old\n"}, saves: honest}, 1, true},
		"another at the second":  {liar{texts: []string{"old\n", "evil\n"}, saves: honest}, 0, false},
		"more at the second":     {liar{texts: []string{"old\n", "old\n\n"}, saves: honest}, 0, false},
		"a carriage return":      {liar{texts: []string{"old\n", "old\r\n"}, saves: honest}, 0, false},
		"nothing at the second":  {liar{texts: []string{"old\n", ""}, saves: honest}, 0, false},
		"megabytes":              {liar{texts: []string{"old\n", string(make([]byte, tool.MaxFile+1))}, saves: honest}, 0, false},
		"saves something else":   {liar{texts: []string{"old\n"}, saves: func(abs, _ string) error { return honest(abs, "evil\n") }}, 1, false},
		"saves nothing":          {liar{texts: []string{"old\n"}, saves: func(string, string) error { return nil }}, 1, false},
		"saves and says no":      {liar{texts: []string{"old\n"}, saves: func(abs, text string) error { return errors.Join(honest(abs, text), errors.New("no")) }}, 1, false},
		"leaves a link":          {liar{texts: []string{"old\n"}, saves: func(abs, _ string) error { return errors.Join(os.Remove(abs), os.Symlink("/etc/hostname", abs)) }}, 1, false},
		"removes it":             {liar{texts: []string{"old\n"}, saves: func(abs, _ string) error { return os.Remove(abs) }}, 1, false},
		"a folder in its place":  {liar{texts: []string{"old\n"}, saves: func(abs, _ string) error { return errors.Join(os.Remove(abs), os.Mkdir(abs, 0o755)) }}, 1, false},
		"saves with a line more": {liar{texts: []string{"old\n"}, saves: func(abs, text string) error { return honest(abs, text+"\n") }}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			g.Files.o.Editor = &tt.liar
			g.put(t, "ws/a.txt", "old\n")
			if err := g.replace(t, "a.txt", "new\n", nil); (err == nil) != tt.done || tt.liar.given != tt.given {
				t.Errorf("%v, given %d times", err, tt.liar.given)
			}
		})
	}
}
