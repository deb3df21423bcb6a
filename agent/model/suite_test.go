package model

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const suite = "../../testdata/suites/model-replies"

// A replyCase is one file of the suite.
type replyCase struct {
	Name     string   `json:"name"`
	Protocol string   `json:"protocol"`
	About    string   `json:"about"`
	Rules    []string `json:"rules"`
	HTTP     struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
	} `json:"http"`
	Profile *caseProfile `json:"profile"`
	Chunks  []string     `json:"chunks"`
	Expect  struct {
		Expectation
		DisplayMustNotContain []string `json:"display_must_not_contain"`
	} `json:"expect"`
}

type caseProfile struct {
	TextCalls TextCalls `json:"text_calls"`
	NumCtx    int64     `json:"num_ctx"`
	Estimated int64     `json:"estimated_prompt_tokens"`
}

func strict(t testing.TB, data []byte, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatal(err)
	}
}

func suiteTools(t testing.TB) []ToolSpec {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(suite, "_tools.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Tools []struct {
			Name   string          `json:"name"`
			Effect string          `json:"effect"`
			Schema json.RawMessage `json:"schema"`
		} `json:"tools"`
		Aliases   map[string]string `json:"aliases"`
		NameRules []string          `json:"name_rules"`
		Profile   caseProfile       `json:"default_profile"`
	}
	strict(t, data, &file)
	var specs []ToolSpec
	for _, tool := range file.Tools {
		spec := ToolSpec{Name: tool.Name, Schema: tool.Schema}
		for alias, name := range file.Aliases {
			if name == tool.Name {
				spec.Aliases = append(spec.Aliases, alias)
			}
		}
		specs = append(specs, spec)
	}
	return specs
}

func replyCases(t testing.TB) []replyCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(suite, "[a-z]*.json"))
	if err != nil || len(files) < 48 {
		t.Fatalf("%d cases found, and there must be 48: %v", len(files), err)
	}
	var cases []replyCase
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c replyCase
		strict(t, data, &c)
		cases = append(cases, c)
	}
	return cases
}

func (c replyCase) recording(tools []ToolSpec) Recording {
	r := Recording{Protocol: c.Protocol, Status: c.HTTP.Status, Header: http.Header{}, Body: []byte(strings.Join(c.Chunks, "")), Tools: tools}
	for k, v := range c.HTTP.Headers {
		r.Header.Set(k, v)
	}
	if c.Profile != nil {
		r.Profile = Profile{TextCalls: c.Profile.TextCalls, NumCtx: c.Profile.NumCtx, EstimatedPromptTokens: c.Profile.Estimated}
	}
	return r
}

// check holds a reply against what the case expects, by the README's words.
func (c replyCase) check(t *testing.T, r Reply) {
	t.Helper()
	got, want := Expect(r), c.Expect.Expectation
	ids := map[string]bool{}
	for i := range got.ToolCalls {
		g := &got.ToolCalls[i]
		if g.ID == "" || ids[g.ID] {
			t.Errorf("call %d: id %q is empty or not unique", i, g.ID)
		}
		ids[g.ID] = true
		if i < len(want.ToolCalls) && want.ToolCalls[i].ID == "*" {
			g.ID = "*"
		}
		slices.Sort(g.Repairs)
	}
	for i := range want.ToolCalls {
		slices.Sort(want.ToolCalls[i].Repairs)
	}
	if want.Usage == nil {
		got.Usage = nil
	}
	if want.Warnings == nil {
		got.Warnings = nil
	}
	if want.ToolCalls == nil {
		want.ToolCalls = []ExpectedCall{}
	}
	sameJSON := cmp.Comparer(func(a, b json.RawMessage) bool {
		var x, y any
		if len(a) > 0 && json.Unmarshal(a, &x) != nil || len(b) > 0 && json.Unmarshal(b, &y) != nil {
			return false
		}
		return cmp.Equal(x, y)
	})
	if diff := cmp.Diff(want, got, sameJSON); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestSuite plays every case whole, in the pieces that it gives, and byte by
// byte.
func TestSuite(t *testing.T) {
	tools := suiteTools(t)
	for _, c := range replyCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			for _, chunk := range []int{0, 1, 2, 3, 7, 64} {
				r := c.recording(tools)
				r.Chunk = chunk
				reply, err := Decode(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				c.check(t, reply)
			}
		})
	}
}

// TestSuiteCut cuts every body at every byte. Whatever is left, nothing runs
// that the whole reply would not have run, and a cut reply runs nothing unless
// its end had been announced.
func TestSuiteCut(t *testing.T) {
	tools := suiteTools(t)
	for _, c := range replyCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			whole := c.recording(tools)
			full, err := Decode(t.Context(), whole)
			if err != nil {
				t.Fatal(err)
			}
			for n := 0; n < len(whole.Body); n += cutStep {
				r := whole
				r.Body = whole.Body[:n]
				reply, err := Decode(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				invariants(t, reply)
				mayRun := runnable(full)
				for call := range runnable(reply) {
					if !mayRun[call] {
						t.Fatalf("cut at %d: %s would run, and does not in the whole reply", n, call)
					}
				}
			}
		})
	}
}

// runnable gives the calls of a reply that go to the gate.
func runnable(r Reply) map[string]bool {
	out := map[string]bool{}
	for _, c := range r.Calls {
		if c.Status == CallOK {
			out[c.Name+string(c.Args)] = true
		}
	}
	return out
}

// invariants hold for every reply whatsoever.
func invariants(t *testing.T, r Reply) {
	t.Helper()
	ids := map[string]bool{}
	for _, c := range r.Calls {
		if c.ID == "" || ids[c.ID] {
			t.Fatalf("id %q is empty or not unique", c.ID)
		}
		ids[c.ID] = true
		if c.Status == CallOK && (r.Err != nil || !json.Valid(c.Args) || c.Args[0] != '{') {
			t.Fatalf("a call is ok, with error %v and arguments %s", r.Err, c.Args)
		}
		if c.Status != CallOK && c.Problem == "" {
			t.Fatalf("call %s is %s without a word of why", c.Name, c.Status)
		}
	}
	switch {
	case (r.Err != nil) != (r.Stop == StopError):
		t.Fatalf("stop is %s and the error %v", r.Stop, r.Err)
	case r.Err == nil && len(r.Calls) > 0 && r.Stop != StopToolCalls && r.Stop != StopLength:
		t.Fatalf("there are calls and stop is %s", r.Stop)
	case r.Stop == StopToolCalls && len(r.Calls) == 0:
		t.Fatal("stop is tool_calls and there are none")
	}
	parts := 0
	for _, p := range r.Parts {
		if p.Kind == PartCall {
			parts++
			if !json.Valid(p.Args) {
				t.Fatalf("arguments of a part are no JSON: %s", p.Args)
			}
		}
	}
	if parts != len(r.Calls) {
		t.Fatalf("%d parts for %d calls", parts, len(r.Calls))
	}
}
