package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type runCode struct{}

type codeArgs struct {
	Code     string `json:"code"`
	Language string `json:"language,omitempty"`
	Timeout  *int   `json:"timeout,omitempty"`
}

// maxCode is how much code one call runs, in bytes: it is one word of a command
// line, which the kernel bounds at 128 KiB.
const maxCode = 100 << 10

// Spec implements Tool.
func (runCode) Spec() Spec {
	return Spec{
		Name: "run_code", Aliases: []string{"python", "execute_code", "code_interpreter"}, Category: "code",
		Description: "Run a piece of code in the sandbox, as execute_command does with a command: in the workspace, without network, input or terminal. " +
			"Each call is a new process. Print what you want to know.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["code"],"properties":{
			"code":{"type":"string","minLength":1,"description":"the whole program"},
			"language":{"type":"string","enum":["python","node","js","javascript","bash"],"description":"default python"},
			"timeout":{"type":"integer","description":"seconds, 1 to 3600; default the user's, mostly 180"}}}`),
	}
}

// Plan implements Tool.
func (t runCode) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a codeArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	switch {
	case strings.TrimSpace(a.Code) == "":
		return effect.Set{}, &ArgumentError{"code is empty"}
	case strings.Contains(a.Code, "\x00"):
		return effect.Set{}, &ArgumentError{"code holds a NUL character, which no interpreter takes: write it as an escape"}
	case len(a.Code) > maxCode:
		return effect.Set{}, &ArgumentError{fmt.Sprintf("code has %s, and %s are the most: write it to a file and run that with execute_command", size(int64(len(a.Code))), size(maxCode))}
	}
	seconds, note := within(a.Timeout, usualSeconds)
	x, err := v.Command(ctx, CommandSpec{Script: a.Code, Language: language(a.Language), Seconds: seconds})
	if err != nil {
		return effect.Set{}, err
	}
	return set(t.Spec(), "run "+language(a.Language)+": "+firstLine(a.Code), commandPlan{Note: note}, x), nil
}

// language is the one name of a language.
func language(word string) string {
	switch word {
	case "":
		return "python"
	case "js", "javascript":
		return "node"
	default:
		return word
	}
}

// Run implements Tool.
func (runCode) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	return runCommand(ctx, e, planned)
}
