package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/mcp/oauth"
	"github.com/tera-pilot/tera-pilot/tui/lines"
)

func (a *app) mcpLoginCommand() *cobra.Command {
	var wider, hosts []string
	var wait time.Duration
	c := &cobra.Command{
		Use:   "login NAME [--scope S]... [--allow-host ORIGIN]...",
		Short: "Log in at a server that is reached by HTTP (OAuth): shows the address to be opened, and keeps the token",
		Long: `Log in at a server that is reached by HTTP and wants an OAuth token. Each further
host that this leads to is named, and asked about once. The address that is shown
is to be opened in a browser on this machine; where the browser is elsewhere (ssh),
paste the address of the page that it could not open. The token is kept in the
state folder, is sent to the server's address alone, and is renewed by itself.`,
		Example: `  tera-pilot mcp login issues
  tera-pilot mcp login issues --scope issues:write       # after the server asked for more
  tera-pilot mcp login issues --allow-host https://login.example.org < answer.txt`,
		Args: cobra.ExactArgs(1),
	}
	c.Flags().StringArrayVar(&wider, "scope", nil, "ask for this scope too (repeatable)")
	c.Flags().StringArrayVar(&hosts, "allow-host", nil, "origin that the login may speak to without being asked about, such as https://login.example.org (repeatable)")
	c.Flags().DurationVar(&wait, "wait", 5*time.Minute, "how long to wait for the browser")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if wait < time.Second || wait > time.Hour {
			return usage("--wait takes one second to one hour")
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), wait)
		defer cancel()
		return a.logIn(ctx, args[0], wider, hosts)
	}
	return c
}

// logIn logs in at a server, in front of the person.
func (a *app) logIn(ctx context.Context, name string, wider, hosts []string) error {
	p, servers, _, err := a.servers()
	if err != nil {
		return err
	}
	if err := statedir.Ensure(p.state); err != nil {
		return usage("%w", err)
	}
	keeper, err := servers.Keeper(name)
	if err != nil {
		return usage("%w", err)
	}
	had, _, err := keeper.Grant()
	if err != nil {
		fmt.Fprintln(a.stderr, "tera-pilot: "+visible.Strict(err.Error())+"; it is replaced")
	}
	fmt.Fprintf(a.stdout, "server %s  %s\n", name, visible.Strict(keeper.Config.Server))
	return a.noting(ctx, p.state, func(note func(audit.Event) error) error {
		desk := &loginDesk{app: a, server: name, note: note, lines: make(chan string), drop: make(chan struct{})}
		go desk.read(ctx) // nobody waits for its end: it may stay in a read of a terminal
		login := oauth.Login{
			Config: keeper.Config, Net: keeper.Net, Wider: wider, Known: append(had.Hosts, hosts...), Pasted: desk.lines,
			Approve: desk.approve, Told: desk.told, Show: desk.show, Say: desk.say,
		}
		if err := note(audit.PinChange("login begun", name, "", "", "", audit.ByCLI)); err != nil {
			return err
		}
		grant, err := login.Run(ctx)
		if err == nil { // stated first: a login that is not on record is not kept
			err = note(audit.PinChange("login kept", name, "", "", "", audit.ByCLI))
		}
		if err == nil {
			err = keeper.Keep(grant)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("login at %s: %w", name, err), note(audit.PinChange("login failed", name, "", "", "", audit.ByCLI)))
		}
		fmt.Fprintf(a.stdout, "\nlogged in at %s%s\n", visible.Strict(grant.Issuer), withWords(" for ", grant.Scopes))
		return nil
	})
}

// withWords lists words that strangers chose, behind a text; nothing where there are none.
func withWords(text string, words []string) string {
	if len(words) == 0 {
		return ""
	}
	return text + visible.Strict(strings.Join(words, " "))
}

