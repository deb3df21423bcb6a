package config

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBudgetSettings: the example of docs/context.md is read, and amounts that
// are none are refused.
func TestBudgetSettings(t *testing.T) {
	doc, err := os.ReadFile("../../docs/context.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(doc), "\n    {\n")
	body, _, ok := strings.Cut(rest, "\n    }\n")
	if !ok {
		t.Fatal("docs/context.md has no example")
	}
	load := func(text string) (Settings, error) {
		file := filepath.Join(t.TempDir(), "config.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return Load(file, true, func(string) string { return "" })
	}
	s, err := load("{" + body + "}")
	if err != nil || s.BudgetMicros != 2_000_000 || s.DayMicros != 10_000_000 || s.DayTokens != 5_000_000 || s.MaxSteps != 60 || s.Compaction != "auto" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, bad := range []string{`{"budget_usd": -1}`, `{"budget_usd": 1e300}`, `{"budget_usd": 0.0000001}`, `{"budget_usd": "2"}`, `{"budget_tokens_per_day": -1}`, `{"agent_compaction": "no"}`} {
		if _, err := load(bad); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), -0.1} {
		if _, err := Micros(bad); err == nil {
			t.Errorf("%g was taken", bad)
		}
	}
}
