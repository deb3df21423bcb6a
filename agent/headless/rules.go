package headless

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// wayOut says what would have allowed what was denied, as one text to paste:
// each rule stands there once, below what it is for. What no rule could have
// allowed is said too, or it would look forgotten.
func wayOut(denied []Denial, optOut bool) string {
	var rules, blocks, none []string
	for _, d := range denied {
		effect := visible.Strict(d.Effect)
		if d.WouldAllow == nil {
			if line := "no rule would have allowed " + effect; d.Decision == string(audit.Denied) && !slices.Contains(none, line) {
				none = append(none, line)
			}
			continue
		}
		block := "# " + effect
		for rule := range strings.SplitSeq(strings.TrimSpace(visible.Prose(*d.WouldAllow)), "\n\n") {
			if !slices.Contains(rules, rule) {
				rules, block = append(rules, rule), block+"\n"+rule+"\n"
			}
		}
		if strings.Contains(block, "\n") {
			blocks = append(blocks, block)
		}
	}
	var b strings.Builder
	if len(blocks) > 0 {
		what, text := "these", strings.Join(blocks, "\n")
		if len(blocks) == 1 {
			what, text, _ = strings.Cut(strings.TrimPrefix(text, "# "), "\n")
		}
		fmt.Fprintf(&b, "to allow %s, put this into policy.toml (in ~/.tera_pilot):\n%s\n", what, text)
	}
	for _, line := range none {
		fmt.Fprintln(&b, line)
	}
	if len(none) > 0 && !optOut {
		b.WriteString("run --no-confirm acts without asking, inside the sandbox (docs/headless.md)\n")
	}
	return b.String()
}
