package commandpolicy

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// A start is a call of a function that surely happens when another one runs:
// nothing stands in the way. async is set in a pipeline or in the background.
type start struct {
	name  string
	async bool
}

// surely lists the commands that surely start when s runs.
func surely(s *syntax.Stmt, async bool, depth int) []start {
	if depth == 0 || s == nil {
		return nil
	}
	async = async || s.Background
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) > 0 {
			if name, ok := staticText(c.Args[0]); ok {
				return []start{{name, async}}
			}
		}
	case *syntax.BinaryCmd:
		pipe := c.Op == syntax.Pipe || c.Op == syntax.PipeAll
		out := surely(c.X, async || pipe, depth-1)
		if pipe || async {
			out = append(out, surely(c.Y, async || pipe, depth-1)...)
		}
		return out
	case *syntax.Block:
		return allSurely(c.Stmts, async, depth)
	case *syntax.Subshell:
		return allSurely(c.Stmts, async, depth)
	case *syntax.WhileClause:
		return allSurely(c.Do, async, depth)
	}
	return nil
}

func allSurely(stmts []*syntax.Stmt, async bool, depth int) []start {
	var out []start
	for _, s := range stmts {
		out = append(out, surely(s, async, depth-1)...)
	}
	return out
}

// forkBomb reports whether functions start each other without end, and not
// only one at a time: what is left when those are taken away that start none
// of the others, or that none of the others starts, runs in circles.
func forkBomb(starts map[string][]start) bool {
	for name, list := range starts {
		starts[name] = slices.DeleteFunc(list, func(s start) bool { return starts[s.name] == nil })
	}
	trimmed(starts)
	back := map[string][]start{}
	for name, list := range starts {
		for _, s := range list {
			if starts[s.name] != nil {
				back[s.name] = append(back[s.name], start{name, s.async})
			}
		}
	}
	trimmed(back)
	for _, list := range back {
		for _, s := range list {
			if s.async && back[s.name] != nil {
				return true
			}
		}
	}
	return false
}

// trimmed takes away, again and again, what starts nothing that is left.
func trimmed(starts map[string][]start) {
	left := map[string]int{}
	from := map[string][]string{}
	var done []string
	for name, list := range starts {
		left[name] = len(list)
		if len(list) == 0 {
			done = append(done, name)
		}
		for _, s := range list {
			from[s.name] = append(from[s.name], name)
		}
	}
	for len(done) > 0 {
		name := done[len(done)-1]
		done = done[:len(done)-1]
		delete(starts, name)
		for _, f := range from[name] {
			if left[f]--; left[f] == 0 {
				done = append(done, f)
			}
		}
	}
}

// isEndless reports whether a loop condition always holds.
func isEndless(cond []*syntax.Stmt) bool {
	if len(cond) != 1 {
		return false
	}
	switch c := cond[0].Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return false
		}
		name := c.Args[0].Lit()
		return name == "true" || name == ":" || (name == "[" || name == "test") && len(c.Args) <= 3 && c.Args[1].Lit() == "1"
	case *syntax.ArithmCmd:
		word, ok := c.X.(*syntax.Word)
		return ok && word.Lit() == "1"
	}
	return false
}

// spawnsForever reports whether a loop body starts processes in the background
// and never waits.
func spawnsForever(body []*syntax.Stmt) bool {
	spawns, waits := false, false
	for _, s := range body {
		if s.Background {
			spawns = true
			continue
		}
		syntax.Walk(s, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
				switch c.Args[0].Lit() {
				case "sleep", "wait", "read", "break", "exit", "return", "inotifywait", "usleep":
					waits = true
				}
			}
			return true
		})
	}
	return spawns && !waits
}

// selfCall recognises $0 as the program.
func selfCall(c *syntax.CallExpr) bool {
	for _, x := range c.Args[:min(2, len(c.Args))] {
		parts := x.Parts
		if len(parts) == 1 {
			if q, ok := parts[0].(*syntax.DblQuoted); ok {
				parts = q.Parts
			}
		}
		if len(parts) != 1 {
			continue
		}
		if p, ok := parts[0].(*syntax.ParamExp); ok && p.Param != nil && p.Param.Value == "0" {
			return true
		}
	}
	return false
}
