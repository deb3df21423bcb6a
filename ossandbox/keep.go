package ossandbox

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// A keep is the private folder of one workspace, in our state folder:
//
//	cache/<hash>/lock      held, shared, by each program that runs commands here
//	cache/<hash>/journal   what must be removed again, written before it is made
//	cache/<hash>/empty     an empty file, shown in the place of hidden ones
//	cache/<hash>/home      what commands find as ~/.cache
//
// It is made when the first command starts. When the last one has ended, what
// the journal names is removed, and so is the folder if nothing was cached.
type keep struct {
	cfg *Config
	dir string

	mu    sync.Mutex
	users int      // runs in this program
	fresh bool     // the state folder was made by open
	lock  *os.File // while users > 0
}

func newKeep(cfg *Config) *keep {
	sum := sha256.Sum256([]byte(cfg.work))
	return &keep{cfg: cfg, dir: filepath.Join(cfg.State, "cache", hex.EncodeToString(sum[:8]))}
}

func (k *keep) emptyFile() string   { return filepath.Join(k.dir, "empty") }
func (k *keep) cacheDir() string    { return filepath.Join(k.dir, "home") }
func (k *keep) journalFile() string { return filepath.Join(k.dir, "journal") }

// enter makes the folder ready for one run. Each enter is followed by a leave.
func (k *keep) enter() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users == 0 {
		if err := k.open(); err != nil {
			return &SetupError{Cause: "the private folder for this workspace cannot be made", Err: err, Mend: "make " + k.cfg.State + " writable, or name another with --home"}
		}
	}
	k.users++
	return nil
}

// leave ends one run; the last one cleans up. It returns what is left over.
func (k *keep) leave() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users--; k.users > 0 {
		return nil
	}
	defer k.lock.Close()
	return k.tidy(k.lock)
}

// close ends the keep's life in this program.
func (k *keep) close() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users > 0 {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(k.dir, "lock"), os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil // nothing was kept
	}
	defer f.Close()
	return k.tidy(f)
}

// tidy removes what the last user leaves behind.
func (k *keep) tidy(lock *os.File) []string {
	if flock(lock, syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil // another program still runs commands here, and will clean up
	}
	left := k.sweep()
	os.Remove(k.emptyFile())
	os.Remove(k.cacheDir()) // only if nothing was cached
	if !exists(k.journalFile()) && !exists(k.cacheDir()) {
		os.Remove(filepath.Join(k.dir, "lock"))
		os.Remove(k.dir)
		os.Remove(filepath.Dir(k.dir))
		if k.fresh {
			os.Remove(k.cfg.State)
		}
	}
	return left
}

// open makes the folder, takes the lock, and cleans up after a program that
// died while it ran commands here.
func (k *keep) open() error {
	k.fresh = !exists(k.cfg.State)
	for range 100 {
		if err := os.MkdirAll(k.dir, 0o700); err != nil {
			return err
		}
		f, err := os.OpenFile(filepath.Join(k.dir, "lock"), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the last user has just removed the folder
		}
		if err != nil {
			return err
		}
		if flock(f, syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			k.sweep()
		}
		if err := flock(f, syscall.LOCK_SH); err != nil {
			f.Close()
			return err
		}
		if err := k.prepare(f); err == nil {
			k.lock = f
			return nil
		}
		f.Close()
	}
	return errors.New("it is removed again and again")
}

// prepare makes what a run needs, if f is still the lock of this folder.
func (k *keep) prepare(f *os.File) error {
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	now, err := os.Lstat(f.Name())
	if err != nil || !os.SameFile(mine, now) {
		return fs.ErrNotExist
	}
	if err := os.Mkdir(k.cacheDir(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	e, err := os.OpenFile(k.emptyFile(), os.O_RDONLY|os.O_CREATE, 0o444)
	if err != nil {
		return err
	}
	return e.Close()
}

// record writes a line into the journal, before the thing is made.
func (k *keep) record(kind, path string) error {
	f, err := os.OpenFile(k.journalFile(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(kind + " " + strconv.Quote(path) + "\n")
	return errors.Join(err, f.Close())
}

// Kinds of journal lines.
const (
	madeFolder = "folder" // an empty folder that stands in for a protected name
	madeFile   = "file"   // an empty file in a git dir
	madeCgroup = "cgroup"
)

// errInUse: what the journal names belongs to a program that lives.
var errInUse = errors.New("in use")

// sweep removes what the journal names and is still as it was made: empty. It
// needs the exclusive lock. What cannot be removed stays in the journal.
func (k *keep) sweep() (left []string) {
	f, err := os.Open(k.journalFile())
	if err != nil {
		return nil
	}
	defer f.Close()
	var lines []string
	for sc := bufio.NewScanner(f); sc.Scan(); {
		kind, q, _ := strings.Cut(sc.Text(), " ")
		path, err := strconv.Unquote(q)
		if err != nil {
			continue // cut off by a crash: what it names was not made yet
		}
		if err := k.remove(kind, path); err != nil {
			lines = append(lines, sc.Text()+"\n")
			if !errors.Is(err, errInUse) {
				left = append(left, path)
			}
		}
	}
	if len(lines) == 0 {
		os.Remove(k.journalFile())
		return nil
	}
	os.WriteFile(k.journalFile(), []byte(strings.Join(lines, "")), 0o600)
	return left
}

// remove takes one thing back. What is not empty any more belongs to somebody
// else by now: it stays, and is no litter of ours.
func (k *keep) remove(kind, path string) error {
	switch kind {
	case madeFolder:
		err := syscall.Rmdir(path)
		if err == syscall.ENOENT || err == syscall.ENOTEMPTY || err == syscall.EEXIST || err == syscall.ENOTDIR {
			return nil
		}
		return err
	case madeFile:
		st, err := os.Lstat(path)
		if err != nil || !st.Mode().IsRegular() || st.Size() > 0 {
			return nil
		}
		return os.Remove(path)
	case madeCgroup:
		if !exists(path) {
			return nil
		}
		if !ownerGone(filepath.Base(path)) {
			return errInUse
		}
		return removeCgroup(path)
	default:
		return fmt.Errorf("unknown kind %s", kind)
	}
}

// standIns makes what stands in for covers that do not exist, and returns the
// covers that the plan can mount: those that exist by now.
func (k *keep) standIns(covers []cover) ([]cover, error) {
	var mounted []cover
	for _, c := range covers {
		if _, err := os.Lstat(c.path); err == nil {
			mounted = append(mounted, c)
			continue
		}
		if c.missing == 0 {
			continue
		}
		made, err := k.standIn(c)
		if err != nil {
			return nil, &SetupError{Cause: "nothing can be put in the place of " + c.path, Err: err}
		}
		if made {
			mounted = append(mounted, c)
		}
	}
	return mounted, nil
}

// standIn makes one. made is false where we have no right to make anything:
// the command, the same user, has none either.
func (k *keep) standIn(c cover) (made bool, err error) {
	kind := madeFolder
	if c.missing == emptyFile {
		kind = madeFile
	}
	if err := k.record(kind, c.path); err != nil {
		return false, err
	}
	if kind == madeFolder {
		err = os.Mkdir(c.path, 0o755)
	} else {
		var f *os.File
		if f, err = os.OpenFile(c.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil {
			err = f.Close()
		}
	}
	switch {
	case err == nil, errors.Is(err, fs.ErrExist):
		return true, nil
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrNotExist):
		return false, nil
	default:
		return false, err
	}
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if err != syscall.EINTR {
			return err
		}
	}
}

func isDir(p string) bool {
	st, err := os.Stat(p)
	return err == nil && st.IsDir()
}
