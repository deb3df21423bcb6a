package gate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// What a fact of a command was about (effect.Fact.Op).
const (
	factLink = "link" // the kind of a file, and a link's target
	factList = "list" // the names in a folder
	factEnv  = "env"  // a variable that the command will find
	factHash = "hash" // the content of a file that decides what runs, as its SHA-256
	factCode = "code" // the text is not bash but code of this language
)

var kindWords = [...]string{
	commandpolicy.KindUnknown: "unknown", commandpolicy.KindAbsent: "absent", commandpolicy.KindFile: "file",
	commandpolicy.KindDir: "folder", commandpolicy.KindLink: "link", commandpolicy.KindOther: "special",
}

// Analyse parses the text of a command for its planner, and returns with the
// analysis the facts that the parse asked for: they belong into
// effect.Command.Facts, and Decide parses again from them alone. c.Look is the
// real one; c's folders must be those of the Input.
func Analyse(text string, c commandpolicy.Context) (*commandpolicy.Analysis, []effect.Fact) {
	rec := record(&c)
	a := commandpolicy.Parse(text, c)
	return a, rec.facts(c.Env)
}

// AnalyseCode is Analyse for a run_code call in the language lang.
func AnalyseCode(lang, source string, c commandpolicy.Context) (*commandpolicy.Analysis, []effect.Fact) {
	rec := record(&c)
	a := commandpolicy.Code(lang, source, c)
	return a, append([]effect.Fact{{Op: factCode, Name: lang, Found: true}}, rec.facts(c.Env)...)
}

// again analyses a command from what its effect holds.
func (in Input) again(x *effect.Command) *commandpolicy.Analysis {
	c := commandpolicy.Context{
		Workspace: in.Workspace, Dir: x.Dir, Home: in.Home, State: in.State,
		Env: map[string]string{}, Look: replay{},
	}
	seen, code := replay{}, ""
	for _, f := range x.Facts {
		switch f.Op {
		case factLink, factList, factHash:
			seen[[2]string{f.Op, f.Name}] = f
		case factEnv:
			c.Env[f.Name] = f.Text
		case factCode:
			code = f.Name
		}
	}
	c.Look = seen
	if code != "" {
		return commandpolicy.Code(code, x.Script, c)
	}
	if x.Script == "" {
		return commandpolicy.Parse(quote(x.Argv), c)
	}
	return commandpolicy.Parse(x.Script, c)
}

// quote writes words so that bash reads exactly them. Every word is quoted:
// "time", "if" and "A=1" are plain words then.
func quote(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(out, " ")
}

// replay answers lookups from facts alone. What nobody looked up is not known,
// which is the strictest answer.
type replay map[[2]string]effect.Fact

func (r replay) Lstat(path string) (commandpolicy.Kind, string) {
	f, ok := r[[2]string{factLink, path}]
	if !ok {
		return commandpolicy.KindUnknown, ""
	}
	kind := commandpolicy.Kind(max(0, slices.Index(kindWords[:], f.Text)))
	if len(f.Values) > 0 {
		return kind, f.Values[0]
	}
	return kind, ""
}

func (r replay) Names(path string) ([]string, bool) {
	f, ok := r[[2]string{factList, path}]
	return slices.Clone(f.Values), ok && f.Found
}

// Hash answers for the content of a file.
func (r replay) Hash(path string) (string, bool) {
	f, ok := r[[2]string{factHash, path}]
	return f.Text, ok && f.Found
}

// recorder passes lookups on and keeps the answers. A second lookup of one
// thing gets the first answer, so that the parse and its repetition agree even
// when the world moves between the two.
type recorder struct {
	look commandpolicy.Look
	seen replay
}

// record puts a recorder before the context's Look.
func record(c *commandpolicy.Context) *recorder {
	rec := &recorder{look: c.Look, seen: replay{}}
	c.Look = rec
	return rec
}

func (r *recorder) Lstat(path string) (commandpolicy.Kind, string) {
	key := [2]string{factLink, path}
	if _, ok := r.seen[key]; !ok {
		kind, target := commandpolicy.KindUnknown, ""
		if r.look != nil {
			kind, target = r.look.Lstat(path)
		}
		f := effect.Fact{Op: factLink, Name: path, Found: kind > commandpolicy.KindAbsent, Text: kindWords[commandpolicy.KindUnknown]}
		if int(kind) < len(kindWords) {
			f.Text = kindWords[kind]
		}
		if target != "" {
			f.Values = []string{target}
		}
		r.seen[key] = f
	}
	return r.seen.Lstat(path)
}

func (r *recorder) Names(path string) ([]string, bool) {
	key := [2]string{factList, path}
	if _, ok := r.seen[key]; !ok {
		var names []string
		found := false
		if r.look != nil {
			names, found = r.look.Names(path)
		}
		names = slices.Clone(names)
		slices.Sort(names)
		r.seen[key] = effect.Fact{Op: factList, Name: path, Found: found, Values: names}
	}
	return r.seen.Names(path)
}

func (r *recorder) Hash(path string) (string, bool) {
	key := [2]string{factHash, path}
	if _, ok := r.seen[key]; !ok {
		f := effect.Fact{Op: factHash, Name: path}
		if h, ok := r.look.(commandpolicy.Hasher); ok {
			f.Text, f.Found = h.Hash(path)
		}
		r.seen[key] = f
	}
	return r.seen.Hash(path)
}

// facts lists what was seen, sorted, and the variables that were assumed.
func (r *recorder) facts(env map[string]string) []effect.Fact {
	out := make([]effect.Fact, 0, len(r.seen)+len(env))
	for _, f := range r.seen {
		out = append(out, f)
	}
	for name, value := range env {
		out = append(out, effect.Fact{Op: factEnv, Name: name, Found: true, Text: value})
	}
	slices.SortFunc(out, func(a, b effect.Fact) int {
		return cmp.Or(strings.Compare(a.Op, b.Op), strings.Compare(a.Name, b.Name))
	})
	return out
}
