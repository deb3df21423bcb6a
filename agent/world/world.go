package world

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/gitsafe"
	"github.com/tera-pilot/tera-pilot/internal/netguard"
	"github.com/tera-pilot/tera-pilot/mcp"
	"github.com/tera-pilot/tera-pilot/ossandbox"
	"github.com/tera-pilot/tera-pilot/websearch"
)

// Options name the place that a World is about. Paths are absolute.
type Options struct {
	Root       string                                           // the workspace, links resolved
	Home       string                                           // the person's home folder
	State      string                                           // our own state folder: no tool ever touches it
	OutDir     string                                           // where outputs that were cut are kept, read as @out/…
	OpenOutput func(name string, stored []byte) ([]byte, error) // makes one of what is stored; nil: it is stored as it is
	Env        []string
	Bubblewrap []string // where bwrap may be; nil is the usual places
	Setting    ossandbox.Setting
	Seconds    int              // default time limit of a command
	Egress     netguard.Options // how the proxy of a command resolves and dials; the zero value is the machine's way
	Web        *websearch.Web   // reads the web; nil for none
	MCP        *mcp.Servers     // nil for none
	Editor     Editor           // holds files of the workspace open; nil for none
}

// World is one workspace on this machine.
type World struct {
	o        Options
	files    *Files
	box      *ossandbox.Sandbox
	boxErr   error // why there is no sandbox
	report   ossandbox.Report
	git      *gitsafe.Git
	gitErr   error // why there is no git
	programs *programs
	plans    *gitPlans
}

// Open looks at the workspace and probes the sandbox. No sandbox and no git
// are no errors: commands are refused then, with the cause; files can still be
// read and edited.
func Open(ctx context.Context, o Options) (*World, error) {
	w := &World{o: o, programs: &programs{}, plans: &gitPlans{}}
	var err error
	if w.files, err = newFiles(o); err != nil {
		return nil, err
	}
	cfg := ossandbox.Config{Root: o.Root, Home: o.Home, State: o.State, Env: o.Env, Setting: o.Setting, Egress: o.Egress, Bubblewrap: o.Bubblewrap}
	w.box, w.boxErr = ossandbox.New(ctx, cfg)
	switch {
	case w.boxErr == nil:
		w.report, w.files.o.StandIns = w.box.Report(), w.box.StandIns
	case o.Setting == ossandbox.Off:
		w.report = ossandbox.Report{}
	default:
		w.report = ossandbox.Probe(ctx, cfg)
	}
	w.git, w.gitErr = Git(gitsafe.Options{Root: o.Root, Home: o.Home, Env: o.Env}, o.State, w.gitBox())
	return w, nil
}

// gitBox is the sandbox that git runs in: none where there is none, where the
// person has switched it off, and at grade B, which works on a copy: git runs
// hardened on the host then, and nothing of the repository runs at all.
func (w *World) gitBox() *ossandbox.Sandbox {
	if w.o.Setting == ossandbox.Off || w.copies() {
		return nil
	}
	return w.box
}

// copies says that commands run on a copy of the workspace, where nothing can
// be mounted.
func (w *World) copies() bool { return w.report.Grade < ossandbox.GradeAMinus }

// Grade is the sandbox's grade in force, "none" when commands are refused.
func (w *World) Grade() string {
	if w.boxErr != nil {
		return ossandbox.GradeNone.String()
	}
	return w.report.Grade.String()
}

// Troubles say what keeps the sandbox from being better, with the mend.
func (w *World) Troubles() []string {
	var out []string
	for _, t := range w.report.Troubles {
		out = append(out, t.String())
	}
	if w.boxErr != nil && len(out) == 0 {
		out = append(out, w.boxErr.Error())
	}
	return out
}

// WithOutputs is the same world for another session in it, whose outputs that
// were cut lie in dir and are made by open. It is closed with w.
func (w *World) WithOutputs(dir string, open func(name string, stored []byte) ([]byte, error)) *World {
	other, files := *w, *w.files
	files.o.Outputs, other.o.OutDir, other.files = dir, dir, &files
	files.o.OpenOutput, other.o.OpenOutput = open, open
	return &other
}

// Root is the workspace.
func (w *World) Root() string { return w.o.Root }

