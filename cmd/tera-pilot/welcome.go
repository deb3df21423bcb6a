package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/model/local"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/secret"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/tui"
	front "github.com/tera-pilot/tera-pilot/tui/app"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// errLeft says that the person left the start screen.
var errLeft = errors.New("left")

// modelChosen returns when there is a model to talk to: one that is configured,
// or one that the person takes on the start screen, which is then kept. A
// request is a session that the person wants to look at without one.
func (a *app) modelChosen(ctx context.Context, f sessionFlags, p place) (snap.Request, error) {
	for {
		mind, err := a.mind(ctx, p, secret.New())
		if err == nil && mind.Provider != nil {
			return snap.Request{}, nil
		}
		says := "No model is configured yet. Nothing has been sent."
		var unnamed *unnamedError
		switch {
		case errors.As(err, &unnamed):
			says = "A key of " + unnamed.preset.Title + " is there, and no model is named yet. Nothing has been sent."
		case err != nil && !a.keptChoice(p, err):
			return snap.Request{}, err
		case err != nil:
			says = err.Error()
		}
		look, err := a.welcome(ctx, f, p, says, unnamed)
		if err != nil || look != (snap.Request{}) {
			return look, err
		}
	}
}

// keptChoice says that an error is about the model that was chosen earlier, so
// that choosing again helps.
func (a *app) keptChoice(p place, err error) bool {
	if p.settings.Provider != "" || p.settings.Model != "" {
		return false
	}
	c, readErr := local.Chosen(p.state)
	return readErr == nil && !c.IsZero() && errors.As(err, new(*exitError))
}

// A greeting is the start screen as the person left it: what went wrong, and
// the addresses that were named.
type greeting struct {
	says      string
	addresses []string
}

// welcome is the start screen of a place without a model. It returns when a
// model was chosen, or a session to look at.
func (a *app) welcome(ctx context.Context, f sessionFlags, p place, says string, unnamed *unnamedError) (snap.Request, error) {
	g := greeting{says: says}
	for {
		start := a.startScreen(p, g.says)
		if unnamed != nil {
			start.Can = append([]snap.Action{{ID: nameModel + unnamed.preset.ID, Key: "m", Title: "Choose a model of " + unnamed.preset.Title}}, start.Can...)
		}
		t := a.terminal(f, p.settings)
		t.Start, t.Refresh = &start, func() snap.Start { return a.withServers(ctx, p, start, g.addresses) }
		d := desk{a: a, ctx: ctx, place: p}
		t.Desk = front.Desk{Checks: d.checks}
		if store, err := a.sessions(p.state); err == nil {
			d.store = store
			t.Desk.Sessions, t.Desk.Search = d.sessions, d.search
			if rows, err := d.sessions(); err == nil && len(rows) == 0 { // a list of none is no offer
				start.Can = slices.DeleteFunc(start.Can, func(c snap.Action) bool { return c.ID == "sessions" })
			}
		}
		if tui.AsLines(t) {
			start.Can = append(start.Can, d.more()...)
		}
		out, err := tui.Run(ctx, t)
		if err != nil {
			return snap.Request{}, err
		}
		if out.Next.Open != "" {
			return out.Next, nil
		}
		if id, ok := strings.CutPrefix(out.Chosen, openLast); ok {
			return snap.Request{Open: id, Root: p.root}, nil
		}
		done, err := a.took(ctx, f, p, &g, out)
		if done || err != nil {
			return snap.Request{}, err
		}
	}
}

// took does what was chosen on a start screen; done says that a model was.
func (a *app) took(ctx context.Context, f sessionFlags, p place, g *greeting, out tui.Outcome) (done bool, err error) {
	if is, done, err := a.tookModel(ctx, f, p, g, out); is {
		return done, err
	}
	switch out.Chosen {
	case "demo":
		if err := a.demo(ctx, false); err != nil {
			return false, err
		}
		return false, errLeft
	case "doctor": // in lines, where there is no screen for it
		if err := a.doctor(ctx, p.root, false, false); err != nil {
			return false, err
		}
		return false, errLeft
	case "address":
		g.named(ctx, out.Text)
		return false, nil
	case "folder":
		err := a.elsewhere(p, out.Text)
		if _, ok := errors.AsType[*elsewhereError](err); !ok {
			g.says, err = err.Error(), nil
		}
		return false, err
	case "guide":
		_, err := a.choose(ctx, f, p, localScreen(p, totalMemory()))
		return false, err
	case "key":
		out, err := a.choose(ctx, f, p, keyScreen(p))
		if err != nil || out.Chosen == "back" {
			return false, err
		}
		return a.took(ctx, f, p, g, out)
	case "sessions": // which the screen shows itself, where they can be read
		if _, err := a.sessions(p.state); err != nil {
			g.says = "The stored sessions cannot be read: " + err.Error()
		}
		return false, nil
	case "back", "refresh":
		return false, nil
	default:
		return false, errLeft
	}
}

