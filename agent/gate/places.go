package gate

import (
	"strconv"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// beneath says that path is dir or lies below it. Case does not count: the
// question is asked to deny, and some file systems fold it.
func beneath(path, dir string) bool {
	if dir == "" || len(path) < len(dir) || !strings.EqualFold(path[:len(dir)], dir) {
		return false
	}
	return len(path) == len(dir) || dir[len(dir)-1] == '/' || path[len(dir)] == '/'
}

// within is beneath with every byte counting: the question is asked to allow.
func within(path, dir string) bool {
	if dir == "" || dir[0] != '/' {
		return false
	}
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// outside says that a path lies beneath no root of the session. A path that
// claims to be inside and is not, is outside.
func (in Input) outside(p effect.Path) bool {
	return p.Outside || !p.Virtual && !in.inside(p.Abs)
}

func (in Input) inside(abs string) bool {
	if within(abs, in.Workspace) {
		return true
	}
	for _, root := range in.Roots {
		if within(abs, root) {
			return true
		}
	}
	return false
}

// own says that a path is our own key, log, policy or setting.
func (in Input) own(abs string) bool { return beneath(abs, in.State) }

func (in Input) secret(p effect.Path) bool {
	if p.Secret || p.Virtual {
		return p.Secret
	}
	_, ok := commandpolicy.SecretName(p.Abs, in.Home)
	return ok
}

// protected names the protected name that a path matches, or "".
func (in Input) protected(p effect.Path) string {
	if p.Protected != "" || p.Virtual {
		return p.Protected
	}
	name, _ := commandpolicy.ProtectedName(in.short(p.Abs))
	return name
}

// short is a path as people read it: beneath a root without the root's front.
func (in Input) short(abs string) string {
	for _, root := range append([]string{in.Workspace}, in.Roots...) {
		if abs != root && within(abs, root) {
			return strings.TrimPrefix(abs[len(strings.TrimSuffix(root, "/")):], "/")
		}
	}
	return abs
}

// What the sandbox gives to every command (docs/decisions.md, The table):
// folders of the system, read-only; and folders that are the command's own,
// where mounts can make them so.
var (
	systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/snap"}
	ownFolders    = []string{"/tmp", "/var/tmp", "/dev"}
)

// A placeRow is the row of a use of a path outside every root.
type placeRow func(abs string, read bool) row

// hostRow is the placeRow of a git call. Git gets the machine's own folder bound
// at every path that it was planned to use, so that no folder is the call's own,
// whatever a command would find there.
func hostRow(_ string, read bool) row {
	if read {
		return rowGuarded
	}
	return rowOutside
}

// outsideRow is the placeRow of a command.
func (in Input) outsideRow(abs string, read bool) row {
	var boxed []string
	if in.Grade >= GradeAMinus {
		boxed = append(boxed, ownFolders...)
	}
	if in.Grade == GradeA {
		boxed = append(boxed, "/proc")
	}
	if read {
		boxed = append(boxed, systemFolders...)
	}
	for _, dir := range boxed {
		if in.Sandbox.Accepts(in.Grade) && within(abs, dir) && !in.own(abs) {
			return rowBoxed
		}
	}
	return hostRow(abs, read)
}

// isDevice says that a path is one of the harmless devices that every command
// has: using them touches nothing.
func isDevice(abs string) bool {
	switch abs {
	case "/dev/null", "/dev/zero", "/dev/full", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/random", "/dev/urandom":
		return true
	}
	return false
}

func portOf(port int) string {
	if port == 0 {
		return ""
	}
	return strconv.Itoa(port)
}
