package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// fake is a View and Env over a tree in memory. It complains about whatever a
// tool does that was not planned.
type fake struct {
	trailer string
	files   map[string]string // content by name
	links   map[string]string // target by name
	special map[string]bool
	outputs map[string]string // by @out name
	seen    map[string]string // hash by name
	secret  map[string]bool
	checks  []Check
	noGit   error
	exit    Exit
	report  ChildReport
	answer  string
	nobody  bool

	granted  map[effect.Digest]bool
	applied  []effect.Effect
	commands []CommandSpec
	git      [][]string
	todos    []TodoItem
	asked    string
	left     Left
	page     Page
	hits     []Hit
}

func newFake() *fake {
	return &fake{
		files: map[string]string{}, links: map[string]string{}, special: map[string]bool{}, outputs: map[string]string{},
		seen: map[string]string{}, secret: map[string]bool{}, granted: map[effect.Digest]bool{},
	}
}

func (f *fake) folders() map[string]bool {
	dirs := map[string]bool{".": true}
	for name := range f.files {
		for d := path.Dir(name); d != "."; d = path.Dir(d) {
			dirs[d] = true
		}
	}
	return dirs
}

func (f *fake) Path(_ context.Context, name string) (effect.Path, error) {
	if strings.ContainsRune(name, 0) || name == "" {
		return effect.Path{}, &ArgumentError{"bad name"}
	}
	if strings.HasPrefix(name, "@out/") {
		text, ok := f.outputs[name]
		p := effect.Path{Name: name, Virtual: true, Exists: ok, Named: true}
		if ok {
			p.Type, p.Size = effect.Regular, int64(len(text))
		}
		return p, nil
	}
	clean := path.Clean(name)
	if path.IsAbs(clean) || strings.HasPrefix(clean, "..") {
		return effect.Path{Name: clean, Abs: clean, Outside: true, Named: true}, nil
	}
	p := effect.Path{Name: clean, Abs: "/w/" + clean, Named: true, Secret: f.secret[clean]}
	text, isFile := f.files[clean]
	target, isLink := f.links[clean]
	switch {
	case isFile:
		p.Exists, p.Type, p.Size, p.Mode, p.Links = true, effect.Regular, int64(len(text)), 0o640, 1
	case isLink:
		p.Exists, p.Type, p.Target = true, effect.Link, target
	case f.special[clean]:
		p.Exists, p.Type = true, effect.Special
	case f.folders()[clean]:
		p.Exists, p.Type = true, effect.Dir
	}
	return p, nil
}

func (f *fake) File(ctx context.Context, name string) (effect.Path, error) {
	p, err := f.Path(ctx, name)
	if err == nil && p.Type == effect.Regular && !p.Virtual {
		p.Before, p.SHA256 = []byte(f.files[p.Name]), hash([]byte(f.files[p.Name]))
	}
	return p, err
}

func (f *fake) Seen(p effect.Path) (string, bool) {
	h, ok := f.seen[p.Name]
	return h, ok
}

func (f *fake) Carries(_ context.Context, from, to effect.Path) (string, error) {
	for name := range f.files {
		if strings.HasPrefix(name, from.Name+"/") && strings.HasSuffix(name, "AGENTS.md") {
			return "agents.md", nil
		}
	}
	return "", nil
}

func (f *fake) Command(_ context.Context, c CommandSpec) (effect.Effect, error) {
	f.commands = append(f.commands, c)
	return effect.Effect{Kind: effect.Exec, Exec: &effect.Command{Script: c.Script, Detected: c.Detected, Timeout: time.Duration(c.Seconds) * time.Second}}, nil
}

func (f *fake) Git(_ context.Context, args []string) (effect.Effect, error) {
	f.git = append(f.git, args)
	return effect.Effect{Kind: effect.Git, Git: &effect.GitCall{Args: args}}, f.noGit
}

func (f *fake) Trailer() string { return f.trailer }

func (f *fake) Fetch(_ context.Context, url, reason string) (effect.Effect, error) {
	return effect.Effect{Kind: effect.Fetch, Net: &effect.NetCall{URL: url, Reason: reason, Method: "GET"}}, nil
}

func (f *fake) Search(_ context.Context, query string) (effect.Effect, error) {
	return effect.Effect{Kind: effect.Search, Net: &effect.NetCall{Query: query, Method: "GET"}}, nil
}

func (f *fake) MCP(_ context.Context, server, tool string, args json.RawMessage) ([]effect.Effect, error) {
	return []effect.Effect{{Kind: effect.MCP, MCP: &effect.MCPCall{Server: server, Tool: tool, Args: string(args)}}}, nil
}

func (f *fake) Checks(context.Context) ([]Check, error) { return f.checks, nil }

func (f *fake) grant(s effect.Set) {
	f.granted = map[effect.Digest]bool{}
	for _, e := range s.Effects {
		f.granted[e.Digest()] = true
	}
}

func (f *fake) covers(e effect.Effect) error {
	if !f.granted[e.Digest()] {
		return &NotGrantedError{e.Kind.String()}
	}
	return nil
}

func (f *fake) Read(_ context.Context, e effect.Effect) ([]byte, error) {
	if err := f.covers(e); err != nil {
		return nil, err
	}
	if e.Path.Virtual {
		return []byte(f.outputs[e.Path.Name]), nil
	}
	text, ok := f.files[e.Path.Name]
	if !ok {
		return nil, fmt.Errorf("%s does not exist", e.Path.Name)
	}
	return []byte(text), nil
}

