package scenario

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

func mustParse(t *testing.T, text string) *Scenario {
	t.Helper()
	s, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const branching = `{"steps": [
  {"say": "look", "calls": [{"tool": "execute_command", "args": {"command": "make", "cwd": "{cwd}/x"}}]},
  {"when": {"tool": "execute_command", "exit": 1}, "say": "fails"},
  {"when": {"decision": "denied"}, "say": "stop"},
  {"when": {"contains": "needle"}, "say": "found"},
  {"say": "done"}
]}`

func result(line, body string) Result { return ParseResult(line + "\n" + body) }

func TestBranches(t *testing.T) {
	for _, c := range []struct {
		result Result
		want   string
	}{
		{result("[result tool=execute_command status=ok decision=approved exit=1]", ""), "fails"},
		{result("[result tool=execute_command status=ok decision=approved exit=0]", ""), "done"},
		{result("[result tool=read_file status=ok decision=allowed]", "exit=1"), "done"},
		{result("[result tool=write_file status=rejected decision=denied]", ""), "stop"},
		{result("[result tool=grep status=ok decision=allowed]", "a needle in it"), "found"},
		{result("no first line, but a needle", ""), "found"},
	} {
		p := mustParse(t, branching).Player("/w")
		first, err := p.Next(nil)
		if err != nil || first.Say != "look" {
			t.Fatal(first, err)
		}
		if got := string(first.Calls[0].Args); got != `{"command":"make","cwd":"/w/x"}` {
			t.Errorf("arguments %s", got)
		}
		next, err := p.Next([]Result{{Tool: "other"}, c.result})
		if err != nil || next.Say != c.want {
			t.Errorf("after %+v: %q, %v; want %q", c.result, next.Say, err, c.want)
		}
	}
}

// TestOneResultMustFit: what holds of two results together holds of none.
func TestOneResultMustFit(t *testing.T) {
	p := mustParse(t, `{"steps":[{"when":{"tool":"a","decision":"denied"},"say":"x"}]}`).Player("")
	_, err := p.Next([]Result{{Tool: "a", Decision: "allowed"}, {Tool: "b", Decision: "denied"}})
	var end *EndError
	if !errors.As(err, &end) || end.Next != 1 || !strings.Contains(err.Error(), "tool=a decision=allowed") {
		t.Error(err)
	}
}

func TestEndIsLoud(t *testing.T) {
	p := mustParse(t, `{"steps":[{"say":"x"}]}`).Player("")
	if _, err := p.Next(nil); err != nil {
		t.Fatal(err)
	}
	var end *EndError
	if _, err := p.Next(nil); !errors.As(err, &end) || p.Left() != 0 || !strings.Contains(err.Error(), "all 1 steps") {
		t.Error(err)
	}
}

func TestCwdIsEscaped(t *testing.T) {
	p := mustParse(t, `{"steps":[{"calls":[{"tool":"a","args":{"p":"{cwd}","q":["{cwd}/y"]}}]}]}`).Player("C:\\a \"b\"\n")
	step, err := p.Next(nil)
	if err != nil {
		t.Fatal(err)
	}
	var args struct {
		P string
		Q []string
	}
	if err := json.Unmarshal(step.Calls[0].Args, &args); err != nil || args.P != "C:\\a \"b\"\n" || args.Q[0] != args.P+"/y" {
		t.Errorf("%s: %v", step.Calls[0].Args, err)
	}
}

func TestFaultStrikesAsOftenAsItSays(t *testing.T) {
	p := mustParse(t, `{"steps":[{"say":"a","fault":429,"times":2,"retry_after_s":3},{"say":"b","fault":"cut","at":10},{"say":"c"}]}`).Player("")
	var got []string
	for range 6 {
		s, err := p.Next(nil)
		if err != nil {
			got = append(got, "end")
			continue
		}
		got = append(got, s.Say+string(s.Shape.Fault))
		if s.Say == "a" && s.Shape.RetryAfter != 3*time.Second {
			t.Errorf("retry after %s", s.Shape.RetryAfter)
		}
	}
	if strings.Join(got, " ") != "a429 a429 a bcut b c" {
		t.Error(got)
	}
}

func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		``:               "line 1",
		`{}`:             "no steps",
		`{"steps":[]}`:   "no steps",
		`{"steps":[{}]}`: "must have say",
		"{\n\"steps\":[{\"say\":\"x\"}],\n\"more\":1}":      `line 3: the script has no member "more"`,
		"{\"steps\":[\n{\"say\":\"x\",\n\"says\":\"y\"}]}":  `line 3: a step has no member "says"`,
		`{"steps":[{"say":1}]}`:                             "say has a value of the wrong kind",
		`{"steps":[{"say":null}]}`:                          "wrong kind",
		`{"steps":[{"say":"x","say":"y"}]}`:                 `"say" twice`,
		`{"steps":[{"say":"x","when":{"exit":"1"}}]}`:       "exit has a value of the wrong kind",
		`{"steps":[{"say":"x","when":{"status":"ok"}}]}`:    `when has no member "status"`,
		`{"steps":[{"say":"x","when":{"decision":"yes"}}]}`: "decision must be",
		`{"steps":[{"calls":[{"args":{}}]}]}`:               "must name its tool",
		`{"steps":[{"calls":[{"tool":"a","args":[]}]}]}`:    "args must be an object",
		`{"steps":[{"calls":[{"tool":"a","args":null}]}]}`:  "args must be an object",
		`{"steps":[{"calls":[{"tool":"a","argz":{}}]}]}`:    `a call has no member "argz"`,
		`{"steps":[{"say":"x","fault":"fire"}]}`:            "fault must be",
		`{"steps":[{"say":"x","fault":418}]}`:               "fault must be",
		`{"steps":[{"say":"x","delay_ms":-1}]}`:             "delay_ms must be",
		`{"steps":[{"say":"x","chunk":0}]}`:                 "chunk must be",
		`{"steps":[{"say":"x","chunk":1.5}]}`:               "wrong kind",
		`{"steps":[{"say":"x"}]} {}`:                        "something follows",
		`{"steps":[{"say":"x"}`:                             "line 1",
		`[{"say":"x"}]`:                                     "must begin with {",
		`{"steps":{"say":"x"}}`:                             "must begin with [",
	} {
		_, err := Parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n  %v\n  want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(branching))
	f.Add([]byte(`{"steps":[{"think":"x","calls":[{"id":"a","tool":"b"}],"fault":"stall","at":3}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse(data)
		if err != nil {
			return
		}
		if !json.Valid(data) {
			t.Fatal("what is no JSON was taken")
		}
		p := s.Player("/a \"b\"")
		for range len(s.Steps) {
			step, err := p.Next(nil)
			if err != nil {
				return
			}
			for _, c := range step.Calls {
				if !json.Valid(c.Args) || c.Tool == "" {
					t.Fatalf("%s %s", c.Tool, c.Args)
				}
			}
		}
	})
}