// tookModel does what was chosen about a model: use one, name one, or give its
// provider a key; is says that it was that.
func (a *app) tookModel(ctx context.Context, f sessionFlags, p place, g *greeting, out tui.Outcome) (is, done bool, err error) {
	id := out.Chosen
	if use, ok := strings.CutPrefix(id, useModel); ok {
		var c local.Choice
		if err := json.Unmarshal([]byte(use), &c); err != nil {
			return true, false, fmt.Errorf("start screen: %w", err)
		}
		return true, true, a.keep(ctx, p, c)
	}
	if id, ok := strings.CutPrefix(id, nameModel); ok {
		done, err = a.nameModel(ctx, f, p, g, id)
		return true, done, err
	}
	if id, ok := strings.CutPrefix(id, enterKey); ok {
		if err := a.enterKey(ctx, p, id, out.Text); err != nil {
			g.says = "The key was not kept: " + err.Error()
			return true, false, nil
		}
		done, err = a.nameModel(ctx, f, p, g, id)
		return true, done, err
	}
	return false, false, nil
}

// choose shows a screen of choices and gives the one that was made; leaving it
// is going back.
func (a *app) choose(ctx context.Context, f sessionFlags, p place, s snap.Start) (tui.Outcome, error) {
	s.Back, s.Root, s.Level, s.Sandbox = true, p.root, p.settings.Autonomy, a.box(p)
	t := a.terminal(f, p.settings)
	t.Start = &s
	out, err := tui.Run(ctx, t)
	out.Chosen = cmp.Or(out.Chosen, "back")
	return out, err
}

// keep stores the choice of a model and states it in the audit log.
func (a *app) keep(ctx context.Context, p place, c local.Choice) error {
	if err := statedir.Ensure(p.state); err != nil {
		return usage("%w", err)
	}
	title := visible.Strict("the model " + c.Model + " of " + c.Provider + " was chosen")
	return a.recorded(ctx, p.state, audit.SettingsChange(title, "", "", "chosen_model.json"), func() error {
		return local.Choose(p.state, c)
	})
}

// enterKey stores a key that was typed without being shown.
func (a *app) enterKey(ctx context.Context, p place, id, key string) error {
	if err := statedir.Ensure(p.state); err != nil {
		return err
	}
	return a.recorded(ctx, p.state, audit.SettingsChange("key "+id+" set", "", "", "key "+id), func() error {
		return a.keys(p.state).Set(id, "stdin", strings.NewReader(key))
	})
}

// nameModel lets the person choose a model of a provider.
func (a *app) nameModel(ctx context.Context, f sessionFlags, p place, g *greeting, id string) (done bool, err error) {
	preset, ok := model.PresetByID(id)
	if !ok {
		return false, nil
	}
	known, err := catalogue(p.state)
	if err != nil {
		return false, err
	}
	s := snap.Start{Folder: short(p.root, p.home), Says: "Which model of " + preset.Title + "? Prices are dollars a million tokens, in and out."}
	for _, m := range known.Models {
		if m.Provider == id && len(s.Can) < len(letters)-1 {
			s.Can = append(s.Can, snap.Action{ID: useChoice(local.Choice{Provider: id, Model: m.Model}), Key: letters[len(s.Can) : len(s.Can)+1], Title: m.Model + "  " + windowText(m.Context) + "  " + priceText(m.Prices)})
		}
	}
	s.Can = append(s.Can, snap.Action{ID: "type", Key: "z", Title: "Another: type its name", Input: &snap.Input{Label: "name of the model, as " + preset.Title + " writes it:"}})
	out, err := a.choose(ctx, f, p, s)
	switch {
	case err != nil || out.Chosen == "back":
		return false, err
	case out.Chosen == "type":
		return true, a.keep(ctx, p, local.Choice{Provider: id, Model: out.Text})
	default:
		return a.took(ctx, f, p, g, out)
	}
}
