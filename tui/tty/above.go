package tty

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Above writes lines above the frame, into the terminal's scrollback. They go
// through the gate like everything else.
func Above(lines []string) tea.Cmd { return tea.Println(strings.Join(lines, "\n")) }
