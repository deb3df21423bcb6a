package world

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

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
	place := w.placeIn(dir, env)
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
			add(listOf(x, u.Act), u.Path)
		}
	}
	for _, p := range a.Parts {
		for _, abs := range p.Effects.Writes {
			add(&x.Writes, abs)
		}
		for _, abs := range p.Effects.Deletes {
			add(&x.Deletes, abs)
		}
	}
}

// listOf is the list of a command's paths that an act on one belongs to.
func listOf(x *effect.Command, act commandpolicy.Act) *[]effect.Path {
	switch act {
	case commandpolicy.ActRead:
		return &x.Reads
	case commandpolicy.ActDelete:
		return &x.Deletes
	case commandpolicy.ActChmod:
		return &x.Chmods
	case commandpolicy.ActCreate, commandpolicy.ActWrite, commandpolicy.ActRename:
		return &x.Writes
	default:
		return &x.Writes
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

// Past parses the texts of earlier commands as they would run now, in the
// workspace.
func (w *World) Past(texts []string) gate.Past {
	place, err := w.Place(w.o.Root)
	if err != nil {
		return nil // what an offer would have covered is not told then
	}
	var out gate.Past
	for _, text := range texts {
		out = append(out, commandpolicy.Parse(text, place))
	}
	return out
}

// Place is what a command in dir is parsed with: the folders, the environment
// that it would find, and a look at the machine's files.
func (w *World) Place(dir string) (commandpolicy.Context, error) {
	env, err := w.environment(dir)
	if err != nil {
		return commandpolicy.Context{}, err
	}
	return w.placeIn(dir, env), nil
}

func (w *World) placeIn(dir string, env environment) commandpolicy.Context {
	return commandpolicy.Context{Workspace: w.o.Root, Dir: dir, Home: w.o.Home, State: w.o.State, Env: env.values, Look: look{}}
}
