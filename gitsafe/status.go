package gitsafe

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// A Status is `git status --porcelain=v2 --branch -z`, decoded.
type Status struct {
	Commit   string // object name of HEAD; empty before the first commit
	Branch   string // empty when HEAD is detached
	Upstream string
	Ahead    int
	Behind   int
	Entries  []StatusEntry
}

// A StatusEntry is one path that is not clean.
type StatusEntry struct {
	Path     string // relative to the top, bytes as they are
	Orig     string // where it was renamed or copied from
	Index    byte   // X of porcelain v2: M T A D R C U, '.' when unchanged, '?' untracked, '!' ignored
	Worktree byte   // Y of porcelain v2
	Conflict bool
}

// statusArgs ask git for what ParseStatus reads.
var statusArgs = []string{"status", "--porcelain=v2", "--branch", "-z"}

// Status is the state of the working tree that holds dir, for a header line.
func (g *Git) Status(ctx context.Context, dir string) (Status, error) {
	c, err := Check(statusArgs)
	if err != nil {
		return Status{}, err
	}
	out, err := g.capture(ctx, dir, c)
	if err != nil {
		return Status{}, err
	}
	return ParseStatus(out)
}

// capture plans and runs a reading call and returns its output; an exit code
// other than 0 is an error that holds git's own words.
func (g *Git) capture(ctx context.Context, dir string, c Call) ([]byte, error) {
	p, err := g.Plan(ctx, dir, c)
	if err != nil {
		return nil, err
	}
	r, err := g.Run(ctx, p, Streams{})
	if err != nil {
		return nil, err
	}
	if r.Code != 0 || r.Truncated {
		return nil, gitFailed(c, r)
	}
	return r.Stdout, nil
}

// ParseStatus decodes what statusArgs ask for (git-status(1), porcelain
// format version 2). An unknown kind of line is an error, an unknown header
// is not.
func ParseStatus(out []byte) (Status, error) {
	var s Status
	fields := bytes.Split(out, []byte{0})
	for i := 0; i < len(fields); i++ {
		line := string(fields[i])
		if line == "" {
			continue
		}
		if header, ok := strings.CutPrefix(line, "# "); ok {
			s.header(header)
			continue
		}
		e, err := parseEntry(line)
		if err != nil {
			return Status{}, err
		}
		if line[0] == '2' {
			if i++; i == len(fields) {
				return Status{}, fmt.Errorf("git status: %q names no origin", line)
			}
			e.Orig = string(fields[i])
		}
		s.Entries = append(s.Entries, e)
	}
	return s, nil
}

func (s *Status) header(line string) {
	name, value, _ := strings.Cut(line, " ")
	switch name {
	case "branch.oid":
		if value != "(initial)" {
			s.Commit = value
		}
	case "branch.head":
		if value != "(detached)" {
			s.Branch = value
		}
	case "branch.upstream":
		s.Upstream = value
	case "branch.ab":
		ahead, behind, _ := strings.Cut(value, " ")
		s.Ahead, _ = strconv.Atoi(strings.TrimPrefix(ahead, "+"))
		s.Behind, _ = strconv.Atoi(strings.TrimPrefix(behind, "-"))
	}
}

// columns is how many words stand before the path, by the kind of line.
func columns(kind byte) int {
	switch kind {
	case '1':
		return 8
	case '2':
		return 9
	case 'u':
		return 10
	case '?', '!':
		return 1
	}
	return 0
}

func parseEntry(line string) (StatusEntry, error) {
	n := columns(line[0])
	f := strings.SplitN(line, " ", n+1)
	if n == 0 || len(f) != n+1 || f[n] == "" {
		return StatusEntry{}, fmt.Errorf("git status: %q is no line of porcelain v2", line)
	}
	e := StatusEntry{Path: f[n], Index: line[0], Worktree: line[0], Conflict: line[0] == 'u'}
	if n > 1 {
		if len(f[1]) != 2 {
			return StatusEntry{}, fmt.Errorf("git status: %q is no line of porcelain v2", line)
		}
		e.Index, e.Worktree = f[1][0], f[1][1]
	}
	return e, nil
}
