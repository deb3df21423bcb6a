package world

import "github.com/tera-pilot/tera-pilot/internal/roots"

// standIns names what the sandbox has put where nothing is, as of now: whoever
// looks at the workspace while a command runs looks past it.
func (f *Files) standIns() map[string]bool {
	if f.o.StandIns == nil {
		return nil
	}
	return f.o.StandIns()
}

// standsIn says that what is at base in d, which abs names, is one of those
// that are named, and still empty: what has content is somebody's.
func standsIn(named map[string]bool, abs string, d *roots.Dir, base string, s roots.State) bool {
	if !named[abs] {
		return false
	}
	switch s.Type {
	case roots.Regular:
		return s.Size == 0
	case roots.Folder:
		return d.Empty(base)
	default:
		return false
	}
}
