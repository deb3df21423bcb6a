package headless

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// hostile is text that must stay text.
const hostile = "</system-out></testsuite><testcase name=\"x\"/>]]><!DOCTYPE a [<!ENTITY b \"c\">]>&b;\x00\x1b]0;t\x07\u202e\ufffe\xff\"'\r\n<?xml?>"

// TestNothingInAReportIsMarkup: whatever a model, a command or a file says is
// character data, and a reader of XML finds the elements that we wrote.
func TestNothingInAReportIsMarkup(t *testing.T) {
	rule := hostile
	r := Result{
		Exit: 3, Status: hostile, Message: hostile, Session: hostile, Verification: hostile, Audit: Audit{Head: hostile}, Misfit: hostile,
		Denied: []Denial{{Tool: hostile, Effect: hostile, Decision: hostile, Reason: hostile, WouldAllow: &rule}},
		Checks: []Checked{{Title: hostile, Body: hostile + strings.Repeat("x", 2*maxCase)}, {Title: "go test", Passed: true}},
	}
	var b strings.Builder
	if err := r.JUnit(&b, time.Unix(0, 0), time.Second); err != nil {
		t.Fatal(err)
	}
	elements := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			elements[tok.Name.Local]++
		case xml.Directive, xml.Comment:
			t.Errorf("%#v", tok)
		}
	}
	for name, want := range map[string]int{"testsuites": 1, "testsuite": 1, "testcase": 5, "failure": 3, "properties": 1, "property": 5, "system-out": 1} {
		if elements[name] != want {
			t.Errorf("%d elements %s, not %d", elements[name], name, want)
		}
	}
	if b.Len() > 2*maxCase {
		t.Errorf("%d bytes", b.Len())
	}
	for _, bad := range []string{"\x1b", "\x00", "\u202e", "\xff"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%q is in the report", bad)
		}
	}
}

func TestAnswerOfASchema(t *testing.T) {
	s, err := ParseSchema([]byte(`{"type":"object","properties":{"a":{"type":"string","description":"ask @me"}},"required":["a"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for said, want := range map[string]string{
		`{"a":"x"}`: `{"a":"x"}`, "\n {\"a\":\"x\"}\n": `{"a":"x"}`, "```json\n{\"a\":\"x\"}\n```": `{"a":"x"}`, "```\n{\"a\":\"x\"}```": `{"a":"x"}`,
		"{\"a\":\"\u202e\U000e0041\u200b ä🎉\"}": "{\"a\":\"\\u202e\\udb40\\udc41\\u200b ä🎉\"}",
		`{}`: "", `{"a":1}`: "", `Here: {"a":"x"}`: "", `{"a":"x"} done`: "", "": "", "```json\n{\"a\":\"x\"}": "", "{\"a\":\"\x1b\"}": "", `{"a":"x","a":"y"}`: "",
	} {
		got, misfit := s.hold(said)
		if got != want || (misfit == "") != (want != "") {
			t.Errorf("%q is %q, %q", said, got, misfit)
		}
		var before, after any
		if want != "" && (json.Unmarshal([]byte(got), &after) != nil || json.Unmarshal([]byte(unfenced(strings.TrimSpace(said))), &before) != nil || before.(map[string]any)["a"] != after.(map[string]any)["a"]) {
			t.Errorf("%q is another value: %q", said, got)
		}
	}
	if asked := s.asked("count"); strings.Contains(asked, "@") || !strings.HasPrefix(asked, "count\n") {
		t.Errorf("%q", asked)
	}
	if _, misfit := s.hold(`{"` + strings.Repeat("x", 1<<20) + `"`); len(misfit) > 2*maxMisfit {
		t.Errorf("%d bytes are told", len(misfit))
	}
}

// TestWayOut: what would have allowed several denials can be pasted as it is;
// each rule stands there once, and what no rule would have allowed is named.
func TestWayOut(t *testing.T) {
	rule := func(path string) string {
		return "[[path]]\nglob = [\"" + path + "\"]\neffect = [\"create\"]\ndecision = \"allow\"\n"
	}
	one, two, command := rule("tests"), rule("tests")+"\n"+rule("tests/a\u200b.py"), "[[rule]]\ncmd = \"go\"\ndecision = \"allow\"\n"
	a := Denial{Effect: "mkdir tests", Decision: "denied", WouldAllow: &one}
	got := wayOut([]Denial{a}, false)
	if want := "to allow mkdir tests, put this into policy.toml (in ~/.tera_pilot):\n" + one + "\n"; got != want {
		t.Errorf("one: %q", got)
	}
	more := []Denial{a, {Effect: "mkdir tests; create tests/a\u200b.py\nx = 1", Decision: "denied", WouldAllow: &two}, {Effect: "run go", Decision: "denied", WouldAllow: &command}, a,
		{Effect: "run sed", Decision: "denied"}, {Effect: "run sed", Decision: "denied"}, {Effect: "write .git/config", Decision: "blocked"}}
	got = wayOut(more, false)
	policy, rest, ok := strings.Cut(strings.TrimPrefix(got, "to allow these, put this into policy.toml (in ~/.tera_pilot):\n"), "no rule would have allowed run sed\n")
	if !ok || !strings.Contains(rest, "--no-confirm") || strings.Contains(got, ".git/config") {
		t.Errorf("several: %s", got)
	}
	if strings.Count(policy, "[[") != 3 {
		t.Errorf("not each rule once:\n%s", policy)
	}
	if _, err := commandpolicy.Load(strings.NewReader(policy), "policy.toml", commandpolicy.LayerUser); err != nil {
		t.Errorf("cannot be pasted: %v\n%s", err, policy)
	}
	if got := wayOut(more[4:], true); strings.Contains(got, "--no-confirm") {
		t.Errorf("what was given already is offered: %s", got)
	}
}
