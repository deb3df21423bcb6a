package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/tera-pilot/tera-pilot/audit"
)

// A row of files that a crash left half done is told file by file, and is
// neither done nor undone.
func TestHalfDoneRow(t *testing.T) {
	r := newRig(t, []step{{Say: "x"}}, nil)
	r.write("a", "new\n")
	r.write("b", "old\n")
	r.write("c", "other\n")
	r.start("")
	ref := func(name, content string) audit.FileRef {
		sum := sha256.Sum256([]byte(content))
		return audit.FileRef{Path: name, SHA256: hex.EncodeToString(sum[:]), Size: int64(len(content)), Mode: 0o644}
	}
	row := func(content string, names ...string) (out []audit.FileRef) {
		for _, n := range names {
			out = append(out, ref(n, content))
		}
		return out
	}
	for _, c := range []struct {
		names  []string
		status audit.Status
		reason string
	}{
		{[]string{"a"}, audit.OK, "the files are as they were meant to become"},
		{[]string{"b"}, audit.NotRun, "the files are as they were before"},
		{[]string{"c"}, audit.Unknown, "the file is neither as before nor as it was meant to become"},
		{[]string{"a", "b"}, audit.Unknown, "it is half done: changed: a; as before: b"},
		{[]string{"a", "b", "c"}, audit.Unknown, "it is half done: changed: a; as before: b; neither: c"},
	} {
		out := r.session.compare(t.Context(), audit.Intent{Pre: row("old\n", c.names...), Want: row("new\n", c.names...)})
		if out.Status != c.status || out.Reason != c.reason {
			t.Errorf("%v: %s, %q", c.names, out.Status, out.Reason)
		}
	}
	r.stop()
}
