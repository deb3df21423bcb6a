package gitsafe

import "context"

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

// A Commit is one entry of a log.
type Commit struct {
	ID         string
	Parents    []string
	Author     string // name <mail>
	AuthorTime int64  // seconds since 1970
	Committer  string
	CommitTime int64
	Subject    string
	Body       string
}

// StatusCall is the call whose output ParseStatus reads.
func StatusCall(paths ...string) (Call, error) {
	return checkPaths([]string{"status", "--porcelain=v2", "--branch", "-z"}, paths)
}

// DiffCall shows a difference: of the working tree against the index, of the
// index (staged), or against a revision, always with prefixes a/ and b/.
func DiffCall(staged bool, rev string, paths ...string) (Call, error) {
	args := []string{"diff", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"}
	if staged {
		args = append(args, "--cached")
	}
	if rev != "" {
		args = append(args, rev)
	}
	return checkPaths(args, paths)
}

// StageCall puts exactly these paths into the index.
func StageCall(paths ...string) (Call, error) {
	if len(paths) == 0 {
		return Call{}, refuse("name files or folders", "nothing to stage")
	}
	return checkPaths([]string{"add"}, paths)
}

// CommitCall commits the index, or exactly these paths.
func CommitCall(message string, paths ...string) (Call, error) {
	return checkPaths([]string{"commit", "--message=" + message}, paths)
}

func checkPaths(args, paths []string) (Call, error) {
	if len(paths) > 0 {
		args = append(append(args, "--"), paths...)
	}
	return Check(args)
}

// Status is the state of the working tree that holds dir, for a header line.
func (g *Git) Status(ctx context.Context, dir string) (Status, error) {
	c, err := StatusCall()
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
