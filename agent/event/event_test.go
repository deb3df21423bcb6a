package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func all() []Body {
	exit, cost := 1, int64(7)
	return []Body{
		Opened{Root: "/w", Front: "tui", Level: "always_ask"},
		TurnStarted{Turn: 1, Text: "fix"},
		TurnEnded{Turn: 1, Status: "done"},
		TextDelta{Text: "a"},
		ReasoningDelta{Text: "b"},
		Reply{Text: "x", Calls: []Call{{ID: "1", Tool: "grep", Args: json.RawMessage(`{"a":1}`)}}, Usage: Usage{Cost: &cost}},
		CallStarted{Call: "1", Tool: "grep"},
		CallDecided{Call: "1", Decision: "allowed"},
		OutputDelta{Call: "1", Text: "o"},
		CallPreview{Call: "1", Files: []FilePreview{{Path: "/w/a", Change: true}}},
		CallResult{Call: "1", Status: "ok", Exit: &exit},
		QuestionOpened{Question: Question{ID: "q", Lines: []Line{{Kind: LineFact, Text: "x"}}}},
		QuestionClosed{ID: "q", How: "answered"},
		LevelChanged{From: "a", To: "b"},
		ModelChanged{Provider: "p"},
		TodoChanged{Items: []TodoItem{{"t", "done"}}},
		Notice{Severity: "warn", Text: "n"},
		Recovered{Call: "1"},
		Tainted{Source: "web"},
		Renamed{Title: "t"},
		Closed{Status: "ok"}, Archived{Archived: true}, UndoPoints{Points: []UndoPoint{{Call: "c"}}}, UndoPlan{Of: []string{"c"}},
		Interjected{Text: "i"}, WindowChanged{Mode: "trust"}, PolicyChanged{What: "remembered"}, ThoughtChanged{Level: "low"},
		Nudged{Kind: "loop"}, Instructed{Text: "n"}, Offered{Commands: []SlashCommand{{Name: "c"}}},
		Masked{Calls: []string{"1"}}, Compacted{Summary: "s"}, Uncompacted{Of: 3}, JobChanged{Job: "j", Exit: &exit}, Egress{Door: "web"},
		Refused{Call: "1", Decision: "denied"}, Spent{For: "guardian"},
		AuditHead{Size: 3},
		Working{On: "model"},
		Queued{Texts: []string{"q"}},
	}
}

func TestEveryBodyComesBack(t *testing.T) {
	seen := map[string]bool{}
	for i, body := range all() {
		e := Event{Seq: uint64(i + 1), Time: time.Date(2026, 11, 29, 12, 0, 0, 5e6, time.UTC), Session: "s", Body: body}
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var got Event
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if d := cmp.Diff(e, got); d != "" {
			t.Errorf("%s: %s", body.Type(), d)
		}
		if seen[body.Type()] {
			t.Errorf("two bodies are called %s", body.Type())
		}
		seen[body.Type()] = true
	}
	for _, b := range Bodies() {
		if !seen[b.Type()] {
			t.Errorf("all has no %s", b.Type())
		}
	}
}

func TestEveryTypeWithAWordIsAKind(t *testing.T) {
	b, err := os.ReadFile("kinds.go")
	if err != nil {
		t.Fatal(err)
	}
	methods := regexp.MustCompile(`(?m)^func \((\w+)\) Type\(\)`).FindAllSubmatch(b, -1)
	if len(methods) == 0 {
		t.Fatal("kinds.go holds no words any more: look where they are")
	}
	for _, m := range methods {
		if !bytes.Contains(b, fmt.Appendf(nil, "kindOf[%s]()", m[1])) {
			t.Errorf("%s has a word and is not in kinds: it would be written, and never read again", m[1])
		}
	}
}

func TestUnknownTypeOrVersionIsAnError(t *testing.T) {
	for _, line := range []string{
		`{"v":1,"seq":1,"ts":"2026-11-29T12:00:00.000Z","session":"s","type":"new"}`,
		`{"v":2,"seq":1,"ts":"2026-11-29T12:00:00.000Z","session":"s","type":"notice"}`,
		`{"v":1,"seq":1,"ts":"yesterday","session":"s","type":"notice"}`,
	} {
		var e Event
		if err := json.Unmarshal([]byte(line), &e); err == nil || e.Body != nil {
			t.Errorf("%s: %v, %v", line, e, err)
		}
	}
}

func TestHashLinesCoversKindAndOrder(t *testing.T) {
	a := HashLines([]Line{{Kind: LineAdd, Text: "x"}, {Kind: LineDelete, Text: "y"}})
	for _, other := range [][]Line{
		nil,
		{{Kind: LineAdd, Text: "x"}},
		{{Kind: LineDelete, Text: "x"}, {Kind: LineAdd, Text: "y"}},
		{{Kind: LineDelete, Text: "y"}, {Kind: LineAdd, Text: "x"}},
		{{Kind: LineAdd, Text: "xy"}, {Kind: LineDelete, Text: ""}},
	} {
		if HashLines(other) == a {
			t.Errorf("same hash for %v", other)
		}
	}
}

func TestZeroAnswerDenies(t *testing.T) {
	if (Answer{}).Choice != Deny {
		t.Error("the zero answer must deny")
	}
}