func (f *fake) List(_ context.Context, e effect.Effect) ([]Entry, error) {
	if err := f.covers(e); err != nil {
		return nil, err
	}
	var out []Entry
	for name := range f.files {
		if path.Dir(name) == e.Path.Name {
			out = append(out, Entry{Name: name, Type: effect.Regular})
		}
	}
	return out, nil
}

func (f *fake) Walk(_ context.Context, e effect.Effect, visit func(Found) error) (Left, error) {
	if err := f.covers(e); err != nil {
		return Left{}, err
	}
	var names []string
	dirs := f.folders()
	for name := range f.files {
		names = append(names, name)
	}
	for d := range dirs {
		names = append(names, d)
	}
	sort.Strings(names)
	skipped := ""
	for i, name := range names {
		if name == "." || e.Path.Name != "." && !strings.HasPrefix(name, e.Path.Name+"/") || skipped != "" && strings.HasPrefix(name, skipped) {
			continue
		}
		found := Found{Entry: Entry{Name: name, Type: effect.Dir}, ModTime: int64(i)}
		if !dirs[name] {
			found.Type, found.Size = effect.Regular, int64(len(f.files[name]))
			found.Open = func() ([]byte, error) { return []byte(f.files[name]), nil }
		}
		switch err := visit(found); err {
		case nil:
		case ErrSkip:
			skipped = name + "/"
		case ErrStop:
			return f.left, nil
		default:
			return f.left, err
		}
	}
	return f.left, nil
}

func (f *fake) Apply(_ context.Context, e effect.Effect) (effect.Path, error) {
	if err := f.covers(e); err != nil {
		return effect.Path{}, err
	}
	f.applied = append(f.applied, e)
	post := *e.Path
	switch e.Kind {
	case effect.Create, effect.Write:
		f.files[e.Path.Name] = string(e.After.Data)
		post.Exists, post.SHA256 = true, e.After.SHA256
	case effect.Delete:
		delete(f.files, e.Path.Name)
	case effect.Rename:
		f.files[e.To.Name] = f.files[e.Path.Name]
		delete(f.files, e.Path.Name)
		post = *e.To
	}
	return post, nil
}

func (f *fake) ApplyAll(ctx context.Context, row []effect.Effect) ([]effect.Path, error) {
	var out []effect.Path
	for _, e := range row {
		post, err := f.Apply(ctx, e)
		if err != nil {
			return nil, err
		}
		out = append(out, post)
	}
	return out, nil
}

func (f *fake) Exec(_ context.Context, e effect.Effect) (Exit, error) { return f.exit, f.covers(e) }
func (f *fake) Git2(_ context.Context, e effect.Effect) (Exit, error) { return f.exit, f.covers(e) }

func (f *fake) Start(_ context.Context, e effect.Effect) (string, error) { return "j1", f.covers(e) }

func (f *fake) Job(_ context.Context, q JobQuery) ([]JobState, error) {
	return []JobState{{ID: "j1", Status: "running", Output: "out", To: 3, Title: q.Action}}, nil
}

func (f *fake) Spawn(_ context.Context, e effect.Effect) (ChildReport, error) {
	return f.report, f.covers(e)
}

func (f *fake) Ask(_ context.Context, question string, _ []string) (string, error) {
	f.asked = question
	if f.nobody {
		return "", ErrNobody
	}
	return f.answer, nil
}

func (f *fake) Todo(_ context.Context, items []TodoItem) error {
	f.todos = items
	return nil
}

// fakeEnv is the Env side: its Git runs, the View's plans.
type fakeEnv struct{ *fake }

func (f fakeEnv) Fetch(_ context.Context, e effect.Effect) (Page, error) { return f.page, f.covers(e) }

func (f fakeEnv) Search(_ context.Context, e effect.Effect, _ int) ([]Hit, error) {
	return f.hits, f.covers(e)
}

func (f fakeEnv) MCP(_ context.Context, e effect.Effect) (string, bool, error) {
	return "said", false, f.covers(e)
}

func (f fakeEnv) Git(ctx context.Context, e effect.Effect) (Exit, error) { return f.Git2(ctx, e) }

// plan plans a call and fails the test when that is refused.
func plan(t *testing.T, f *fake, name, args string) effect.Set {
	t.Helper()
	tool, err := New(Options{Syntax: braces}).Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.Plan(t.Context(), f, json.RawMessage(args))
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	return set
}

// call plans and runs a call, as a dispatcher that allows everything.
func call(t *testing.T, f *fake, name, args string) Result {
	t.Helper()
	set := plan(t, f, name, args)
	f.grant(set)
	tool, err := New(Options{Syntax: braces}).Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := tool.Run(t.Context(), fakeEnv{f}, set)
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	for _, s := range r.Seen {
		f.seen[s.Path.Name] = s.SHA256
	}
	return r
}

// refused plans a call that must be refused with an *ArgumentError.
func refused(t *testing.T, f *fake, name, args string) string {
	t.Helper()
	tool, err := New(Options{}).Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.Plan(t.Context(), f, json.RawMessage(args))
	if err == nil {
		t.Fatalf("%s %s: planned %q", name, args, set.Title)
	}
	return err.Error()
}

// braces is a syntax of files named *.br: as many { as }.
func braces(name string, content []byte) error {
	if strings.HasSuffix(name, ".br") && strings.Count(string(content), "{") != strings.Count(string(content), "}") {
		return fmt.Errorf("unbalanced braces")
	}
	return nil
}

func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is not in:\n%s", p, text)
		}
	}
}
