package agent

import (
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// A reviewer answers the first question with a revision, and the one after it
// with yes.
func reviewer(r *rig, revise func(q event.Question) []event.Revision) *[]event.Question {
	asked := &[]event.Question{}
	r.revise = func(q event.Question) []event.Revision {
		*asked = append(*asked, q)
		if len(*asked) > 1 {
			return nil
		}
		return revise(q)
	}
	r.person = yes
	return asked
}

// lineOf is the index of the line of a kind that holds a text.
func lineOf(t *testing.T, q event.Question, kind event.LineKind, text string) int {
	t.Helper()
	for i, l := range q.Lines {
		if l.Kind == kind && strings.Contains(l.Text, text) {
			return i
		}
	}
	t.Fatalf("no line %s with %q in %+v", kind, text, q.Lines)
	return -1
}

func edit(path, old, new string) call {
	return call{"str_replace", map[string]any{"path": path, "old_str": old, "new_str": new}}
}

// TestPartOfAnEdit: what is left out is not done, what is kept is, and the
// model hears the difference.
func TestPartOfAnEdit(t *testing.T) {
	r := newRig(t, []step{{Say: "x", Calls: []call{edit("a.txt", "two\nthree\n", "TWO\nthree\nmore\n")}}, {Say: "done"}}, nil)
	r.write("a.txt", "one\ntwo\nthree\nfour\n")
	asked := reviewer(r, func(q event.Question) []event.Revision {
		if !q.Revisable || len(q.Proposals) != 1 || q.Proposals[0].Text != "one\nTWO\nthree\nmore\nfour\n" {
			t.Errorf("revisable %v, proposals %+v", q.Revisable, q.Proposals)
		}
		return []event.Revision{{Drop: []int{lineOf(t, q, event.LineAdd, "+ more")}}}
	})
	r.start("")
	r.turn("go")
	defer r.verify()
	defer r.stop()
	if len(*asked) != 2 {
		t.Fatalf("asked %d times", len(*asked))
	}
	first, second := (*asked)[0], (*asked)[1]
	if first.ID == second.ID || first.Digest == second.Digest || first.LinesHash == second.LinesHash {
		t.Error("the new question is the old one")
	}
	lineOf(t, second, event.LineLeft, "+ more   (left out)")
	if got := r.read("a.txt"); got != "one\nTWO\nthree\nfour\n" {
		t.Errorf("the file holds %q", got)
	}
	res := r.results()[0]
	if !res.Revised || res.Decision != "approved" || !strings.Contains(res.Body, "- more\n") {
		t.Errorf("%+v", res)
	}
	if !strings.HasPrefix(frame(res), "[result tool=str_replace status=ok decision=approved revised=yes]\n") {
		t.Errorf("%s", frame(res))
	}
}

// TestEditBeforeAccept: the text of the person's editor is what is written, in
// the file's own encoding.
func TestEditBeforeAccept(t *testing.T) {
	r := newRig(t, []step{{Say: "x", Calls: []call{{"write_file", map[string]any{"path": "d/new.txt", "content": "one\ntwo\n"}}}}, {Say: "done"}}, nil)
	asked := reviewer(r, func(q event.Question) []event.Revision {
		text := "one\nmine\x1b[31m\n"
		return []event.Revision{{Path: q.Proposals[0].Path, Text: &text}}
	})
	r.start("")
	r.turn("go")
	defer r.verify()
	defer r.stop()
	mine := (*asked)[1].Lines[lineOf(t, (*asked)[1], event.LineAdd, "mine")]
	if mine.Mark != event.MarkYours || strings.Contains(mine.Text, "\x1b") {
		t.Errorf("%+v", mine)
	}
	if got := r.read("d/new.txt"); got != "one\nmine\x1b[31m\n" {
		t.Errorf("the file holds %q", got)
	}
	if body := r.results()[0].Body; !strings.Contains(body, "- two\n") || !strings.Contains(body, "+ mine") {
		t.Errorf("%s", body)
	}
}

// TestAnEditedCommand is planned and decided anew.
func TestAnEditedCommand(t *testing.T) {
	for _, tt := range []struct{ text, status, decision string }{
		{"echo mine > out.txt", "ok", "approved"},
		{"sudo rm -rf /", "blocked", "blocked"},
	} {
		r := newRig(t, []step{{Say: "x", Calls: []call{{"execute_command", map[string]any{"command": "echo model > out.txt"}}}}, {Say: "done"}}, nil)
		reviewer(r, func(q event.Question) []event.Revision { return []event.Revision{{Text: &tt.text}} })
		r.start("")
		r.turn("go")
		res := r.results()[0]
		if res.Status != tt.status || res.Decision != tt.decision || tt.status == "ok" && (r.read("out.txt") != "mine\n" || !res.Revised) {
			t.Errorf("%s: %+v", tt.text, res)
		}
		r.stop()
		r.verify()
	}
}

// TestNothingLeft: a proposal of which nothing is left cannot be allowed, and
// lines can be put back.
func TestNothingLeft(t *testing.T) {
	for _, back := range []bool{false, true} {
		r := newRig(t, []step{{Say: "x", Calls: []call{{"write_file", map[string]any{"path": "d/new.txt", "content": "one\ntwo\n"}}}}, {Say: "done"}}, nil)
		var asked []event.Question
		r.person = yes
		r.revise = func(q event.Question) []event.Revision {
			asked = append(asked, q)
			switch {
			case len(asked) == 1:
				return []event.Revision{{Drop: []int{lineOf(t, q, event.LineAdd, "+ one"), lineOf(t, q, event.LineAdd, "+ two")}}}
			case len(asked) == 2 && back:
				return []event.Revision{{Drop: []int{lineOf(t, q, event.LineLeft, "+ two")}}}
			}
			return nil
		}
		r.start("")
		r.turn("go")
		res := r.results()[0]
		if want := map[bool]string{false: "", true: "one\n"}[back]; r.read("d/new.txt") != want || (res.Status == "ok") != back {
			t.Errorf("back %v: %q, %+v", back, r.read("d/new.txt"), res)
		}
		r.stop()
		r.verify()
	}
}

// TestRevisionsThatAreRefused leave the question open, as it was.
func TestRevisionsThatAreRefused(t *testing.T) {
	nul, text, big := "a\x00b", "x", strings.Repeat("x", maxRevised+1)
	for name, bad := range map[string]event.Revision{
		"no such line": {Drop: []int{1 << 20}}, "negative": {Drop: []int{-1}}, "a fact": {Drop: []int{0}},
		"nul": {Path: "a.txt", Text: &nul}, "other file": {Path: "b.txt", Text: &text}, "no command": {Text: &text}, "too big": {Path: "a.txt", Text: &big},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, []step{{Say: "x", Calls: []call{edit("a.txt", "one", "two")}}, {Say: "done"}}, nil)
			r.write("a.txt", "one\n")
			asked := reviewer(r, func(event.Question) []event.Revision { return []event.Revision{bad} })
			r.start("")
			r.turn("go")
			r.stop()
			if len(*asked) != 2 || (*asked)[0].Digest != (*asked)[1].Digest || (*asked)[0].LinesHash != (*asked)[1].LinesHash {
				t.Errorf("asked %d times", len(*asked))
			}
			if r.read("a.txt") != "two\n" {
				t.Errorf("the file holds %q", r.read("a.txt"))
			}
			r.verify()
		})
	}
}

