package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/agent/undo"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/internal/roots"
)

const undoName = "undo"

// undoTool puts back what calls changed. What it plans are writes, creations
// and removals like any others, judged and recorded as such.
type undoTool struct {
	store *undo.Store
	world *world.World
}

type undoArgs struct {
	Path string `json:"path,omitempty"`
	Call string `json:"call,omitempty"`
	Turn int    `json:"turn,omitempty"`
	All  bool   `json:"all,omitempty"`
	Down bool   `json:"down,omitempty"`
}

// Spec implements tool.Tool.
func (undoTool) Spec() tool.Spec {
	return tool.Spec{
		Name: undoName, Aliases: []string{"undo_write", "revert"}, Category: "file",
		Description: "Put back what your own calls of this session changed in files, commands included: with path that file or folder, " +
			"with all everything, without arguments the last turn that changed anything. What others changed since is left as it is.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
			"path":{"type":"string","description":"a file or folder, relative to the workspace"},
			"call":{"type":"string","description":"the id of one call; that of an undo is a redo"},
			"turn":{"type":"integer","minimum":0,"description":"all calls of that turn"},
			"all":{"type":"boolean","description":"all calls of the session"},
			"down":{"type":"boolean","description":"with call: that one and all after it"}}}`),
	}
}

// Plan implements tool.Tool.
func (t undoTool) Plan(ctx context.Context, v tool.View, args json.RawMessage) (effect.Set, error) {
	var a undoArgs
	if err := tool.Decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	sel, err := selection(t.world, a)
	if err != nil {
		return effect.Set{}, err
	}
	plan, err := t.store.Plan(sel, place{t.world})
	if err != nil {
		return effect.Set{}, err
	}
	if len(plan.Steps) == 0 {
		return effect.Set{}, errors.New("nothing can be put back:\n" + strings.Join(obstacles(plan), "\n"))
	}
	note := undoing{Calls: plan.Calls, Of: map[string][]string{}, Kept: plan.Kept, Left: plan.Left}
	for _, c := range plan.Conflicts {
		note.Conflicts = append(note.Conflicts, fmt.Sprintf("%q %s", c.Path, c.Why))
	}
	set := effect.Set{Tool: undoName, Title: undoTitle(plan)}
	for _, s := range plan.Steps {
		effects, err := t.stepEffects(ctx, v, s, replaced(plan, s))
		if err != nil {
			return effect.Set{}, err
		}
		set.Effects = append(set.Effects, effects...)
		note.Of[s.Path] = s.Of
	}
	b, err := json.Marshal(note)
	set.Args = string(b)
	return set, err
}

// selection is what the arguments choose; a path is a name as the model and
// the person write it.
func selection(w *world.World, a undoArgs) (undo.Selection, error) {
	sel := undo.Selection{Call: a.Call, Down: a.Down, Turn: a.Turn, All: a.All}
	if a.Path == "" {
		return sel, nil
	}
	// What is undone may be gone with its folder, so the name is only cleaned.
	at, err := w.Locate(a.Path)
	if err != nil {
		return sel, &tool.ArgumentError{What: err.Error()}
	}
	if at == "" {
		return sel, &tool.ArgumentError{What: fmt.Sprintf("%q is outside of the workspace: undo reaches what lies in it", a.Path)}
	}
	sel.Path = at
	return sel, nil
}

func undoTitle(p undo.Plan) string {
	title := fmt.Sprintf("put back %d %s that %d %s changed", len(p.Steps), plural(len(p.Steps), "path", "paths"), len(p.Calls), plural(len(p.Calls), "call", "calls"))
	if n := len(p.Conflicts); n > 0 {
		title += fmt.Sprintf(", leave %d in conflict", n)
	}
	return title
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// backWord is what an effect of an undo did, to somebody who looks at the path.
func backWord(k effect.Kind) string {
	switch k {
	case effect.Delete:
		return "removed"
	case effect.Create, effect.Mkdir:
		return "brought back"
	case effect.Chmod:
		return "put back the mode of"
	default:
		return "put back"
	}
}

// plainName is a path as it is, or quoted where something in it could be
// taken for other words.
func plainName(path string) string {
	if q := strconv.Quote(path); q != `"`+path+`"` || strings.ContainsAny(path, " ,;") {
		return q
	}
	return path
}

// obstacles are what keeps changes from being put back, one line each.
func obstacles(p undo.Plan) []string {
	var out []string
	for _, c := range p.Conflicts {
		out = append(out, fmt.Sprintf("conflict: %q %s", c.Path, c.Why))
	}
	for _, k := range p.Kept {
		out = append(out, "kept: "+k)
	}
	for _, l := range p.Left {
		out = append(out, "not covered: "+l)
	}
	return out
}

// replaced says that a step lies below something that another one replaces by a
// folder, so that there is nothing to look at yet.
func replaced(p undo.Plan, s undo.Step) bool {
	return slices.ContainsFunc(p.Steps, func(other undo.Step) bool {
		return other.To.Type == undo.Folder && other.From.Type != undo.Folder && other.From.Type != undo.None && strings.HasPrefix(s.Path, other.Path+"/")
	})
}

// stepEffects says a step in the vocabulary of effects.
func (t undoTool) stepEffects(ctx context.Context, v tool.View, s undo.Step, replaced bool) ([]effect.Effect, error) {
	if replaced && s.From.Type == undo.None {
		return []effect.Effect{comesBack(t.world.Free(s.Path), s)}, nil
	}
	p, err := v.File(ctx, roots.Spell(s.Path))
	if err != nil {
		return nil, err
	}
	if p.Outside || p.Name != s.Path || p.Exists != (s.From.Type != undo.None) || p.SHA256 != "" && p.SHA256 != s.From.SHA256 {
		return nil, &tool.ChangedError{What: s.Path}
	}
	switch {
	case s.To.Type == undo.None:
		return []effect.Effect{{Kind: effect.Delete, Path: &p}}, nil
	case s.From.Type == undo.None:
		return []effect.Effect{comesBack(p, s)}, nil
	case s.From.Type == s.To.Type && s.From.SHA256 == s.To.SHA256 && s.From.Text == s.To.Text:
		return []effect.Effect{{Kind: effect.Chmod, Path: &p, Mode: s.To.Mode}}, nil
	case s.From.Type == undo.File && s.To.Type == undo.File:
		return []effect.Effect{{Kind: effect.Write, Path: &p, Mode: s.To.Mode, After: bytesOf(s.Data)}}, nil
	}
	free := effect.Path{Name: p.Name, Abs: p.Abs, Secret: p.Secret, Named: p.Named, Protected: p.Protected}
	return []effect.Effect{{Kind: effect.Delete, Path: &p}, comesBack(free, s)}, nil
}

// comesBack is the effect that makes what was there, where nothing is now.
func comesBack(p effect.Path, s undo.Step) effect.Effect {
	switch s.To.Type {
	case undo.Folder:
		return effect.Effect{Kind: effect.Mkdir, Path: &p, Mode: s.To.Mode, Exact: true}
	case undo.Link:
		return effect.Effect{Kind: effect.Create, Path: &p, Link: true, After: bytesOf([]byte(s.To.Text))}
	default:
		return effect.Effect{Kind: effect.Create, Path: &p, Mode: s.To.Mode, Exact: true, After: bytesOf(s.Data)}
	}
}

func bytesOf(b []byte) *effect.Bytes {
	return &effect.Bytes{Data: b, SHA256: roots.Hash(b), Size: int64(len(b))}
}

// Run implements tool.Tool.
func (undoTool) Run(ctx context.Context, e tool.Env, planned effect.Set) (tool.Result, error) {
	note := undoNote(planned)
	r := tool.Result{Status: tool.OK, Title: planned.Title}
	var body strings.Builder
	for _, x := range planned.Effects {
		post, err := e.Apply(ctx, x)
		if err != nil {
			fmt.Fprintf(&body, "stopped at %q: %v\nwhat is above is put back; undo again to go on\n", x.Path.Name, err)
			r.Status, r.Body = tool.Error, body.String()
			if _, changed := errors.AsType[*tool.ChangedError](err); changed {
				r.Status = tool.Blocked
			}
			return r, nil
		}
		c := tool.Change{Path: x.Path.Name, Change: tool.ChangeWord(x.Kind)}
		r.Changes, r.Post = append(r.Changes, c), append(r.Post, post)
		fmt.Fprintf(&body, "%s %s\n", backWord(x.Kind), plainName(c.Path))
	}
	for _, c := range note.Conflicts {
		fmt.Fprintf(&body, "conflict, left as it is: %s\n", c)
	}
	for _, k := range slices.Concat(note.Kept, note.Left) {
		body.WriteString(k + "\n")
	}
	r.Body = body.String()
	return r, nil
}
