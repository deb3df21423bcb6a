package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/config"
	"github.com/tera-pilot/tera-pilot/internal/keystore"
	"github.com/tera-pilot/tera-pilot/internal/netguard"
	"github.com/tera-pilot/tera-pilot/internal/secret"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/websearch"
)

// web makes what reads the web, of the user's settings.
func (a *app) web(s config.Settings, state string, redactor *secret.Redactor) (*websearch.Web, error) {
	o, err := webOptions(s.Web)
	if err != nil {
		return nil, usage("%s: %w", s.File, err)
	}
	o.Secrets = redactor
	if pass := a.getenv(keystore.Passphrase); pass != "" {
		redactor.Add(pass)
	}
	if name := s.Web.Search.Backend; name != "" {
		key := a.getenv(strings.ToUpper(name) + "_API_KEY")
		if key == "" {
			if key, err = a.keys(state).Get(name, a.getenv); err != nil {
				return nil, usage("%w", err)
			}
		}
		if key != "" {
			redactor.Add(key)
		}
		if o.Backend, err = websearch.NewBackend(name, s.Web.Search.URL, key); err != nil {
			return nil, usage("%w", err)
		}
	}
	return websearch.New(o)
}

func webOptions(s config.Web) (websearch.Options, error) {
	mode, err := websearch.ParseMode(s.Mode)
	return websearch.Options{Domains: websearch.Domains{Mode: mode, Trusted: s.Trusted}, Ports: s.Ports}, err
}

// webWords says for doctor what reads the web.
func (a *app) webWords(s config.Settings, state string) (string, error) {
	w, err := a.web(s, state, secret.New())
	if err != nil {
		return "", err
	}
	var parts []string
	if fetches(s) {
		parts = append(parts, "web_fetch, asked about by host")
	}
	if name, ok := w.Searches(); ok {
		parts = append(parts, "web_search by "+name)
	}
	return strings.Join(parts, "; "), nil
}

// fetches says that web_fetch is offered.
func fetches(s config.Settings) bool { return s.Web.Fetch == nil || *s.Web.Fetch }

func (a *app) webCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "web",
		Short: "Check, fetch and search by hand, through the agent's own guard",
		Args:  noSubcommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.webCheckCommand(), a.webFetchCommand(), a.webSearchCommand())
	return cmd
}

func (a *app) webCheckCommand() *cobra.Command {
	var answers string
	var asJSON bool
	c := &cobra.Command{
		Use:   "check [--dns IP,IP] URL",
		Short: "Say whether a URL would be fetched with nobody to ask; dials nothing",
		Example: `  tera-pilot web check https://go.dev/doc/
  tera-pilot web check --dns 10.0.0.1 http://intranet.example.com/   # with this answer of the resolver
  tera-pilot web check --dns '' https://nowhere.example/             # no such name`,
		Args: cobra.ExactArgs(1),
	}
	c.Flags().StringVar(&answers, "dns", "", "answers of the resolver, in place of a real look-up; empty: no such name")
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		var r counting
		if cmd.Flags().Changed("dns") {
			scripted, err := scriptedAnswers(answers)
			if err != nil {
				return usage("%w", err)
			}
			r.from = scripted
		}
		return a.checkURL(cmd.Context(), args[0], &r, asJSON)
	}
	return c
}

// checkURL prints the verdict: `allow ADDRESS` or `block WHY`.
func (a *app) checkURL(ctx context.Context, raw string, r *counting, asJSON bool) error {
	var s config.Settings
	if state, err := a.stateHome(); err == nil { // it works without a home folder
		if s, err = a.settings(state); err != nil {
			return err
		}
	}
	o, err := webOptions(s.Web)
	if err != nil {
		return usage("%w", err)
	}
	o.Net.Resolver = r
	w, err := websearch.New(o)
	if err != nil {
		return err
	}
	v := w.Check(ctx, raw)
	v.Why = strings.TrimPrefix(v.Why, "refused: ") // `block` says it
	if asJSON {
		out := map[string]any{"url": raw, "allow": v.Allowed, "resolver_asked": r.asked}
		if v.Allowed {
			out["address"] = v.Address.String()
		} else {
			out["why"] = v.Why
		}
		return json.NewEncoder(a.stdout).Encode(out)
	}
	if v.Allowed {
		fmt.Fprintf(a.stdout, "allow %s\n", v.Address)
		return nil
	}
	fmt.Fprintf(a.stdout, "block %s\n", visible.Strict(v.Why))
	return nil
}

