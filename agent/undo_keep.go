package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/agent/undo"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// place is the workspace as undo sees it.
type place struct{ w *world.World }

// Look implements undo.Place.
func (p place) Look(name string) (undo.Entry, []byte, error) {
	t, done, err := p.w.At(name)
	if err != nil {
		return undo.Entry{}, nil, err
	}
	defer done()
	return undo.At(thing(t), undo.DefaultFile)
}

// Names implements undo.Place.
func (p place) Names(folder string) ([]string, error) { return p.w.Names(folder) }

// survey visits the workspace for undo.
func (p place) survey(ctx context.Context) undo.Survey {
	return func(visit func(undo.Thing) error) error {
		return p.w.Survey(ctx, func(t world.Thing) error { return visit(thing(t)) })
	}
}

func thing(t world.Thing) undo.Thing {
	out := undo.Thing{
		Name: t.Name, Type: undoType(t.State.Type), Mode: t.State.Mode, Size: t.State.Size,
		Device: t.State.Device, Inode: t.State.Inode, Left: t.Left, Read: t.Read, Text: t.Text,
	}
	out.MTime, out.CTime = t.State.Stamp()
	return out
}

func undoType(t roots.Type) undo.Type {
	switch t {
	case roots.None:
		return undo.None
	case roots.Regular:
		return undo.File
	case roots.Folder:
		return undo.Folder
	case roots.Link:
		return undo.Link
	case roots.Special:
	}
	return undo.Special
}

// A safekeeping is a call whose changes are kept for undo, between its beginning
// and its end.
type safekeeping struct {
	id      string
	planned []undo.Change // nil with a survey
	survey  undo.Survey
	left    []string // not covered, besides
}

// keepBefore keeps what a call is about to change. nil: it changes nothing in
// the workspace. After an error the call must not run.
func (d *Dispatcher) keepBefore(ctx context.Context, p proposal) (*safekeeping, error) {
	if d.undo == nil || !acts(p.set) && len(undoNote(p.set).Of) == 0 {
		return nil, nil
	}
	at := place{d.world}
	k := &safekeeping{id: p.call.ID, left: beyond(p.set)}
	var data map[string][]byte
	switch {
	case surveyed(p.set):
		k.survey = at.survey(context.WithoutCancel(ctx))
	default:
		if k.planned, data = plannedChanges(at, p.set); len(k.planned) == 0 {
			return nil, nil
		}
	}
	turns := d.owner
	if d.above != nil { // what a sub-agent changes belongs to its parent's turn
		turns = d.above.parent.owner
	}
	s, err := turns.state()
	if err != nil {
		return nil, err
	}
	c := undo.Call{ID: p.call.ID, Turn: s.Turn, Tool: p.set.Tool, Title: p.set.Title, Of: undoNote(p.set).Calls}
	defer d.looking(k, slowLook)()
	if k.id, err = d.undo.Begin(c, k.planned, data, k.survey); err != nil {
		return nil, err
	}
	return k, nil
}

// beyond tells what git calls change outside the workspace, which no survey
// visits.
func beyond(s effect.Set) []string {
	var out []string
	for _, e := range s.Effects {
		if e.Git == nil {
			continue
		}
		for _, p := range e.Git.Writes {
			if p.Outside {
				out = append(out, p.Name+" lies outside of the workspace: what git changed there is not taken back")
			}
		}
	}
	return out
}

// slowLook is after what time it is said that the workspace is looked through.
const slowLook = 2 * time.Second

// looking says, while the workspace is looked through for undo and that takes
// long, why nothing seems to happen. What it returns ends that.
func (d *Dispatcher) looking(k *safekeeping, long time.Duration) (done func()) {
	if k.survey == nil {
		return func() {}
	}
	said, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(said)
		timer := time.NewTimer(long)
		defer timer.Stop()
		select {
		case <-over:
		case <-timer.C:
			d.takesLong("looks through the workspace for undo: in a large one the first command takes longest")
			<-over
			d.takesLong("")
		}
	}()
	return func() { close(over); <-said }
}

// keptAfter records what the call did, and tells what of it is not covered. A
// command's changes are known from here alone. An error says that the record
// could not be written: the session cannot go on.
func (d *Dispatcher) keptAfter(k *safekeeping, out tool.Result, job string) (tool.Result, error) {
	if k == nil {
		return out, nil
	}
	if job != "" {
		k.left = append(k.left, "the command runs on in the background as "+job+": what it changes from then on is nobody's, and is not taken back with this call")
	}
	seen := d.looking(k, slowLook)
	r, err := d.undo.End(k.id, doneChanges(place{d.world}, k.planned, out), k.survey, k.left...)
	seen()
	if err != nil {
		return out, fmt.Errorf("what the call changed could not be recorded for undo: %w", err)
	}
	if k.survey != nil {
		out.Changes = nil
		for _, c := range r.Changes {
			out.Changes = append(out.Changes, tool.Change{Path: string(c.Path), Change: c.Word()})
		}
	}
	return out, nil
}

// surveyed says that what a set changes is only known by looking at the whole
// workspace before and after.
func surveyed(s effect.Set) bool {
	for _, e := range s.Effects {
		switch e.Kind {
		case effect.Exec:
			if e.Exec.Profile != gate.ProfileObserve { // observe cannot write
				return true
			}
		case effect.Git:
			if e.Git.Class != effect.GitReads {
				return true
			}
		case effect.MCP, effect.Start, effect.Unknown:
			return true
		case effect.Rename:
			if e.Path.Type == effect.Dir {
				return true
			}
		case effect.Read, effect.Walk, effect.Create, effect.Write, effect.Delete, effect.Mkdir, effect.Chmod, effect.Fetch,
			effect.Search, effect.Memory, effect.Config, effect.Spawn:
		}
	}
	return false
}

