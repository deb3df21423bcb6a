package ossandbox

import (
	"os"
	"sync"
)

// made remembers the files that commands made themselves. Their content comes
// from inside the sandbox, so a secret-like name is no reason to hide them: a
// test may make a key and use it in the next command. A file that changed
// since, outside a command, is not known any more.
type made struct {
	mu    sync.Mutex // held while files are looked at, by name alone
	files map[string]dirStamp
}

func (m *made) known(p string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	was, ok := m.files[p]
	if !ok {
		return false
	}
	st, err := os.Lstat(p)
	return err == nil && stampOf(st) == was
}

// note records those of paths that were not there, or were known, before.
func (m *made) note(paths []string, before map[string]bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range paths {
		if _, known := m.files[p]; before[p] && !known {
			continue
		}
		if st, err := os.Lstat(p); err == nil {
			if m.files == nil {
				m.files = map[string]dirStamp{}
			}
			m.files[p] = stampOf(st)
		}
	}
}
