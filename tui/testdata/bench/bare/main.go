// A bare Bubble Tea program, to measure ours against.
package main

import (
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"
)

type hello struct{}

func (hello) Init() tea.Cmd { return nil }

func (m hello) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(tea.KeyPressMsg); ok {
		return m, tea.Quit
	}
	return m, nil
}

func (hello) View() tea.View {
	v := tea.NewView("[=] hello")
	v.AltScreen = true
	return v
}

func main() {
	if _, err := tea.NewProgram(hello{}).Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
