package agent

import (
	"context"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// answers of one repository, as cmd keeps them.
type keptAnswers struct {
	statedir.Answers
	root string
}

func (k keptAnswers) Wanted() (yes, known bool, err error) { return k.Get(k.root) }
func (k keptAnswers) Keep(yes bool) error                  { return k.Put(k.root, yes) }

// TestCommitsBearTheHead once the person said so: it is offered beside the yes to
// a commit, with no question of its own, and what a commit bears is an anchor.
func TestCommitsBearTheHead(t *testing.T) {
	commit := func(n string) step {
		return step{Calls: []call{{"git_commit", map[string]any{"message": "change " + n, "paths": []string{"b.txt"}}}}}
	}
	for _, c := range []struct {
		name      string
		canAsk    bool
		answer    func(event.Question) event.Answer
		offered   int    // times
		trailers  int    // of two commits
		known     bool   // the answer is kept
		says, log string // what the log states
	}{
		{name: "yes", canAsk: true, answer: keep(trailerScope), offered: 1, trailers: 1, known: true, log: "bear the head"},
		{name: "this commit alone", canAsk: true, answer: yes, offered: 2},
		{name: "another offer", canAsk: true, answer: keep("keep-1"), offered: 2},
		{name: "nobody there", canAsk: false},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept := keptAnswers{root: "/repo"}
			r := newRig(t, []step{commit("one"), {Say: "done"}, commit("two"), {Say: "done"}}, func(o *Options) {
				kept.Answers = statedir.OpenAnswers(o.State, "audit_trailer.json")
				o.Witness, o.CanAsk, o.Front = kept, c.canAsk, audit.FrontTUI
				if !c.canAsk {
					o.Front, o.Interactive, o.OptOut, o.Level = audit.FrontRun, false, true, 2
				}
			})
			offered := 0
			r.person = func(q event.Question) event.Answer {
				if q.Kind != event.AskGit {
					t.Errorf("asked %q", q.Title)
				}
				for _, s := range q.Scopes {
					if s.ID == trailerScope {
						offered++
						return c.answer(q)
					}
				}
				return yes(q)
			}
			prepare(r)
			r.start("")
			for _, n := range []string{"one", "two"} {
				r.write("b.txt", "changed "+n+"\n")
				if end := r.turn("commit"); end.Status != "done" {
					t.Fatalf("%+v", end)
				}
			}
			r.stop()
			messages := gitOut(r, "log", "--format=%B")
			if offered != c.offered || strings.Count(messages, "\nTera-Audit: ") != c.trailers || strings.Count(messages, "change ") != 2 {
				t.Errorf("offered %d times:\n%s\n%+v", offered, messages, r.results())
			}
			if _, known, err := kept.Wanted(); err != nil || known != c.known {
				t.Errorf("kept: %v, %v", known, err)
			}
			if c.trailers > 0 {
				anchors, err := audit.FindAnchors("git", []byte(messages))
				if err != nil || len(anchors) != c.trailers {
					t.Fatalf("%v %v", anchors, err)
				}
				isAnchored(t, r.state, anchors)
			}
			if c.log != "" && !strings.Contains(titles(t, r.state), c.log) {
				t.Errorf("the log does not state it:\n%s", titles(t, r.state))
			}
			r.verify()
		})
	}
}

func keep(scope string) func(event.Question) event.Answer {
	return func(event.Question) event.Answer { return event.Answer{Choice: event.Keep, Scope: scope} }
}

func isAnchored(t *testing.T, state string, anchors []audit.Anchor) {
	t.Helper()
	reader, err := audit.OpenReader(t.Context(), audit.Options{Dir: state})
	if err != nil {
		t.Fatal(err)
	}
	key, err := reader.Key()
	if err != nil {
		t.Fatal(err)
	}
	rep := reader.Verify(context.Background(), audit.VerifyOptions{Key: key, Anchors: anchors})
	for _, a := range rep.Anchors {
		if a.Result != "seen" {
			t.Errorf("%+v", rep)
		}
	}
	anchors[0].Hash = strings.Repeat("0", 64)
	if rep := reader.Verify(context.Background(), audit.VerifyOptions{Key: key, Anchors: anchors}); rep.OK {
		t.Error("an anchor of another log passes")
	}
}

func titles(t *testing.T, state string) string {
	t.Helper()
	reader, err := audit.OpenReader(t.Context(), audit.Options{Dir: state})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for e, err := range reader.Entries(t.Context(), audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(e.Title + "\n")
	}
	return out.String()
}

// TestNoModelWritesTheHead: a message that would pass for the head of the log
// is no commit, however it is spelt.
func TestNoModelWritesTheHead(t *testing.T) {
	var calls []call
	for _, message := range []string{"x\n\nTera-Audit: 00000000000000000000000000000000#1 00000000", "x\n\n  TERA-AUDIT : y", "Tera-Audit: z"} {
		calls = append(calls, call{"git_commit", map[string]any{"message": message, "paths": []string{"b.txt"}}})
	}
	r := newRig(t, []step{{Calls: calls}, {Say: "done"}}, nil)
	r.person = yes
	prepare(r)
	r.write("b.txt", "changed\n")
	r.start("")
	r.turn("commit")
	r.stop()
	for _, res := range r.results() {
		if res.Status == "ok" || !strings.Contains(res.Body, "only the program itself") {
			t.Errorf("%+v", res)
		}
	}
	if got := gitOut(r, "log", "--format=%s"); strings.Count(got, "\n") != 1 {
		t.Errorf("%s", got)
	}
}
