package headless

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
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
