package ossandbox

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// maxWalk bounds the entries that one look at a workspace reads.
const maxWalk = 50_000

// What a look at the workspace finds.
type survey struct {
	secrets   []string // files with secret-like names, absolute
	sockets   []string // Unix sockets
	nested    []string // .git folders and files below the top, and bare repositories
	closed    []string // folders of ours that we may not look into until somebody opens them
	truncated bool     // maxWalk was reached: what lies deeper was not seen
}

// A surveyor looks through a workspace and remembers each folder by its change
// times, so that a second look reads only the folders that changed.
type surveyor struct {
	mu    sync.Mutex // held for a whole look: a second one would only read the same
	dirs  map[string]surveyedDir
	spare int // entries that may still be read in this look
}

type surveyedDir struct {
	stamp dirStamp
	finds survey // of this folder alone, full paths
	subs  []string
}

// dirStamp changes whenever an entry is added, removed or renamed. The change
// time cannot be set by a program.
type dirStamp struct {
	modified, changed time.Time
	inode             uint64
}

// skipDirs are not walked: large, and not where a person keeps secrets.
var skipDirs = map[string]bool{".git": true, "node_modules": true, "vendor": true}

// look walks root. Folders of others that cannot be read are left out: the
// command cannot read them either. Our own it could open, and they are found
// as closed, unless open, if given, has opened them. inspect, if given, is
// shown the regular files of the folders that changed since the last look.
func (v *surveyor) look(root string, inspect func(file string), open func(dir string) bool) survey {
	v.mu.Lock()
	defer v.mu.Unlock()
	seen := make(map[string]surveyedDir, len(v.dirs))
	v.spare = maxWalk
	var total survey
	pending := []string{root}
	for len(pending) > 0 {
		dir := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		d, ok := v.read(root, dir, inspect, open)
		if !ok {
			continue
		}
		if v.spare < 0 {
			total.truncated = true
			break
		}
		seen[dir] = d
		total.secrets = append(total.secrets, d.finds.secrets...)
		total.sockets = append(total.sockets, d.finds.sockets...)
		total.nested = append(total.nested, d.finds.nested...)
		total.closed = append(total.closed, d.finds.closed...)
		pending = append(pending, d.subs...)
	}
	v.dirs = seen
	return total
}

// settled is how old a change must be before a remembered folder is trusted: a
// second change within one tick of the file system's clock leaves no trace.
const settled = 50 * time.Millisecond

func (v *surveyor) read(root, dir string, inspect func(string), open func(string) bool) (surveyedDir, bool) {
	st, err := os.Lstat(dir)
	if err != nil || !st.IsDir() {
		return surveyedDir{}, false
	}
	if closed(st) {
		if open == nil || !open(dir) {
			v.spare--
			return surveyedDir{stamp: stampOf(st), finds: survey{closed: []string{dir}}}, true
		}
		if st, err = os.Lstat(dir); err != nil {
			return surveyedDir{}, false
		}
	}
	stamp := stampOf(st)
	if old, ok := v.dirs[dir]; ok && old.stamp == stamp && time.Since(stamp.changed) > settled {
		v.spare -= len(old.subs) + 1
		return old, true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return surveyedDir{}, false
	}
	v.spare -= len(entries) + 1
	d := surveyedDir{stamp: stamp}
	if bareGit(entries) {
		d.finds.nested = append(d.finds.nested, dir)
	} else {
		d.take(root, dir, entries, inspect)
	}
	return d, true
}

// take sorts the entries of a folder of the workspace root.
func (d *surveyedDir) take(root, dir string, entries []fs.DirEntry, inspect func(string)) {
	rel, _ := below(root, dir)
	for _, e := range entries {
		p := filepath.Join(dir, e.Name())
		if inspect != nil && e.Type().IsRegular() {
			inspect(p)
		}
		switch t := e.Type(); {
		case e.Name() == ".git":
			if dir != root {
				d.finds.nested = append(d.finds.nested, p)
			}
		case t.IsDir():
			if !skipDirs[e.Name()] {
				d.subs = append(d.subs, p)
			}
		case t&fs.ModeSocket != 0:
			d.finds.sockets = append(d.finds.sockets, p)
		case t.IsRegular() && secretName(rel+"/"+e.Name()):
			d.finds.secrets = append(d.finds.secrets, p)
		}
	}
}

// closed says that a folder is ours, and that we must change its mode before we
// can look into it, which a command, the same user, can do as well. (Root could
// look out here, but in the sandbox it is an ordinary user, too.)
func closed(st fs.FileInfo) bool {
	owner, ok := ownerOf(st)
	return ok && owner == os.Geteuid() && st.Mode().Perm()&0o500 != 0o500
}

// bareGit says that a folder is what git takes for a repository without a
// working tree, whatever its name: a git that is run in it believes its
// configuration.
func bareGit(entries []os.DirEntry) bool {
	head, objects, refs := false, false, false
	for _, e := range entries {
		switch e.Name() {
		case "HEAD":
			head = true
		case "objects":
			objects = true
		case "refs":
			refs = true
		}
	}
	return head && objects && refs
}

// harmlessPEM says whether a .pem file holds certificates and public keys only.
func harmlessPEM(p string) bool {
	if filepath.Ext(p) != ".pem" {
		return false
	}
	b, err := roots.ReadPlain(p, 1<<20)
	return err == nil && bytes.Contains(b, []byte("-----BEGIN ")) && !bytes.Contains(b, []byte("PRIVATE KEY"))
}
