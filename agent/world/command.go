package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/gitsafe"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// maxOutput is how much of a command's output is kept, in bytes.
const maxOutput = 10 << 20

// Command implements tool.View.
func (v *view) Command(ctx context.Context, c tool.CommandSpec) (effect.Effect, error) {
	w := v.World
	dir, err := v.folder(ctx, c.Dir)
	if err != nil {
		return effect.Effect{}, err
	}
	if err := w.reachable(c.Hosts); err != nil {
		return effect.Effect{}, err
	}
	env, err := w.environment(dir)
	if err != nil {
		return effect.Effect{}, err
	}
	place := commandpolicy.Context{Workspace: w.o.Root, Dir: dir, Home: w.o.Home, State: w.o.State, Env: env.values, Look: look{}}
	if c.Language != "" {
		return v.code(ctx, c, dir, env, place)
	}
	analysis, facts := gate.Analyse(c.Script, place)
	if argv := analysis.SingleGit; len(argv) > 1 && c.Stdin == "" {
		if c.Background {
			return effect.Effect{}, &tool.ArgumentError{What: "a git call runs in the foreground: leave background out"}
		}
		return v.gitIn(ctx, dir, argv[1:]) // it reaches its own remotes, and is asked about those
	}
	x := &effect.Command{
		Script: c.Script, Dir: dir, Stdin: []byte(c.Stdin), Facts: facts, Parsed: analysis.Parsed,
		Set: env.added, Dropped: env.removed, Detected: c.Detected, Background: c.Background, Timeout: v.limit(c.Seconds),
		Hosts: slices.Clone(c.Hosts),
	}
	if x.Program, err = w.programs.resolve("bash", env.values["PATH"]); err != nil {
		return effect.Effect{}, fmt.Errorf("commands need bash: %w", err)
	}
	x.Argv = []string{x.Program.Path, "-c", c.Script}
	v.parts(x, analysis, env.values["PATH"])
	v.used(ctx, x, analysis)
	return effect.Effect{Kind: effect.Exec, Exec: x}, nil
}

// reachable says why a command cannot be given these hosts, each of which a
// person reads: no patterns, no addresses.
func (w *World) reachable(hosts []string) error {
	if len(hosts) == 0 {
		return nil
	}
	for _, h := range hosts {
		if strings.Contains(h, "*") {
			return fmt.Errorf("the host %q is a pattern: name each host that is needed", h)
		}
	}
	if err := ossandbox.ParseHosts(hosts); err != nil {
		return err
	}
	if w.box != nil && w.copies() && w.o.Setting != ossandbox.Off {
		return fmt.Errorf("no command reaches the network at sandbox grade %s: run it without hosts", w.report.Grade)
	}
	return nil
}

// folder resolves the working folder of a command.
func (v *view) folder(ctx context.Context, name string) (string, error) {
	if name == "" {
		return v.o.Root, nil
	}
	p, err := v.Path(ctx, name)
	switch {
	case err != nil:
		return "", err
	case p.Outside || p.Virtual:
		return "", fmt.Errorf("%s is outside the workspace: commands run inside it", name)
	case p.Type != effect.Dir:
		return "", fmt.Errorf("%s is not a folder", name)
	}
	return p.Abs, nil
}

func (v *view) limit(seconds int) time.Duration {
	if seconds <= 0 {
		seconds = v.o.Seconds
	}
	return time.Duration(seconds) * time.Second
}

// parts copies what the parse found, with the programs that the text names.
func (v *view) parts(x *effect.Command, a *commandpolicy.Analysis, path string) {
	folders := []string{x.Dir} // where the text may stand when it names a file
	for _, p := range a.Parts {
		if p.Kind != commandpolicy.PartCall {
			continue
		}
		if p.Name == "cd" {
			folders = append(folders, p.Effects.Reads...)
		}
		part := effect.Part{Known: true}
		for _, arg := range p.Argv {
			part.Argv = append(part.Argv, arg.Text)
			part.Known = part.Known && arg.Known
		}
		part.Note = strings.Join(p.Why, "; ")
		x.Parts = append(x.Parts, part)
		v.executables(x, p, folders, path)
	}
}

// executables adds what a part runs, with its content: the program on the PATH,
// and the files that the text names, be it as programs (./run) or as scripts
// (sh run.sh). A name that is not found is a builtin, or fails when it runs.
func (v *view) executables(x *effect.Command, p commandpolicy.Part, folders []string, path string) {
	add := func(name string) {
		program, err := v.programs.resolve(name, path)
		if err == nil && !slices.Contains(x.Programs, program) {
			x.Programs = append(x.Programs, program)
		}
	}
	files := slices.Clone(p.Effects.Executes)
	if len(p.Argv) > 0 && strings.Contains(p.Argv[0].Text, "/") {
		files = append(files, p.Argv[0].Text)
	} else if p.Name != "" {
		add(p.Name)
	}
	for _, file := range files {
		for _, folder := range folders {
			if filepath.IsAbs(file) {
				folder = ""
			}
			add(filepath.Join("/", folder, file))
		}
	}
}

