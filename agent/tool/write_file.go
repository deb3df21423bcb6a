package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type writeFile struct{ checker }

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// Spec implements Tool.
func (writeFile) Spec() Spec {
	return Spec{
		Name: "write_file", Aliases: []string{"write", "create_file"}, Category: "file",
		Description: "Write a whole file: a new one (missing folders are made), or one that you have read and that has not changed since. " +
			"To change parts of a file use str_replace. An existing file keeps its encoding, line ends and mode.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["path","content"],"properties":{
			"path":{"type":"string","minLength":1,"description":"file, relative to the workspace"},
			"content":{"type":"string","description":"all that the file shall hold"}}}`),
	}
}

// Plan implements Tool.
func (t writeFile) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a writeArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	if strings.Contains(a.Content, "\x00") {
		return effect.Set{}, &ArgumentError{"content holds a NUL character: write_file writes text; use execute_command for bytes"}
	}
	if len(a.Content) > MaxFile {
		return effect.Set{}, &ArgumentError{fmt.Sprintf("content has %s; the most is %s", size(int64(len(a.Content))), size(MaxFile))}
	}
	p, err := newPlace(ctx, v, a.Path)
	if err != nil {
		return effect.Set{}, err
	}
	if !p.Exists {
		return t.create(ctx, v, p, a.Content)
	}
	return t.overwrite(ctx, v, p, a.Content)
}

// newPlace is own for a name that may become a file.
func newPlace(ctx context.Context, v View, name string) (effect.Path, error) {
	p, err := own(ctx, v, name)
	switch {
	case err != nil:
		return p, err
	case p.Type == effect.Dir:
		return p, &ArgumentError{quote(p.Name) + " is a folder: name the file in it"}
	case strings.HasSuffix(name, "/"):
		return p, &ArgumentError{quote(name) + " ends in a slash, as a folder's name: name the file"}
	}
	return p, nil
}

func (t writeFile) create(ctx context.Context, v View, p effect.Path, text string) (effect.Set, error) {
	effects, err := parents(ctx, v, p)
	if err != nil {
		return effect.Set{}, err
	}
	lines := len(splitLines(text))
	effects = append(effects, effect.Effect{Kind: effect.Create, Path: &p, After: content([]byte(text)), Mode: fileMode})
	return set(t.Spec(), fmt.Sprintf("create %s (%s)", quote(p.Name), count(lines, "line", "lines")), nil, effects...), nil
}

func (t writeFile) overwrite(ctx context.Context, v View, p effect.Path, want string) (effect.Set, error) {
	full, err := v.File(ctx, spell(p))
	if err != nil {
		return effect.Set{}, err
	}
	full = alsoKnownAs(full, p)
	if err := fresh(v, full, true); err != nil {
		return effect.Set{}, err
	}
	old, err := decodeText(full.Before)
	if err != nil {
		return effect.Set{}, unreadable(full, err)
	}
	if old.enc != plainUTF8 {
		want = strings.TrimPrefix(want, marks[utf8BOM])
	}
	after := old.encode(whole(old.s, want))
	if string(after) == string(full.Before) {
		return effect.Set{}, &ArgumentError{quote(full.Name) + " holds exactly that already"}
	}
	d := diffBytes(full.Before, after)
	return set(t.Spec(), fmt.Sprintf("write %s (%s)", quote(full.Name), d), nil,
		effect.Effect{Kind: effect.Write, Path: &full, After: content(after), Mode: full.Mode}), nil
}

// whole gives a text other content: lines that stay keep their ends, new ones
// take those around them. Content with CRLF of its own is taken as it is.
func whole(old, want string) string {
	if old == "" || want == "" || strings.Contains(want, "\r") {
		return want
	}
	view := look(old, byLineEnds)
	p := splicer{view: view}
	p.replace(hit{0, len(view.s), view.s, want}, byLineEnds)
	return p.rest()
}

// Run implements Tool.
func (t writeFile) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	return t.write(ctx, e, planned, "")
}