// Head is the commit that the workspace is at and its branch; both are empty
// where there is no repository, or no commit yet.
func (w *World) Head(ctx context.Context) (commit, branch string) {
	if w.git == nil {
		return "", ""
	}
	s, err := w.git.Status(ctx, w.o.Root)
	if err != nil {
		return "", "" // not a repository, or one that gitsafe refuses: a git call will say so
	}
	return s.Commit, s.Branch
}

// Checkout is what a person calls the state of the repository: "main*3" for three
// paths on that branch that are not as committed, "9f3c1a7" where no branch is
// checked out, "" where there is no repository that can be looked at.
func (w *World) Checkout(ctx context.Context) string {
	if w.git == nil {
		return ""
	}
	s, err := w.git.Status(ctx, w.o.Root)
	if err != nil {
		return ""
	}
	name, n := s.Branch, 0
	if name == "" {
		name = s.Commit[:min(7, len(s.Commit))]
	}
	for _, e := range s.Entries {
		if e.Index != '!' {
			n++
		}
	}
	if name != "" && n > 0 {
		name += fmt.Sprintf("*%d", n)
	}
	return name
}

// Here is an error where the workspace is not at its name any more. File tools
// reach the folder that was opened and commands the one of that name, so that
// with two of them nothing may be done in either.
func (w *World) Here() error {
	if w.files.root.Moved() {
		return fmt.Errorf("the workspace %s was moved, removed or replaced since the session began, and nothing is done in what is there now: put it back, or start a new session where it is", w.o.Root)
	}
	return nil
}

// Close ends what the world keeps between calls.
func (w *World) Close() error {
	var errs []error
	if w.box != nil {
		errs = append(errs, w.box.Close())
	}
	errs = append(errs, w.files.Close())
	return errors.Join(errs...)
}

// A Fact is one line about how a command is confined.
type Fact struct {
	Name, Value string
	Warn        bool // it needs attention
}

// Confinement says, for the question, what the sandbox lets a command do.
func (w *World) Confinement(x *effect.Command) []Fact {
	if w.box == nil || x.Profile == gate.ProfileOff {
		return []Fact{{"runs in", "NO SANDBOX: it can read, change and send whatever you can", true}}
	}
	profile, err := ossandbox.ParseProfile(x.Profile, x.Hosts...)
	if err != nil {
		return []Fact{{"runs in", "no sandbox profile: " + err.Error(), true}}
	}
	facts := []Fact{{Name: "runs in", Value: fmt.Sprintf("sandbox %s, %s", w.report.Grade, profile)}}
	plan, err := w.box.Plan(ossandbox.Command{Script: x.Script, Argv: x.Argv, Dir: x.Dir, Profile: profile})
	if err != nil {
		return append(facts, Fact{"sandbox", err.Error(), true})
	}
	// The profile's own words say that the workspace is writable.
	if paths := plan.Writable(); len(paths) > 1 || len(paths) == 1 && paths[0] != w.o.Root {
		facts = append(facts, Fact{Name: "may write", Value: strings.Join(w.shorten(paths), "  ")})
	}
	if paths := plan.ReadOnly(); len(paths) > 0 {
		facts = append(facts, Fact{Name: "but not", Value: Fold(w.shorten(paths), "  ")})
	}
	if paths := plan.Hidden(); len(paths) > 0 {
		facts = append(facts, Fact{Name: "hidden", Value: Fold(w.shorten(paths), "  ")})
	}
	return facts
}

// Folded is how many names of what is withheld are shown.
const Folded = 4

// Fold lists the first names and counts the others. It is for what is
// withheld; what is granted is always shown in full.
func Fold(names []string, between string) string {
	if len(names) <= Folded {
		return strings.Join(names, between)
	}
	return fmt.Sprintf("%s%sand %d more", strings.Join(names[:Folded], between), between, len(names)-Folded)
}

// shorten names paths beneath the root as the person does.
func (w *World) shorten(paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, p := range paths {
		switch rel, ok := strings.CutPrefix(p, w.o.Root+"/"); {
		case p == w.o.Root:
			out = append(out, "the workspace")
		case ok:
			out = append(out, rel)
		default:
			out = append(out, p)
		}
	}
	return out
}
