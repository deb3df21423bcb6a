package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/agent/whatif"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// policyExplain says what a command does and what a session would make of it,
// through the world of a session: what that plans is what the gate would judge.
func (a *app) policyExplain(ctx context.Context, text string) (err error) {
	if strings.TrimSpace(text) == "" {
		return usage("policy explain: the command is empty; name one, such as 'go test ./...'")
	}
	level, err := gate.ParseLevel(cmp.Or(a.flags.autonomy, gate.AlwaysAsk.String()))
	if err != nil {
		return usage("--autonomy: %w", err)
	}
	files, where, err := a.policyFiles()
	if err != nil {
		return err
	}
	w, err := world.Open(ctx, world.Options{Root: where.Workspace, Home: where.Home, State: where.State, Env: a.env, Setting: ossandbox.Auto})
	if err != nil {
		return usage("policy explain: %w", err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	place, err := w.Place(where.Workspace)
	if err != nil {
		return err
	}
	command := commandpolicy.Parse(text, place)
	planned, refused := w.View(nil).Command(ctx, tool.CommandSpec{Script: text})
	said := commandpolicy.New(files...).Explain(command, policyWhen())
	if refused != nil {
		said += fmt.Sprintf("in a session: refused, whatever a rule says: %s\n", visible.Strict(refused.Error()))
	} else {
		scene := whatif.Scene{Workspace: where.Workspace, Home: where.Home, State: where.State, Rules: gate.NewRules(files...), Now: time.Now()}
		said += inASession(scene, planned, level, command)
	}
	_, err = io.WriteString(a.stdout, said)
	return err
}

// inASession says what the gate makes of what was planned, whose rows for secret,
// protected and outside paths speak besides the rules about commands, and what
// would have to stand in policy.toml for it to run unasked.
func inASession(scene whatif.Scene, planned effect.Effect, level gate.Level, c *commandpolicy.Analysis) string {
	var b strings.Builder
	d, small := scene.Command(planned, level)
	fmt.Fprintf(&b, "in a session (%s): %s", d.Level, d.Answer)
	if d.Answer != gate.Allow {
		fmt.Fprintf(&b, ": %s", visible.Strict(d.Reason))
	}
	b.WriteString("\n")
	for _, p := range c.Parts {
		if len(p.Effects.Network) > 0 && planned.Kind == effect.Exec {
			b.WriteString("the network is closed to it, but for hosts that the call names: each is asked about, or has a [[host]] rule (CONNECT)\n")
			break
		}
	}
	switch {
	case small != "":
		b.WriteString("smallest addition to policy.toml that would allow it:\n\n")
		for line := range strings.Lines(visible.Prose(small)) {
			b.WriteString(strings.TrimRight("  "+line, " \n") + "\n")
		}
	case d.Answer != gate.Allow:
		fmt.Fprintf(&b, "no rule could allow it at %s%s\n", level, otherLevels(scene, planned, level))
	}
	return b.String()
}

// otherLevels tells what the other levels answer, as the rules stand.
func otherLevels(scene whatif.Scene, planned effect.Effect, level gate.Level) string {
	var out strings.Builder
	for _, other := range []gate.Level{gate.AlwaysAsk, gate.NewFilesOnly, gate.NeverAsk} {
		if other != level {
			d, _ := scene.Command(planned, other)
			fmt.Fprintf(&out, "; at %s the answer is %s", other, d.Answer)
		}
	}
	return out.String()
}
