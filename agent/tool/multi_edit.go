package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type multiEdit struct{ checker }

type multiArgs struct {
	Path  string    `json:"path"`
	Edits []oneEdit `json:"edits"`
}

type oneEdit struct {
	OldStr     string `json:"old_str"`
	NewStr     string `json:"new_str"`
	ReplaceAll bool   `json:"replace_all,omitempty"`
}

// Spec implements Tool.
func (multiEdit) Spec() Spec {
	return Spec{
		Name: "multi_edit", Aliases: []string{"multiedit", "multi_str_replace"}, Category: "file",
		Description: "Make several replacements in one file, in order, all of them or none. Each is as with str_replace, on the text that the ones before it left.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["path","edits"],"properties":{
			"path":{"type":"string","minLength":1,"description":"file, relative to the workspace"},
			"edits":{"type":"array","minItems":1,"maxItems":50,"items":{"type":"object","additionalProperties":false,"required":["old_str","new_str"],"properties":{
				"old_str":{"type":"string","minLength":1,"description":"the text as it stands in the file"},
				"new_str":{"type":"string","description":"the text to put there; empty deletes"},
				"replace_all":{"type":"boolean","description":"replace every place, default false"}}}}}}`),
	}
}

// multiNote is what Run says about the edits.
type multiNote struct {
	Failed *multiArgs `json:"failed,omitempty"` // one of them found no place: look and tell
	Note   string     `json:"note,omitempty"`
}

// Plan implements Tool. As with str_replace, edits that find no place become a
// read of the file.
func (t multiEdit) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a multiArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	for i, e := range a.Edits {
		if e.OldStr == e.NewStr {
			return effect.Set{}, &ArgumentError{fmt.Sprintf("edit %d: old_str and new_str are the same: nothing would change", i+1)}
		}
	}
	p, old, err := load(ctx, v, a.Path)
	if err != nil {
		return effect.Set{}, err
	}
	text, note, err := a.apply(old.s)
	if err != nil {
		return set(t.Spec(), "look for the places of edits in "+quote(p.Name), multiNote{Failed: &a}, read(p)), nil
	}
	after := old.encode(text)
	if string(after) == string(p.Before) {
		return effect.Set{}, &ArgumentError{"the edits together would change nothing"}
	}
	if len(after) > MaxFile {
		return effect.Set{}, &ArgumentError{fmt.Sprintf("the file would have %s; the most is %s", size(int64(len(after))), size(MaxFile))}
	}
	title := fmt.Sprintf("edit %s (%s, %s)", quote(p.Name), count(len(a.Edits), "edit", "edits"), diffText(old.s, text))
	return set(t.Spec(), title, multiNote{Note: note}, effect.Effect{Kind: effect.Write, Path: &p, After: content(after), Mode: p.Mode}), nil
}

// apply makes the edits one after the other. The text may not grow beyond what
// a file may hold on its way.
func (a multiArgs) apply(s string) (text, note string, err error) {
	for i, e := range a.Edits {
		done, err := replaceText(s, e.OldStr, e.NewStr, e.ReplaceAll)
		if err != nil {
			return "", "", inEdit(i+1, err)
		}
		if len(done.text) > 2*MaxFile {
			return "", "", inEdit(i+1, &ArgumentError{fmt.Sprintf("the text would have %s", size(int64(len(done.text))))})
		}
		if n := done.note(); n != "" {
			note += fmt.Sprintf("edit %d: %s", i+1, n)
		}
		s = done.text
	}
	return s, note, nil
}

// inEdit says which edit an error is about, and keeps its kind.
func inEdit(n int, err error) error {
	var why *ArgumentError
	if !errors.As(err, &why) {
		return err
	}
	named := &ArgumentError{fmt.Sprintf("edit %d: %s", n, why.What)}
	var quoted *QuoteError
	if errors.As(err, &quoted) {
		return &QuoteError{named}
	}
	return named
}

// Run implements Tool.
func (t multiEdit) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	var n multiNote
	if err := recall(planned, &n); err != nil {
		return Result{}, err
	}
	if n.Failed == nil {
		return t.write(ctx, e, planned, n.Note)
	}
	return explain(ctx, e, planned, func(s string) error {
		_, _, err := n.Failed.apply(s)
		return err
	})
}