// A loginDesk is the person's side of a login.
type loginDesk struct {
	*app
	server string
	note   func(audit.Event) error
	lines  chan string   // that were typed or pasted; closed at the end of the input
	drop   chan struct{} // makes read forget the line that it holds
}

// read hands the lines of the input on until the login is over.
func (d *loginDesk) read(ctx context.Context) {
	defer close(d.lines)
	in := bufio.NewScanner(d.stdin)
	for in.Scan() {
		if strings.TrimSpace(in.Text()) == "" {
			continue
		}
		select {
		case d.lines <- in.Text():
		case <-d.drop:
		case <-ctx.Done():
			return
		}
	}
}

// approve asks about a host; only the whole word counts, and only a terminal
// asks.
func (d *loginDesk) approve(ctx context.Context, origin, why string) error {
	shown := visible.Strict(origin)
	if !isTerminal(d.stdin) || !isTerminal(d.stdout) {
		return &exitError{exitDenied, fmt.Errorf("the login leads to %s (%s), and there is no terminal to ask at: --allow-host %s names it", shown, why, shown)}
	}
	fmt.Fprintf(d.stdout, "\nthe login leads to another host:\n  %s  (%s)\nWhoever holds it sees who you are there. Go on? Type yes: ", shown, why)
	d.forget()
	select {
	case line, ok := <-d.lines:
		if !ok || strings.TrimSpace(line) != "yes" {
			return errors.New("you did not want to speak to " + shown)
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	return d.note(audit.PinChange("login at "+shown+" allowed", d.server, "", "", "", audit.ByCLI))
}

// forget drops what was typed or pasted before a question, which it cannot answer.
func (d *loginDesk) forget() {
	lines.Flush(d.stdin)
	select {
	case d.drop <- struct{}{}:
	default: // none is held
	}
}

// told states that a host is spoken to.
func (d *loginDesk) told(origin, why string) error {
	_, host, _ := strings.Cut(origin, "://")
	return d.note(audit.Egress(audit.Passage{Door: "mcp", Host: host, Method: "LOGIN", Status: audit.OK, Reason: why}))
}

// show shows the address to be opened.
func (d *loginDesk) show(address string, scopes []string) {
	fmt.Fprintf(d.stdout, "\nopen this address in a browser on this machine, and log in there%s:\n\n  %s\n\n", withWords(" to allow ", scopes), visible.Strict(address))
	fmt.Fprintln(d.stdout, "The browser then comes back to this program. Where it runs on another machine, copy\nthe address of the page that it cannot open, and paste it here. Ctrl-C ends the login.")
}

// say tells how far it is.
func (d *loginDesk) say(text string) { fmt.Fprintln(d.stdout, "… "+visible.Strict(text)) }

func (a *app) mcpLogoutCommand() *cobra.Command {
	return &cobra.Command{
		Use: "logout NAME", Short: "Forget the login at a server, and give its token back where that can be done",
		Example: "  tera-pilot mcp logout issues", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.logOut(cmd.Context(), args[0]) },
	}
}

func (a *app) logOut(ctx context.Context, name string) error {
	p, servers, _, err := a.servers()
	if err != nil {
		return err
	}
	keeper, err := servers.Keeper(name)
	if err != nil {
		return usage("%w", err)
	}
	if err := statedir.Ensure(p.state); err != nil {
		return usage("%w", err)
	}
	had, told := false, false
	err = a.recorded(ctx, p.state, audit.PinChange("login forgotten", name, "", "", "", audit.ByCLI), func() error {
		had, told, err = keeper.Forget(ctx)
		return err
	})
	switch {
	case err != nil:
		return err
	case !had:
		fmt.Fprintf(a.stdout, "server %s: nobody was logged in\n", name)
	case told:
		fmt.Fprintf(a.stdout, "server %s: logged out, and the token was given back\n", name)
	default:
		fmt.Fprintf(a.stdout, "server %s: logged out here; the authorization server could not be told, so end the login there too if it matters\n", name)
	}
	return nil
}
