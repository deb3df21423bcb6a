package agent

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// lines collects the lines of a question. What it is given may hold anything;
// what it adds is visible.
type lines struct {
	out  []event.Line
	refs map[int]lineRef // by index in out: the lines of files that a review can leave out
}

// A lineRef is the place of a question's line in the diff of a file.
type lineRef struct {
	file string // the path's name
	line int    // its index in the diff
}

func (w *lines) add(kind event.LineKind, text string) {
	w.out = append(w.out, event.Line{Kind: kind, Text: text})
}

func (w *lines) blank() { w.add(event.LineBlank, "") }

// fact adds "name      value". It stays on its line whatever is in it, so that
// no path, reason or word of a command can look like a line of the question.
func (w *lines) fact(name, value string) { w.words(event.LineFact, name, value) }

// warn adds a fact that needs attention.
func (w *lines) warn(name, value string) { w.words(event.LineWarn, name, value) }

func (w *lines) words(kind event.LineKind, name, value string) {
	w.add(kind, fmt.Sprintf("%-9s %s", name, visible.Strict(value)))
}

// effect adds all that is known of one effect.
func (w *lines) effect(e effect.Effect, place *world.World) {
	switch e.Kind {
	case effect.Exec:
		w.command(e.Exec, place)
	case effect.Git:
		w.git(e.Git)
	case effect.Create, effect.Write, effect.Memory, effect.Delete:
		if reviewed(e) {
			w.change(e, nil)
			return
		}
		w.newPath(e.Kind.String(), *e.Path)
	case effect.Rename:
		w.path("rename", *e.Path)
		w.newPath("to", *e.To)
	case effect.Mkdir:
		w.newPath("mkdir", *e.Path)
	case effect.Chmod:
		w.path("chmod", *e.Path)
		w.fact("mode", fmt.Sprintf("%04o becomes %04o", e.Path.Mode, e.Mode))
	case effect.Read, effect.Walk:
		w.path(e.Kind.String(), *e.Path)
	case effect.Fetch, effect.Search:
		w.network(e)
	case effect.Spawn:
		w.child(e.Child)
	case effect.MCP:
		w.fact("server", e.MCP.Server+"  "+e.MCP.Identity)
		w.fact("tool", e.MCP.Tool)
		w.fact("arguments", e.MCP.Args)
	case effect.Start:
		w.start(e.Exec)
	default:
		w.warn("effect", describe(e))
	}
}

// start tells of a process that was approved before and runs for the call.
func (w *lines) start(x *effect.Command) {
	if x == nil {
		return
	}
	w.fact("starts", quoted(x.Argv))
	switch {
	case x.Profile == gate.ProfileOff:
		w.warn("SANDBOX", "off: the program can do whatever you can")
	case len(x.Hosts) > 0:
		w.warn("network", "it may reach "+strings.Join(x.Hosts, ", "))
	}
}

// path adds a path with what is there; newPath one that may be made now.
func (w *lines) path(name string, p effect.Path)    { w.place(name, p, "not there now") }
func (w *lines) newPath(name string, p effect.Path) { w.place(name, p, "not there yet") }

func (w *lines) place(name string, p effect.Path, missing string) {
	where := "inside the workspace"
	switch {
	case p.Outside:
		where = "OUTSIDE the workspace"
	case p.Virtual:
		where = "an output of this session"
	}
	facts := []string{where}
	if p.Exists {
		facts = append(facts, p.Type.String())
		if p.Type == effect.Regular {
			facts = append(facts, fmt.Sprintf("mode %04o", p.Mode), size(p.Size))
		}
	} else {
		facts = append(facts, missing)
	}
	w.fact(name, p.Name)
	w.fact("", strings.Join(facts, ", "))
	if p.Links > 1 && p.Type == effect.Regular {
		w.warn("links", fmt.Sprintf("%d names share this content: only this name gets the new one", p.Links))
	}
	if p.Target != "" {
		w.warn("link to", p.Target)
	}
	if p.Secret {
		w.warn("secret", "a file of this name usually holds secrets")
	}
	if p.Protected != "" {
		w.warn("protected", p.Protected+" can make other programs run code, or change what agents are told")
	}
}

