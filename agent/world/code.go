package world

import (
	"context"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// interpreters run code that is given as a word, by language: the programs that
// are looked for, in order, and the option before the code.
var interpreters = map[string]struct {
	names  []string
	option string
}{
	"python": {[]string{"python3", "python"}, "-c"},
	"node":   {[]string{"node", "nodejs"}, "-e"},
	"bash":   {[]string{"bash"}, "-c"},
}

// code plans a program that is given whole. What it does is not known, whatever
// its text says: it is judged as a command that runs unknown code.
func (v *view) code(ctx context.Context, c tool.CommandSpec, dir string, env environment, place commandpolicy.Context) (effect.Effect, error) {
	how, ok := interpreters[c.Language]
	if !ok {
		return effect.Effect{}, fmt.Errorf("there is no interpreter for %q", c.Language)
	}
	analysis, facts := gate.AnalyseCode(c.Language, c.Script, place)
	x := &effect.Command{
		Script: c.Script, Dir: dir, Facts: facts, Parsed: analysis.Parsed, Set: env.added, Dropped: env.removed, Timeout: v.limit(c.Seconds),
		Stdin: []byte(c.Stdin),
	}
	find := v.programs.resolve
	if c.Plain {
		find = v.programs.plain
	}
	var err error
	for _, name := range how.names {
		if x.Program, err = find(name, env.values["PATH"]); err == nil {
			break
		}
	}
	if err != nil {
		return effect.Effect{}, &tool.ArgumentError{What: fmt.Sprintf("no interpreter for %s is installed where commands can find it (%v): use another language, or execute_command", c.Language, err)}
	}
	x.Argv = []string{x.Program.Path, how.option, c.Script}
	v.parts(x, analysis, env.values["PATH"])
	v.used(ctx, x, analysis)
	return effect.Effect{Kind: effect.Exec, Exec: x}, nil
}
