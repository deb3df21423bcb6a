package commandpolicy

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path"
	"strings"
	"syscall"
)

// Dir looks at the real files beneath one folder, and knows nothing of others.
// A link that leads out of it is told by its target, and never followed.
type Dir struct{ root string }

// BeneathDir makes a Dir of root, an absolute path without links.
func BeneathDir(root string) Dir { return Dir{path.Clean(root)} }

// Lstat implements [Look].
func (d Dir) Lstat(name string) (Kind, string) {
	if !below(name, d.root) {
		return KindUnknown, ""
	}
	info, err := os.Lstat(name)
	switch {
	case os.IsNotExist(err):
		return KindAbsent, ""
	case err != nil:
		return KindUnknown, ""
	case info.Mode().IsRegular():
		return KindFile, ""
	case info.IsDir():
		return KindDir, ""
	case info.Mode()&os.ModeSymlink != 0:
		target, err := os.Readlink(name)
		if err != nil {
			return KindUnknown, ""
		}
		return KindLink, target
	}
	return KindOther, ""
}

// Names implements [Look].
func (d Dir) Names(name string) ([]string, bool) {
	if !below(name, d.root) {
		return nil, false
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, os.IsNotExist(err)
	}
	defer f.Close()
	names, err := f.Readdirnames(maxMatches + 1)
	if len(names) > maxMatches || err != nil && len(names) > 0 {
		return nil, false
	}
	return names, true
}

// Overlay is Base with files and links that are thought to be there too.
// Names are absolute; folders on the way exist.
type Overlay struct {
	Base  Look
	Files map[string]bool
	Links map[string]string
}

// Lstat implements [Look].
func (o Overlay) Lstat(name string) (Kind, string) {
	if target, ok := o.Links[name]; ok {
		return KindLink, target
	}
	if o.Files[name] {
		return KindFile, ""
	}
	if len(o.children(name)) > 0 {
		return KindDir, ""
	}
	return o.Base.Lstat(name)
}

// Names implements [Look].
func (o Overlay) Names(name string) ([]string, bool) {
	extra := o.children(name)
	if o.Files[name] {
		return nil, false
	}
	names, ok := o.Base.Names(name)
	if !ok && len(extra) == 0 {
		return nil, false
	}
	for _, n := range names {
		extra[n] = true
	}
	out := make([]string, 0, len(extra))
	for n := range extra {
		out = append(out, n)
	}
	return out, true
}

// children are the names that the overlay itself holds in a folder.
func (o Overlay) children(dir string) map[string]bool {
	out := map[string]bool{}
	prefix := strings.TrimSuffix(dir, "/") + "/"
	for f := range o.Files {
		addChild(out, f, prefix)
	}
	for l := range o.Links {
		addChild(out, l, prefix)
	}
	return out
}

func addChild(out map[string]bool, name, prefix string) {
	if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" {
		child, _, _ := strings.Cut(rest, "/")
		out[child] = true
	}
}

// Hash implements [Hasher].
func (d Dir) Hash(name string) (string, bool) {
	if !below(name, d.root) {
		return "", false
	}
	return HashFile(name)
}

// maxHashed is the size of the largest file that is hashed, in bytes.
const maxHashed = 16 << 20

// HashFile is the SHA-256 of a regular file, in hex. A last link is not
// followed; what is no file, or is larger than 16 MiB, has none.
func HashFile(name string) (string, bool) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxHashed {
		return "", false
	}
	sum := sha256.New()
	if n, err := io.Copy(sum, io.LimitReader(f, maxHashed+1)); err != nil || n > maxHashed {
		return "", false
	}
	return hex.EncodeToString(sum.Sum(nil)), true
}

// Hash implements [Hasher]: what is only thought to be there has no content.
func (o Overlay) Hash(name string) (string, bool) {
	h, ok := o.Base.(Hasher)
	if _, link := o.Links[name]; link || o.Files[name] || !ok {
		return "", false
	}
	return h.Hash(name)
}
