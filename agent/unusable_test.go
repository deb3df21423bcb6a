package agent

import (
	"strings"
	"testing"
)

// TestUnusableCallsAreTold: a call that has no plan is answered with what would
// be right, also for the names that the original and other agents have.
func TestUnusableCallsAreTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		call call
		want string
	}{
		{call{"search_project", map[string]any{"query": "x"}}, "use grep"},
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
