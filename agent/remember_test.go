package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/rulebook"
	"github.com/tera-pilot/tera-pilot/audit"
)

// playing is a script of turns, each of which runs one command or writes one file.
func playing(texts ...string) []step {
	var out []step
	for _, text := range texts {
		c := call{"execute_command", map[string]any{"command": text}}
		if name, ok := strings.CutPrefix(text, "read "); ok {
			c = call{"read_file", map[string]any{"path": name}}
		}
		if name, content, ok := strings.Cut(text, " <- "); ok {
			c = call{"write_file", map[string]any{"path": name, "content": content}}
		}
		out = append(out, step{Say: "I do it.", Calls: []call{c}}, step{Say: "Done."})
	}
	return out
}

// withBook gives a session the files of its state folder.
func withBook(r *rig) *rig {
	book := &rulebook.Book{State: r.state}
	rules, err := book.Rules()
	if err != nil {
		r.t.Fatal(err)
	}
	r.opts.Book, r.opts.Rules = book, rules
	return r
}

// keeping says yes, and keeps the first scope whose title holds the words.
func keeping(words string) func(event.Question) event.Answer {
	return func(q event.Question) event.Answer {
		for _, s := range q.Scopes {
			if strings.Contains(s.Title, words) {
				return event.Answer{Choice: event.Keep, Scope: s.ID}
			}
		}
		return event.Answer{Choice: event.Deny, Reason: "not offered"}
	}
}

// asked counts the questions about calls so far.
func (r *rig) asked() int {
	n := 0
	for _, e := range r.events {
		if _, ok := e.Body.(event.QuestionOpened); ok {
			n++
		}
	}
	return n
}

func (r *rig) policyEvents(kind string) int {
	r.t.Helper()
	n := 0
	read, err := audit.OpenReader(r.t.Context(), audit.Options{Dir: r.state})
	if err != nil {
		r.t.Fatal(err)
	}
	for e, err := range read.Entries(r.t.Context(), audit.Filter{}) {
		if err != nil {
			r.t.Fatal(err)
		}
		if e.Kind == kind {
			n++
		}
	}
	return n
}

func (r *rig) changes() []string {
	var out []string
	for _, e := range r.events {
		if b, ok := e.Body.(event.PolicyChanged); ok {
			if b.From == b.To && b.What != "reloaded" {
				r.t.Errorf("%s: the digests are the same", b.What)
			}
			out = append(out, b.What)
		}
	}
	return out
}

// TestRememberedForTheSession: what was kept asks no more in this session, and
// in no other one.
func TestRememberedForTheSession(t *testing.T) {
	r := newRig(t, playing("touch a.txt", "touch a.txt", "touch b.txt", "touch a.txt"), nil)
	r.person = keeping("exactly this, this session")
	r.start("")
	r.turn("go")
	r.turn("again")
	if n := r.asked(); n != 1 || len(r.changes()) != 1 {
		t.Fatalf("%d questions, changes %v", n, r.changes())
	}
	r.person = nil
	r.turn("another")
	if r.asked() != 2 || r.read("b.txt") != "" {
		t.Error("another command was covered")
	}
	id := r.session.ID()
	r.stop()
	r.start(id)
	r.turn("after a restart")
	if r.asked() != 3 {
		t.Error("a yes for the session outlived it")
	}
	r.stop()
	r.verify()
}

