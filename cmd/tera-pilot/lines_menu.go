package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/tui"
	front "github.com/tera-pilot/tera-pilot/tui/app"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// An elsewhereError says that the person wants to start in another folder.
type elsewhereError struct{ dir string }

func (e *elsewhereError) Error() string { return "go on in " + e.dir }

// elsewhere is the folder that was typed, as an elsewhereError, or why it is none.
func (a *app) elsewhere(p place, typed string) error {
	dir := typed
	if rest, ok := strings.CutPrefix(typed, "~"); ok && (rest == "" || rest[0] == '/') {
		dir = filepath.Join(p.home, rest)
	}
	if _, err := a.placeAt(dir, ""); err != nil {
		return err
	}
	return &elsewhereError{dir}
}

// A beginning is where a session in the terminal begins, and with what: a new
// one, a stored one, or one that is looked at without a model.
type beginning struct {
	dir        string
	place      place
	look, open snap.Request
}

// begun is what the person wants to begin with: what start screens and, in lines
// mode, the menu ask.
func (a *app) begun(ctx context.Context, f sessionFlags, dir string) (b beginning, err error) {
	for b.dir = dir; ; {
		if b.place, err = a.place(b.dir); err != nil {
			return b, err
		}
		b.look, err = a.modelChosen(ctx, f, b.place)
		if err == nil && b.look == (snap.Request{}) && f.session == "" && !f.last && tui.AsLines(a.terminal(f, b.place.settings)) {
			b.open, err = a.linesMenu(ctx, f, b.place)
		}
		other, ok := errors.AsType[*elsewhereError](err)
		if !ok {
			return b, err
		}
		b.dir, a.flags.root = other.dir, ""
	}
}

// linesMenu asks, in lines mode, what to begin with, where there is something to
// go on with. The zero request is a new session here.
func (a *app) linesMenu(ctx context.Context, f sessionFlags, p place) (snap.Request, error) {
	store, err := a.sessions(p.state)
	if err != nil {
		return snap.Request{}, err
	}
	d := desk{a: a, ctx: ctx, place: p, store: store}
	rows, err := d.sessions()
	if err != nil || len(rows) == 0 {
		return snap.Request{}, err
	}
	last := lastIn(rows, p.root)
	for says := "You are in " + short(p.root, p.home) + "."; ; {
		s := snap.Start{Says: says, Can: []snap.Action{{ID: "new", Title: "A new session here"}}}
		if last != nil {
			s.Can = append(s.Can, goOn(*last))
		}
		s.Can = append(s.Can, snap.Action{ID: "sessions", Title: "Another stored session"}, otherFolder())
		t := a.terminal(f, p.settings)
		t.Start, t.Desk = &s, front.Desk{Sessions: d.sessions}
		out, err := tui.Run(ctx, t)
		switch {
		case err != nil || out.Next.Open != "":
			return out.Next, err
		case out.Chosen == "new":
			return snap.Request{}, nil
		case out.Chosen == "last":
			return snap.Request{Open: last.ID, Root: p.root}, nil
		case out.Chosen != "folder":
			return snap.Request{}, errLeft
		}
		err = a.elsewhere(p, out.Text)
		if _, ok := errors.AsType[*elsewhereError](err); ok {
			return snap.Request{}, err
		}
		says = err.Error()
	}
}

// lastIn is the session of a folder that was used last; nil for none.
func lastIn(rows []snap.SessionRow, root string) *snap.SessionRow {
	for i, r := range rows {
		if r.Root == root && !r.Archived && !r.Gone && r.Problem == "" {
			return &rows[i]
		}
	}
	return nil
}

func goOn(r snap.SessionRow) snap.Action {
	title := visible.Strict(r.Title)
	if title == "" {
		title = "a session without a title"
	}
	return snap.Action{ID: "last", Title: fmt.Sprintf("Go on with the last one: %s  (%s, %s)", title, counted(r.Turns, "turn"), r.Updated.Local().Format("2006-01-02 15:04"))}
}

// more is what the menu of the lines mode offers besides what the start screen
// does, whose lists are keys away.
func (d desk) more() (out []snap.Action) {
	if d.store != nil {
		if rows, err := d.sessions(); err == nil {
			if last := lastIn(rows, d.place.root); last != nil {
				a := goOn(*last)
				a.ID, a.Title = openLast+last.ID, a.Title+", to look around"
				out = append(out, a)
			}
		}
	}
	return append(out, otherFolder())
}

// openLast goes before the id of a session that is opened to look around.
const openLast = "open "

func otherFolder() snap.Action {
	return snap.Action{ID: "folder", Title: "Another folder", Input: &snap.Input{Label: "the folder:"}}
}
