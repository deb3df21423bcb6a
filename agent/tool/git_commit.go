package tool

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type gitCommit struct{}

type gitCommitArgs struct {
	Message string   `json:"message"`
	Paths   []string `json:"paths,omitempty"`
}

// Spec implements Tool.
func (gitCommit) Spec() Spec {
	return Spec{
		Name: "git_commit", Category: "git", Commits: true,
		Description: "Commit what is staged; with paths, commit just these files as they are now. Stage new files first. Hooks of the repository are not run.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["message"],"properties":{
			"message":{"type":"string","minLength":1,"description":"subject line, an empty line, then the body"},
			"paths":{"type":"array","maxItems":500,"description":"only these files","items":{"type":"string","minLength":1}}}}`),
	}
}

// Plan implements Tool.
func (t gitCommit) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a gitCommitArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	if strings.TrimSpace(a.Message) == "" {
		return effect.Set{}, &ArgumentError{"message is empty"}
	}
	if forgedTrailer().MatchString(a.Message) {
		return effect.Set{}, &ArgumentError{"message has a line Tera-Audit: only the program itself writes it, leave it out"}
	}
	paths, err := gitPaths(ctx, v, a.Paths)
	if err != nil {
		return effect.Set{}, err
	}
	argv := []string{"commit", "--message=" + withTrailer(a.Message, v.Trailer())}
	if len(paths) > 0 {
		argv = append(append(argv, "--"), paths...)
	}
	return planGit(ctx, v, t.Spec(), "git commit: "+firstLine(a.Message), argv...)
}

// forgedTrailer finds lines that would pass for the head of the audit log.
var forgedTrailer = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?im)^[\s]*tera-audit[\s]*:`) })

// trailerLine is a line that git takes for a trailer.
var trailerLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*: .`) })

// withTrailer ends a message in a line, in its last paragraph where that holds
// trailers already.
func withTrailer(message, line string) string {
	if line == "" {
		return message
	}
	message = strings.TrimRight(message, " \t\r\n")
	lines := strings.Split(message, "\n")
	for i := len(lines) - 1; i > 0; i-- {
		if strings.TrimSpace(lines[i]) == "" {
			return message + "\n" + line
		}
		if !trailerLine().MatchString(lines[i]) {
			break
		}
	}
	return message + "\n\n" + line
}

// Run implements Tool. What git says of a file that it does not know yet names
// no way on.
func (gitCommit) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	r, err := runGit(ctx, e, planned, nil)
	if r.Status == Error && strings.Contains(r.Body, "did not match any file(s) known to git") {
		r.Body += "[nothing was committed: a new file is staged first (git_stage); then commit with the same paths]\n"
	}
	return r, err
}