// TestRememberedBeyondTheSession: remembered.toml is written as it is read,
// guarded, effective after a restart, and withdrawn by its id.
func TestRememberedBeyondTheSession(t *testing.T) {
	r := withBook(newRig(t, playing("touch a.txt", "touch a.txt", "touch a.txt", "touch a.txt"), nil))
	file := filepath.Join(r.state, "remembered.toml")
	r.person = keeping("exactly this, 7 days")
	r.start("")
	r.turn("go")
	text, err := os.ReadFile(file)
	info, statErr := os.Stat(file)
	if err != nil || statErr != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v %v", info, err, statErr)
	}
	for _, want := range []string{"root = \"" + r.root + "\"", "grade = ", "expires = ", "since = ", "question = ", "source = \"question "} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	r.stop()
	withBook(r)
	r.start("")
	r.turn("after a restart")
	if r.asked() != 1 {
		t.Fatal("asked again after a restart")
	}
	rules := r.opts.Rules.Files()
	id := rules[len(rules)-1].Rules[0].ID
	if err := r.session.Send(event.Forget{Rule: id}); err != nil {
		t.Fatal(err)
	}
	r.person = nil
	r.turn("forgotten")
	if r.asked() != 2 {
		t.Error("a forgotten rule still counts")
	}
	if got := r.changes(); len(got) != 1 {
		t.Errorf("changes %v", got)
	}
	r.stop()
	if text, _ := os.ReadFile(file); strings.Contains(string(text), "touch") {
		t.Errorf("left:\n%s", text)
	}
	if n := r.policyEvents(audit.KindPolicy); n != 2 {
		t.Errorf("%d records of the policy, want remembered and forgotten", n)
	}
	r.verify()
}

