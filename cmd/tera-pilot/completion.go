package main

import (
	"bytes"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// A completer proposes what may stand at a place, or has the shell propose
// files.
type completer func() ([]string, cobra.ShellCompDirective)

func nothing() ([]string, cobra.ShellCompDirective) { return nil, cobra.ShellCompDirectiveNoFileComp }

func files() ([]string, cobra.ShellCompDirective) { return nil, cobra.ShellCompDirectiveDefault }

func words(list ...string) completer {
	return func() ([]string, cobra.ShellCompDirective) { return list, cobra.ShellCompDirectiveNoFileComp }
}

// completions says of every flag and every argument what the shell proposes
// there: what is not named here is nothing that could be known.
func (a *app) completions(root *cobra.Command) {
	flags := map[string]completer{
		"autonomy": words(gate.AlwaysAsk.String(), gate.NewFilesOnly.String(), gate.NeverAsk.String()),
		"provider": providerIDs, "session": a.sessionIDs,
		"category": words("shell", "code", "file", "git", "mcp", "web"),
		"status":   words("ok", "error", "rejected", "blocked", "cancelled", "timeout", "unknown", "open"),
		"sandbox":  words("observe", "work", "net", "off"), "sandbox profile": words("observe", "work", "net", "debug"),
		"protocol": words(model.RecordingProtocols()...),
	}
	for _, name := range []string{"config", "home", "root", "script", "log", "out", "pubkey", "anchor", "project", "tools", "rule", "output-schema", "junit", "path"} {
		flags[name] = files
	}
	args := map[string]completer{"ID": a.sessionIDs, "FILE": files, "DIR": files, "ARGS": files, "COMMAND": files, "PROVIDER": providerIDs}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		register := func(f *pflag.Flag) {
			known, ok := flags[c.Name()+" "+f.Name]
			if !ok {
				known, ok = flags[f.Name]
			}
			if !ok {
				known = nothing
			}
			if f.Value.Type() != "bool" {
				_ = c.RegisterFlagCompletionFunc(f.Name, known.values) // fails where there is one already
			}
		}
		c.Flags().VisitAll(register)
		c.PersistentFlags().VisitAll(register)
		known, ok := args[placeholder(c)]
		if !ok || c.CommandPath() == "tera-pilot policy forget" {
			known = nothing
		}
		c.ValidArgsFunction = func(_ *cobra.Command, before []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(before) > 0 && placeholder(c) == "ID" {
				return nothing()
			}
			return known()
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
}

func (f completer) values(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return f()
}

// placeholder is the first word of a command's usage that stands for an
// argument.
func placeholder(c *cobra.Command) string {
	for word := range strings.FieldsFuncSeq(c.Use, func(r rune) bool { return strings.ContainsRune(" []().", r) }) {
		if word == strings.ToUpper(word) && word[0] >= 'A' {
			return word
		}
	}
	return ""
}

func providerIDs() ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, p := range model.Presets() {
		out = append(out, cobra.CompletionWithDesc(p.ID, p.Title))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// sessionIDs are the stored sessions, the last used first. One that cannot be
// read is not proposed.
func (a *app) sessionIDs() ([]string, cobra.ShellCompDirective) {
	const most = 50
	store, err := a.sessionStore()
	if err != nil {
		return nothing()
	}
	all, err := store.List()
	if err != nil {
		return nothing()
	}
	var out []string
	for _, s := range all[:min(most, len(all))] {
		if s.Problem == "" {
			out = append(out, cobra.CompletionWithDesc(s.ID, visible.Strict(s.Title)))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// bareBash has bash's script work where the package bash-completion is not
// installed: the library's calls a function of that package, and would print an
// error at every tab.
func (a *app) bareBash(completion *cobra.Command) {
	all := completion.Commands()
	bash := all[slices.IndexFunc(all, func(c *cobra.Command) bool { return c.Name() == "bash" })]
	bash.RunE = func(c *cobra.Command, _ []string) error {
		plain, err := c.Flags().GetBool("no-descriptions")
		if err != nil {
			return err
		}
		var script bytes.Buffer
		if err := c.Root().GenBashCompletionV2(&script, !plain); err != nil {
			return err
		}
		_, err = a.stdout.WriteString(strings.Replace(script.String(), packagedWords, ownWords, 1))
		return err
	}
}

// packagedWords is where the library's script wants the words before the cursor
// of the package, and ownWords finds them without it: an = parts no words.
const (
	packagedWords = `    _get_comp_words_by_ref "$@" cur prev words cword
`
	ownWords = `    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    local i last=0
    words=("${COMP_WORDS[0]}") cword=0
    for ((i = 1; i < ${#COMP_WORDS[@]}; i++)); do
        if [[ ${COMP_WORDS[i]} == = || ${COMP_WORDS[i-1]} == = ]]; then
            words[last]+=${COMP_WORDS[i]}
        else
            last=$((last + 1))
            words[last]=${COMP_WORDS[i]}
        fi
        ((i == COMP_CWORD)) && cword=$last
    done
    cur=${words[cword]} prev=${words[cword > 0 ? cword - 1 : 0]}
`
)
