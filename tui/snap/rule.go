package snap

import "strings"

// OneRow is a rule of the policy language on one row: its lines, without the
// empty ones, with two blanks between. It is for reading; what is remembered is
// the rule itself.
func OneRow(rule string) string {
	var parts []string
	for line := range strings.Lines(rule) {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, "  ")
}
