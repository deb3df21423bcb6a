package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type gitStatus struct{}

// Spec implements Tool.
func (gitStatus) Spec() Spec {
	return Spec{
		Name: "git_status", Category: "git",
		Description: "The branch, and which files are staged, changed, untracked or in conflict.",
		Schema:      json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{}}`),
	}
}

// Plan implements Tool.
func (t gitStatus) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	if err := decode(t.Spec(), args, &struct{}{}); err != nil {
		return effect.Set{}, err
	}
	return planGit(ctx, v, t.Spec(), "git status", "status", "--porcelain=v1", "--branch", "-z")
}

// Run implements Tool.
func (gitStatus) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	return runGit(ctx, e, planned, shapeStatus)
}

// shapeStatus makes a short text of `git status --porcelain=v1 --branch -z`.
func shapeStatus(out string) string {
	var b strings.Builder
	groups := map[string][]string{}
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i < len(fields); i++ {
		f := fields[i]
		if branch, ok := strings.CutPrefix(f, "## "); ok {
			fmt.Fprintf(&b, "branch %s\n", branch)
			continue
		}
		if len(f) < 4 || f[2] != ' ' {
			return out // not what was asked for: show it as it is
		}
		x, y, name := f[0], f[1], quote(f[3:])
		if x == 'R' || x == 'C' {
			if i++; i < len(fields) {
				name = quote(fields[i]) + " -> " + name
			}
		}
		file(groups, x, y, name)
	}
	for _, title := range []string{"in conflict", "staged", "changed, not staged", "untracked"} {
		if names := groups[title]; len(names) > 0 {
			fmt.Fprintf(&b, "%s:\n  %s\n", title, strings.Join(names, "\n  "))
		}
	}
	if len(groups) == 0 {
		b.WriteString("nothing to commit, the working tree is clean\n")
	}
	return b.String()
}

// file sorts one entry into the groups (git-status(1), "Short Format").
func file(groups map[string][]string, x, y byte, name string) {
	add := func(group string, letter byte) { groups[group] = append(groups[group], statusWord(letter)+name) }
	switch {
	case x == '?':
		groups["untracked"] = append(groups["untracked"], name)
		return
	case x == 'U' || y == 'U' || x == y && (x == 'A' || x == 'D'):
		groups["in conflict"] = append(groups["in conflict"], name)
		return
	}
	if x != ' ' {
		add("staged", x)
	}
	if y != ' ' {
		add("changed, not staged", y)
	}
}

func statusWord(letter byte) string {
	switch letter {
	case 'M':
		return "modified "
	case 'T':
		return "type changed "
	case 'A':
		return "new "
	case 'D':
		return "deleted "
	case 'R':
		return "renamed "
	case 'C':
		return "copied "
	default:
		return string(letter) + " "
	}
}
