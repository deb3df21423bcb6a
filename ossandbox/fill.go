package ossandbox

import (
	"path/filepath"
	"time"
)

// caches are the folders of toolchain.go that a first build fills, and whose
// they are.
var caches = []struct{ folder, tool string }{
	{"go-build", "go"}, {"go-mod", "go modules"}, {"npm", "npm"}, {"pnpm-store", "pnpm"}, {"yarn", "yarn"}, {"pip", "pip"}, {"uv", "uv"},
	{"ccache", "ccache"}, {"deno", "deno"}, {"cargo", "cargo"}, {"maven", "maven"}, {"gradle", "gradle"},
}

// fillLook is how often a running command's caches are looked at. One that ends
// before the first look told nobody.
const fillLook = 2 * time.Second

// filling watches which caches were empty when a command began and fill while it
// runs: each is told once. end ends the watch, and tell is not called after it.
func (s *Sandbox) filling(tell func(tool string)) (end func()) {
	empty := s.emptyCaches()
	if tell == nil || len(empty) == 0 {
		return func() {}
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(s.look)
		defer tick.Stop()
		for len(empty) > 0 {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			for folder, tool := range empty {
				if hasEntries(filepath.Join(s.keep.cacheDir(), folder)) {
					delete(empty, folder)
					tell(tool)
				}
			}
		}
	}()
	return func() { close(stop); <-done }
}

// emptyCaches are the caches with nothing in them, by folder.
func (s *Sandbox) emptyCaches() map[string]string {
	out := map[string]string{}
	for _, c := range caches {
		if !hasEntries(filepath.Join(s.keep.cacheDir(), c.folder)) {
			out[c.folder] = c.tool
		}
	}
	return out
}
