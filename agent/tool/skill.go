package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// A Skill is a text that a model reads when it needs it.
type Skill struct {
	Name string
	Text string
	Own  bool // the person's own, and not a repository's
}

type getSkill struct{ skills []Skill }

type skillArgs struct {
	ID string `json:"id"`
}

// Spec implements Tool.
func (getSkill) Spec() Spec {
	return Spec{
		Name: "get_skill", Aliases: []string{"skill", "load_skill"}, Category: "plan", Free: true,
		Description: "Read one of the skills that are listed at the beginning: how to do a certain kind of work.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["id"],"properties":{
			"id":{"type":"string","minLength":1,"description":"the name of the skill"}}}`),
	}
}

func (t getSkill) find(id string) (Skill, error) {
	var names []string
	for _, k := range t.skills {
		if k.Name == id {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Skill{}, fmt.Errorf("there is no skill %q; the skills are %s", id, strings.Join(names, ", "))
}

// Plan implements Tool.
func (t getSkill) Plan(_ context.Context, _ View, args json.RawMessage) (effect.Set, error) {
	var a skillArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	if _, err := t.find(a.ID); err != nil {
		return effect.Set{}, err
	}
	return set(t.Spec(), "skill "+a.ID, a), nil
}

// Run implements Tool. The text is the one that was let in when the session
// began; nothing is read now.
func (t getSkill) Run(_ context.Context, _ Env, planned effect.Set) (Result, error) {
	var a skillArgs
	if err := recall(planned, &a); err != nil {
		return Result{}, err
	}
	k, err := t.find(a.ID)
	if err != nil {
		return failed("read the skill", err)
	}
	out := Result{Status: OK, Body: k.Text}
	if !k.Own {
		out.Untrusted = "file"
	}
	return out, nil
}
