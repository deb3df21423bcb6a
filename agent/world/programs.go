package world

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/internal/roots"
	"golang.org/x/sys/unix"
)

// programs resolves executables and knows their hashes. A hash is kept for as
// long as the file's inode, size and times stay what they were: ctime cannot
// be set back by whoever changes the content.
type programs struct {
	mu    sync.Mutex
	known map[string]programState
}

type programState struct {
	dev, ino     uint64
	size         int64
	mtime, ctime unix.Timespec
	sha256       string
}

// resolve finds name, absolute or on path, whose relative entries do not count,
// and hashes what is there.
func (p *programs) resolve(name, path string) (effect.Program, error) {
	if filepath.IsAbs(name) {
		return p.hash(name)
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return p.hash(file)
		}
	}
	return effect.Program{}, fmt.Errorf("%s is not on the PATH that commands get", name)
}

// plain finds the interpreter itself: no script in its place and no program of
// another name, as version managers put there. Those look into the folder that
// they are started in for what to run.
func (p *programs) plain(name, path string) (effect.Program, error) {
	var passed []string
	stem := strings.TrimRight(name, "0123456789.")
	for _, dir := range filepath.SplitList(path) {
		found, err := p.resolve(name, dir)
		if err != nil {
			continue
		}
		if strings.HasPrefix(filepath.Base(found.Path), stem) && !isScript(found.Path) {
			return found, nil
		}
		passed = append(passed, found.Path)
	}
	if len(passed) > 0 {
		return effect.Program{}, fmt.Errorf("only what chooses a %s by the folder is on the PATH (%s): put the one to use before it", name, strings.Join(passed, ", "))
	}
	return p.resolve(name, path)
}

// isScript says that a file is run by another program, which its first line
// names. What cannot be read is taken for one.
func isScript(file string) bool {
	f, err := roots.Plain(file)
	if err != nil {
		return true
	}
	defer f.Close()
	head := make([]byte, 2)
	_, err = io.ReadFull(f, head)
	return err != nil || string(head) == "#!"
}

func (p *programs) hash(file string) (effect.Program, error) {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return effect.Program{}, err
	}
	f, err := os.OpenFile(real, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return effect.Program{}, err
	}
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return effect.Program{}, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return effect.Program{}, fmt.Errorf("%s is not a regular file", real)
	}
	state := stateOf(&st)
	if was, ok := p.last(real); ok {
		state.sha256 = was.sha256
		if was == state {
			return effect.Program{Path: real, SHA256: was.sha256}, nil
		}
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return effect.Program{}, err
	}
	state.sha256 = hex.EncodeToString(sum.Sum(nil))
	p.keep(real, state)
	return effect.Program{Path: real, SHA256: state.sha256}, nil
}

func (p *programs) last(file string) (programState, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was, ok := p.known[file]
	return was, ok
}

func (p *programs) keep(file string, s programState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = map[string]programState{}
	}
	p.known[file] = s
}
