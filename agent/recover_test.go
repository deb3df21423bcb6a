package agent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/tera-pilot/tera-pilot/audit"
)

// TestWhatACrashLeftIsNotGuessed settles intents whose process died before and
// after the act: what has no content to compare is not said to be done.
func TestWhatACrashLeftIsNotGuessed(t *testing.T) {
	for _, c := range []struct {
		tool          string
		args          map[string]any
		before, after audit.Status
	}{
		{"rename_file", map[string]any{"old_path": "a.txt", "new_path": "b.txt"}, audit.NotRun, audit.OK},
		{"rename_file", map[string]any{"old_path": "folder", "new_path": "moved"}, audit.Unknown, audit.Unknown},
		{"rename_file", map[string]any{"old_path": "link", "new_path": "moved"}, audit.Unknown, audit.Unknown},
		{"delete_file", map[string]any{"path": "a.txt"}, audit.NotRun, audit.OK},
		{"delete_file", map[string]any{"path": "link"}, audit.Unknown, audit.OK},
		{"write_file", map[string]any{"path": "n.txt", "content": "n"}, audit.NotRun, audit.OK},
		{"write_file", map[string]any{"path": "deep/er/n.txt", "content": "n"}, audit.NotRun, audit.OK},
		{"mkdir", map[string]any{"path": "dir"}, audit.Unknown, audit.Unknown},
	} {
		name := c.tool
		for _, v := range c.args {
			name += " " + v.(string)
		}
		t.Run(name, func(t *testing.T) {
			r := newRig(t, []step{{Say: "x", Calls: []call{{c.tool, c.args}}}, {Say: "done"}}, nil)
			r.write("a.txt", "one\n")
			r.write("folder/a.txt", "one\n")
			if err := os.Symlink("a.txt", filepath.Join(r.root, "link")); err != nil {
				t.Fatal(err)
			}
			r.person = yes
			r.start("")
			x, err := r.opts.Tools.Lookup(c.tool)
			if err != nil {
				t.Fatal(err)
			}
			args, err := json.Marshal(c.args)
			if err != nil {
				t.Fatal(err)
			}
			set, err := x.Plan(t.Context(), r.opts.World.View(func(string) (string, bool) { return "", false }), args)
			if err != nil {
				t.Fatal(err)
			}
			in := audit.Intent{Decision: audit.Approved}
			in.Pre, in.Want = states(set)
			if got := r.session.settle(t.Context(), in); got.Status != c.before {
				t.Errorf("not done, and settled as %s: %s", got.Status, got.Reason)
			}
			r.turn("go")
			if got := r.session.settle(t.Context(), in); got.Status != c.after {
				t.Errorf("done, and settled as %s: %s", got.Status, got.Reason)
			}
			r.stop()
		})
	}
}
