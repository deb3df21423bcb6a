package rulebook

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/trust"
)

// A Book is the files of rules of one person in one project.
type Book struct {
	State   string         // our state folder
	Project *trust.Project // nil: no project's rules
	Grant   trust.Grant    // what of the project's the person let in
}

// Kept is what is kept beside a rule that outlives the session.
type Kept struct {
	At       time.Time
	For      time.Duration
	Grade    string // of the sandbox at the yes
	Root     string // the workspace that the rule counts in
	Question string // commitment of the question
	Source   string // where the yes was said, for people
}

// A Witness is told of the rules that would be in force, before they are. Its
// error keeps the old ones.
type Witness func(after gate.Rules) error

// loader reads one form of a policy file.
type loader func(io.Reader, string, commandpolicy.Layer) (*commandpolicy.File, error)

// own are the person's files.
var own = []struct {
	name  string
	layer commandpolicy.Layer
	load  loader
}{
	{"policy.toml", commandpolicy.LayerUser, commandpolicy.Load},
	{"commands.json", commandpolicy.LayerUser, commandpolicy.LoadCommandsJSON},
	{remembered, commandpolicy.LayerRemembered, commandpolicy.Load},
}

const remembered = "remembered.toml"

// projects are the project's files.
var projects = []struct {
	name string
	load loader
}{
	{".tera_pilot/policy.toml", commandpolicy.Load},
	{".tera_pilot/commands.json", commandpolicy.LoadCommandsJSON},
}

// Sources names every file that rules may come from, whether it is there or
// not.
func (b Book) Sources() []string {
	var out []string
	for _, f := range own {
		out = append(out, filepath.Join(b.State, f.name))
	}
	if b.Project != nil {
		for _, f := range projects {
			out = append(out, filepath.Join(b.Project.Root(), f.name))
		}
	}
	return out
}

// Rules are the rules in force.
func (b Book) Rules() (gate.Rules, error) {
	files, err := b.Files()
	if err != nil {
		return gate.Rules{}, err
	}
	return gate.NewRules(files...), nil
}

// Files are the files in force, the person's first.
func (b Book) Files() ([]*commandpolicy.File, error) {
	var out []*commandpolicy.File
	for _, f := range own {
		name := filepath.Join(b.State, f.name)
		data, err := statedir.Read(name, false)
		if err != nil {
			return nil, err
		}
		if data == nil {
			continue
		}
		file, err := f.load(bytes.NewReader(data), name, f.layer)
		if err != nil {
			return nil, err
		}
		out = append(out, file)
	}
	return b.projectFiles(out)
}

func (b Book) projectFiles(out []*commandpolicy.File) ([]*commandpolicy.File, error) {
	if b.Project == nil {
		return out, nil
	}
	for _, f := range projects {
		data, err := b.Project.Read(f.name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		file, err := f.load(bytes.NewReader(data), filepath.Join(b.Project.Root(), f.name), commandpolicy.LayerProject)
		if err != nil {
			return nil, err
		}
		file.Approved = b.Grant.Permits(trust.Item{Kind: trust.Policy, Path: f.name, Hash: file.Digest})
		out = append(out, file)
	}
	return out, nil
}

// Items lists the project's files of rules that would loosen something. Those
// that only tighten need nobody's word. It is a [trust.Lister].
func Items(p *trust.Project) ([]trust.Item, error) {
	files, err := Book{Project: p}.projectFiles(nil)
	if err != nil {
		return nil, err
	}
	var out []trust.Item
	for _, f := range files {
		what := ""
		for i := range f.Rules {
			if r := &f.Rules[i]; r.Decision == commandpolicy.Allow {
				what += "; " + r.Summary()
			}
		}
		if what == "" {
			continue
		}
		rel, err := filepath.Rel(p.Root(), f.Name)
		if err != nil {
			return nil, err
		}
		out = append(out, trust.Item{
			Kind: trust.Policy, Path: filepath.ToSlash(rel), Hash: f.Digest, Loosens: true,
			What: "would allow without a question: " + what[2:],
		})
	}
	return out, nil
}

// Remember adds the rules of a policy text to remembered.toml. An earlier rule
// with the same meaning is replaced. It returns the ids of what was added.
func (b Book) Remember(rules string, k Kept, witness Witness) ([]string, error) {
	if k.Root == "" || k.Grade == "" {
		return nil, errors.New("remember: a rule counts in one workspace, and at the sandbox that it was granted at: one of them is not known")
	}
	f, err := commandpolicy.Load(bytes.NewReader([]byte(rules)), "the answer", commandpolicy.LayerRemembered)
	if err != nil {
		return nil, fmt.Errorf("remember: %w", err)
	}
	m := commandpolicy.Remember{
		Grade: k.Grade, Expires: k.At.Add(k.For).UTC().Truncate(time.Second), Since: k.At.UTC().Truncate(time.Second),
		Root: k.Root, Question: k.Question, Source: k.Source,
	}
	var ids []string
	err = b.change(witness, func(old []byte, name string) ([]byte, error) {
		for _, r := range f.Rules {
			r.ID = ""
			r = m.With(r)
			one := commandpolicy.Append(nil, r)
			loaded, err := commandpolicy.Load(bytes.NewReader(one), name, commandpolicy.LayerRemembered)
			if err != nil {
				return nil, err
			}
			id := loaded.Rules[0].ID
			if has, err := holds(old, name, id); err != nil {
				return nil, err
			} else if has {
				if old, err = commandpolicy.Forget(old, name, id); err != nil {
					return nil, err
				}
			}
			old, ids = commandpolicy.Append(old, r), append(ids, id)
		}
		return old, nil
	})
	return ids, err
}

func holds(src []byte, name, id string) (bool, error) {
	f, err := commandpolicy.Load(bytes.NewReader(src), name, commandpolicy.LayerRemembered)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(f.Rules, func(r commandpolicy.Rule) bool { return r.ID == id }), nil
}

// Forget takes a rule out of remembered.toml.
func (b Book) Forget(id string, witness Witness) error {
	return b.change(witness, func(old []byte, name string) ([]byte, error) {
		if len(old) == 0 {
			return nil, fmt.Errorf("nothing is remembered: %s holds no rule", name)
		}
		return commandpolicy.Forget(old, name, id)
	})
}

// change replaces remembered.toml. The witness hears of the rules of all files
// as they would be.
func (b Book) change(witness Witness, edit func(old []byte, name string) ([]byte, error)) error {
	name := filepath.Join(b.State, remembered)
	return statedir.Update(name, func(old []byte) ([]byte, error) {
		data, err := edit(old, name)
		if err != nil {
			return nil, err
		}
		after, err := commandpolicy.Load(bytes.NewReader(data), name, commandpolicy.LayerRemembered)
		if err != nil {
			return nil, fmt.Errorf("what would be kept does not load: %w", err)
		}
		files, err := b.Files()
		if err != nil {
			return nil, err
		}
		files = slices.DeleteFunc(files, func(f *commandpolicy.File) bool { return f.Name == name })
		return data, witness(gate.NewRules(append(files, after)...))
	})
}
