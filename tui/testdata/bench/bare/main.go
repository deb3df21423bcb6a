// A bare Bubble Tea program, to measure ours against: it shows the last key and
// ends with ctrl+d.
package main

import (
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"
)

type hello struct{ key string }

func (hello) Init() tea.Cmd { return nil }

func (m hello) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if m.key = k.String(); m.key == "ctrl+d" {
			return m, tea.Quit
		}
	}
	return m, nil
}

func (m hello) View() tea.View {
	v := tea.NewView("[=] hello " + m.key)
	v.AltScreen = true
	return v
}

func main() {
	if _, err := tea.NewProgram(hello{}).Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
