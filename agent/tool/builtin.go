package tool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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
}

// Builtin lists the tools of this package in the order in which a model is
// offered them.
func Builtin(o Options) []Tool {
	c := checker(o)
	return []Tool{
		readFile{}, strReplace{c}, executeCommand{}, grep{}, listFiles{},
		writeFile{c}, applyDiff{c}, glob{}, fileInfo{},
		deleteFile{}, renameFile{}, mkdir{},
		gitStatus{}, gitDiff{}, gitLog{}, gitStage{}, gitCommit{},
		selfVerify{}, todo{}, askUser{},
	}
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

// write carries out planned edits of one file, with the folders that they
// need, and shows what came of it. remarks come first.
func (c checker) write(ctx context.Context, e Env, planned effect.Set, remarks string) (Result, error) {
	r := Result{Status: OK}
	var body strings.Builder
	body.WriteString(remarks)
	for _, x := range planned.Effects {
		post, err := e.Apply(ctx, x)
		if err != nil {
			return stopped(r, x, err)
		}
		r.done(x, post)
		switch x.Kind {
		case effect.Create:
			r.see(post, x.After.SHA256)
			r.Title = "created " + quote(x.Path.Name)
			lines := bytes.Count(x.After.Data, []byte("\n"))
			r.Diff = fmt.Sprintf("+%d -0", lines)
			fmt.Fprintf(&body, "created %s (%s, %s)\n", quote(x.Path.Name), count(lines, "line", "lines"), size(x.After.Size))
			body.WriteString(c.note(x.Path.Name, nil, x.After.Data))
		case effect.Write:
			r.see(post, x.After.SHA256)
			d := diffBytes(x.Path.Before, x.After.Data)
			r.Diff, r.Untrusted = d.String(), fromFile
			r.Title = fmt.Sprintf("edited %s (%s)", quote(x.Path.Name), d)
			fmt.Fprintf(&body, "edited %s (%s)\n", quote(x.Path.Name), d)
			body.WriteString(hardLinks(*x.Path) + c.note(x.Path.Name, x.Path.Before, x.After.Data) + d.shown())
		case effect.Delete:
			r.Title = "deleted " + quote(x.Path.Name)
			fmt.Fprintf(&body, "deleted %s\n", quote(x.Path.Name))
		}
	}
	r.Body = body.String()
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
)

// done notes one effect that came about.
func (r *Result) done(x effect.Effect, post effect.Path) {
	c := Change{Path: x.Path.Name, Change: changeName(x.Kind)}
	if x.To != nil {
		c.To = x.To.Name
	}
	r.Changes = append(r.Changes, c)
	r.Post = append(r.Post, post)
}

// changeName is the word for what an effect did to its file.
func changeName(k effect.Kind) string {
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

// stopped is the result of a row of acts that ended before its end.
func stopped(so Result, x effect.Effect, err error) (Result, error) {
	r, err := failed(fmt.Sprintf("%s %s", x.Kind, quote(x.Path.Name)), err)
	r.Changes, r.Post = so.Changes, so.Post
	for _, c := range so.Changes {
		r.Body += fmt.Sprintf("\ndone before it: %s %s", c.Change, quote(c.Path))
	}
	return r, err
}
