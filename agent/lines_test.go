package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// TestACommandsPathsAreCalledWhatTheyAre: the question says of each path what
// the command does to it, and whether it is there.
func TestACommandsPathsAreCalledWhatTheyAre(t *testing.T) {
	t.Parallel()
	const text = "rm -rf sub gone; mv a.txt b.txt; echo x > new.txt; rm new.txt; chmod 600 AGENTS.md"
	r := newRig(t, []step{{Say: "x", Calls: []call{{"execute_command", map[string]any{"command": text}}}}, {Say: "done"}}, nil)
	r.write("sub/x.txt", "x\n")
	r.write("a.txt", "x\n")
	r.write("AGENTS.md", "x\n")
	if err := os.Chmod(filepath.Join(r.root, "AGENTS.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	facts := map[string]string{} // of "deletes sub": what is said of it
	r.person = func(q event.Question) event.Answer {
		for i, l := range q.Lines {
			if act := strings.Join(strings.Fields(l.Text), " "); i+1 < len(q.Lines) {
				facts[act] = strings.TrimSpace(q.Lines[i+1].Text)
			}
		}
		return event.Answer{Choice: event.Deny}
	}
	r.start("")
	r.turn("go")
	r.stop()
	if _, ok := facts["limit 1m0s"]; !ok {
		t.Errorf("a command that asks for no limit does not have the setting's: %v", facts)
	}
	for act, want := range map[string]string{
		"deletes sub": "inside the workspace, folder", "deletes gone": "inside the workspace, not there now",
		"deletes a.txt": "inside the workspace, file, mode 0644, 2 bytes", "writes b.txt": "inside the workspace, not there yet",
		"writes new.txt": "inside the workspace, not there yet", "deletes new.txt": "inside the workspace, not there now",
		"rights of AGENTS.md": "inside the workspace, file, mode 0644, 2 bytes", "writes sub": "", "writes gone": "", "writes AGENTS.md": "",
	} {
		if facts[act] != want {
			t.Errorf("%s: %q, want %q", act, facts[act], want)
		}
	}
}
