package undo

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Thing is one thing that a survey of the workspace meets.
type Thing struct {
	Name   string // beneath the root, slash separated
	Type   Type
	Mode   uint32
	Size   int64
	Device uint64
	Inode  uint64
	MTime  int64  // nanoseconds since 1970, as is CTime
	CTime  int64  // the kernel's own: nobody sets it
	Left   string // why its content is not to be looked at; "" for all others
	Read   func() ([]byte, error)
	Text   func() (string, error)
}

// Survey visits everything in the workspace that undo covers, folders before
// their content. A folder that it leaves out it visits with Left.
type Survey func(visit func(Thing) error) error

// stamp is what tells that a thing was not touched since.
type stamp struct {
	Size   int64  `json:"s"`
	Device uint64 `json:"d"`
	Inode  uint64 `json:"i"`
	MTime  int64  `json:"mt"`
	CTime  int64  `json:"ct"`
}

// node is an entry of the tree, with what saves reading it again.
type node struct {
	Entry
	Stamp stamp `json:"st"`
	Fresh bool  `json:"f,omitempty"` // read within the clock's tick of its change: read it again
}

// tick is how old a change must be for its time stamp to tell it from the next
// one. File systems keep up to a second.
const tick = time.Second

// look makes the node of a thing: the one before when it was not touched since.
// Content that can be kept is kept.
func (s *Store) look(t Thing, before node, known bool, budget *int) (node, error) {
	n := node{
		Entry: Entry{Type: t.Type, Left: t.Left},
		Stamp: stamp{t.Size, t.Device, t.Inode, t.MTime, t.CTime},
	}
	switch t.Type {
	case Folder:
		n.Mode = t.Mode
		if t.Left == "" {
			n.Stamp = stamp{Device: t.Device, Inode: t.Inode} // its times tell of its content
		}
		return n, nil
	case Link:
		text, err := t.Text()
		n.Text = name(text)
		return n, err
	case File:
		n.Mode, n.Size = t.Mode, t.Size
	default:
		n.Left = "neither a file nor a folder"
		return n, nil
	}
	if *budget--; *budget < 0 && n.Left == "" {
		n.Left = fmt.Sprintf("one of more than %d files", s.limits.Files)
	}
	if n.Left == "" && t.Size > s.limits.File {
		n.Left = fmt.Sprintf("larger than %s", bytesWord(s.limits.File))
	}
	if n.Left != "" {
		return n, nil
	}
	if known && !before.Fresh && before.Stamp == n.Stamp && before.Type == File && before.SHA256 != "" && s.blobs.borrow(before.SHA256) {
		n.SHA256 = before.SHA256
		return n, nil
	}
	return s.read(t, n)
}

// read hashes and keeps a file's content.
func (s *Store) read(t Thing, n node) (node, error) {
	began := s.now()
	data, err := t.Read()
	if err != nil {
		n.Left = "it could not be read"
		return n, nil
	}
	n.Size = int64(len(data))
	n.SHA256, err = s.blobs.keep(data, false)
	if err == errFull {
		n.Left, err = "the undo store of this session is full ("+bytesWord(s.limits.Total)+")", nil
	}
	n.Fresh = began.UnixNano()-max(t.MTime, t.CTime) < int64(tick)
	return n, err
}

// refresh surveys the workspace, keeps what is new and returns the tree as it
// was before.
func (s *Store) refresh(survey Survey) (before map[string]node, err error) {
	now := make(map[string]node, len(s.tree))
	budget := s.limits.Files
	err = survey(func(t Thing) error {
		was, known := s.tree[t.Name]
		n, err := s.look(t, was, known, &budget)
		if err == nil {
			now[t.Name] = n
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("what the workspace holds could not be kept for undo: %w", err)
	}
	before = s.tree
	s.tree = now
	return before, s.saveTree(before)
}

// differences lists what is another thing in the second tree, by path, and in
// left what is not covered and was touched.
func differences(before, after map[string]node) (changes []Change, left []string) {
	paths := make([]string, 0, len(after))
	for p := range after {
		paths = append(paths, p)
	}
	for p := range before {
		if _, ok := after[p]; !ok {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	for _, p := range paths {
		b, a := before[p], after[p]
		switch {
		case covered(b) && covered(a):
			if !same(b.Entry, a.Entry) {
				changes = append(changes, Change{Path: name(p), Before: b.Entry, After: a.Entry})
			}
		case covered(b) && b.Type != None && a.Type != None && a.SHA256 == "" && b.Type == a.Type && b.Stamp == a.Stamp:
			// Nobody touched it; it is only not kept any more.
		case b.Type != a.Type || b.Stamp != a.Stamp || b.Mode != a.Mode:
			left = append(left, uncovered(p, b.Entry, a.Entry))
		}
	}
	return changes, left
}

// covered says that a state could be brought about again.
func covered(n node) bool { return n.Left == "" }

func uncovered(path string, before, after Entry) string {
	why := before.Left
	if why == "" {
		why = after.Left
	}
	word := "changed"
	switch {
	case before.Type == None:
		word = "created"
	case after.Type == None:
		word = "deleted"
	}
	return fmt.Sprintf("%s was %s, and is not covered: %s", path, word, why)
}

func bytesWord(n int64) string {
	for _, u := range []struct {
		size int64
		word string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= u.size {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/float64(u.size)), ".0") + " " + u.word
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