// TestAScriptIsRememberedByContent: an edit by the agent asks again.
func TestAScriptIsRememberedByContent(t *testing.T) {
	r := withBook(newRig(t, playing("./x.sh", "./x.sh", "read x.sh", "x.sh <- #!/bin/sh\necho other > b.txt\n", "./x.sh", "sh x.sh"), nil))
	r.write("x.sh", "#!/bin/sh\necho one > a.txt\n")
	if err := os.Chmod(filepath.Join(r.root, "x.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.person = keeping("exactly this, 7 days")
	r.start("")
	r.turn("run it")
	r.turn("again")
	if r.asked() != 1 || r.read("a.txt") != "one\n" {
		t.Fatalf("%d questions, a.txt %q", r.asked(), r.read("a.txt"))
	}
	r.person = yes
	r.turn("read it")
	r.turn("edit it")
	r.person = nil
	r.turn("run the edited one")
	r.turn("and otherwise")
	if r.asked() != 4 || r.read("b.txt") != "" {
		t.Errorf("%d questions, b.txt %q", r.asked(), r.read("b.txt"))
	}
	r.stop()
}

// TestWhatCannotBeKept: a file of rules that is a link is not written through;
// the yes holds once, and the person is told.
func TestWhatCannotBeKept(t *testing.T) {
	r := withBook(newRig(t, playing("touch a.txt", "touch a.txt"), nil))
	target := filepath.Join(r.root, "target.toml")
	r.write("target.toml", "")
	r.person = func(q event.Question) event.Answer {
		_ = os.Symlink(target, filepath.Join(r.state, "remembered.toml")) // in the second turn it is there
		return keeping("exactly this, 7 days")(q)
	}
	r.start("")
	r.turn("go")
	r.turn("again")
	r.stop()
	if r.asked() != 2 || r.read("target.toml") != "" || len(r.changes()) != 0 {
		t.Errorf("%d questions, changes %v, the link's target holds %q", r.asked(), r.changes(), r.read("target.toml"))
	}
	told := 0
	for _, e := range r.events {
		if b, ok := e.Body.(event.Notice); ok && strings.Contains(b.Text, "not remembered") {
			told++
		}
	}
	if told != 2 {
		t.Errorf("told %d times", told)
	}
}

// TestReloadVoidsAnApproval: an open question dies with a reload, and so does a
// yes that was not used.
func TestReloadVoidsAnApproval(t *testing.T) {
	r := withBook(newRig(t, playing("touch a.txt", "touch b.txt"), nil))
	first := true
	r.silent = func(event.Question) bool {
		if !first {
			return false
		}
		first = false
		if err := os.WriteFile(filepath.Join(r.state, "policy.toml"), []byte("[[path]]\nglob = \"a.txt\"\neffect = [\"write\", \"create\"]\ndecision = \"deny\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := r.session.Send(event.Reload{}); err != nil {
			t.Fatal(err)
		}
		return true
	}
	r.person = yes
	r.start("")
	r.turn("go")
	if got := r.results(); len(got) != 1 || got[0].Decision != "blocked" || r.asked() != 1 {
		t.Errorf("%d questions, %+v", r.asked(), got)
	}
	r.stop()

	r = withBook(newRig(t, playing("touch a.txt"), nil))
	once := true
	r.opts.Step = func(point string) {
		if point == "intent" && once {
			once = false
			if err := r.session.Send(event.Reload{}); err != nil {
				t.Error(err)
			}
			_, _ = r.session.State() // the reload has happened
		}
	}
	r.person = yes
	r.start("")
	r.turn("go")
	r.stop()
	if r.asked() != 2 {
		t.Errorf("%d questions: the yes outlived the reload", r.asked())
	}
	r.verify()
}

// TestABrokenPolicyStaysOut: a reload of files with a fault keeps the rules
// that were in force.
func TestABrokenPolicyStaysOut(t *testing.T) {
	r := withBook(newRig(t, playing("touch a.txt"), nil))
	r.start("")
	before := r.opts.Rules.Digest()
	if err := os.WriteFile(filepath.Join(r.state, "policy.toml"), []byte("[[rule]]\ncomand = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.session.Send(event.Reload{}); err != nil {
		t.Fatal(err)
	}
	in, _, err := r.session.judge()
	if err != nil || in.Rules.Digest() != before {
		t.Errorf("%v, other rules are in force", err)
	}
	r.stop()
}

// TestWindows: a window covers the everyday, ends by time and by each of its
// other ends, and is in the log.
func TestWindows(t *testing.T) {
	clock := time.Now()
	skew := time.Duration(0)
	r := newRig(t, playing("touch a.txt", "touch b.txt", "touch c.txt", "touch d.txt"), func(o *Options) {
		o.Now = func() time.Time { return clock.Add(skew) }
	})
	r.start("")
	open := func(mode string, d time.Duration) {
		t.Helper()
		if err := r.session.Send(event.Window{Mode: mode, For: d}); err != nil {
			t.Fatal(err)
		}
	}
	open("trust", 10*time.Minute)
	r.turn("one")
	if r.asked() != 0 || r.read("a.txt") != "" {
		t.Fatalf("%d questions inside the window", r.asked())
	}
	skew = 10 * time.Minute
	r.turn("two")
	if r.asked() != 1 {
		t.Errorf("%d questions after the window", r.asked())
	}
	open("unsafe", time.Minute)
	open("strict", 0)
	r.turn("three")
	if r.asked() != 2 {
		t.Errorf("%d questions after strict", r.asked())
	}
	for _, bad := range []event.Window{{Mode: "trust", For: 2 * time.Hour}, {Mode: "unsafe", For: time.Hour}, {Mode: "trust", For: -1}, {Mode: "other", For: time.Minute}} {
		open(bad.Mode, bad.For)
	}
	r.turn("four")
	if r.asked() != 3 {
		t.Errorf("%d questions: a window that is refused was opened", r.asked())
	}
	r.stop()
	if n := r.policyEvents(audit.KindWindow); n != 4 {
		t.Errorf("%d records of windows", n)
	}
	r.verify()
}

// TestWindowEnds: what ends a window, and where none can be opened.
func TestWindowEnds(t *testing.T) {
	for name, c := range map[string]struct {
		adjust func(*Options)
		end    event.Command
		want   string
	}{
		"cancel":      {nil, event.Cancel{}, "cancel"},
		"reload":      {nil, event.Reload{}, "reload"},
		"strict":      {nil, event.Window{Mode: "strict"}, "strict"},
		"no terminal": {func(o *Options) { o.Interactive, o.Front = false, audit.FrontACP }, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, playing("ls"), c.adjust)
			r.start("")
			_, live, cancel, err := r.session.Subscribe(0)
			if err != nil {
				t.Fatal(err)
			}
			defer cancel()
			_ = r.session.Send(event.Window{Mode: "trust", For: time.Minute})
			if in, _, err := r.session.judge(); err != nil || (in.Window.Left > 0) != (c.end != nil) {
				t.Fatalf("%+v, %v", in.Window, err)
			}
			if c.end != nil {
				_ = r.session.Send(c.end)
			}
			if in, _, err := r.session.judge(); err != nil || in.Window.Left > 0 {
				t.Errorf("still open: %+v, %v", in.Window, err)
			}
			r.stop()
			why := ""
			for e := range live {
				if b, ok := e.Body.(event.WindowChanged); ok {
					why = b.Why
				}
			}
			if why != c.want {
				t.Errorf("ended by %q, want %q", why, c.want)
			}
		})
	}
}

// TestWindowClock: neither a wall clock that is set back nor a machine that
// sleeps makes a window longer.
func TestWindowClock(t *testing.T) {
	now := time.Now()
	w := openWindow{until: now.Add(10 * time.Minute)}
	if left := w.left(now.Add(9 * time.Minute)); left != time.Minute {
		t.Errorf("%v", left)
	}
	slept := now.Add(time.Hour).Round(0) // the wall went on, and there is no other reading
	if left := w.left(slept); left > 0 {
		t.Errorf("%v is left after an hour of sleep", left)
	}
}

// TestNobodySaidNo: a turn that is stopped while a question is open is no word
// of the person about the call.
func TestNobodySaidNo(t *testing.T) {
	r := newRig(t, playing("touch a.txt"), nil)
	r.silent = func(event.Question) bool {
		if err := r.session.Send(event.Cancel{}); err != nil {
			t.Error(err)
		}
		return true
	}
	r.start("")
	r.turn("go")
	r.stop()
	for _, res := range r.results() {
		if strings.Contains(res.Body, "said no") || !strings.Contains(res.Body, "nobody answered") {
			t.Errorf("%q", res.Body)
		}
	}
	if len(r.results()) != 1 {
		t.Error("no result")
	}
	for _, e := range r.events {
		if b, ok := e.Body.(event.CallDecided); ok && (b.Decision != "denied" || b.By != "stopped") {
			t.Errorf("decided %+v", b)
		}
	}
	files, err := filepath.Glob(filepath.Join(r.state, "audit", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no log: %v", err)
	}
	var log strings.Builder
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		log.Write(b)
	}
	if text := log.String(); strings.Contains(text, `"by":"user:tui"`) || !strings.Contains(text, `"by":"stopped"`) {
		t.Errorf("the log says that somebody answered: %s", text)
	}
	r.verify()
}

// TestASubAgentRemembersForItsParent: what is kept beside a sub-agent's question
// counts at once, for it and for its parent.
func TestASubAgentRemembersForItsParent(t *testing.T) {
	touch := call{"execute_command", map[string]any{"command": "touch a.txt"}}
	r := newRig(t, []step{
		{Calls: []call{spawnCall("implementer", "touch it twice")}},
		{Calls: []call{touch}}, {Calls: []call{touch}}, {Say: "touched"},
		{Calls: []call{touch}}, {Say: "done"},
	}, nil)
	commands := 0
	r.person = func(q event.Question) event.Answer {
		if len(q.Scopes) == 0 || !strings.Contains(q.Title, "touch") {
			return yes(q)
		}
		commands++
		return keeping("exactly this, this session")(q)
	}
	r.start("")
	r.turn("go")
	r.stop()
	if commands != 1 {
		t.Errorf("%d questions about one command", commands)
	}
	r.verify()
}

// TestAPathCoversNoCommands: how many earlier commands an offer covers is said
// of commands alone.
func TestAPathCoversNoCommands(t *testing.T) {
	r := withBook(newRig(t, playing("touch a", "touch b", "c.txt <- x"), nil))
	seen := map[event.QuestionKind]string{}
	r.person = func(q event.Question) event.Answer {
		for _, s := range q.Scopes {
			seen[q.Kind] = s.Seen
		}
		return yes(q)
	}
	r.start("")
	for range 3 {
		r.turn("go")
	}
	r.stop()
	edits, ok := seen[event.AskEdit]
	if !strings.Contains(seen[event.AskCommand], "of 1 earlier commands") || !ok || edits != "" {
		t.Errorf("%q", seen)
	}
}
