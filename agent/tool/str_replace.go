package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type strReplace struct{ checker }

type replaceArgs struct {
	Path       string `json:"path"`
	OldStr     string `json:"old_str"`
	NewStr     string `json:"new_str"`
	ReplaceAll bool   `json:"replace_all,omitempty"`
}

// Spec implements Tool.
func (strReplace) Spec() Spec {
	return Spec{
		Name: "str_replace", Aliases: []string{"edit", "edit_file", "replace", "str_replace_editor", "search_replace"}, Category: "file", Small: true,
		Description: "Replace old_str by new_str in a file. old_str must stand there exactly once, unless replace_all: copy it from read_file without the line numbers, " +
			"with enough lines around it. The rest of the file, its line ends and its encoding stay byte for byte.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["path","old_str","new_str"],"properties":{
			"path":{"type":"string","minLength":1,"description":"file, relative to the workspace"},
			"old_str":{"type":"string","minLength":1,"description":"the text as it stands in the file"},
			"new_str":{"type":"string","description":"the text to put there; empty deletes"},
			"replace_all":{"type":"boolean","description":"replace every place, default false"}}}`),
	}
}

// replaceNote is what Run says about the edit.
type replaceNote struct {
	Failed *replaceArgs `json:"failed,omitempty"` // the edit found no place: look and tell
	Note   string       `json:"note,omitempty"`
}

// Plan implements Tool. An edit that finds no place becomes a read of the
// file, whose result shows what stands there instead: content reaches the
// model as the content of a file only.
func (t strReplace) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a replaceArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	if a.OldStr == a.NewStr {
		return effect.Set{}, &ArgumentError{"old_str and new_str are the same: nothing would change"}
	}
	p, old, err := load(ctx, v, a.Path)
	if err != nil {
		return effect.Set{}, err
	}
	done, err := replaceText(old.s, a.OldStr, a.NewStr, a.ReplaceAll)
	if err != nil {
		return set(t.Spec(), "look for the place of an edit in "+quote(p.Name), replaceNote{Failed: &a}, read(p)), nil
	}
	after := old.encode(done.text)
	if string(after) == string(p.Before) {
		return effect.Set{}, &ArgumentError{"the edit would change nothing: the file says that already"}
	}
	if len(after) > MaxFile {
		return effect.Set{}, &ArgumentError{fmt.Sprintf("the file would have %s; the most is %s", size(int64(len(after))), size(MaxFile))}
	}
	return set(t.Spec(), fmt.Sprintf("edit %s (%s)", quote(p.Name), diffText(old.s, done.text)), replaceNote{Note: done.note()},
		effect.Effect{Kind: effect.Write, Path: &p, After: content(after), Mode: p.Mode}), nil
}

func (d edit) note() string {
	note := ""
	if d.places > 1 {
		note = fmt.Sprintf("replaced in %d places\n", d.places)
	}
	if d.level > exact {
		note += fmt.Sprintf("old_str matched only %s; everything else stayed as it was\n", d.level)
	}
	return note
}

// Run implements Tool.
func (t strReplace) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	var n replaceNote
	if err := recall(planned, &n); err != nil {
		return Result{}, err
	}
	if n.Failed == nil {
		return t.write(ctx, e, planned, n.Note)
	}
	return explain(ctx, e, planned, func(s string) error {
		_, err := replaceText(s, n.Failed.OldStr, n.Failed.NewStr, n.Failed.ReplaceAll)
		return err
	})
}

// explain reads the file of an edit that could not be planned and shows why.
func explain(ctx context.Context, e Env, planned effect.Set, again func(s string) error) (Result, error) {
	p := *planned.Effects[0].Path
	data, err := e.Read(ctx, planned.Effects[0])
	if err != nil {
		return failed("read "+quote(p.Name), err)
	}
	t, err := decodeText(data)
	if err != nil {
		return Result{}, unreadable(p, err)
	}
	var why *ArgumentError
	switch err := again(t.s); {
	case errors.As(err, &why):
		return Result{Status: Error, Title: "no edit of " + quote(p.Name), Body: "nothing was changed: " + why.What, Untrusted: fromFile}, nil
	case err != nil:
		return Result{}, err
	default:
		return Result{}, &ChangedError{quote(p.Name)}
	}
}