// TestReviseAgainstAnswer: of a revision and an answer that are sent at once,
// one counts, and what was shown last before the yes is what is done.
func TestReviseAgainstAnswer(t *testing.T) {
	for range 20 {
		r := newRig(t, []step{{Say: "x", Calls: []call{edit("a.txt", "one\n", "1\n2\n")}}, {Say: "done"}}, nil)
		r.write("a.txt", "one\n")
		first, asked := true, 0
		r.revise = func(q event.Question) []event.Revision {
			if asked++; !first {
				return nil
			}
			first = false
			send := func(c event.Command) {
				if err := r.session.Send(c); err != nil {
					t.Error(err)
				}
			}
			go send(event.Answer{Question: q.ID, Digest: q.Digest, LinesHash: q.LinesHash, Choice: event.Once})
			return []event.Revision{{Drop: []int{lineOf(t, q, event.LineAdd, "+ 2")}}}
		}
		r.person = yes
		r.start("")
		r.turn("go")
		r.stop()
		if got, want := r.read("a.txt"), map[int]string{1: "1\n2\n", 2: "1\n"}[asked]; got != want {
			t.Errorf("asked %d times, and the file holds %q", asked, got)
		}
	}
}

// TestTheFileChangesBeneathTheQuestion: the yes is gone, and the change is
// shown.
func TestTheFileChangesBeneathTheQuestion(t *testing.T) {
	read := call{"read_file", map[string]any{"path": "a.txt"}}
	for name, tt := range map[string]struct {
		calls []call
		asked int
		want  string
	}{
		"not read":      {[]call{edit("a.txt", "one", "two")}, 2, "two\nhers\n"},
		"read, refused": {[]call{read, edit("a.txt", "one", "two")}, 1, "one\nhers\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, []step{{Say: "x", Calls: tt.calls}, {Say: "done"}}, nil)
			r.write("a.txt", "one\n")
			var asked []event.Question
			r.silent = func(q event.Question) bool {
				if asked = append(asked, q); len(asked) == 1 {
					r.write("a.txt", "one\nhers\n")
					return true
				}
				return false
			}
			r.person = yes
			r.start("")
			r.turn("go")
			r.stop()
			if len(asked) != tt.asked || r.read("a.txt") != tt.want {
				t.Fatalf("asked %d times, and the file holds %q", len(asked), r.read("a.txt"))
			}
			if tt.asked == 2 {
				lineOf(t, asked[1], event.LineWarn, "+ hers")
			} else if res := r.results()[1]; res.Status != "error" || !strings.Contains(res.Body, "+ hers") || res.Untrusted != "file" {
				t.Errorf("%+v", res)
			}
			r.verify()
		})
	}
}

