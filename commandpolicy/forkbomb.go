package commandpolicy

import "mvdan.cc/sh/v3/syntax"

// isForkBomb reports whether a function starts itself in a pipeline or in the
// background, and nothing stands in the way.
func isForkBomb(c *syntax.FuncDecl) bool {
	return c.Name != nil && selfAsync(c.Body, c.Name.Value, false, maxNested)
}

// selfAsync looks at what surely runs when s does.
func selfAsync(s *syntax.Stmt, name string, async bool, depth int) bool {
	if depth == 0 {
		return false
	}
	async = async || s.Background
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return async && len(c.Args) > 0 && c.Args[0].Lit() == name
	case *syntax.BinaryCmd:
		pipe := c.Op == syntax.Pipe || c.Op == syntax.PipeAll
		return selfAsync(c.X, name, async || pipe, depth-1) || (pipe || async) && selfAsync(c.Y, name, async || pipe, depth-1)
	case *syntax.Block:
		return anyAsync(c.Stmts, name, async, depth)
	case *syntax.Subshell:
		return anyAsync(c.Stmts, name, async, depth)
	case *syntax.WhileClause:
		return anyAsync(c.Do, name, async, depth)
	}
	return false
}

func anyAsync(stmts []*syntax.Stmt, name string, async bool, depth int) bool {
	for _, s := range stmts {
		if selfAsync(s, name, async, depth-1) {
			return true
		}
	}
	return false
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
