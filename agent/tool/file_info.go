package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type fileInfo struct{}

type pathArgs struct {
	Path string `json:"path"`
}

// Spec implements Tool.
func (fileInfo) Spec() Spec {
	return Spec{
		Name: "file_info", Aliases: []string{"stat"}, Category: "file",
		Description: "Facts about a file or folder: type, size, mode, number of lines, encoding, line ends, where a link leads.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["path"],"properties":{
			"path":{"type":"string","minLength":1,"description":"file or folder, relative to the workspace"}}}`),
	}
}

// Plan implements Tool. A link is looked at itself.
func (t fileInfo) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a pathArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	p, err := v.Path(ctx, a.Path)
	if err != nil {
		return effect.Set{}, err
	}
	if err := missing(p); err != nil {
		return effect.Set{}, err
	}
	return set(t.Spec(), "look at "+quote(p.Name), nil, read(p)), nil
}

// Run implements Tool.
func (fileInfo) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	p := *planned.Effects[0].Path
	facts := []string{"name\t" + quote(p.Name), "type\t" + p.Type.String()}
	switch p.Type {
	case effect.Regular:
		facts = append(facts, "size\t"+size(p.Size))
		if p.Size <= MaxFile {
			data, err := e.Read(ctx, planned.Effects[0])
			if err != nil {
				return failed("look at "+quote(p.Name), err)
			}
			facts = append(facts, textFacts(data)...)
		}
	case effect.Dir:
		entries, err := e.List(ctx, planned.Effects[0])
		if err != nil {
			return failed("look at "+quote(p.Name), err)
		}
		facts = append(facts, fmt.Sprintf("entries\t%d", len(entries)))
	case effect.Link:
		facts = append(facts, "leads to\t"+quote(p.Target))
	case effect.Special, effect.NoFile:
	}
	if !p.Virtual {
		facts = append(facts, fmt.Sprintf("mode\t%04o", p.Mode))
	}
	if p.Links > 1 && p.Type == effect.Regular {
		facts = append(facts, fmt.Sprintf("hard links\t%d", p.Links))
	}
	if p.Secret {
		facts = append(facts, "secret-like\tyes: reading it is asked about")
	}
	if p.Protected != "" {
		facts = append(facts, "protected\tas "+p.Protected+": changing it is asked about")
	}
	return Result{Status: OK, Body: strings.Join(facts, "\n") + "\n", Untrusted: fromFile}, nil
}

func textFacts(data []byte) []string {
	t, err := decodeText(data)
	var bad *decodeError
	switch {
	case errors.Is(err, errBinary):
		return []string{"content\tbinary, " + sniff(data)}
	case errors.As(err, &bad):
		return []string{"content\ttext, but not UTF-8 at byte " + fmt.Sprint(bad.offset) + ": it cannot be edited"}
	}
	end := "yes"
	if t.s != "" && !strings.HasSuffix(t.s, "\n") {
		end = "no"
	}
	return []string{
		"lines\t" + fmt.Sprint(len(splitLines(t.s))), "encoding\t" + t.enc.String(),
		"line ends\t" + lineEnds(t.s), "line end at the end\t" + end,
	}
}