// TestARepeatedCall is denied without a question, until the person speaks.
func TestARepeatedCall(t *testing.T) {
	one := call{"write_file", map[string]any{"path": "a.txt", "content": "x\n"}}
	r := newRig(t, []step{
		{Say: "x", Calls: []call{one}}, {Say: "x", Calls: []call{one}}, {Say: "x", Calls: []call{{"write_file", map[string]any{"content": "y\n", "path": "a.txt"}}}}, {Say: "done"},
		{Say: "x", Calls: []call{one}}, {Say: "done"},
	}, nil)
	asked := 0
	r.person = func(event.Question) event.Answer {
		asked++
		return event.Answer{Choice: event.Deny, Reason: "not there"}
	}
	r.start("")
	r.turn("go")
	if res := r.results()[1]; asked != 2 || res.Decision != "denied" || !strings.Contains(res.Body, "already rejected in this turn: not there") {
		t.Errorf("asked %d times: %+v", asked, res)
	}
	r.turn("once more")
	if asked != 3 {
		t.Errorf("asked %d times", asked)
	}
	r.stop()
	r.verify()
}

// TestPartOfADeletion: what the person keeps of a file stays, and the result
// says so.
func TestPartOfADeletion(t *testing.T) {
	r := newRig(t, []step{{Say: "x", Calls: []call{{"delete_file", map[string]any{"path": "a.txt"}}}}, {Say: "done"}}, nil)
	r.write("a.txt", "one\ntwo\n")
	reviewer(r, func(q event.Question) []event.Revision {
		return []event.Revision{{Drop: []int{lineOf(t, q, event.LineDelete, "- two")}}}
	})
	r.start("")
	r.turn("go")
	r.stop()
	if res := r.results()[0]; r.read("a.txt") != "two\n" || res.Status != "ok" || !strings.HasPrefix(res.Title, "edited") || !res.Revised {
		t.Errorf("%q, %+v", r.read("a.txt"), res)
	}
	r.verify()
}

// TestPartOfAPatch: of a diff over three files one is left out whole, and one in
// part; CRLF and a missing line end at the end stay as they are.
func TestPartOfAPatch(t *testing.T) {
	patch := strings.Join([]string{
		"--- a/a.txt", "+++ b/a.txt", "@@ -1,2 +1,2 @@", "-one", "+ONE", " two", "\\ No newline at end of file",
		"--- a/b.txt", "+++ b/b.txt", "@@ -1 +1 @@", "-b", "+B",
		"--- /dev/null", "+++ b/d/c.txt", "@@ -0,0 +1,2 @@", "+c", "+d", "",
	}, "\n")
	r := newRig(t, []step{{Say: "x", Calls: []call{{"apply_diff", map[string]any{"diff": patch}}}}, {Say: "done"}}, nil)
	r.write("a.txt", "one\r\ntwo")
	r.write("b.txt", "b\n")
	asked := reviewer(r, func(q event.Question) []event.Revision {
		return []event.Revision{{Drop: []int{
			lineOf(t, q, event.LineDelete, "- b"), lineOf(t, q, event.LineAdd, "+ B"), lineOf(t, q, event.LineAdd, "+ d"),
		}}}
	})
	r.start("")
	r.turn("go")
	r.stop()
	res := r.results()[0]
	if len(*asked) != 2 {
		t.Fatalf("asked %d times: %+v", len(*asked), res)
	}
	lineOf(t, (*asked)[0], event.LineFile, "file 2 of 3  b.txt")
	if r.read("a.txt") != "ONE\r\ntwo" || r.read("b.txt") != "b\n" || r.read("d/c.txt") != "c\n" || !res.Revised {
		t.Errorf("%q %q %q %+v", r.read("a.txt"), r.read("b.txt"), r.read("d/c.txt"), res)
	}
	r.verify()
}
