package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// modelsCommand is what can be asked about models without a session. It loads
// nothing of the project and needs no home folder, configuration or key.
func (a *app) modelsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "models",
		Short: "Providers, models, servers on this machine, and how a reply is read",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("models has no command %q; it has list, probe, refresh and decode", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.modelsListCommand(), a.modelsProbeCommand(), a.modelsRefreshCommand(), a.modelsDecodeCommand())
	return c
}

// modelsArgs makes a mistake in the number of arguments one of usage.
func modelsArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return usage("%s: %w", c.CommandPath(), err)
		}
		return nil
	}
}

func (a *app) modelsListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list [PROVIDER]",
		Short: "The providers, and the models that are known of them",
		Long: "The built-in list, what `models refresh` brought, and your own file models.json in the state folder, in this order: the later counts.\n" +
			"`full` fits the whole agent; `small` has a window under 16k tokens and gets the short instructions and five tools; `text` takes no tools, which are then described to it.",
		Example: "  tera-pilot models list anthropic",
		Args:    modelsArgs(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			only := ""
			if len(args) > 0 {
				only = args[0]
				if _, ok := model.PresetByID(only); !ok {
					return usage("no provider has the id %q; tera-pilot models list shows them", only)
				}
			}
			known, err := a.knownModels()
			if err != nil {
				return err
			}
			if asJSON {
				return a.modelsListJSON(known, only)
			}
			return a.modelsList(known, only)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object a model")
	return c
}

func (a *app) modelsListJSON(catalogue model.Catalogue, only string) error {
	out := json.NewEncoder(a.stdout)
	for _, m := range catalogue.Models {
		if only == "" || m.Provider == only {
			if err := out.Encode(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// knownModels is the catalogue with the files of the state folder, where there
// is one that can be used: the list needs no home folder.
func (a *app) knownModels() (model.Catalogue, error) {
	state, err := a.stateHome()
	if err != nil {
		return catalogue("")
	}
	if err := statedir.Check(state); err != nil {
		return model.Catalogue{}, usage("%w", err)
	}
	return catalogue(state)
}

func (a *app) modelsList(known model.Catalogue, only string) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, p := range model.Presets() {
		if only != "" && p.ID != only {
			continue
		}
		where := p.BaseURL
		if where == "" {
			where = "address in " + p.BaseEnv
		}
		if p.NeedsKey {
			where += ", needs a key"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t\t\n", p.ID, p.Title, where)
		for _, m := range known.Models {
			if m.Provider == p.ID {
				fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\n", visible.Strict(m.Model), windowText(m.Context), priceText(m.Prices), priceDate(m.Prices), fits(m))
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.stdout, "\nPrices are dollars a million tokens, in and out, of the day beside them; the built-in list is of %s. Other models work too, with what is unknown of them shown as unknown.\n", known.Date)
	return err
}

// fits says how much of the agent a model has room for.
func fits(m model.Info) string {
	switch {
	case m.Tools != nil && !*m.Tools:
		return "text"
	case m.Context == 0:
		return "?"
	case m.Context < smallWindow:
		return "small"
	default:
		return "full"
	}
}

func priceDate(p *model.Prices) string {
	if p == nil {
		return ""
	}
	return visible.Strict(p.Date)
}

func windowText(tokens int64) string {
	if tokens == 0 {
		return "window unknown"
	}
	return tokensText(tokens) + " window"
}

func tokensText(n int64) string {
	if n < 10_000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%dk", n/1000)
}

func priceText(p *model.Prices) string {
	if p == nil {
		return "price unknown"
	}
	return fmt.Sprintf("%s in, %s out", dollarsText(p.Input), dollarsText(p.Output))
}

// dollarsText writes micro-dollars without rounding.
func dollarsText(micro int64) string {
	text := fmt.Sprintf("%d.%06d", micro/1_000_000, micro%1_000_000)
	whole, cents := text[:len(text)-4], strings.TrimRight(text[len(text)-4:], "0")
	return "$" + whole + cents
}

func (a *app) modelsProbeCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "probe [ADDRESS]...",
		Short: "Look for model servers on this machine, and say what they offer",
		Long: "Asks the usual ports of loopback, and each ADDRESS (http://127.0.0.1:PORT), what listens there.\n" +
			"Nothing but this machine is asked, and nothing of yours is sent.",
		RunE: func(c *cobra.Command, args []string) error {
			d := model.Discovery{Addresses: args, Only: len(args) > 0}
			if preset, ok := model.PresetByID("ollama"); ok && !d.Only {
				cfg, err := preset.FromEnv(a.getenv)
				if err != nil {
					return usage("%w", err)
				}
				d.Addresses = append(d.Addresses, cfg.BaseURL)
			}
			found, err := model.Discover(c.Context(), d)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(a.stdout).Encode(found)
			}
			return a.printFound(found)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON list")
	return c
}

func (a *app) printFound(found []model.Found) error {
	if len(found) == 0 {
		_, err := fmt.Fprintln(a.stdout, "nothing answers on this machine; tera-pilot demo needs no model, and tera-pilot models list shows the providers")
		return err
	}
	w, memory := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0), totalMemory()
	for _, f := range found {
		kind := f.Kind
		if kind == "" {
			kind = "unknown: no model server that tera-pilot knows"
		}
		if f.Loading {
			kind += ", loading its model"
		}
		fmt.Fprintf(w, "%s\t%s %s\n", f.Address, kind, visible.Strict(f.Version))
		for _, m := range f.Models {
			fmt.Fprintf(w, "  %s\t%s\n", visible.Strict(m.Name), describeFound(m)+sizeText(m.Size, memory))
		}
	}
	return w.Flush()
}

// sizeText says how large the weights are, and whether they fit here.
func sizeText(size, memory int64) string {
	if size == 0 {
		return ""
	}
	text := fmt.Sprintf(", %.1f GB", float64(size)/1e9)
	if memory > 0 && size > memory {
		text += ", more than this machine's memory"
	}
	return text
}

func describeFound(m model.FoundModel) string {
	words := []string{windowText(m.Window) + " in force"}
	if m.Window == 0 {
		words[0] = "window in force unknown"
	}
	if m.MaxWindow > 0 {
		words = append(words, "at most "+tokensText(m.MaxWindow))
	}
	switch {
	case m.Tools == nil:
		words = append(words, "tools unknown")
	case *m.Tools:
		words = append(words, "takes tools")
	default:
		words = append(words, "takes no tools: they are described as text")
	}
	return strings.Join(words, ", ")
}
