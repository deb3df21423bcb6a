package world

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// desk plays the dispatcher for tools over real files: it grants just what
// was planned.
type desk struct {
	*ground
	t     testing.TB
	tools *tool.Registry
}

func newDesk(t testing.TB) *desk {
	return &desk{newGround(t), t, tool.New(tool.Options{Syntax: Syntax})}
}

// deskView is a tool.View of files alone; the rest of it is not there.
type deskView struct {
	tool.View
	*desk
}

func (v deskView) Path(ctx context.Context, name string) (effect.Path, error) {
	return v.Files.Path(ctx, name)
}

func (v deskView) File(ctx context.Context, name string) (effect.Path, error) {
	return v.Files.File(ctx, name)
}

func (v deskView) Seen(p effect.Path) (string, bool) {
	h, ok := v.seen[p.Abs]
	return h, ok
}

func (v deskView) Carries(ctx context.Context, from, to effect.Path) (string, error) {
	return v.Files.Carries(ctx, from, to)
}

// deskEnv is a tool.Env of files alone; the rest of it is not there.
type deskEnv struct {
	FileEnv
	absent
}

// absent is beneath what a deskEnv has.
type absent struct{ tool.Env }

func (deskEnv) Exec(context.Context, effect.Effect) (tool.Exit, error) {
	return tool.Exit{}, errors.New("no commands here")
}

func (deskEnv) Git(context.Context, effect.Effect) (tool.Exit, error) {
	return tool.Exit{}, errors.New("no git here")
}

func (deskEnv) Start(context.Context, effect.Effect) (string, error) {
	return "", errors.New("no commands here")
}

func (deskEnv) Job(context.Context, tool.JobQuery) ([]tool.JobState, error) { return nil, nil }

func (deskEnv) Spawn(context.Context, effect.Effect) (tool.ChildReport, error) {
	return tool.ChildReport{}, errors.New("no sub-agents here")
}

func (deskEnv) Ask(context.Context, string, []string) (string, error) { return "", tool.ErrNobody }

func (deskEnv) Todo(context.Context, []tool.TodoItem) error { return nil }

func (d *desk) plan(name string, args map[string]any) (tool.Tool, effect.Set, error) {
	d.t.Helper()
	t, err := d.tools.Lookup(name)
	must(d.t, err)
	b, err := json.Marshal(args)
	must(d.t, err)
	set, err := t.Plan(d.t.Context(), deskView{desk: d}, b)
	return t, set, err
}

func (d *desk) run(t tool.Tool, set effect.Set) (tool.Result, error) {
	r, err := t.Run(d.t.Context(), deskEnv{FileEnv: d.granted(set.Effects...)}, set)
	for _, s := range r.Seen {
		d.seen[s.Path.Abs] = s.SHA256
	}
	return r, err
}

// call plans and runs, and fails the test when either is refused.
func (d *desk) call(name string, args map[string]any) tool.Result {
	d.t.Helper()
	t, set, err := d.plan(name, args)
	must(d.t, err)
	r, err := d.run(t, set)
	must(d.t, err)
	return r
}

type args = map[string]any