// change shows what a file will hold, or what of it would be gone: the diff, or
// all of a new file, with what the person left out marked so.
func (w *lines) change(e effect.Effect, r *revision) {
	c, ok := r.change(e)
	done, left := e, true
	if ok {
		done, left = c.revised()
	}
	w.newPath(changeTitle(done), *e.Path)
	switch {
	case !left:
		w.warn("left out", "nothing of it: this file stays as it is")
	case done.Kind != effect.Delete:
		if done.Mode != 0 && (!e.Path.Exists || done.Mode != e.Path.Mode) {
			w.fact("mode", fmt.Sprintf("%04o", fs.FileMode(done.Mode)))
		}
		w.fact("result", fmt.Sprintf("%s, sha256 %.12s", size(done.After.Size), done.After.SHA256))
	}
	w.blank()
	if !ok {
		w.warn("content", "is not text and cannot be reviewed as lines")
		return
	}
	w.diff(c, e.Path.Name)
}

func changeTitle(e effect.Effect) string {
	switch {
	case e.Kind == effect.Delete:
		return "delete"
	case e.Path.Exists:
		return "write"
	default:
		return "new file"
	}
}

func (w *lines) diff(c change, name string) {
	before, after := []byte(c.reading.before), []byte(c.reading.after)
	crlf := allCRLF(before) && allCRLF(after)
	d := layDiff(c.lines, c.revision.choice, crlf)
	if allCRLF(after) && strings.Contains(c.reading.after, "\r\n") {
		w.fact("line ends", "CRLF")
	}
	if c.reading.wide {
		w.fact("encoding", "UTF-16, kept")
	}
	w.fact("lines", d.stat())
	for i, l := range d.lines {
		if w.refs != nil && (l.Kind == event.LineAdd || l.Kind == event.LineDelete || l.Kind == event.LineLeft) {
			w.refs[len(w.out)] = lineRef{name, d.refs[i]}
		}
		w.out = append(w.out, l)
	}
}

// command lays a command out: first what it is and what it reaches, last what
// is the same for every command.
func (w *lines) command(x *effect.Command, place *world.World) {
	if x.Detected {
		w.fact("detected", "the project's own test command; its files decide what it runs")
	}
	if x.Background {
		w.warn("stays", "in the background, after this turn too: until it ends, is ended, or the session ends")
	}
	if x.Script != "" {
		for _, line := range visible.StrictLines(x.Script) {
			w.add(event.LineScript, line)
		}
		w.blank()
	}
	if !x.Parsed {
		w.warn("not clear", "the text could not be understood as a whole")
	}
	for i, p := range x.Parts {
		name := ""
		if i == 0 {
			name = "runs"
		}
		w.part(name, p)
	}
	for _, p := range x.Reads {
		w.path("reads", p)
	}
	for _, p := range x.Writes {
		w.newPath("writes", p)
	}
	for _, p := range x.Deletes {
		w.path("deletes", p)
	}
	for _, p := range x.Chmods {
		w.path("rights of", p)
	}
	if len(x.Stdin) > 0 {
		w.fact("stdin", size(int64(len(x.Stdin))))
		for _, line := range visible.StrictLines(string(x.Stdin)) {
			w.add(event.LineScript, line)
		}
	}
	w.reach(x)
	for _, line := range place.Confinement(x) {
		kind := event.LineFact
		if line.Warn {
			kind = event.LineWarn
		}
		w.words(kind, line.Name, line.Value)
	}
	w.fact("limit", x.Timeout.String())
	w.fact("folder", x.Dir)
	w.fact("shell", fmt.Sprintf("%s  sha256 %.12s", x.Program.Path, x.Program.SHA256))
	for _, p := range x.Programs {
		w.fact("program", fmt.Sprintf("%s  sha256 %.12s", p.Path, p.SHA256))
	}
	w.environment(x)
}