// counting is a resolver that counts; without answers it is Go's own.
type counting struct {
	from  netguard.Resolver
	asked int
}

// LookupNetIP implements netguard.Resolver.
func (c *counting) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	c.asked++
	if c.from == nil {
		return netguard.SystemResolver().LookupNetIP(ctx, network, host)
	}
	return c.from.LookupNetIP(ctx, network, host)
}

// fixed is a resolver with the same answer for every name.
type fixed []netip.Addr

// LookupNetIP implements netguard.Resolver.
func (f fixed) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if len(f) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return f, nil
}

func scriptedAnswers(list string) (fixed, error) {
	out := fixed{}
	for _, text := range strings.Split(list, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		addr, err := netip.ParseAddr(text)
		if err != nil {
			return nil, fmt.Errorf("--dns: %q is no address", text)
		}
		out = append(out, addr)
	}
	return out, nil
}

func (a *app) webFetchCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "fetch URL", Short: "Fetch a page as the agent would, and print it as Markdown; recorded in the log",
		Example: "  tera-pilot web fetch https://go.dev/doc/effective_go", Args: cobra.ExactArgs(1),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		return a.byHand(cmd.Context(), "fetch", args[0], func(ctx context.Context, w *websearch.Web) error {
			p, err := w.Fetch(ctx, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(a.stdout).Encode(p)
			}
			return a.printPage(p)
		})
	}
	return c
}

func (a *app) printPage(p websearch.Page) error {
	fmt.Fprintf(a.stderr, "%s  %d %s, %d bytes from %s\n", visible.Strict(p.URL), p.Status, visible.Strict(p.Type), p.Size, p.Address)
	if p.Redirect != "" {
		return fmt.Errorf("it leads to another host, which was not asked for: %s", visible.Strict(p.Redirect))
	}
	fmt.Fprintln(a.stdout, visible.Prose(p.Text))
	if p.Status >= 400 {
		return fmt.Errorf("the server answered %d", p.Status)
	}
	return nil
}

func (a *app) webSearchCommand() *cobra.Command {
	var n int
	var asJSON bool
	c := &cobra.Command{
		Use: "search QUERY...", Short: "Ask the configured search service; recorded in the log",
		Example: "  tera-pilot web search go iterators proposal", Args: cobra.MinimumNArgs(1),
	}
	c.Flags().IntVarP(&n, "number", "n", 5, "how many results, at most 10")
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON array")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		query := strings.Join(args, " ")
		return a.byHand(cmd.Context(), "search", query, func(ctx context.Context, w *websearch.Web) error {
			hits, err := w.Search(ctx, query, n)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(a.stdout).Encode(hits)
			}
			for _, h := range hits {
				fmt.Fprintf(a.stdout, "%s\n  %s\n  %s\n", visible.Strict(h.Title), visible.Strict(h.URL), visible.Strict(h.Snippet))
			}
			return nil
		})
	}
	return c
}

// byHand does what a person typed: it is its own yes, it is recorded first, and
// what looks like a secret is refused all the same, since nobody is asked.
func (a *app) byHand(ctx context.Context, what, text string, act func(context.Context, *websearch.Web) error) error {
	state, err := a.stateHome()
	if err != nil {
		return err
	}
	s, err := a.settings(state)
	if err != nil {
		return err
	}
	redactor := secret.New()
	w, err := a.web(s, state, redactor)
	if err != nil {
		return err
	}
	if why := websearch.Scan(text, redactor); len(why) > 0 {
		return &exitError{exitDenied, errors.New("not sent: " + why[0])}
	}
	if err := statedir.Ensure(state); err != nil {
		return usage("%w", err)
	}
	e := audit.Event{Kind: audit.KindProxy, Category: audit.CategoryWeb, Title: what + " typed by a person: " + text, Data: map[string]any{"door": "web", "what": what, "text": text}}
	return a.recorded(ctx, state, e, func() error { return act(ctx, w) })
}
