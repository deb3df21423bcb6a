package model

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/model/mend"
)

// toolset is what one request offers, ready to hold calls against.
type toolset struct {
	exact   map[string]*offered
	folded  map[string]*offered // nil value: several tools fold to this name
	aliases map[string]*offered
}

type offered struct {
	name    string
	schema  *mend.Schema
	renamed map[string]string
}

func newToolset(specs []ToolSpec) (*toolset, error) {
	t := &toolset{exact: map[string]*offered{}, folded: map[string]*offered{}, aliases: map[string]*offered{}}
	for _, spec := range specs {
		schema, err := mend.ParseSchema(spec.Schema)
		if err != nil && spec.Foreign {
			schema, err = mend.ParseSchema(nil)
		}
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", spec.Name, err)
		}
		if spec.Name == "" || t.exact[spec.Name] != nil {
			return nil, fmt.Errorf("tool %q: a name must be there, and only once", spec.Name)
		}
		tool := &offered{name: spec.Name, schema: schema, renamed: spec.Renamed}
		t.exact[spec.Name] = tool
		if _, taken := t.folded[fold(spec.Name)]; taken {
			tool = nil
		}
		t.folded[fold(spec.Name)] = tool
		for _, alias := range spec.Aliases {
			t.aliases[fold(alias)] = t.exact[spec.Name]
		}
	}
	return t, nil
}

func fold(name string) string {
	return strings.ReplaceAll(strings.ToLower(name), "-", "_")
}

// namespaces are what models put before a name because their training did.
var namespaces = []string{"functions.", "tools.", "default_api."}

// resolve finds the tool that name means (R5): the name itself, else without
// one namespace, else without regard to case and hyphens, else an alias. There
// is no guess beyond that.
func (t *toolset) resolve(name string) (tool *offered, mended bool) {
	bare := name
	for _, space := range namespaces {
		if rest, ok := strings.CutPrefix(name, space); ok {
			bare = rest
			break
		}
	}
	if tool := t.exact[name]; tool != nil {
		return tool, false
	}
	if tool := t.exact[bare]; tool != nil {
		return tool, true
	}
	for _, n := range []string{fold(name), fold(bare)} {
		if tool := t.folded[n]; tool != nil {
			return tool, true
		}
	}
	for _, n := range []string{fold(name), fold(bare)} {
		if tool := t.aliases[n]; tool != nil {
			return tool, true
		}
	}
	return nil, false
}

// A rawCall is a call as the protocol or the text had it.
type rawCall struct {
	id     string
	name   string
	args   string
	object bool // the arguments came as an object where the protocol has a string
	mended bool // the text around the arguments was mended
}

// judged is a call with its arguments as a value, for comparison.
type judged struct {
	Call
	value *mend.Value
}

// judge applies R4, R5 and R15. strict is for replies that were cut: what is
// not valid JSON as it stands is truncated, and nothing is mended.
func (t *toolset) judge(raw rawCall, origin Origin, strict bool) judged {
	j := judged{Call: Call{ID: raw.id, Name: raw.name, Origin: origin, Status: CallInvalidArgs}}
	tool, renamed := t.resolve(raw.name)
	if renamed {
		j.Name = tool.name
		j.Repairs = append(j.Repairs, "name")
	}
	if raw.object {
		j.Repairs = append(j.Repairs, "object_args")
	}
	value, repairs, err := readArgs(raw.args, strict)
	j.Repairs = append(j.Repairs, repairs...)
	if raw.mended && !contains(repairs, "json") {
		j.Repairs = append(j.Repairs, "json")
	}
	switch {
	case err != nil && strict:
		j.Status, j.Problem = CallTruncated, "the reply was cut before the arguments were complete"
	case tool == nil:
		j.Status, j.Problem = CallUnknownTool, fmt.Sprintf("no tool has the name %q", raw.name)
	case err != nil:
		j.Problem = "the arguments are no valid JSON object: " + err.Error()
	default:
		j.Repairs = append(j.Repairs, rename(value, tool.renamed)...)
		fit, err := mend.Fit(tool.schema, value)
		j.Repairs = append(j.Repairs, fit...)
		if err != nil {
			j.Problem = "the arguments do not fit: " + err.Error()
			break
		}
		j.Status = CallOK
	}
	if value != nil && j.Status != CallTruncated {
		j.value, j.Args = value, value.JSON()
	}
	return j
}

// rename calls arguments what the schema calls them (R5). One that is there
// under its own name, or twice under others, stays as it is.
func rename(args *mend.Value, names map[string]string) (repairs []string) {
	for i, m := range args.Members {
		if to, ok := names[m.Key]; ok && args.Member(to) == nil {
			args.Members[i].Key = to
			repairs = append(repairs, "rename:"+m.Key)
		}
	}
	return repairs
}

func contains(list []string, s string) bool {
	for _, have := range list {
		if have == s {
			return true
		}
	}
	return false
}

// readArgs reads the text of arguments (R4).
func readArgs(text string, strict bool) (v *mend.Value, repairs []string, err error) {
	if blank(text) {
		if strict {
			return nil, nil, errors.New("there are none")
		}
		return &mend.Value{Kind: mend.Object}, []string{"empty_args"}, nil
	}
	v, mended, err := mend.Parse(text)
	if err == nil && v.Kind == mend.String {
		repairs = append(repairs, "double_encoded")
		if blank(v.Text) {
			return &mend.Value{Kind: mend.Object}, append(repairs, "empty_args"), nil
		}
		var inner bool
		v, inner, err = mend.Parse(v.Text)
		mended = mended || inner
	}
	switch {
	case err != nil:
		return nil, nil, err
	case strict && mended:
		return nil, nil, errors.New("they are not complete")
	case v.Kind != mend.Object:
		return nil, nil, fmt.Errorf("they are %s", v.Kind)
	case mended:
		repairs = append(repairs, "json")
	}
	return v, repairs, nil
}

func blank(text string) bool {
	text = strings.TrimSpace(text)
	return text == "" || text == "null"
}