// reach says what of the network the command gets: every host, one a line.
// Where it gets none, the words of its profile say so.
func (w *lines) reach(x *effect.Command) {
	if x.Profile == gate.ProfileOff {
		w.warn("network", "all of it")
	}
	for _, h := range x.Hosts {
		if !strings.Contains(h, ":") {
			h += ", ports 443 and 80"
		}
		w.warn("network", h+"  CONNECT: what is sent there cannot be seen")
	}
}

func (w *lines) part(name string, p effect.Part) {
	text := quoted(p.Argv)
	if p.Known {
		w.fact(name, text)
		return
	}
	w.warn(name, text+"   (known only when it runs)")
	if p.Note != "" {
		w.warn("", p.Note)
	}
}

// environment says what the command's environment has and lacks against ours.
// The values that are set are the sandbox's own, and part of the digest.
func (w *lines) environment(x *effect.Command) {
	own := fmt.Sprintf("%d variables of the sandbox's own", len(x.Set))
	if len(x.Dropped) > 0 {
		own += fmt.Sprintf("; %d of yours kept out", len(x.Dropped))
	}
	if n := len(x.Dropped); n > 0 && n <= world.Folded {
		own += " (" + strings.Join(x.Dropped, " ") + ")"
	}
	w.fact("env", own)
}

func (w *lines) git(g *effect.GitCall) {
	args, message := unfolded(g.Args)
	w.fact("git", args)
	for i, line := range message {
		name := ""
		if i == 0 {
			name = "message"
		}
		w.fact(name, "| "+line) // the bar: a line of it looks like no fact of ours
	}
	w.fact("kind", g.Class.String())
	for _, u := range g.Remotes {
		w.warn("remote", u)
	}
	for _, p := range g.Reads {
		w.path("reads", p)
	}
	for _, p := range g.Writes {
		w.written(p)
	}
	for _, l := range g.Loses {
		w.warn("can lose", l)
	}
	for _, n := range g.Notes {
		w.fact("note", n)
	}
}

// written adds a path that a git call writes. Outside the workspace it is the
// machine's own, and no undo reaches it.
func (w *lines) written(p effect.Path) {
	w.fact("writes", p.Name)
	if p.Outside {
		w.warn("", "OUTSIDE the workspace: undo cannot take this back")
	}
}

// unfolded shows an argv, and apart from it, line by line, the one word of it
// that has lines. Where several have, the words alone show them all.
func unfolded(argv []string) (args string, message []string) {
	at := -1
	for i, a := range argv {
		if strings.Contains(a, "\n") {
			if at >= 0 {
				return quoted(argv), nil
			}
			at = i
		}
	}
	if at < 0 {
		return quoted(argv), nil
	}
	name, value, named := strings.Cut(argv[at], "=")
	if !named || strings.Contains(name, "\n") {
		name, value = "", argv[at]
	} else {
		name += "="
	}
	message = strings.Split(value, "\n")
	words := []string{quoted(argv[:at]), fmt.Sprintf("%s(the %d lines below)", name, len(message)), quoted(argv[at+1:])}
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " "), message
}

func (w *lines) network(e effect.Effect) {
	if e.Net.URL != "" {
		w.fact("url", e.Net.URL)
	}
	if e.Net.Query != "" {
		w.fact("query", e.Net.Query)
	}
	w.fact("host", fmt.Sprintf("%s port %d  %s", e.Net.Host, e.Net.Port, e.Net.Method))
	if e.Net.Reason != "" {
		w.words(event.LineModel, "reason", e.Net.Reason)
	}
	if e.Net.SecretHit {
		w.warn("secret", "what would be sent looks like it holds a secret")
	}
}

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
}

// child says what a sub-agent is to do and may do.
func (w *lines) child(c *effect.Child) {
	w.fact("sub-agent", c.Role)
	for _, line := range visible.StrictLines(c.Goal) {
		w.add(event.LineModel, line)
	}
	if c.Writes {
		w.warn("may", "change files and run commands, asking as this session would")
	} else {
		w.fact("may", "only read (plan mode)")
	}
	w.fact("tools", strings.Join(c.Tools, " "))
	w.fact("steps", fmt.Sprintf("at most %d model calls, of those of this turn", c.Steps))
}
