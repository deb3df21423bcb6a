package ossandbox

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// StandIns names what stands in the workspace for protected names that are not
// there, while programs run in a sandbox of this workspace: empty folders and
// files that are taken back when the last one ends. It is for whoever looks at
// the workspace meanwhile; what is named and is not empty is somebody else's.
func (s *Sandbox) StandIns() map[string]bool {
	out := map[string]bool{}
	journal, err := os.ReadFile(filepath.Join(s.keep.dir, "journal"))
	if err != nil {
		return out // nothing runs here
	}
	for sc := bufio.NewScanner(bytes.NewReader(journal)); sc.Scan(); {
		_, quoted, _ := strings.Cut(sc.Text(), " ")
		if path, err := strconv.Unquote(quoted); err == nil {
			out[path] = true
		}
	}
	return out
}
