package main

import (
	"crypto/rand"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent"
	"github.com/tera-pilot/tera-pilot/agent/guide"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/tui/keys"
)

// guided reads what people wrote down for the agent: notes of the project as
// far as they were let in, slash commands and skills. It gives the skills as
// the tool that reads them wants them.
func (o *opened) guided(opts *agent.Options) []tool.Skill {
	mark := rand.Text()[:16]
	from := guide.Source{State: o.state, Project: o.project, Grant: o.grant}
	for _, c := range keys.Commands() {
		from.Builtin = append(from.Builtin, c.Name.String())
	}
	if o.project != nil {
		opts.Notes, opts.Problems = guide.Notes(o.project, o.grant, o.start, mark)
	}
	commands, problems := from.Commands()
	opts.Commands, opts.Problems = commands, append(opts.Problems, problems...)
	skills, problems := from.Skills()
	opts.Problems = append(opts.Problems, problems...)
	opts.Skills = guide.SkillList(skills, mark)
	for _, f := range opts.Notes.Files {
		o.read = append(o.read, fmt.Sprintf("the model reads %s  sha256 %.12s", visible.Strict(f.Path), f.SHA256))
	}
	o.read = append(o.read, opts.Problems...)
	var out []tool.Skill
	for _, k := range skills {
		out = append(out, tool.Skill{Name: k.Name, Text: k.Text, Own: k.From == "user"})
	}
	return out
}
