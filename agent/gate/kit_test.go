package gate_test

import (
	"fmt"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// The machine of the tests.
const (
	home      = "/home/u"
	workspace = "/home/u/src/w"
	state     = "/home/u/.tera_pilot"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// base is an interactive session at the default level with a good sandbox.
func base(effects ...effect.Effect) gate.Input {
	in := gate.Input{
		Set:   effect.Set{Tool: "test", Effects: effects},
		Front: gate.FrontTUI, CanAsk: true, Interactive: true, Origin: gate.OriginNative,
		Sandbox: gate.SandboxAuto, Grade: gate.GradeA,
		Workspace: workspace, Home: home, State: state, Now: noon,
	}
	for range effects {
		in.Marks = append(in.Marks, gate.Mark{Undo: true})
	}
	return in
}

// headless is `run --no-confirm`.
func headless(effects ...effect.Effect) gate.Input {
	in := base(effects...)
	in.Front, in.CanAsk, in.Interactive, in.OptOut = gate.FrontRun, false, false, true
	return in
}

// place resolves a name as View does: relative, ~/…, or absolute.
func place(name string) effect.Path {
	p := effect.Path{Name: name, Named: true, Exists: true, Type: effect.Regular, SHA256: "aa", Inode: 7}
	switch {
	case strings.HasPrefix(name, "~"):
		p.Abs = home + name[1:]
	case strings.HasPrefix(name, "/"):
		p.Abs = name
	default:
		p.Abs = path.Join(workspace, name)
	}
	p.Outside = p.Abs != workspace && !strings.HasPrefix(p.Abs, workspace+"/")
	if p.Outside {
		p.Name = p.Abs
	}
	return p
}

func missing(name string) effect.Path {
	p := place(name)
	p.Exists, p.Type, p.SHA256, p.Inode = false, effect.NoFile, "", 0
	return p
}

func onPath(kind effect.Kind, p effect.Path) effect.Effect {
	e := effect.Effect{Kind: kind, Path: &p}
	switch kind {
	case effect.Create, effect.Write, effect.Memory:
		e.After = &effect.Bytes{Data: []byte("new"), SHA256: "bb", Size: 3}
	case effect.Mkdir, effect.Chmod:
		e.Mode = 0o755
	}
	return e
}

func read(name string) effect.Effect  { return onPath(effect.Read, place(name)) }
func write(name string) effect.Effect { return onPath(effect.Write, place(name)) }
func create(name string) effect.Effect {
	return onPath(effect.Create, missing(name))
}
func remove(name string) effect.Effect { return onPath(effect.Delete, place(name)) }

func rename(from, to string) effect.Effect {
	a, b := place(from), missing(to)
	return effect.Effect{Kind: effect.Rename, Path: &a, To: &b}
}

// tree is what the commands of the tests find in the workspace.
type tree map[string]commandpolicy.Kind

var files = tree{
	"/": commandpolicy.KindDir, "/home": commandpolicy.KindDir, home: commandpolicy.KindDir,
	home + "/src": commandpolicy.KindDir, workspace: commandpolicy.KindDir,
	workspace + "/src": commandpolicy.KindDir, workspace + "/src/a.go": commandpolicy.KindFile,
	workspace + "/.env": commandpolicy.KindFile, workspace + "/AGENTS.md": commandpolicy.KindFile,
	workspace + "/README.md": commandpolicy.KindFile,
}

func (t tree) Lstat(p string) (commandpolicy.Kind, string) {
	if k, ok := t[p]; ok {
		return k, ""
	}
	return commandpolicy.KindAbsent, ""
}

func (t tree) Names(dir string) ([]string, bool) {
	var out []string
	for p := range t {
		if path.Dir(p) == dir && p != "/" {
			out = append(out, path.Base(p))
		}
	}
	return out, t[dir] == commandpolicy.KindDir
}

// run plans a command as View does.
func run(script string, hosts ...string) effect.Effect {
	a, facts := gate.Analyse(script, commandpolicy.Context{
		Workspace: workspace, Dir: workspace, Home: home, State: state,
		Env: map[string]string{"HOME": home}, Look: files,
	})
	x := &effect.Command{
		Script: script, Argv: []string{"/bin/bash", "-c", script}, Program: effect.Program{Path: "/bin/bash"},
		Dir: workspace, Parsed: a.Parsed, Facts: facts, Hosts: hosts,
	}
	for _, p := range a.Parts {
		part := effect.Part{Known: true}
		for _, w := range p.Argv {
			part.Argv, part.Known = append(part.Argv, w.Text), part.Known && w.Known
		}
		if len(part.Argv) > 0 {
			x.Parts = append(x.Parts, part)
		}
	}
	return effect.Effect{Kind: effect.Exec, Exec: x}
}

func git(class effect.GitClass, args ...string) effect.Effect {
	return effect.Effect{Kind: effect.Git, Git: &effect.GitCall{Args: args, Class: class, Dir: workspace}}
}

func push(host string) effect.Effect {
	e := git(effect.GitNetwork, "push")
	e.Git.Remotes = []string{"https://" + host + "/u/w.git"}
	return e
}

func fetch(host string) effect.Effect {
	return effect.Effect{Kind: effect.Fetch, Net: &effect.NetCall{URL: "https://" + host + "/x", Host: host, Port: 443, Method: "GET"}}
}

func search(host string) effect.Effect {
	return effect.Effect{Kind: effect.Search, Net: &effect.NetCall{Query: "q", Host: host, Port: 443, Method: "GET"}}
}

func mcp(server, tool string, remote bool) effect.Effect {
	return effect.Effect{Kind: effect.MCP, MCP: &effect.MCPCall{Server: server, Identity: "id", Tool: tool, Args: "{}", Pin: "p", Pinned: true, Remote: remote}}
}

// start is the start of an approved server.
func start(script string, hosts ...string) effect.Effect {
	e := run(script, hosts...)
	e.Kind = effect.Start
	return e
}

// rules loads one file for each layer that is named: pairs of layer and TOML.
func rules(t testing.TB, pairs ...string) gate.Rules {
	t.Helper()
	var loaded []*commandpolicy.File
	for i := 0; i < len(pairs); i += 2 {
		loaded = append(loaded, file(t, pairs[i], pairs[i+1]))
	}
	return gate.NewRules(loaded...)
}

var layers = map[string]commandpolicy.Layer{
	"user": commandpolicy.LayerUser, "project": commandpolicy.LayerProject, "pending": commandpolicy.LayerProject,
	"remembered": commandpolicy.LayerRemembered, "session": commandpolicy.LayerSession,
}

// file loads a policy. The project's is approved, but for "pending".
func file(t testing.TB, layer, text string) *commandpolicy.File {
	t.Helper()
	l, ok := layers[layer]
	if !ok {
		t.Fatalf("no layer is called %q", layer)
	}
	f, err := commandpolicy.Load(strings.NewReader(text), layer+".toml", l)
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	f.Approved = layer == "project"
	return f
}

// commandRule is a rule about exactly these words.
func commandRule(words, decision string, more ...string) string {
	first, rest, _ := strings.Cut(words, " ")
	return fmt.Sprintf("[[rule]]\ncmd = %q\nargs = [%s]\n", first, quoted(strings.Fields(rest))) + ends(decision, more)
}

func pathRule(glob, act, decision string, more ...string) string {
	return fmt.Sprintf("[[path]]\nglob = [%q]\neffect = [%q]\n", glob, act) + ends(decision, more)
}

func hostRule(host, method, decision string, more ...string) string {
	out := fmt.Sprintf("[[host]]\nhost = [%q]\n", host)
	if method != "" {
		out += fmt.Sprintf("method = [%q]\n", method)
	}
	return out + ends(decision, more)
}

func mcpRule(server, tool, decision string, more ...string) string {
	out := fmt.Sprintf("[[mcp]]\nserver = %q\n", server)
	if tool != "" {
		out += fmt.Sprintf("tool = [%q]\n", tool)
	}
	return out + ends(decision, more)
}

func ends(decision string, more []string) string {
	return fmt.Sprintf("decision = %q\nbecause = \"a test\"\n", decision) + strings.Join(append(more, "", ""), "\n")
}

func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(out, ", ")
}

// expect decides and compares.
func expect(t *testing.T, in gate.Input, want gate.Answer, by ...gate.By) gate.Decision {
	t.Helper()
	d := gate.Decide(in)
	if d.Answer != want {
		t.Errorf("%v by %s (%s), want %v", d.Answer, d.By, d.Reason, want)
	}
	if len(by) > 0 && d.By != by[0] {
		t.Errorf("by %s (%s), want %s", d.By, d.Reason, by[0])
	}
	return d
}
