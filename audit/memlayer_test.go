package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// A memLayer is a file system in memory that forgets what was not synced, when
// it is told to crash. Each write since the last sync of a file may be kept,
// lost, or cut short, whatever became of the others; a lost one below a kept
// one leaves zeros. Of the names in a folder that were not synced, the first so
// many changes are kept.
type memLayer struct {
	mu    sync.Mutex
	names map[string]*memNode // files and folders, as a program sees them
	disk  map[string]*memNode // names that a crash leaves
	ops   map[string][]nameOp // by folder: changes of names that were not synced

	count   int   // operations so far
	crashAt int   // the operation at which everything stops; 0: never
	room    int64 // bytes left on the disk, if limited
	limited bool  // the disk has a size
	seen    []string
	fail    func(op, name string) error // an error to give instead of doing it
}

type nameOp struct {
	name string
	node *memNode // nil: removed
}

type memNode struct {
	dir      bool
	id       uint64
	data     []byte // as a program sees it
	synced   []byte // as a crash leaves it
	writes   []memWrite
	reserved int64
	lock     chan struct{}
}

// A memWrite is a write, or with a nil data a change of the size, since the
// last sync.
type memWrite struct {
	at   int64
	data []byte
}

var errCrashed = errors.New("the machine has stopped")

func newMemLayer() *memLayer {
	m := &memLayer{names: map[string]*memNode{}, disk: map[string]*memNode{}, ops: map[string][]nameOp{}}
	m.names[""] = m.newNode(true)
	m.disk[""] = m.names[""]
	return m
}

func (m *memLayer) newNode(dir bool) *memNode {
	return &memNode{dir: dir, id: rand.Uint64(), lock: make(chan struct{}, 1)}
}

// step counts an operation. Nothing happens any more once the machine stopped.
func (m *memLayer) step(op, name string) error {
	m.count++
	if len(m.seen) < 10000 {
		m.seen = append(m.seen, op+" "+name)
	}
	if m.crashAt > 0 && m.count >= m.crashAt {
		return errCrashed
	}
	if m.fail != nil {
		return m.fail(op, name)
	}
	return nil
}

func (m *memLayer) do(op, name string, run func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.step(op, name); err != nil {
		return err
	}
	return run()
}

func (m *memLayer) note(name string, node *memNode) {
	dir := folderOf(name)
	m.ops[dir] = append(m.ops[dir], nameOp{name, node})
	if node == nil {
		delete(m.names, name)
	} else {
		m.names[name] = node
	}
}

// crash is the file system after a power cut.
func (m *memLayer) crash(rng *rand.Rand) *memLayer {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, dir := range slices.Sorted(maps.Keys(m.ops)) {
		ops := m.ops[dir]
		for _, op := range ops[:rng.IntN(len(ops)+1)] {
			if op.node == nil {
				delete(m.disk, op.name)
			} else {
				m.disk[op.name] = op.node
			}
		}
	}
	out := newMemLayer()
	for _, name := range slices.Sorted(maps.Keys(m.disk)) {
		if _, ok := m.disk[folderOf(name)]; !ok {
			continue // its folder is gone
		}
		n := out.newNode(m.disk[name].dir)
		n.data = m.disk[name].survive(rng)
		n.synced = slices.Clone(n.data)
		out.names[name], out.disk[name] = n, n
	}
	return out
}

// survive is what a crash leaves of a file.
func (n *memNode) survive(rng *rand.Rand) []byte {
	data := slices.Clone(n.synced)
	for _, w := range n.writes {
		switch k := rng.IntN(4); {
		case k == 0: // lost
		case w.data == nil:
			data = resized(data, w.at)
		case k == 1: // cut short
			data = written(data, w.at, w.data[:rng.IntN(len(w.data)+1)])
		default:
			data = written(data, w.at, w.data)
		}
	}
	return data
}

func resized(data []byte, size int64) []byte {
	if size <= int64(len(data)) {
		return data[:size]
	}
	return append(data, make([]byte, size-int64(len(data)))...)
}

func written(data []byte, at int64, b []byte) []byte {
	if len(b) == 0 {
		return data
	}
	if end := at + int64(len(b)); end > int64(len(data)) {
		data = resized(data, end)
	}
	copy(data[at:], b)
	return data
}

func (m *memLayer) Prepare() error { return nil }

