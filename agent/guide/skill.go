package guide

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/trust"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// A Skill is a way to do something, which a model reads when it needs it.
type Skill struct {
	Name string
	Does string // one line: all that a model is told at first
	From string // user or project
	Text string
}

// Skills reads the person's own skills, and those of the project that were let
// in. The person's own come before the project's of the same name.
func (s Source) Skills() (out []Skill, problems []string) {
	taken := map[string]bool{}
	add := func(from, file string, data []byte, err error) {
		k, err := parseSkill(from, file, data, err)
		if err == nil && taken[k.Name] {
			err = fmt.Errorf("the skill %s of the %s is not offered: another one has that name", k.Name, from)
		}
		if err != nil {
			problems = append(problems, err.Error())
			return
		}
		taken[k.Name] = true
		out = append(out, k)
	}
	if err := s.own(skillFolder, func(file string, data []byte, err error) { add("user", file, data, err) }); err != nil {
		problems = append(problems, err.Error())
	}
	if s.Project != nil {
		files, err := projectSkills(s.Project)
		if err != nil {
			problems = append(problems, err.Error())
		}
		for _, file := range files {
			data, err := s.letIn(trust.Skill, file)
			add("project", file, data, err)
		}
	}
	slices.SortFunc(out, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	return out, problems
}

func projectSkills(p *trust.Project) ([]string, error) {
	folder := projectFolder + "/" + skillFolder
	names, err := p.Names(folder)
	if err != nil || len(names) > maxEach {
		return nil, errors.Join(err, tooMany(folder, names))
	}
	var out []string
	for _, name := range names {
		file := folder + "/" + name + "/" + skillFile
		if _, err := p.Read(file); !errors.Is(err, fs.ErrNotExist) {
			out = append(out, file)
		}
	}
	return out, nil
}

func parseSkill(from, file string, data []byte, err error) (Skill, error) {
	if err != nil {
		return Skill{}, err
	}
	name := filepath.Base(filepath.Dir(file))
	switch {
	case !nameForm().MatchString(name):
		return Skill{}, fmt.Errorf("%s is not offered: a skill's folder has small letters, digits, - and _ in its name", visible.Strict(file))
	case len(data) > maxText:
		return Skill{}, fmt.Errorf("%s is not loaded: it is longer than %d bytes", visible.Strict(file), maxText)
	}
	text, err := Clean(file, data)
	if err != nil {
		return Skill{}, err
	}
	fields, body := header(text)
	does := fields["description"]
	if does == "" || strings.TrimSpace(body) == "" {
		return Skill{}, fmt.Errorf("%s is not offered: a skill begins with --- lines that hold a description, and has a text", visible.Strict(file))
	}
	return Skill{Name: name, Does: oneLine(does, 160), From: from, Text: body}, nil
}

// SkillItems lists the project's skills.
func SkillItems(p *trust.Project) ([]trust.Item, error) {
	files, err := projectSkills(p)
	if err != nil {
		return nil, err
	}
	return items(p, trust.Skill, files, "text that the model reads when it wants the skill %s: %s", func(file string, data []byte) (string, string, error) {
		k, err := parseSkill("project", file, data, nil)
		return k.Name, k.Does, err
	}), nil
}

// SkillList is what a model is told of skills at first: names, and a line each.
func SkillList(skills []Skill, mark string) string {
	if len(skills) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[skills: get_skill reads one when the work is of its kind]\n<untrusted %s from=skills>\n", mark)
	for _, k := range skills {
		fmt.Fprintf(&b, "%s: %s\n", k.Name, k.Does)
	}
	fmt.Fprintf(&b, "</untrusted %s>\n", mark)
	return b.String()
}
