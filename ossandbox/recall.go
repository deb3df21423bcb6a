package ossandbox

import (
	"crypto/sha1" //nolint:gosec // git's own name for a content, not a protection
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// What git tracks is in its history, so a secret-like file that the index names
// is not hidden, and `git add -A` does not replace it by nothing. But a command
// writes the index. So a file that was hidden once stays hidden until the index
// names the very content that it has, which a command that never saw it cannot
// know. The names are noted before each command, for all programs, in the file
// "hidden" of the keep: a line for each, quoted. Those that the index does not
// name at the end are struck out again, but where the look at the workspace ended
// too early: a command can make a crowd of files, so that the next look does not
// come to what lies behind.

// maxRecall bounds that file. Beyond it every file counts as hidden before.
const maxRecall = 1 << 20

func (k *keep) recallFile() string { return filepath.Join(k.dir, "hidden") }

// hiddenBefore are the files that were hidden from a command here. all is true
// where that is not known.
func (k *keep) hiddenBefore() (names map[string]bool, all bool) {
	b, err := readSmall(k.recallFile(), maxRecall)
	switch {
	case os.IsNotExist(err):
		return nil, false
	case err != nil:
		return nil, true
	}
	names = map[string]bool{}
	for line := range strings.Lines(string(b)) {
		if name, err := strconv.Unquote(strings.TrimSuffix(line, "\n")); err == nil {
			names[name] = true
		}
	}
	return names, false
}

// recall notes what the next command will not see. It comes before the command.
func (k *keep) recall(hidden []string) error {
	if len(hidden) == 0 {
		return nil
	}
	before, all := k.hiddenBefore()
	var lines strings.Builder
	for _, p := range hidden {
		if !all && !before[p] {
			lines.WriteString(strconv.Quote(p) + "\n")
		}
	}
	if lines.Len() == 0 {
		return nil
	}
	err := os.MkdirAll(k.dir, 0o700)
	if err != nil {
		return fmt.Errorf("noting what is hidden: %w", err)
	}
	f, err := os.OpenFile(k.recallFile(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("noting what is hidden: %w", err)
	}
	defer f.Close()
	if _, err := f.WriteString(lines.String()); err != nil {
		return fmt.Errorf("noting what is hidden: %w", err)
	}
	return f.Close()
}

// remember is recall at the end of a command.
func (k *keep) remember(hidden []string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.recall(hidden)
}

// settle strikes out the names of what was hidden from a command and is not in
// the index at its end. What cannot be said stays.
func (k *keep) settle(v *view) {
	if len(v.secrets) == 0 {
		return
	}
	var tracked map[string]string
	if v.repo.private != "" {
		var err error
		if tracked, err = trackedNames(filepath.Join(v.repo.private, "index")); err != nil && !os.IsNotExist(err) {
			return
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	names, all := k.hiddenBefore()
	if all {
		return
	}
	if names == nil {
		names = map[string]bool{}
	}
	for _, p := range v.secrets {
		rel, _ := below(v.work, p)
		if _, named := tracked[rel]; named || v.found.truncated {
			names[p] = true
		} else {
			delete(names, p)
		}
	}
	if len(names) == 0 {
		os.Remove(k.recallFile())
		return
	}
	var lines strings.Builder
	for p := range names {
		lines.WriteString(strconv.Quote(p) + "\n")
	}
	next := k.recallFile() + ".next"
	if os.WriteFile(next, []byte(lines.String()), 0o600) == nil {
		os.Rename(next, k.recallFile()) // else the longer list stays
	}
}

// maxBlob is the largest secret-like file of which a name is computed.
const maxBlob = 8 << 20

// blobName is what git calls the content of a file, "" where that cannot be said.
func blobName(file string) string {
	f, err := roots.Plain(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxBlob {
		return ""
	}
	h := sha1.New() //nolint:gosec // see above
	fmt.Fprintf(h, "blob %d\x00", st.Size())
	if n, err := io.Copy(h, io.LimitReader(f, maxBlob)); err != nil || n != st.Size() {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
