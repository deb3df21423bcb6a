package theme

import (
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Style says what a piece of text is; a Theme says how that looks.
type Style uint8

// Styles.
const (
	Plain       Style = iota
	Dim               // secondary
	Strong            // what the eye should find first
	Title             // names of rooms and of what they show
	Rule              // separators
	Key               // keys that can be pressed
	Escape            // a made-visible character
	Added             // a line that comes
	Deleted           // a line that goes
	Hunk              // headings inside a review
	Good              // done, armed
	Warn              // needs attention
	Bad               // failed, broken, refused
	Who               // who speaks
	Heading           // in prose
	Code              // in prose
	Emph              // in prose
	Quote             // what the model says, in a question
	Keyword           // of a language
	String            // in source text
	Comment           // in source text
	Number            // in source text
	AddedMark         // the characters of a line that came
	DeletedMark       // the characters of a line that went
	Chosen            // the row under the cursor
	Alarm             // never_ask, LOG BROKEN: cannot be overlooked
	styles
)

// A Theme is a look for every style.
type Theme struct {
	Name string
	sgr  [styles]string
}

// SGR is the sequence that switches a style on, "" for none. Reset ends it.
func (t *Theme) SGR(s Style) string {
	if s >= styles {
		s = Bad
	}
	return t.sgr[s]
}

// Reset switches every style off.
const Reset = ansi.ResetStyle

// Names lists the themes.
func Names() []string { return []string{"dark", "light", "high-contrast", "ansi16", "mono"} }

// Named is the theme of a name, and mono for a name that is none.
func Named(name string) *Theme {
	table, ok := tables()[name]
	if !ok {
		name, table = "mono", mono
	}
	t := &Theme{Name: name}
	for s, l := range table {
		t.sgr[s] = l.sgr()
	}
	return t
}

// For chooses the theme for a terminal. want is the user's word, "" or "auto"
// for none.
func For(want string, p colorprofile.Profile, darkBackground bool) *Theme {
	switch {
	case p <= colorprofile.ASCII: // no colours, or NO_COLOR
		return Named("mono")
	case want != "" && want != "auto":
		return Named(want)
	case p == colorprofile.ANSI:
		return Named("ansi16")
	case darkBackground:
		return Named("dark")
	default:
		return Named("light")
	}
}

// Profile is what the terminal can show, by its environment alone: nothing is
// started and no file is read to find out. Any non-empty NO_COLOR counts.
func Profile(env []string) colorprofile.Profile {
	p := colorprofile.Env(env)
	for _, v := range env {
		if len(v) > len("NO_COLOR=") && v[:len("NO_COLOR=")] == "NO_COLOR=" && p > colorprofile.ASCII {
			return colorprofile.ASCII
		}
	}
	return p
}
