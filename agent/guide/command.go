package guide

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/trust"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// Where things lie, beneath the state folder and beneath the project.
const (
	commandFolder = "commands"
	skillFolder   = "skills"
	projectFolder = ".tera_pilot"
	skillFile     = "SKILL.md"
)

// maxText is the longest text of a command or a skill, in bytes.
const maxText = 64 << 10

// maxEach is how many commands, or skills, one place may hold.
const maxEach = 200

// A Command is a message that a person has ready under a name.
type Command struct {
	Name string // without its slash
	Does string // one line
	From string // user or project
	Text string
}

// nameForm is the form of a command's and a skill's name.
var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,40}$`) })

// placeholder stands for arguments in a command's text.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(ARGUMENTS|[1-9])\b`) })

// Expand puts arguments into the text: $ARGUMENTS is all of them, $1 to $9 are
// the words. What an argument holds is not looked at again. Arguments for
// which the text has no place stand at its end.
func (c Command) Expand(args string) string {
	args = strings.TrimSpace(args)
	words, used := strings.Fields(args), false
	text := placeholder().ReplaceAllStringFunc(c.Text, func(s string) string {
		used = true
		if s == "$ARGUMENTS" {
			return args
		}
		if i := int(s[1] - '1'); i < len(words) {
			return words[i]
		}
		return ""
	})
	if !used && args != "" {
		text = strings.TrimRight(text, "\n") + "\n\n" + args + "\n"
	}
	return strings.TrimSpace(text)
}

// A Source is where commands and skills come from. Project may be nil.
type Source struct {
	State   string // our state folder, absolute
	Project *trust.Project
	Grant   trust.Grant
	Builtin []string // the program's own commands, with or without their slash
}

// Commands reads the person's own commands, and those of the project that were
// let in. problems say which were left out, and why.
func (s Source) Commands() (out []Command, problems []string) {
	taken := map[string]string{}
	for _, name := range s.Builtin {
		taken[strings.TrimPrefix(name, "/")] = "the program's own"
	}
	add := func(from, file string, data []byte, err error) {
		c, err := parseCommand(from, file, data, err)
		if err == nil && taken[c.Name] != "" {
			err = fmt.Errorf("the command /%s of the %s is not offered: %s has that name", c.Name, from, taken[c.Name])
		}
		if err != nil {
			problems = append(problems, err.Error())
			return
		}
		taken[c.Name] = "the person's own"
		if from == "project" {
			taken[c.Name] = "another one of the project"
		}
		out = append(out, c)
	}
	err := s.own(commandFolder, func(file string, data []byte, err error) { add("user", file, data, err) })
	if err != nil {
		problems = append(problems, err.Error())
	}
	if s.Project != nil {
		files, err := projectCommands(s.Project)
		if err != nil {
			problems = append(problems, err.Error())
		}
		for _, file := range files {
			data, err := s.letIn(trust.Command, file)
			add("project", file, data, err)
		}
	}
	slices.SortFunc(out, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	return out, problems
}

// letIn reads a file of the project with the person's grant.
func (s Source) letIn(kind trust.Kind, file string) ([]byte, error) {
	data, err := s.Grant.Read(s.Project, kind, file)
	if errors.Is(err, trust.ErrNotLetIn) {
		err = fmt.Errorf("%s is not loaded: it is new, or changed, and you have not let it in; start `tera-pilot` here to look at it", visible.Strict(file))
	}
	return data, err
}

// own hands over the files of one of the person's own folders.
func (s Source) own(folder string, take func(file string, data []byte, err error)) error {
	dir := filepath.Join(s.State, folder)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("your own %s cannot be read: %w", folder, err)
	}
	if len(entries) > maxEach {
		return fmt.Errorf("%s holds more than %d files: none of them is loaded", dir, maxEach)
	}
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		if folder == skillFolder {
			if !e.IsDir() {
				continue
			}
			file = filepath.Join(file, skillFile)
		} else if !strings.HasSuffix(file, ".md") {
			continue
		}
		data, err := statedir.Read(file, false)
		take(file, data, err)
	}
	return nil
}

// projectCommands are the project's files of commands.
func projectCommands(p *trust.Project) ([]string, error) {
	folder := projectFolder + "/" + commandFolder
	names, err := p.Names(folder)
	if err != nil || len(names) > maxEach {
		return nil, errors.Join(err, tooMany(folder, names))
	}
	var out []string
	for _, name := range names {
		if strings.HasSuffix(name, ".md") {
			out = append(out, folder+"/"+name)
		}
	}
	return out, nil
}

func tooMany(folder string, names []string) error {
	if len(names) <= maxEach {
		return nil
	}
	return fmt.Errorf("%s holds more than %d files: none of them is loaded", folder, maxEach)
}

func parseCommand(from, file string, data []byte, err error) (Command, error) {
	if err != nil {
		return Command{}, err
	}
	name := strings.TrimSuffix(filepath.Base(file), ".md")
	if !nameForm().MatchString(name) {
		return Command{}, fmt.Errorf("%s is not offered: a command's name has small letters, digits, - and _", visible.Strict(file))
	}
	if len(data) > maxText {
		return Command{}, fmt.Errorf("%s is not loaded: it is longer than %d bytes", visible.Strict(file), maxText)
	}
	text, err := Clean(file, data)
	if err != nil {
		return Command{}, err
	}
	fields, body := header(text)
	if strings.TrimSpace(body) == "" {
		return Command{}, fmt.Errorf("%s is empty: it is not offered", visible.Strict(file))
	}
	does := fields["description"]
	if does == "" {
		does, _, _ = strings.Cut(strings.TrimSpace(body), "\n")
	}
	return Command{Name: name, Does: oneLine(does, 80), From: from, Text: body}, nil
}

// CommandItems lists the project's commands.
func CommandItems(p *trust.Project) ([]trust.Item, error) {
	files, err := projectCommands(p)
	if err != nil {
		return nil, err
	}
	return items(p, trust.Command, files, "a message that /%s would send as yours: %s", parseItem), nil
}

func parseItem(file string, data []byte) (name, does string, err error) {
	c, err := parseCommand("project", file, data, nil)
	return c.Name, c.Does, err
}

// items describes files of the project; those with a fault are listed with it.
// One that cannot be read is never loaded, and is not listed.
func items(p *trust.Project, kind trust.Kind, files []string, form string, parse func(string, []byte) (string, string, error)) []trust.Item {
	var out []trust.Item
	for _, file := range files {
		data, err := p.Read(file)
		if err != nil {
			continue
		}
		what := ""
		if name, does, err := parse(file, data); err != nil {
			what = err.Error()
		} else {
			what = fmt.Sprintf(form, name, does)
		}
		out = append(out, p.Item(kind, file, data, what))
	}
	return out
}
