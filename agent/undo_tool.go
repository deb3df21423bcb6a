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
	"github.com/tera-pilot/tera-pilot/agent/event"
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
	hand  bool // the person's own, who may resolve conflicts; the model's may not
}

type undoArgs struct {
	Path string `json:"path,omitempty"`
	Call string `json:"call,omitempty"`
	Turn int    `json:"turn,omitempty"`
	All  bool   `json:"all,omitempty"`
	Down bool   `json:"down,omitempty"`

	Resolve []resolveArg `json:"resolve,omitempty"` // of the person alone
}

// A resolveArg is an event.Resolution in the arguments.
type resolveArg struct {
	Path string `json:"path"`
	How  string `json:"how"`
	Text []byte `json:"text,omitempty"`
	Now  string `json:"now,omitempty"`
}

// undoArgsOf are a command's words as arguments.
func undoArgsOf(c event.Undo) undoArgs {
	a := undoArgs{Path: c.Path, Call: c.Call, Turn: c.Turn, All: c.All, Down: c.Down}
	for _, r := range c.Resolve {
		a.Resolve = append(a.Resolve, resolveArg(r))
	}
	return a
}

// handSchema is what the person's undo takes.
const handSchema = `{"type":"object","additionalProperties":false,"properties":{
	"path":{"type":"string"},"call":{"type":"string"},"turn":{"type":"integer","minimum":0},"all":{"type":"boolean"},"down":{"type":"boolean"},
	"resolve":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["path","how"],"properties":{
		"path":{"type":"string"},"how":{"type":"string","enum":["keep","old","text"]},"text":{"type":"string"},"now":{"type":"string"}}}}}}`

// Spec implements tool.Tool.
func (t undoTool) Spec() tool.Spec {
	if t.hand {
		return tool.Spec{Name: undoName, Category: "file", Schema: json.RawMessage(handSchema)}
	}
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
	if !t.hand && len(a.Resolve) > 0 {
		return effect.Set{}, &tool.ArgumentError{What: "a conflict is resolved by the person alone"}
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
	for _, r := range sel.Resolve {
		note.Resolved = append(note.Resolved, resolved{r.Path, string(r.How)})
	}
	for _, c := range plan.Conflicts {
		note.Conflicts = append(note.Conflicts, fmt.Sprintf("%q %s", c.Path, c.Why))
	}
	set := effect.Set{Tool: undoName, Title: undoTitle(plan, note.Resolved)}
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
	var err error
	if a.Path != "" {
		if sel.Path, err = located(w, a.Path); err != nil {
			return sel, err
		}
	}
	for _, r := range a.Resolve {
		at, err := located(w, r.Path)
		if err != nil {
			return sel, err
		}
		if len(r.Text) > maxRevised {
			return sel, reviewable(string(r.Text))
		}
		sel.Resolve = append(sel.Resolve, undo.Resolution{Path: at, How: undo.How(r.How), Text: r.Text, Now: r.Now})
	}
	return sel, nil
}

// located is a name as the model and the person write it, as undo has it. What
// is undone may be gone with its folder, so the name is only cleaned.
func located(w *world.World, name string) (string, error) {
	at, err := w.Locate(name)
	if err != nil {
		return "", &tool.ArgumentError{What: err.Error()}
	}
	if at == "" {
		return "", &tool.ArgumentError{What: fmt.Sprintf("%q is outside of the workspace: undo reaches what lies in it", name)}
	}
	return at, nil
}

// howWord is what a resolution comes to, for people.
func howWord(how string) string {
	switch undo.How(how) {
	case undo.Keep:
		return "keep what is there now"
	case undo.Old:
		return "take what stood there before the agent"
	case undo.Text:
		return "write a text of yours"
	default:
		return "leave it as it is"
	}
}

func undoTitle(p undo.Plan, words []resolved) string {
	if len(words) == 1 && len(p.Steps) == 1 {
		return "resolve a conflict in " + plainName(words[0].Path) + ": " + howWord(words[0].How)
	}
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
	if s.Keeps { // nothing is written; that it is what was looked at is what is stated
		if p.Outside || p.Name != s.Path || p.Exists != (s.From.Type != undo.None) || p.SHA256 != "" && s.From.SHA256 != "" && p.SHA256 != s.From.SHA256 {
			return nil, &tool.ChangedError{What: s.Path}
		}
		return []effect.Effect{{Kind: effect.Read, Path: &p}}, nil
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
		if x.Kind == effect.Read {
			fmt.Fprintf(&body, "kept %s as it is\n", plainName(x.Path.Name))
			continue
		}
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
