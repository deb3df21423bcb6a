package app

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// A screen is what is known of the terminal: its size, how wide it draws a
// character, what its keys can say, and the colours that fit it.
type screen struct {
	width, height int
	widths        view.Widths
	enhanced      bool // it tells shift+enter from enter

	profile colorprofile.Profile
	dark    bool
	wanted  string // the theme's name that the person gave; "" for automatic
	theme   *theme.Theme
}

func newScreen(profile colorprofile.Profile, wanted string) screen {
	s := screen{profile: profile, dark: true, wanted: wanted}
	s.dress()
	return s
}

// dress picks the theme again.
func (s *screen) dress() { s.theme = theme.For(s.wanted, s.profile, s.dark) }

// background takes the answer to how dark it is.
func (s *screen) background(dark bool) {
	s.dark = dark
	s.dress()
}

// reported takes what the terminal says of a mode; false for one that says
// nothing of it.
func (s *screen) reported(m tea.ModeReportMsg) bool {
	knows := m.Value == ansi.ModeReset || m.Value == ansi.ModeSet || m.Value == ansi.ModePermanentlySet
	if m.Mode != ansi.ModeUnicodeCore || !knows {
		return false
	}
	s.widths = view.Graphemes
	return true
}

// setTheme changes the colours of this run.
func (m *Model) setTheme(name string) {
	if name == "auto" {
		name = ""
	}
	m.wanted = name
	m.dress()
	if name != "" && m.theme.Name != name {
		m.warn("this terminal shows no colours: the theme stays "+m.theme.Name, "NO_COLOR or TERM say so")
	}
}

// namedTheme changes the theme, or says which there are.
func (m *Model) namedTheme(name string) {
	if name != "auto" && !slices.Contains(theme.Names(), name) {
		m.warn("the theme is "+m.theme.Name, "/theme auto "+strings.Join(theme.Names(), " "))
		return
	}
	m.setTheme(name)
}
