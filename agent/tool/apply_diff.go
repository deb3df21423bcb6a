package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type applyDiff struct{ checker }

type diffArgs struct {
	Path string `json:"path,omitempty"`
	Diff string `json:"diff"`
}

// Spec implements Tool.
func (applyDiff) Spec() Spec {
	return Spec{
		Name: "apply_diff", Aliases: []string{"patch", "apply_patch"}, Category: "file",
		Description: "Apply a unified diff to one or more files, all of it or nothing. Context and deleted lines must stand in the file exactly; line numbers may be off. " +
			"Without path the --- and +++ lines name the files. " +
			"--- /dev/null makes a file, +++ /dev/null deletes one whose whole content is taken away, `rename from` and `rename to` move one. Line ends and encoding are kept.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["diff"],"properties":{
			"path":{"type":"string","minLength":1,"description":"the file, when the diff is about one; relative to the workspace"},
			"diff":{"type":"string","minLength":1,"description":"unified diff: @@ -a,b +c,d @@ and lines that begin with a space, - or +"}}}`),
	}
}

type diffNote struct {
	Failed string   `json:"failed,omitempty"` // the diff that did not fit
	Notes  []string `json:"notes,omitempty"`
}

// Plan implements Tool. A diff that does not fit becomes a read of the file,
// as with str_replace.
func (t applyDiff) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a diffArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	all, err := parsePatches(a.Diff)
	if err != nil {
		return effect.Set{}, err
	}
	if a.Path != "" {
		if len(all) > 1 {
			return effect.Set{}, &ArgumentError{fmt.Sprintf("the diff is about %d files: leave path out, or give the diff of one file", len(all))}
		}
		if err := all[0].about(a.Path); err != nil {
			return effect.Set{}, err
		}
	}
	s := patchSet{view: v, several: len(all) > 1}
	for _, p := range all {
		unfit, err := s.add(ctx, a.Path, p)
		if err != nil {
			return effect.Set{}, err
		}
		if unfit != nil {
			return set(t.Spec(), "look for the place of a diff in "+quote(unfit.Name), diffNote{Failed: p.source}, read(*unfit)), nil
		}
	}
	return set(t.Spec(), s.title(), diffNote{Notes: s.notes}, s.effects...), nil
}

// about holds the names in the diff's head to the one in the call.
func (p patch) about(name string) error {
	if p.from != "" {
		return &ArgumentError{"the diff renames a file: leave path out"}
	}
	want := path.Clean(name)
	for _, n := range []string{p.oldName, p.newName} {
		if n == "" || n == devNull {
			continue
		}
		_, rest, _ := strings.Cut(n, "/")
		for _, got := range []string{n, rest} {
			if got = path.Clean(got); got == want || strings.HasSuffix(want, "/"+got) || strings.HasSuffix(got, "/"+want) {
				n = ""
			}
		}
		if n != "" {
			return &ArgumentError{fmt.Sprintf("the diff is about %s, and path says %s: a call takes the diff of one file, under its name", quote(n), quote(name))}
		}
	}
	return nil
}

// Run implements Tool.
func (t applyDiff) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	var n diffNote
	if err := recall(planned, &n); err != nil {
		return Result{}, err
	}
	if n.Failed == "" {
		remarks := ""
		for _, note := range n.Notes {
			remarks += "note: " + note + "\n"
		}
		return t.write(ctx, e, planned, remarks)
	}
	return explain(ctx, e, planned, func(s string) error {
		p, err := parsePatch(n.Failed)
		if err == nil {
			_, err = p.apply(s)
		}
		return err
	})
}
