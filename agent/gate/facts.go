package gate

import (
	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// Analyse parses the text of a command for its planner, and returns with the
// analysis the facts that the parse asked for: they belong into
// effect.Command.Facts, and Decide parses again from them alone. c.Look is the
// real one.
func Analyse(text string, c commandpolicy.Context) (*commandpolicy.Analysis, []effect.Fact) {
	return commandpolicy.Parse(text, c), nil
}

// AnalyseCode is Analyse for a run_code call.
func AnalyseCode(lang, source string, c commandpolicy.Context) (*commandpolicy.Analysis, []effect.Fact) {
	return commandpolicy.Code(lang, source, c), nil
}
