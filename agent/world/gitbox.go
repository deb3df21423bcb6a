package world

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tera-pilot/tera-pilot/gitsafe"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// Git is gitsafe over a sandbox, for the agent and for what a person types. The
// repository's own hooks and drivers run in it when the person has agreed to
// them. box is nil where git runs on the host itself, hardened all the same:
// then nothing of the repository runs at all.
func Git(o gitsafe.Options, state string, box *ossandbox.Sandbox) (*gitsafe.Git, error) {
	if box == nil {
		o.Runner = gitsafe.Plain{}
		return gitsafe.New(o)
	}
	o.Runner, o.Overlays = boxed{box}, true
	o.Trust, o.Private = Agreements(state).Covers, filepath.Join(state, "git-hooks")
	return gitsafe.New(o)
}

// Agreements are the hooks and drivers that the person has agreed to.
func Agreements(state string) gitsafe.Agreements {
	return gitsafe.Agreements{File: filepath.Join(state, "git_trust.json")}
}

// foundAfter begins a note of git's run that says what was found after it.
const foundAfter = "found after the run: "

// boxed runs git in the sandbox, with the covers that gitsafe asks for.
type boxed struct{ box *ossandbox.Sandbox }

// Run implements gitsafe.Runner.
func (b boxed) Run(ctx context.Context, in gitsafe.Invocation) (gitsafe.ExitStatus, error) {
	if in.Keys {
		// The network, a signature and a credential helper need what the sandbox
		// hides; the person has said yes to this very call.
		return gitsafe.Plain{}.Run(ctx, in)
	}
	binds, cleanup, err := overlays(in.Overlays)
	if err != nil {
		return gitsafe.ExitStatus{}, err
	}
	defer cleanup()
	for _, p := range in.Readable {
		binds = append(binds, ossandbox.Bind{Source: p, Target: p})
	}
	argv, dir := append([]string{in.Path}, in.Argv[1:]...), in.Dir
	if !beneath(b.box.Workspace(), dir) {
		// A repository beside the workspace, behind a remote: only to look at.
		binds = append(binds, ossandbox.Bind{Source: dir, Target: dir})
		argv = append([]string{in.Path, "-C", dir}, in.Argv[1:]...)
		dir = b.box.Workspace()
	}
	profile := ossandbox.Work()
	if in.ReadOnly {
		profile = ossandbox.Observe()
	} else if !in.Foreign {
		more, undo, err := writable(b.box.Workspace(), in.Writable)
		if err != nil {
			return gitsafe.ExitStatus{}, err
		}
		defer undo()
		binds = append(more, binds...) // what is covered stays covered
	}
	out := &capped{w: in.Stdout, left: in.OutputLimit}
	errs := &capped{w: in.Stderr, left: in.OutputLimit}
	res, err := b.box.Run(ctx, ossandbox.Command{
		Argv: argv, Dir: dir, ExtraEnv: in.Env, Profile: profile, Timeout: in.Timeout,
		Stdin: in.Stdin, Stdout: out, Stderr: errs, Binds: binds, Uncover: !in.ReadOnly && !in.Foreign,
	})
	if err != nil {
		return gitsafe.ExitStatus{}, err
	}
	var notes []string
	for _, f := range res.Quarantine {
		notes = append(notes, foundAfter+f.String())
	}
	return gitsafe.ExitStatus{
		Notes: notes, Code: res.ExitCode, Signalled: res.Signal != 0, TimedOut: res.TimedOut,
		Truncated: out.dropped || errs.dropped || res.Dropped > 0,
	}, nil
}

// writable are the mounts for what a run of git writes outside of the
// workspace. What lies in it is writable anyway, and must not be a mount point
// of its own: git replaces files. A folder that git is to make is made empty
// first, which git accepts, and taken away by undo where it stayed empty.
func writable(root string, paths []string) (binds []ossandbox.Bind, undo func(), err error) {
	var made []string
	undo = func() {
		for _, p := range made {
			_ = os.Remove(p) // fails where git has filled it
		}
	}
	have := []string{root}
	paths = slices.Clone(paths)
	slices.SortFunc(paths, func(a, b string) int { return len(a) - len(b) })
	for _, p := range paths {
		if slices.ContainsFunc(have, func(dir string) bool { return beneath(dir, p) }) {
			continue
		}
		have = append(have, p)
		if err := os.Mkdir(p, 0o755); err == nil {
			made = append(made, p)
		} else if !errors.Is(err, fs.ErrExist) {
			undo()
			return nil, nil, fmt.Errorf("the folder that git is to write: %w", err)
		}
		binds = append(binds, ossandbox.Bind{Source: p, Target: p, Writable: true})
	}
	return binds, undo, nil
}

// overlays puts gitsafe's contents into files that can be bound. cleanup
// removes them.
func overlays(in []gitsafe.Overlay) (binds []ossandbox.Bind, cleanup func(), err error) {
	cleanup = func() {}
	if len(in) == 0 {
		return nil, cleanup, nil
	}
	dir, err := os.MkdirTemp("", "tera-pilot-git-")
	if err != nil {
		return nil, cleanup, fmt.Errorf("cover over the repository's configuration: %w", err)
	}
	cleanup = func() { _ = os.RemoveAll(dir) } // only our own copies are in it
	for i, o := range in {
		source := filepath.Join(dir, fmt.Sprint(i))
		if o.Dir {
			err = os.Mkdir(source, 0o700)
		} else {
			err = os.WriteFile(source, o.Content, 0o600)
		}
		if err != nil {
			cleanup()
			return nil, func() {}, fmt.Errorf("cover over the repository's configuration: %w", err)
		}
		binds = append(binds, ossandbox.Bind{Source: source, Target: o.Path})
	}
	return binds, cleanup, nil
}