func (m *memLayer) Open(name string, flag int) (File, error) {
	var f *memFile
	err := m.do("open", name, func() error {
		n := m.names[name]
		switch {
		case n == nil && flag&os.O_CREATE == 0:
			return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		case n != nil && n.dir:
			return &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
		case n != nil && flag&os.O_EXCL != 0:
			return &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
		case n == nil:
			if m.names[folderOf(name)] == nil {
				return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
			if m.limited && m.room < 512 {
				return &fs.PathError{Op: "open", Path: name, Err: syscall.ENOSPC}
			}
			n = m.newNode(false)
			m.note(name, n)
		}
		f = &memFile{m: m, n: n, name: name, readOnly: flag&(os.O_WRONLY|os.O_RDWR) == 0}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (m *memLayer) Mkdir(name string) error {
	return m.do("mkdir", name, func() error {
		if m.names[name] == nil {
			m.note(name, m.newNode(true))
		}
		return nil
	})
}

func (m *memLayer) List(name string) ([]string, error) {
	var out []string
	err := m.do("list", name, func() error {
		if m.names[name] == nil {
			return &fs.PathError{Op: "list", Path: name, Err: fs.ErrNotExist}
		}
		for other := range m.names {
			if other != "" && folderOf(other) == name {
				out = append(out, path.Base(other))
			}
		}
		slices.Sort(out)
		return nil
	})
	return out, err
}

func (m *memLayer) Stat(name string) (FileStat, error) {
	var st FileStat
	err := m.do("stat", name, func() error {
		n := m.names[name]
		if n == nil {
			return &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
		}
		st = FileStat{Size: int64(len(n.data)), ID: n.id, Links: 1, Mode: 0o600}
		return nil
	})
	return st, err
}

func (m *memLayer) Rename(from, to string) error {
	return m.do("rename", from+" "+to, func() error {
		n := m.names[from]
		if n == nil {
			return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
		}
		if n.dir {
			for name, inner := range maps.Clone(m.names) {
				if rest, ok := strings.CutPrefix(name, from+"/"); ok {
					delete(m.names, name)
					m.names[to+"/"+rest] = inner
					delete(m.disk, name)
					m.disk[to+"/"+rest] = inner
				}
			}
		}
		// One change: a crash leaves the old name or the new one.
		dir := folderOf(to)
		m.names[to] = n
		delete(m.names, from)
		m.ops[dir] = append(m.ops[dir], nameOp{to, n}, nameOp{from, nil})
		return nil
	})
}

func (m *memLayer) Remove(name string) error {
	return m.do("remove", name, func() error {
		if m.names[name] == nil {
			return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
		}
		m.note(name, nil)
		return nil
	})
}

func (m *memLayer) SyncDir(name string) error {
	return m.do("syncdir", name, func() error {
		for _, op := range m.ops[name] {
			if op.node == nil {
				delete(m.disk, op.name)
			} else {
				m.disk[op.name] = op.node
			}
		}
		delete(m.ops, name)
		return nil
	})
}

type memFile struct {
	m        *memLayer
	n        *memNode
	name     string
	readOnly bool
}

func (f *memFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.m.do("read", f.name, func() error {
		if off >= int64(len(f.n.data)) {
			return io.EOF
		}
		n = copy(p, f.n.data[off:])
		if n < len(p) {
			return io.EOF
		}
		return nil
	})
	return n, err
}

func (f *memFile) Write(p []byte) (int, error) {
	n := 0
	err := f.m.do("write", f.name, func() (err error) {
		n, err = f.put(p, int64(len(f.n.data)))
		return err
	})
	return n, err
}

func (f *memFile) WriteAt(p []byte, off int64) (int, error) {
	n := 0
	err := f.m.do("write", f.name, func() (err error) {
		n, err = f.put(p, off)
		return err
	})
	return n, err
}

// put writes as much as there is space for.
func (f *memFile) put(p []byte, at int64) (int, error) {
	if f.readOnly {
		return 0, syscall.EBADF
	}
	n := len(p)
	if grow := at + int64(n) - max(int64(len(f.n.data)), f.n.reserved); f.m.limited && grow > 0 {
		if grow > f.m.room {
			n -= int(grow - f.m.room)
			grow = f.m.room
		}
		f.m.room -= grow
	}
	f.n.data = written(f.n.data, at, p[:n])
	f.n.writes = append(f.n.writes, memWrite{at, append([]byte{}, p[:n]...)})
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func (f *memFile) Truncate(size int64) error {
	return f.m.do("truncate", f.name, func() error {
		f.n.data = resized(f.n.data, size)
		f.n.writes = append(f.n.writes, memWrite{size, nil})
		return nil
	})
}

func (f *memFile) Sync() error {
	return f.m.do("sync", f.name, func() error {
		f.n.synced, f.n.writes = slices.Clone(f.n.data), nil
		return nil
	})
}

func (f *memFile) Reserve(size int64) error {
	return f.m.do("reserve", f.name, func() error {
		grow := size - max(f.n.reserved, int64(len(f.n.data)))
		if f.m.limited && grow > f.m.room {
			return syscall.ENOSPC
		}
		if f.m.limited && grow > 0 {
			f.m.room -= grow
		}
		f.n.reserved = max(f.n.reserved, size)
		return nil
	})
}

func (f *memFile) Stat() (FileStat, error) {
	var st FileStat
	err := f.m.do("fstat", f.name, func() error {
		st = FileStat{Size: int64(len(f.n.data)), ID: f.n.id, Mode: 0o600}
		for _, n := range f.m.names {
			if n == f.n {
				st.Links++
			}
		}
		return nil
	})
	return st, err
}

func (f *memFile) Lock(ctx context.Context, alone bool) error {
	if err := f.m.do("lock", f.name, func() error { return nil }); err != nil {
		return err
	}
	select {
	case f.n.lock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("locked: %w", context.Cause(ctx))
	}
}

func (f *memFile) Unlock() error {
	<-f.n.lock
	return f.m.do("unlock", f.name, func() error { return nil })
}

func (f *memFile) Close() error { return nil }

// memProcesses are processes that a test starts and ends.
type memProcesses struct {
	pid  int64
	dead *sync.Map
}

func (p memProcesses) self() (process, error) { return process{p.pid, 1, "boot"}, nil }

func (p memProcesses) gone(q process) bool {
	_, dead := p.dead.Load(q.pid)
	return dead
}
