package tool

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

func TestLookup(t *testing.T) {
	r := New(Options{})
	for name, want := range map[string]string{
		"read_file": "read_file", "read": "read_file", "Read": "read_file", " bash ": "execute_command", "ls": "list_files",
		"edit": "str_replace", "write": "write_file", "get_project_structure": "list_files", "grep": "grep", "GIT_STATUS": "git_status",
	} {
		tool, err := r.Lookup(name)
		if err != nil || tool.Spec().Name != want {
			t.Errorf("Lookup(%q): %v, want %s", name, err, want)
		}
	}
}

// The original's names that are no tool here say what to use instead.
func TestOriginalNames(t *testing.T) {
	r := New(Options{})
	original := strings.Fields(`read_file write_file str_replace apply_diff delete_file rename_file mkdir read_binary_file write_binary_file
		file_info undo_write list_files get_project_structure search_project grep glob execute_command run_code git_status git_diff
		git_stage git_commit call_mcp_tool list_mcp_tools get_skill search_tools select_tools self_verify watchdog_check
		spawn_subagent spawn_multi_agents web_search web_fetch office_read mcp__db__query`)
	for _, name := range original {
		_, err := r.Lookup(name)
		var unknown *UnknownToolError
		if err != nil && (!errors.As(err, &unknown) || unknown.Instead == "") {
			t.Errorf("%s: %v", name, err)
		}
		// Advice names tools that there are.
		if unknown != nil {
			for _, word := range regexp.MustCompile(`\b[a-z]+_[a-z]+\b`).FindAllString(unknown.Instead, -1) {
				if _, err := r.Lookup(word); err != nil && word != name {
					t.Errorf("%s: advises %q, which there is not", name, word)
				}
			}
		}
	}
	_, err := r.Lookup("frobnicate")
	if err == nil || !strings.Contains(err.Error(), "apply_diff, ask_user, delete_file") {
		t.Errorf("an unknown name: %v", err)
	}
}

func TestNamesAreClaimedOnce(t *testing.T) {
	if _, err := NewRegistry(readFile{}, grep{}, readFile{}); err == nil {
		t.Error("two tools of one name")
	}
	if _, err := NewRegistry(Builtin(Options{})...); err != nil {
		t.Error(err)
	}
}

func TestSpecs(t *testing.T) {
	categories := strings.Fields("shell code file office subagent verify git mcp skill thought plan error info other web")
	small := 0
	for _, tool := range New(Options{}).All() {
		s := tool.Spec()
		if s.Small {
			small++
		}
		if len(s.Description) < 20 || len(s.Description) > 400 {
			t.Errorf("%s: a description of %d bytes", s.Name, len(s.Description))
		}
		if !regexp.MustCompile(`^[a-z_]{1,64}$`).MatchString(s.Name) {
			t.Errorf("%s: a name that providers refuse", s.Name)
		}
		found := false
		for _, c := range categories {
			found = found || c == s.Category
		}
		if !found {
			t.Errorf("%s: category %q is not one of the log's", s.Name, s.Category)
		}
		if s.Free != (s.Name == "todo" || s.Name == "ask_user" || s.Name == "job") {
			t.Errorf("%s: free of effects: %v", s.Name, s.Free)
		}
	}
	if small != 5 {
		t.Errorf("%d tools for small windows, want 5", small)
	}
}

// TestWhyThereIsNoWeb: a model that asks for a tool of the web is told which
// setting keeps it away, and one that a role leaves out is told that.
func TestWhyThereIsNoWeb(t *testing.T) {
	none := New(Options{})
	few, err := New(Options{Fetch: true, Search: true}).Only("read_file")
	if err != nil {
		t.Fatal(err)
	}
	for name, setting := range map[string]string{"web_fetch": `"fetch": false`, "Fetch_URL": `"fetch": false`, "WebFetch": `"fetch": false`, "web_search": `"search"`, "websearch": `"search"`} {
		if _, err := none.Lookup(name); err == nil || !strings.Contains(err.Error(), setting) || !strings.Contains(err.Error(), "config.json") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"web_fetch", "fetch_url", "web_search", "grep"} {
		if _, err := few.Lookup(name); err == nil || strings.Contains(err.Error(), "config.json") || !strings.Contains(err.Error(), "left out here") {
			t.Errorf("%s of a role without it: %v", name, err)
		}
	}
}