// used lists the paths of the parse that the person must hear of.
func (v *view) used(ctx context.Context, x *effect.Command, a *commandpolicy.Analysis) {
	add := func(list *[]effect.Path, abs string) {
		p, err := v.Path(ctx, abs)
		if err != nil {
			p = effect.Path{Name: abs, Abs: abs, Outside: true}
		}
		for _, have := range *list {
			if have.Abs == p.Abs {
				return
			}
		}
		*list = append(*list, p)
	}
	for _, uses := range [][]commandpolicy.PathUse{a.SecretReads, a.OutsidePaths, a.ProtectedPaths} {
		for _, u := range uses {
			if u.Act == commandpolicy.ActRead {
				add(&x.Reads, u.Path)
			} else {
				add(&x.Writes, u.Path)
			}
		}
	}
	for _, p := range a.Parts {
		for _, abs := range append(append([]string{}, p.Effects.Writes...), p.Effects.Deletes...) {
			add(&x.Writes, abs)
		}
	}
}

// systemPath is where programs are looked for when no sandbox says where.
const systemPath = "/usr/local/bin:/usr/bin:/bin"

// environment is what a command in dir would find, and its difference to ours.
type environment struct {
	values         map[string]string
	added, removed []string
}

func (w *World) environment(dir string) (environment, error) {
	out := environment{values: map[string]string{"PATH": systemPath}}
	if w.box == nil {
		return out, nil
	}
	e, err := w.box.Environment(ossandbox.Command{Dir: dir, Profile: ossandbox.Work()})
	if err != nil {
		return out, err
	}
	for _, kv := range e.Vars {
		name, value, _ := strings.Cut(kv, "=")
		out.values[name] = value
	}
	for _, name := range e.Added {
		out.added = append(out.added, name+"="+out.values[name])
	}
	out.removed = e.Removed
	return out, nil
}

// Exec implements tool.Env.
func (v *env) Exec(ctx context.Context, e effect.Effect) (tool.Exit, error) {
	if err := v.covers(e, effect.Exec, effect.Start); err != nil {
		return tool.Exit{}, err
	}
	if e.Exec.Background {
		return tool.Exit{}, &tool.NotGrantedError{What: "waiting for a command that was to run in the background"}
	}
	return v.command(ctx, e.Exec, &collector{limit: maxOutput, tell: v.grant.Output})
}

// maxJobStart is how much of a job's output stands in its outcome, in bytes;
// the session keeps the newest.
const maxJobStart = 256 << 10

// Start implements tool.Env.
func (v *env) Start(_ context.Context, e effect.Effect) (string, error) {
	if err := v.covers(e, effect.Exec); err != nil {
		return "", err
	}
	switch {
	case !e.Exec.Background || v.grant.Start == nil:
		return "", &tool.NotGrantedError{What: "a command in the background"}
	case v.box == nil:
		return "", v.boxErr
	case e.Exec.Profile == gate.ProfileOff:
		return "", errors.New("without a sandbox nothing would end the command with the session: run it in the foreground")
	}
	return v.grant.Start(func(ctx context.Context, output func(string, []byte)) (tool.Exit, error) {
		return v.command(ctx, e.Exec, &collector{limit: maxJobStart, tell: output, tellAll: true})
	})
}

// command runs a command in the sandbox, to its end.
func (v *env) command(ctx context.Context, x *effect.Command, out *collector) (tool.Exit, error) {
	if v.box == nil {
		return tool.Exit{}, v.boxErr
	}
	// A person has said yes to this very command without a sandbox; the sandbox
	// itself takes that word only while the setting is off.
	bare := x.Profile == gate.ProfileOff
	profile := ossandbox.Work()
	if !bare {
		var err error
		if profile, err = ossandbox.ParseProfile(x.Profile, x.Hosts...); err != nil {
			return tool.Exit{}, err
		}
	}
	command := ossandbox.Command{
		Argv: x.Argv, Dir: x.Dir, Profile: profile, Timeout: x.Timeout,
		Stdin: bytes.NewReader(x.Stdin), Stdout: out.stream("stdout"), Stderr: out.stream("stderr"),
		OnRequest: v.grant.Request, OnFill: v.grant.Filling, Unconfined: bare,
	}
	if out.tellAll {
		command.OnFill = nil // a job: nobody waits for it
	}
	extra, cleanup, err := v.gitInside(ctx, x)
	if err != nil {
		return tool.Exit{}, err
	}
	defer cleanup()
	command.ExtraEnv, command.Binds = extra.env, extra.binds
	res, err := v.box.Run(ctx, command)
	var start *ossandbox.ExecError
	if errors.As(err, &start) {
		return tool.Exit{Code: 127, Output: []byte(start.Error())}, nil
	}
	if err != nil {
		return tool.Exit{}, err
	}
	ended := exit(res, out)
	return ended, v.carry(ctx, res.Changes, &ended)
}

