// Package keys is the table of what keys do: what the program looks a key up
// in, what the help and the palette show, and what docs/terminal.md is held to.
//
// # Promised
//
// Every key of the program but those of a question stands in the table once.
// A person may give an action other keys; the keys that answer a question, esc
// and ctrl+c are none of them and cannot be taken.
package keys

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/tui/safe"
)

// Action is what a key outside of a question does.
type Action string

// Actions that have keys.
const (
	None     Action = ""
	Palette  Action = "palette"
	Prompt   Action = "prompt"
	Review   Action = "review"
	Activity Action = "activity"
	Sessions Action = "sessions"
	Undo     Action = "undo"
	Models   Action = "models"
	Select   Action = "select"
	Help     Action = "help"
	Editor   Action = "editor"
	Newline  Action = "newline"
	Queue    Action = "queue"
	Read     Action = "read"
	Find     Action = "find"
	Copy     Action = "copy"
	Pager    Action = "pager"
	Fork     Action = "fork"
)

// Place is where a key counts.
type Place uint8

// Places.
const (
	Anywhere Place = iota // in front of a message or of a list
	Message               // while a message is written
	Reading               // while an entry of the transcript is chosen
)

// A Binding is an action and its keys.
type Binding struct {
	Do    Action
	Place Place
	Keys  []string // as the keyboard names them, "ctrl+k"
	Does  safe.Text
}

// defaults are the keys that nobody changed.
func defaults() []Binding {
	lit := safe.Lit
	return []Binding{
		{Palette, Anywhere, []string{"ctrl+k"}, lit("everything that can be done, by name")},
		{Prompt, Anywhere, []string{"ctrl+p"}, lit("look at the open question")},
		{Review, Anywhere, []string{"ctrl+r"}, lit("look at the open review")},
		{Activity, Anywhere, []string{"ctrl+g"}, lit("the audit log: what was decided and done, and whether it holds")},
		{Sessions, Anywhere, []string{"ctrl+s"}, lit("stored sessions: open, fork, name, archive, delete")},
		{Undo, Anywhere, []string{"ctrl+z"}, lit("take back what was changed")},
		{Models, Anywhere, []string{"f3"}, lit("choose another model")},
		{Select, Anywhere, []string{"f2"}, lit("the plain text alone, to select with the mouse")},
		{Help, Anywhere, []string{"f1"}, lit("these keys;  ? too, when the message is empty")},
		{Newline, Message, []string{"shift+enter", "alt+enter", "ctrl+j"}, lit("new line")},
		{Queue, Message, []string{"tab"}, lit("while the agent works: send it after this turn")},
		{Editor, Message, []string{"ctrl+o"}, lit("write the message in $EDITOR")},
		{Read, Message, []string{"shift+up", "alt+up", "ctrl+t"}, lit("read: choose an entry of the conversation")},
		{Find, Reading, []string{"/"}, lit("find;  n and N go on")},
		{Copy, Reading, []string{"y"}, lit("send its source text to the terminal's clipboard")},
		{Pager, Reading, []string{"o"}, lit("all of its text, on a screen of its own")},
		{Fork, Reading, []string{"f"}, lit("go on from the end of this turn, in a session of its own")},
	}
}

// A Map is the table in force.
type Map struct{ bindings []Binding }

// Default is the table that nobody changed.
func Default() Map { return Map{defaults()} }

// fixed are keys that no action can have: they answer, stop, send, or move.
var fixed = []string{"esc", "enter", "ctrl+c", "ctrl+d", "space", "up", "down", "left", "right", "home", "end", "pgup", "pgdown", "backspace", "delete"}

// With is the table with other keys for some actions: the names of actions,
// and for each its keys, parted by blanks. A key that two actions would have
// at one place, or that cannot be given away, is an error.
func (m Map) With(changes map[string]string) (Map, error) {
	out := Map{slices.Clone(m.bindings)}
	names := make([]string, 0, len(changes))
	for name := range changes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		i := slices.IndexFunc(out.bindings, func(b Binding) bool { return string(b.Do) == name })
		if i < 0 {
			return m, fmt.Errorf("keys: there is no action %q: there are %s", name, strings.Join(m.actions(), ", "))
		}
		b := &out.bindings[i]
		if b.Keys = strings.Fields(changes[name]); len(b.Keys) == 0 {
			return m, fmt.Errorf("keys: %s would have no key: name one, as in \"ctrl+k\"", name)
		}
		for _, k := range b.Keys {
			if err := may(k, b.Place); err != nil {
				return m, fmt.Errorf("keys: %s: %w", name, err)
			}
		}
	}
	return out, out.clash()
}

// may says that a key can be given to an action of a place.
func may(key string, p Place) error {
	switch {
	case slices.Contains(fixed, key):
		return fmt.Errorf("%q cannot be given to anything else", key)
	case len([]rune(key)) == 1 && p != Reading:
		return fmt.Errorf("%q is a letter of the message: use one with ctrl or alt, or f1 to f12", key)
	case len([]rune(key)) != 1 && !strings.Contains(key, "+") && key != "tab" && !function(key):
		return fmt.Errorf("%q is no key: use names such as ctrl+k, alt+m, f5", key)
	}
	return nil
}

func function(key string) bool {
	n, ok := strings.CutPrefix(key, "f")
	return ok && n != "" && strings.Trim(n, "0123456789") == ""
}

// clash finds a key that two actions of one place would have.
func (m Map) clash() error {
	for i, a := range m.bindings {
		for _, b := range m.bindings[:i] {
			if a.Place != b.Place && a.Place != Anywhere && b.Place != Anywhere {
				continue
			}
			for _, k := range a.Keys {
				if slices.Contains(b.Keys, k) {
					return fmt.Errorf("keys: %q would be both %s and %s", k, b.Do, a.Do)
				}
			}
		}
	}
	return nil
}

func (m Map) actions() []string {
	var out []string
	for _, b := range m.bindings {
		out = append(out, string(b.Do))
	}
	return out
}

// Of is what a key does at a place. What counts anywhere counts there too.
func (m Map) Of(p Place, key string) Action {
	for _, b := range m.bindings {
		if (b.Place == p || b.Place == Anywhere) && slices.Contains(b.Keys, key) {
			return b.Do
		}
	}
	return None
}

// Bindings lists the table.
func (m Map) Bindings() []Binding { return m.bindings }

// Key is the first key of an action.
func (m Map) Key(a Action) safe.Text {
	for _, b := range m.bindings {
		if b.Do == a {
			return safe.Strict(b.Keys[0])
		}
	}
	return safe.Text{}
}
