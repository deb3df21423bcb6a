package tool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// Options is what the tools are handed from outside.
type Options struct {
	// Syntax says what is wrong with a file's content, by the kind of file that
	// its name tells; nil for content that is right, or of an unknown kind.
	// Without it edits are not checked.
	Syntax func(name string, content []byte) error
	Fetch  bool      // offer web_fetch
	MCP    []MCPTool // approved tools of MCP servers
	Search bool      // offer web_search: a search service is configured
	// Skills are what get_skill reads; without any it is not offered.
	Skills []Skill
}

// Builtin lists the tools of this package in the order in which a model is
// offered them.
func Builtin(o Options) []Tool {
	c := checker(o)
	out := []Tool{
		readFile{}, strReplace{c}, executeCommand{}, grep{}, listFiles{},
		writeFile{c}, multiEdit{c}, applyDiff{c}, glob{}, fileInfo{},
		deleteFile{}, renameFile{}, mkdir{}, runCode{}, job{},
		gitStatus{}, gitDiff{}, gitLog{}, gitStage{}, gitCommit{},
		selfVerify{}, todo{}, askUser{}, spawnSubagent{},
	}
	if o.Fetch {
		out = append(out, webFetch{})
	}
	if o.Search {
		out = append(out, webSearch{})
	}
	if len(o.Skills) > 0 {
		out = append(out, getSkill{o.Skills})
	}
	for _, t := range o.MCP {
		out = append(out, mcpTool{t})
	}
	return out
}

// New makes the registry of the tools of this package.
func New(o Options) *Registry {
	r, err := NewRegistry(Builtin(o)...)
	if err != nil {
		panic("tool: " + err.Error()) // a test holds the names apart
	}
	return r
}

// set is a planned set of a tool. args, if any, is what Run needs to know.
func set(s Spec, title string, args any, effects ...effect.Effect) effect.Set {
	out := effect.Set{Tool: s.Name, Title: title, Free: s.Free, Effects: effects}
	if args != nil {
		out.Args = mustEncode(args)
	}
	return out
}

// recall reads what Plan left for Run.
func recall(planned effect.Set, into any) error {
	if err := json.Unmarshal([]byte(planned.Args), into); err != nil {
		return fmt.Errorf("the plan of %s is damaged: %w", planned.Tool, err)
	}
	return nil
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// content is what a file is to hold.
func content(data []byte) *effect.Bytes {
	return &effect.Bytes{Data: data, SHA256: hash(data), Size: int64(len(data))}
}

// A checker compares the syntax of a file before and after an edit.
type checker Options

// note tells of a fault in after that before did not have. It never stands in
// the way of an edit.
func (c checker) note(name string, before, after []byte) string {
	if c.Syntax == nil || len(before) > 0 && c.Syntax(name, before) != nil {
		return ""
	}
	err := c.Syntax(name, after)
	if err == nil {
		return ""
	}
	return fmt.Sprintf("note: the file does not parse now: %s\n", clip(err.Error(), 400))
}

// write carries out planned edits, all or none, with the folders that they
// need, and shows what came of them. remarks come first.
func (c checker) write(ctx context.Context, e Env, planned effect.Set, remarks string) (Result, error) {
	posts, err := e.ApplyAll(ctx, planned.Effects)
	if err != nil {
		return undone(planned, err)
	}
	r := Result{Status: OK}
	var w written
	w.body.WriteString(remarks)
	for i, x := range planned.Effects {
		r.done(x, posts[i])
		w.tell(c, &r, x, posts[i])
	}
	if w.files > 1 {
		r.Title = fmt.Sprintf("changed %d files (+%d -%d)", w.files, w.added, w.removed)
	}
	if w.added+w.removed > 0 {
		r.Diff = fmt.Sprintf("+%d -%d", w.added, w.removed)
	}
	r.Body = w.body.String()
	return r, nil
}

// written is the report of a row of edits as it grows.
type written struct {
	body           strings.Builder
	files          int
	added, removed int
}

// tell adds what one effect came to.
func (w *written) tell(c checker, r *Result, x effect.Effect, post effect.Path) {
	name := quote(x.Path.Name)
	switch x.Kind {
	case effect.Create:
		r.see(post, x.After.SHA256)
		r.Title = "created " + name
		lines := bytes.Count(x.After.Data, []byte("\n"))
		w.added += lines
		fmt.Fprintf(&w.body, "created %s (%s, %s)\n", name, count(lines, "line", "lines"), size(x.After.Size))
		w.body.WriteString(c.note(x.Path.Name, nil, x.After.Data))
	case effect.Write:
		r.see(post, x.After.SHA256)
		d := diffBytes(x.Path.Before, x.After.Data)
		r.Untrusted = fromFile
		r.Title = fmt.Sprintf("edited %s (%s)", name, d)
		w.added, w.removed = w.added+d.added, w.removed+d.removed
		fmt.Fprintf(&w.body, "edited %s (%s)\n", name, d)
		w.body.WriteString(hardLinks(*x.Path) + c.note(x.Path.Name, x.Path.Before, x.After.Data) + d.shown())
	case effect.Delete:
		r.Title = "deleted " + name
		fmt.Fprintf(&w.body, "deleted %s\n", name)
	case effect.Rename:
		r.Title = fmt.Sprintf("renamed %s to %s", name, quote(x.To.Name))
		fmt.Fprintf(&w.body, "renamed %s to %s\n", name, quote(x.To.Name))
	default: // the folders that a file needs
		return
	}
	w.files++
}

// undone is the result of a row of edits that ended before its end. What could
// not be taken back is told file by file.
func undone(planned effect.Set, err error) (Result, error) {
	var partial *PartialError
	if !errors.As(err, &partial) {
		r, err := failed(planned.Title, err)
		r.Body += "; nothing was changed"
		return r, err
	}
	r := Result{Status: Error, Body: planned.Title + ": " + partial.Err.Error()}
	for _, left := range partial.Left {
		r.done(left.Effect, left.Post)
		r.Body += fmt.Sprintf("\nSTILL DONE: %s %s could not be taken back: %v", ChangeWord(left.Effect.Kind), quote(left.Effect.Path.Name), left.Why)
	}
	return r, nil
}

// diffBytes compares two contents as text, as far as they are.
func diffBytes(before, after []byte) delta {
	a, err := decodeText(before)
	b, err2 := decodeText(after)
	if err != nil || err2 != nil {
		return delta{body: "binary content\n"}
	}
	return diffText(a.s, b.s)
}

// Origins of a body that is not our own words.
const (
	fromFile    = "file"
	fromCommand = "command"
	fromWeb     = "web"
	fromMCP     = "mcp"
)

// done notes one effect that came about.
func (r *Result) done(x effect.Effect, post effect.Path) {
	c := Change{Path: x.Path.Name, Change: ChangeWord(x.Kind)}
	if x.To != nil {
		c.To = x.To.Name
	}
	r.Changes = append(r.Changes, c)
	r.Post = append(r.Post, post)
}

// ChangeWord is the word of a Change for what an effect did to its file.
func ChangeWord(k effect.Kind) string {
	switch k {
	case effect.Create:
		return "created"
	case effect.Write:
		return "written"
	case effect.Delete:
		return "deleted"
	case effect.Rename:
		return "renamed"
	default: // mkdir and chmod are the words themselves
		return k.String()
	}
}

func (r *Result) see(p effect.Path, sha256 string) { r.Seen = append(r.Seen, Seen{p, sha256}) }