// carry takes over what a command at grade B changed in its copy of the
// workspace. The decision that let it run covers the workspace; protected
// names, which the copy could not guard, are left as they are and named.
func (v *env) carry(ctx context.Context, changes []ossandbox.Change, x *tool.Exit) error {
	var wanted []ossandbox.Change
	repository := 0
	for _, c := range changes {
		if strings.HasPrefix(c.Path, ".git/") || strings.Contains(c.Path, "/.git/") {
			repository++
			continue
		}
		if name, ok := commandpolicy.ProtectedName(c.Path); ok {
			x.Findings = append(x.Findings, c.Path+": a change of the protected name "+name+" was not taken over")
			continue
		}
		wanted = append(wanted, c)
		x.Changes = append(x.Changes, tool.Change{Path: c.Path, Change: changeWords[c.Op]})
	}
	if repository > 0 {
		x.Findings = append(x.Findings, fmt.Sprintf("what git did in the copy of the repository was not taken over (%d files): "+
			"at sandbox grade B call git by itself, as in git_commit or a command that is one git call", repository))
	}
	if len(wanted) == 0 {
		return nil
	}
	conflicts, err := v.box.Apply(ctx, wanted)
	for _, c := range conflicts {
		x.Findings = append(x.Findings, c+": was changed by somebody else meanwhile, and is left as it is")
	}
	return err
}

var changeWords = map[ossandbox.ChangeOp]string{ossandbox.Created: "created", ossandbox.Modified: "written", ossandbox.Deleted: "deleted"}

// exit is a sandbox's result as tools see it.
func exit(res ossandbox.Result, out *collector) tool.Exit {
	x := tool.Exit{
		Code: res.ExitCode, TimedOut: res.TimedOut, Cancelled: res.Cancelled,
		Output: out.bytes(), Dropped: res.Dropped + out.dropped,
	}
	if res.Signal != 0 {
		x.Signal = res.Signal.String()
	}
	if res.LimitReached != "" {
		x.Hints = append(x.Hints, "ended by the sandbox: the limit of "+res.LimitReached+" was reached")
	}
	for _, d := range res.Denials {
		if d.Host != "" {
			d.Allow = `"hosts": ["` + d.Host + `"] in the call, which asks for it`
		}
		x.Hints = append(x.Hints, d.String())
	}
	for _, f := range res.Quarantine {
		line := f.Path + ": " + f.What
		if f.Moved != "" {
			line += ", moved to " + f.Moved
		}
		x.Findings = append(x.Findings, line)
	}
	return x
}

// inside is what makes git inside a command safe.
type inside struct {
	env   []string
	binds []ossandbox.Bind
}

// folders are those in the workspace that a command names, be it to cd, to git
// or to a program that starts git: each may lie in a repository of its own.
func (v *env) folders(x *effect.Command) []string {
	env, err := v.environment(x.Dir)
	if err != nil {
		return nil // the command will not start either
	}
	a := commandpolicy.Parse(x.Script, commandpolicy.Context{
		Workspace: v.o.Root, Dir: x.Dir, Home: v.o.Home, State: v.o.State, Env: env.values, Look: look{},
	})
	var out []string
	for _, p := range a.Parts {
		for _, dir := range p.Effects.Reads {
			inside := dir == v.o.Root || strings.HasPrefix(dir, v.o.Root+"/")
			if info, err := os.Stat(dir); inside && err == nil && info.IsDir() && !slices.Contains(out, dir) {
				out = append(out, dir)
			}
		}
	}
	return out
}

// gitInside prepares git for a command: a sanitised configuration and an empty
// folder of hooks over the own ones of each repository that it works in.
func (v *env) gitInside(ctx context.Context, x *effect.Command) (inside, func(), error) {
	none := func() {}
	if v.git == nil {
		return inside{}, none, nil
	}
	g, err := v.git.EnvironmentFor(ctx, x.Dir, v.folders(x)...)
	var refused *gitsafe.RefusedError
	if errors.As(err, &refused) {
		// Git finds no repository in such a command, and says by whom it was
		// refused; everything else of the command runs.
		return inside{env: g.Env}, none, nil
	}
	if err != nil {
		return inside{}, none, err
	}
	if v.copies() {
		return inside{env: g.Env}, none, nil // the copy is the command's own, and nothing of it is taken over
	}
	binds, cleanup, err := overlays(g.Overlays)
	return inside{env: g.Env, binds: binds}, cleanup, err
}

// Past parses the texts of earlier commands as they would run now, in the
// workspace.
func (w *World) Past(texts []string) gate.Past {
	env, err := w.environment(w.o.Root)
	if err != nil {
		return nil // what an offer would have covered is not told then
	}
	var out gate.Past
	for _, text := range texts {
		out = append(out, commandpolicy.Parse(text, commandpolicy.Context{
			Workspace: w.o.Root, Home: w.o.Home, State: w.o.State, Env: env.values, Look: look{},
		}))
	}
	return out
}
