package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// Bounds of a listing: entries that are shown, and that are looked at.
const (
	maxEntries = 200
	maxLooked  = 20_000
)

type listFiles struct{}

type listArgs struct {
	Directory string `json:"directory,omitempty"`
	Pattern   string `json:"pattern,omitempty"`
	Depth     int    `json:"depth,omitempty"`
}

// Spec implements Tool.
func (listFiles) Spec() Spec {
	return Spec{
		Name: "list_files", Aliases: []string{"ls", "list", "list_dir", "list_directory", "get_project_structure"}, Category: "file", Small: true,
		Description: "List a folder, at most 200 entries. Folders end in /. Files that git ignores and secret-like files are left out and counted.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
			"directory":{"type":"string","minLength":1,"description":"folder, default the workspace"},
			"pattern":{"type":"string","minLength":1,"description":"only files whose name matches, such as *.go"},
			"depth":{"type":"integer","minimum":1,"maximum":20,"description":"how many levels of folders, default 1; with a pattern 20"}}}`),
	}
}

// Plan implements Tool.
func (t listFiles) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a listArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	if err := checkGlob(a.Pattern); err != nil {
		return effect.Set{}, err
	}
	if a.Depth == 0 {
		if a.Depth = 1; a.Pattern != "" {
			a.Depth = 20
		}
	}
	p, err := folder(ctx, v, a.Directory)
	if err != nil {
		return effect.Set{}, err
	}
	return set(t.Spec(), "list "+quote(p.Name), a, effect.Effect{Kind: effect.Walk, Path: &p}), nil
}

// folder resolves the folder of a search; "" is the workspace.
func folder(ctx context.Context, v View, name string) (effect.Path, error) {
	if name == "" {
		name = "."
	}
	p, err := resolve(ctx, v, name)
	if err != nil {
		return p, err
	}
	if err := missing(p); err != nil {
		return p, err
	}
	if p.Type != effect.Dir && (p.Exists || !p.Outside) {
		return p, &ArgumentError{fmt.Sprintf("%s is a %s, not a folder: use file_info or read_file", quote(p.Name), p.Type)}
	}
	return p, nil
}

// checkGlob says what is wrong with a pattern. Alternatives multiply the work
// of a comparison, so there may be few.
func checkGlob(pattern string) error {
	const most = 6
	switch {
	case pattern == "":
		return nil
	case strings.HasPrefix(pattern, "/"), strings.HasPrefix(pattern, "~"), strings.HasPrefix(pattern, "../"):
		return &ArgumentError{fmt.Sprintf("the pattern %q must be relative: give the folder apart, and the pattern below it", pattern)}
	case len(pattern) > 500 || strings.Count(pattern, "{") > most || strings.Count(pattern, "*") > 20:
		return &ArgumentError{fmt.Sprintf("the pattern is too long or has more than %d alternatives", most)}
	case !doublestar.ValidatePattern(pattern):
		return &ArgumentError{fmt.Sprintf("the pattern %q is not complete: * ? ** [abc] {a,b} are understood", pattern)}
	}
	return nil
}

// globMatch compares a name beneath the searched folder. A pattern without a
// slash is about the last part of the name, at any depth.
func globMatch(pattern, name string) bool {
	pattern = strings.TrimPrefix(pattern, "./")
	if !strings.Contains(pattern, "/") {
		name = path.Base(name)
	}
	return doublestar.MatchUnvalidated(pattern, name)
}

// below is the name of a thing beneath the folder of a walk.
func below(root effect.Path, name string) string {
	if root.Name == "." {
		return strings.TrimPrefix(name, "./")
	}
	return strings.TrimPrefix(name, strings.TrimSuffix(spell(root), "/")+"/")
}

// Run implements Tool.
func (listFiles) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	var a listArgs
	if err := recall(planned, &a); err != nil {
		return Result{}, err
	}
	root := *planned.Effects[0].Path
	var b strings.Builder
	shown, looked := 0, 0
	left, err := e.Walk(ctx, planned.Effects[0], func(f Found) error {
		if looked++; looked > maxLooked {
			return ErrStop
		}
		rel := below(root, f.Name)
		deep := f.Type == effect.Dir && strings.Count(rel, "/")+1 >= a.Depth
		if a.Pattern == "" || f.Type != effect.Dir && globMatch(a.Pattern, rel) {
			if shown++; shown <= maxEntries {
				b.WriteString(listLine(f))
			}
		}
		if deep {
			return ErrSkip
		}
		return nil
	})
	if err != nil {
		return failed("list "+quote(root.Name), err)
	}
	switch {
	case shown == 0 && a.Pattern != "":
		b.WriteString("no file matches\n")
	case shown == 0:
		b.WriteString("(the folder is empty)\n")
	case shown > maxEntries:
		fmt.Fprintf(&b, "[%d of %s entries; name a folder or a pattern to see the others]\n", maxEntries, atLeast(shown, looked > maxLooked))
	}
	b.WriteString(left.String())
	return Result{Status: OK, Body: b.String(), Untrusted: fromFile}, nil
}

func atLeast(n int, more bool) string {
	if more {
		return fmt.Sprintf("at least %d", n)
	}
	return fmt.Sprint(n)
}

func listLine(f Found) string {
	switch f.Type {
	case effect.Dir:
		return quote(f.Name) + "/\n"
	case effect.Regular:
		return fmt.Sprintf("%s\t%s\n", quote(f.Name), size(f.Size))
	default:
		return fmt.Sprintf("%s\t%s\n", quote(f.Name), f.Type)
	}
}

// String says what a walk left out, one line, or nothing.
func (l Left) String() string {
	var parts []string
	for _, p := range []struct {
		n         int
		one, many string
	}{
		{l.Ignored, "entry that git ignores", "entries that git ignores"},
		{l.Secret, "secret-like file", "secret-like files"},
		{l.Outside, "link that leads out of the workspace", "links that lead out of the workspace"},
		{l.Unread, "folder that could not be opened", "folders that could not be opened"},
	} {
		if p.n > 0 {
			parts = append(parts, count(p.n, p.one, p.many))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "[left out: " + strings.Join(parts, ", ") + "]\n"
}
