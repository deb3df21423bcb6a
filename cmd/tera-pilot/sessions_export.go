package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/internal/secret"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

func (a *app) exportCommand() *cobra.Command {
	format := "md"
	cmd := &cobra.Command{
		Use: "export ID", Short: "Print a session as Markdown or JSON, secrets masked", Args: cobra.ExactArgs(1),
		Example: "  tera-pilot sessions export 20261129-0a1b2c3d4e5f > talk.md",
		RunE: func(_ *cobra.Command, args []string) error {
			return a.onStore(func(s *session.Store) error { return a.exportSession(s, args[0], format) })
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "md or json")
	return cmd
}

func (a *app) exportSession(store *session.Store, id, format string) error {
	if format != "md" && format != "json" {
		return usage("--format is md or json, not %q", format)
	}
	events, err := store.Read(id)
	if err != nil {
		return usage("%w", err)
	}
	mask := secret.New()
	if format == "json" {
		return exportJSON(a.stdout, id, events, mask)
	}
	w := markdown{mask: mask}
	w.session(id, events)
	_, err = io.WriteString(a.stdout, w.String())
	return err
}

// exportJSON prints one object with the events. Masking goes value by value,
// so that no escape hides a secret and none breaks the form.
func exportJSON(out io.Writer, id string, events []event.Event, mask *secret.Redactor) error {
	var b strings.Builder
	if err := json.NewEncoder(&b).Encode(map[string]any{"v": 1, "session": id, "events": events}); err != nil {
		return err
	}
	in := json.NewDecoder(strings.NewReader(b.String()))
	in.UseNumber()
	var tree any
	if err := in.Decode(&tree); err != nil {
		return err
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", " ")
	return enc.Encode(masked(tree, mask))
}

func masked(v any, mask *secret.Redactor) any {
	switch v := v.(type) {
	case string:
		return mask.Text(v)
	case []any:
		for i := range v {
			v[i] = masked(v[i], mask)
		}
	case map[string]any:
		for k := range v {
			v[k] = masked(v[k], mask)
		}
	}
	return v
}

// A markdown is a session as a document. All text that is not this program's
// stands in fences that are longer than any run of backticks in it, with its
// controls made visible, so that it cannot become a heading, a link, or HTML.
type markdown struct {
	strings.Builder
	mask *secret.Redactor
}

func (w *markdown) session(id string, events []event.Event) {
	fmt.Fprintf(w, "# Session %s\n", id)
	for _, e := range events {
		at := e.Time.UTC().Format("2006-01-02 15:04:05")
		switch b := e.Body.(type) {
		case event.Opened:
			fmt.Fprintf(w, "\nopened %s UTC\n", at)
			w.fence("folder " + b.Root + "\nmodel " + b.Provider + " " + b.Model)
		case event.TurnStarted:
			fmt.Fprintf(w, "\n## Turn %d, %s UTC\n\n**you**\n", b.Turn, at)
			w.fence(b.Text)
		case event.Interjected:
			w.WriteString("\n**you, meanwhile**\n")
			w.fence(b.Text)
		case event.Reply:
			if b.Text != "" {
				w.WriteString("\n**pilot**\n")
				w.fence(b.Text)
			}
		case event.CallResult:
			fmt.Fprintf(w, "\n**%s** %s, %s\n", plainWord(b.Tool), plainWord(b.Status), plainWord(b.Decision))
			w.fence(strings.TrimSpace(b.Title + "\n" + b.Body))
		case event.TurnEnded:
			fmt.Fprintf(w, "\nturn %d: %s\n", b.Turn, plainWord(b.Status))
			if b.Message != "" {
				w.fence(b.Message)
			}
		}
	}
}

// plainWord keeps letters, digits and _ of a name that stands outside of a fence.
func plainWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return -1
	}, s)
}

func (w *markdown) fence(text string) {
	var b strings.Builder
	for _, l := range visible.StrictLines(w.mask.Text(text)) {
		b.WriteString(l + "\n")
	}
	ticks := "```"
	for strings.Contains(b.String(), ticks) {
		ticks += "`"
	}
	fmt.Fprintf(w, "\n%stext\n%s%s\n", ticks, b.String(), ticks)
}
