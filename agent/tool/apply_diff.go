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
	Path string `json:"path"`
	Diff string `json:"diff"`
}

// Spec implements Tool.
func (applyDiff) Spec() Spec {
	return Spec{
		Name: "apply_diff", Aliases: []string{"patch", "apply_patch"}, Category: "file",
		Description: "Apply a unified diff to one file. Context and deleted lines must stand in the file exactly; line numbers may be off if the place is unambiguous. " +
			"--- /dev/null makes a new file, +++ /dev/null deletes one whose whole content the diff takes away. Line ends and encoding are kept.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["path","diff"],"properties":{
			"path":{"type":"string","minLength":1,"description":"file, relative to the workspace"},
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
	p, err := parsePatch(a.Diff)
	if err != nil {
		return effect.Set{}, err
	}
	if err := p.about(a.Path); err != nil {
		return effect.Set{}, err
	}
	if p.creates() {
		return t.create(ctx, v, a.Path, p)
	}
	file, old, err := load(ctx, v, a.Path)
	if err != nil {
		return effect.Set{}, err
	}
	done, err := p.apply(old.s)
	if err != nil {
		return set(t.Spec(), "look for the place of a diff in "+quote(file.Name), diffNote{Failed: a.Diff}, read(file)), nil
	}
	if p.deletes() {
		if done.text != "" {
			return effect.Set{}, &ArgumentError{"the diff deletes the file (+++ /dev/null) but leaves lines of it: take away all of them, or use delete_file"}
		}
		return set(t.Spec(), "delete "+quote(file.Name), diffNote{Notes: done.notes}, effect.Effect{Kind: effect.Delete, Path: &file}), nil
	}
	after := old.encode(done.text)
	if string(after) == string(file.Before) {
		return effect.Set{}, &ArgumentError{"the diff would change nothing"}
	}
	return set(t.Spec(), fmt.Sprintf("patch %s (%s)", quote(file.Name), diffText(old.s, done.text)), diffNote{Notes: done.notes},
		effect.Effect{Kind: effect.Write, Path: &file, After: content(after), Mode: file.Mode}), nil
}

// about holds the names in the diff's head to the one in the call.
func (p patch) about(name string) error {
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

func (t applyDiff) create(ctx context.Context, v View, name string, p patch) (effect.Set, error) {
	file, err := newPlace(ctx, v, name)
	if err != nil {
		return effect.Set{}, err
	}
	if file.Exists {
		return effect.Set{}, &ArgumentError{quote(file.Name) + " exists, and the diff makes a new file (--- /dev/null): give the diff against what is there"}
	}
	done, err := p.apply("")
	if err != nil {
		return effect.Set{}, &ArgumentError{"the diff makes a new file (--- /dev/null): it can have one hunk with added lines only"}
	}
	effects, err := parents(ctx, v, file)
	if err != nil {
		return effect.Set{}, err
	}
	effects = append(effects, effect.Effect{Kind: effect.Create, Path: &file, After: content([]byte(done.text)), Mode: fileMode})
	lines := len(splitLines(done.text))
	return set(t.Spec(), fmt.Sprintf("create %s (%s)", quote(file.Name), count(lines, "line", "lines")), diffNote{Notes: done.notes}, effects...), nil
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
