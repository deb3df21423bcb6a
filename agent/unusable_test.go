package agent

import (
	"strings"
	"testing"
)

// TestTheOriginalsSearch: search_project is grep, and its arguments go where
// those of grep do; what came under its own name stays.
func TestTheOriginalsSearch(t *testing.T) {
	t.Parallel()
	r := newRig(t, []step{{Say: "x", Calls: []call{
		{"search_project", map[string]any{"query": "needle", "directory": "src", "file_pattern": "*.py"}},
		{"search_project", map[string]any{"query": "hay", "pattern": "needle"}},
	}}, {Say: "done"}}, nil)
	r.write("src/a.py", "needle\n")
	r.write("src/a.go", "needle\n")
	r.write("b.py", "needle hay\n")
	r.start("")
	r.turn("go")
	r.stop()
	res := r.results()
	if len(res) != 2 || !strings.Contains(res[0].Body, "1 matching line in 1 file\n") || !strings.Contains(res[0].Body, "src/a.py") || !strings.Contains(res[1].Body, "3 matching lines in 3 files\n") {
		t.Errorf("%+v", res)
	}
}

// TestUnusableCallsAreTold: a call that has no plan is answered with what would
// be right, also for the names that the original and other agents have.
func TestUnusableCallsAreTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		call call
		want string
	}{
		{call{"read_binary_file", map[string]any{"path": "x"}}, "read_file tells"},
		{call{"office_read", map[string]any{}}, "office documents are not handled"},
		{call{"web_search", map[string]any{"query": "x"}}, "named no search service"},
		{call{"nosuch", map[string]any{}}, "the tools are apply_diff"},
		{call{"run_code", map[string]any{"code": "1", "language": "ruby"}}, `"enum":["python"`},
		{call{"read_file", map[string]any{}}, `"required":["path"]`},
	} {
		r := newRig(t, []step{{Say: "x", Calls: []call{c.call}}, {Say: "done"}}, nil)
		r.start("")
		r.turn("go")
		r.stop()
		if res := r.results(); len(res) != 1 || res[0].Status == "ok" || !strings.Contains(res[0].Body, c.want) {
			t.Errorf("%s: %+v", c.call.Tool, res)
		}
	}
}
