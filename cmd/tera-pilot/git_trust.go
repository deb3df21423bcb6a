package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/gitsafe"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// gitTrust is `tera-pilot git trust list|add|remove`: which hooks and filter
// drivers of a repository the person lets run, by what they hold.
func (a *app) gitTrust(ctx context.Context, args []string) error {
	const form = "git trust list, git trust add NAME [--digest HEX], or git trust remove NAME|DIGEST"
	verb := ""
	if len(args) > 0 {
		verb = args[0]
	}
	switch {
	case verb == "list" && len(args) == 1:
		return a.listTrust(ctx)
	case verb == "add" && len(args) == 2:
		return a.addTrust(ctx, args[1], "")
	case verb == "add" && len(args) == 4 && args[2] == "--digest":
		return a.addTrust(ctx, args[1], args[3])
	case verb == "remove" && len(args) == 2:
		return a.removeTrust(ctx, args[1])
	}
	return usage("%s", form)
}

// offered are the hooks and drivers of the repository around the current
// folder, and what is kept of the person's agreements.
func (a *app) offered(ctx context.Context) (here []gitsafe.Offer, kept []gitsafe.Agreement, err error) {
	state, err := a.stateHome()
	if err != nil {
		return nil, nil, err
	}
	if kept, err = world.Agreements(state).List(); err != nil {
		return nil, nil, usage("%w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	b, err := a.gitBroker(ctx, dir, "")
	if err != nil {
		return nil, nil, refused(err)
	}
	defer b.close()
	if here, err = b.git.Offers(ctx, dir); err != nil {
		return nil, kept, refused(err)
	}
	return here, kept, nil
}

func (a *app) listTrust(ctx context.Context) error {
	here, kept, err := a.offered(ctx)
	if err != nil && kept == nil {
		return err
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	agreed := map[string]bool{}
	for _, k := range kept {
		agreed[k.Digest] = true
	}
	shown := map[string]bool{}
	for _, o := range here {
		word := "not run"
		if agreed[o.Digest] {
			word, shown[o.Digest] = "runs", true
		} else if before := named(kept, o.Name); before != "" {
			word = "CHANGED, not run"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%.12s\t%s\n", word, o.Kind, visible.Strict(o.Name), o.Digest, visible.Strict(o.Text))
	}
	for _, k := range kept {
		if !shown[k.Digest] {
			fmt.Fprintf(w, "kept\t%s\t%s\t%.12s\tagreed to %s in %s\n", k.Kind, visible.Strict(k.Name), k.Digest, k.At.Format(time.DateOnly), visible.Strict(k.Where))
		}
	}
	if len(here)+len(kept) == 0 {
		fmt.Fprintln(w, "this repository brings no hook and no filter, and none is trusted")
	}
	return w.Flush()
}

// named is the digest of an agreement to something of this name here.
func named(kept []gitsafe.Agreement, name string) string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for _, k := range kept {
		if k.Name == name && inside(k.Where, dir) {
			return k.Digest
		}
	}
	return ""
}

// addTrust shows the whole of a hook or driver and asks; without a terminal
// the digest must be given, and be that of what is there now.
func (a *app) addTrust(ctx context.Context, name, digest string) error {
	here, _, err := a.offered(ctx)
	if err != nil {
		return err
	}
	var found *gitsafe.Offer
	var names []string
	for i, o := range here {
		names = append(names, visible.Strict(o.Name))
		if o.Name == name {
			found = &here[i]
		}
	}
	switch {
	case found == nil && len(here) == 0:
		return &exitError{exitFailed, fmt.Errorf("this repository brings no hook and no filter")}
	case found == nil:
		return &exitError{exitFailed, fmt.Errorf("no hook or filter %s here: there are %s", visible.Strict(name), strings.Join(names, ", "))}
	case digest != "" && digest != found.Digest:
		return &exitError{exitFailed, fmt.Errorf("%s has the digest %s, not the one that was given: look at it again", name, found.Digest)}
	case digest == "":
		if yes, err := a.confirmTrust(*found); err != nil || !yes {
			return err
		}
	}
	return a.keepTrust(ctx, *found)
}

func (a *app) confirmTrust(o gitsafe.Offer) (bool, error) {
	if !isTerminal(a.stdin) || !isTerminal(a.stdout) {
		return false, &exitError{exitFailed, fmt.Errorf("nobody can be asked here: look at it, then add --digest %s", o.Digest)}
	}
	text := o.Text
	if o.Kind == "hook" {
		content, err := gitsafe.ReadHook(o)
		if err != nil {
			return false, &exitError{exitFailed, err}
		}
		text = o.Text + "\n\n" + string(content)
	}
	fmt.Fprintf(a.stdout, "%s %s\n%s\n\nsha256 %s\nIt will run inside the sandbox, from a copy, until one byte of it changes. What it\ncalls is not covered: other files of the repository can change.\n", o.Kind, visible.Strict(o.Name), visible.Prose(text), o.Digest)
	line, err := a.answered("let it run? [y/N] ")
	if answer := strings.ToLower(strings.TrimSpace(line)); err == nil && (answer == "y" || answer == "yes") {
		return true, nil
	}
	fmt.Fprintln(a.stdout, "not trusted")
	return false, &exitError{code: exitFailed}
}

func (a *app) keepTrust(ctx context.Context, o gitsafe.Offer) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	home, err := a.userHome()
	if err != nil {
		return err
	}
	where := workingTree(dir, home)
	err = a.changeTrust(ctx, where, o.Digest, "trusted", func(kept gitsafe.Agreements) error {
		return kept.Add(gitsafe.Agreement{Kind: o.Kind, Name: o.Name, Digest: o.Digest, Where: where, At: time.Now().UTC().Truncate(time.Second)})
	})
	if err == nil {
		fmt.Fprintf(a.stdout, "%s %s runs from now on, inside the sandbox\n", o.Kind, visible.Strict(o.Name))
	}
	return err
}

// removeTrust withdraws by name (of this repository) or by the beginning of
// a digest.
func (a *app) removeTrust(ctx context.Context, name string) error {
	state, err := a.stateHome()
	if err != nil {
		return err
	}
	kept, err := world.Agreements(state).List()
	if err != nil {
		return usage("%w", err)
	}
	var hits []gitsafe.Agreement
	for _, k := range kept {
		if k.Digest == named(kept, name) || len(name) >= 8 && strings.HasPrefix(k.Digest, name) {
			hits = append(hits, k)
		}
	}
	if len(hits) == 0 {
		return &exitError{exitFailed, fmt.Errorf("nothing of that name is trusted here: see `tera-pilot git trust list`")}
	}
	for _, k := range hits {
		err := a.changeTrust(ctx, k.Where, k.Digest, "withdrawn", func(kept gitsafe.Agreements) error { return kept.Remove(k.Digest) })
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "%s %s is not run any more\n", k.Kind, visible.Strict(k.Name))
	}
	return nil
}

// changeTrust states a decision in the audit log, and then makes it.
func (a *app) changeTrust(ctx context.Context, where, digest, answer string, change func(gitsafe.Agreements) error) error {
	state, err := a.stateHome()
	if err != nil {
		return err
	}
	if err := statedir.Ensure(state); err != nil {
		return usage("%w", err)
	}
	return a.recorded(ctx, state, audit.TrustDecision(where, digest, answer, audit.ByCLI), func() error { return change(world.Agreements(state)) })
}