// plannedChanges are a set's changes by path, with the content they overwrite.
func plannedChanges(at place, s effect.Set) ([]undo.Change, map[string][]byte) {
	var out []undo.Change
	data := map[string][]byte{}
	of := undoNote(s).Of
	add := func(path string, before, after undo.Entry) {
		for i := range out {
			if string(out[i].Path) == path {
				out[i].After = after
				return
			}
		}
		c := undo.NewChange(path, before, after)
		c.Of = of[path]
		out = append(out, c)
	}
	for _, e := range s.Effects {
		if e.Kind == effect.Read && len(of[e.Path.Name]) > 0 { // an undo that keeps what is there
			was := entryOf(at, *e.Path)
			add(e.Path.Name, was, was)
		}
		if !e.Kind.ChangesFiles() || e.Path == nil || e.Path.Outside || e.Path.Virtual {
			continue
		}
		before := entryOf(at, *e.Path)
		if e.Path.Before != nil || e.Path.SHA256 != "" {
			data[e.Path.Name] = e.Path.Before
		}
		after := before
		switch {
		case e.To != nil:
			add(e.To.Name, entryOf(at, *e.To), before)
			after = undo.Entry{}
		case e.Kind == effect.Delete:
			after = undo.Entry{}
		case e.Link:
			after = undo.LinkEntry(string(e.After.Data))
		case e.After != nil:
			after = undo.Entry{Type: undo.File, Mode: e.Mode, Size: e.After.Size, SHA256: e.After.SHA256}
		case e.Kind == effect.Mkdir:
			after = undo.Entry{Type: undo.Folder, Mode: e.Mode}
		case e.Kind == effect.Chmod:
			after.Mode = e.Mode
		}
		add(e.Path.Name, before, after)
	}
	return out, data
}

// entryOf is a planned path's state.
func entryOf(at place, p effect.Path) undo.Entry {
	switch p.Type {
	case effect.NoFile:
		return undo.Entry{}
	case effect.Dir:
		return undo.Entry{Type: undo.Folder, Mode: p.Mode}
	case effect.Regular:
		e := undo.Entry{Type: undo.File, Mode: p.Mode, Size: p.Size, SHA256: p.SHA256}
		switch {
		case p.Secret:
			e.SHA256, e.Left = "", "its name looks like a secret's, whose content is kept nowhere"
		case p.SHA256 == "" && p.Size > undo.DefaultFile:
			e.Left = "it is too large"
		}
		return e
	case effect.Link:
		e, _, err := at.Look(p.Name)
		if err == nil && e.Type == undo.Link {
			return e
		}
	case effect.Special:
	}
	return undo.Entry{Type: undo.Special, Left: "neither a file nor a folder"}
}

// doneChanges are the planned changes that came about: those that the tool
// reports, and those that are to be seen.
func doneChanges(at place, planned []undo.Change, out tool.Result) []undo.Change {
	after := map[string]undo.Entry{}
	for i, c := range out.Changes {
		if i >= len(out.Post) {
			break
		}
		post := entryOf(at, out.Post[i])
		switch c.Change {
		case "deleted":
			after[c.Path] = undo.Entry{}
		case "renamed":
			after[c.Path], after[c.To] = undo.Entry{}, post
		default:
			after[c.Path] = post
		}
	}
	var done []undo.Change
	for _, c := range planned {
		now, reported := after[string(c.Path)]
		if c.Keeps() {
			if out.Status == tool.OK {
				done = append(done, c)
			}
			continue
		}
		if !reported {
			var err error
			if now, _, err = at.Look(string(c.Path)); err != nil || !undo.Reached(c, now) {
				continue
			}
		}
		c.After = now
		done = append(done, c)
	}
	return done
}

// couldBack says that what an effect changes could be put back.
func (d *Dispatcher) couldBack(e effect.Effect) bool {
	if d.undo == nil || !e.Kind.ChangesFiles() || e.Path == nil || e.Path.Outside {
		return false
	}
	was := e.Path
	if e.To != nil && e.To.Exists {
		was = e.To
	}
	return entryOf(place{d.world}, *was).Left == "" && d.undo.Keeps(was.Size)
}

// An undoing is what the tool undo notes in the set it plans.
type undoing struct {
	Calls     []string            `json:"calls"` // that are taken back
	Of        map[string][]string `json:"of"`    // by path
	Conflicts []string            `json:"conflicts,omitempty"`
	Kept      []string            `json:"kept,omitempty"`
	Left      []string            `json:"left,omitempty"`
	Resolved  []resolved          `json:"resolved,omitempty"` // conflicts, in the person's words
}

// A resolved is a conflict with what the person chose for it.
type resolved struct {
	Path string `json:"path"`
	How  string `json:"how"`
}

// undoNote is the note of a set of the tool undo; empty for all others.
func undoNote(s effect.Set) undoing {
	var u undoing
	if s.Tool != undoName {
		return u
	}
	if err := json.Unmarshal([]byte(s.Args), &u); err != nil {
		panic(fmt.Sprintf("agent: the plan of an undo is damaged: %v", err)) // made by undoTool.Plan
	}
	return u
}
