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
//	cache/<hash>/lock      held, shared, by each program while it runs commands here
//	cache/<hash>/journal   what must be removed again, written before it is made
//	cache/<hash>/empty     an empty file, shown in the place of hidden ones
//	cache/<hash>/hidden    the names of what was hidden (recall.go)
//	cache/<hash>/home      what commands find as ~/.cache
//	cache/<hash>/spare     stand-ins that are not in use
//
// It is made when the first command starts. When the last command of all
// programs has ended, the stand-ins are taken back; when the last program
// closes its sandbox, the folder goes too, if nothing was cached.
type keep struct {
	cfg *Config
	dir string

	mu      sync.Mutex // held while the folder is made and swept: no command starts meanwhile
	users   int        // commands of this program that run now
	lock    *os.File   // nil until the folder was made
	journal *os.File
	closing bool     // no more spares are wanted
	spares  []string // empty folders, to be renamed into place: making one costs far more
	count   int      // names the spares
}

func newKeep(cfg *Config) *keep {
	sum := sha256.Sum256([]byte(cfg.work))
	return &keep{cfg: cfg, dir: filepath.Join(cfg.State, "cache", hex.EncodeToString(sum[:8]))}
}

func (k *keep) emptyFile() string { return filepath.Join(k.dir, "empty") }
func (k *keep) cacheDir() string  { return filepath.Join(k.dir, "home") }
func (k *keep) spareDir() string  { return filepath.Join(k.dir, "spare") }

// enter makes the folder ready for one command, from which secrets are hidden.
// Each enter is followed by a leave.
func (k *keep) enter(secrets []string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.recall(secrets); err != nil {
		return &SetupError{Cause: "the private folder for this workspace cannot be written", Err: err, Mend: "make " + k.cfg.State + " writable, or name another with --home"}
	}
	if k.users == 0 {
		if err := k.open(); err != nil {
			return &SetupError{Cause: "the private folder for this workspace cannot be made", Err: err, Mend: "make " + k.cfg.State + " writable, or name another with --home"}
		}
	}
	k.users++
	return nil
}

// leave ends one command; the last one takes the stand-ins back. It returns
// what could not be removed.
func (k *keep) leave() (left []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users--; k.users > 0 {
		return nil
	}
	// Where another program still runs commands here, it will clean up.
	if flock(k.lock, syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		left = k.sweep()
	}
	flock(k.lock, syscall.LOCK_UN)
	return left
}

// close takes away what is kept between commands, if none runs. A later enter
// makes it anew.
func (k *keep) close() (left []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users > 0 || k.lock == nil {
		return nil
	}
	k.closing = true
	defer func() { k.closing = false }()
	if flock(k.lock, syscall.LOCK_EX|syscall.LOCK_NB) == nil && k.current() {
		left = k.sweep()
		k.removeFolder(len(left) == 0)
	}
	k.forget()
	return left
}

// removeFolder removes what is only needed while commands run, and the folder
// itself if it is empty then.
func (k *keep) removeFolder(clean bool) {
	spares, _ := os.ReadDir(k.spareDir()) // also those of programs that died
	for _, e := range spares {
		os.Remove(filepath.Join(k.spareDir(), e.Name()))
	}
	os.Remove(k.spareDir())
	os.Remove(k.emptyFile())
	os.Remove(k.cacheDir()) // only if nothing was cached
	if !clean || exists(k.cacheDir()) {
		return
	}
	os.Remove(k.journal.Name())
	os.Remove(k.lock.Name())
	os.Remove(k.dir)
	os.Remove(filepath.Dir(k.dir))
	os.Remove(k.cfg.State) // only if nothing else is in it
}

func (k *keep) forget() {
	k.lock.Close()
	k.journal.Close()
	k.lock, k.journal, k.spares = nil, nil, nil
}

// open takes the lock, makes the folder where it is missing, and cleans up
// after a program that died while it ran commands here.
func (k *keep) open() error {
	for range 100 {
		if k.lock == nil {
			if err := k.make(); errors.Is(err, fs.ErrNotExist) {
				continue // the last user has just removed the folder
			} else if err != nil {
				return err
			}
		}
		if flock(k.lock, syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			k.sweep()
		}
		if err := flock(k.lock, syscall.LOCK_SH); err != nil {
			return err
		}
		if k.current() {
			return nil
		}
		k.forget() // another program has closed, and removed the folder
	}
	return errors.New("it is removed again and again")
}

func (k *keep) make() error {
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return err
	}
	for _, dir := range []string{k.cacheDir(), k.spareDir()} {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	lock, err := os.OpenFile(filepath.Join(k.dir, "lock"), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	journal, err := os.OpenFile(filepath.Join(k.dir, "journal"), os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return errors.Join(err, lock.Close())
	}
	empty, err := os.OpenFile(k.emptyFile(), os.O_RDONLY|os.O_CREATE|syscall.O_NOFOLLOW, 0o644)
	if err != nil {
		return errors.Join(err, lock.Close(), journal.Close())
	}
	k.lock, k.journal = lock, journal
	k.linkWrapper()
	return empty.Close()
}

// current says whether the lock that we have is still that of the folder.
func (k *keep) current() bool {
	mine, err1 := k.lock.Stat()
	now, err2 := os.Lstat(k.lock.Name())
	return err1 == nil && err2 == nil && os.SameFile(mine, now) && exists(k.emptyFile())
}

// Kinds of journal lines.
const (
	madeFolder = "folder" // an empty folder that stands in for a protected name
	madeFile   = "file"   // an empty file in a git dir
)

// sweep removes what the journal names and is still as it was made: empty. It
// needs the exclusive lock. What cannot be removed stays in the journal.
func (k *keep) sweep() (left []string) {
	if st, err := k.journal.Stat(); err != nil || st.Size() == 0 {
		return nil
	}
	f, err := os.Open(k.journal.Name())
	if err != nil {
		return nil
	}
	defer f.Close()
	var lines strings.Builder
	for sc := bufio.NewScanner(f); sc.Scan(); {
		kind, q, _ := strings.Cut(sc.Text(), " ")
		path, err := strconv.Unquote(q)
		if err != nil {
			continue // cut off by a crash: what it names was not made yet
		}
		if err := k.remove(kind, path); err != nil {
			lines.WriteString(sc.Text() + "\n")
			left = append(left, path)
		}
	}
	if err := k.journal.Truncate(0); err == nil && lines.Len() > 0 {
		k.journal.WriteString(lines.String()) // where it fails, left names them all the same
	}
	return left
}

// remove takes one thing back. What is not empty any more belongs to somebody
// else by now: it stays, and is no litter of ours.
func (k *keep) remove(kind, path string) error {
	var err error
	switch kind {
	case madeFolder:
		if k.reclaim(path) {
			return nil
		}
		err = removeFolder(path)
	case madeFile:
		err = removeFile(path)
	default:
		return fmt.Errorf("unknown kind %s", kind)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), err == syscall.ENOTEMPTY, err == syscall.EEXIST, err == syscall.ENOTDIR, err == syscall.ELOOP:
		return nil
	default:
		return err
	}
}

const maxSpares = 64

// reclaim makes a stand-in a spare again, if it is an empty folder and lies on
// the file system of the keep.
func (k *keep) reclaim(path string) bool {
	if k.closing || k.cfg.Untested || len(k.spares) >= maxSpares {
		return false // also where one command is all that runs
	}
	k.count++
	spare := filepath.Join(k.spareDir(), strconv.Itoa(os.Getpid())+"."+strconv.Itoa(k.count))
	if takeFolder(path, spare) != nil {
		return false
	}
	if st, err := os.Lstat(spare); err == nil && st.IsDir() && !hasEntries(spare) {
		k.spares = append(k.spares, spare)
		return true
	}
	putFolder(spare, path) // it was not ours to take
	return false
}

// standIns makes what stands in for covers that do not exist, and returns the
// covers that the plan can mount: those that exist by now.
func (k *keep) standIns(covers []cover) ([]cover, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var mounted, missing []cover
	var lines strings.Builder
	for _, c := range covers {
		if _, err := os.Lstat(c.path); err == nil {
			mounted = append(mounted, c)
		} else if c.missing != 0 {
			missing = append(missing, c)
			lines.WriteString(c.kind() + " " + strconv.Quote(c.path) + "\n")
		}
	}
	if len(missing) == 0 {
		return mounted, nil
	}
	if _, err := k.journal.WriteString(lines.String()); err != nil {
		return nil, &SetupError{Cause: "the journal of this workspace cannot be written", Err: err}
	}
	for _, c := range missing {
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

// useSpare renames a spare to path. Spares that cannot be used, because the
// workspace is another file system or somebody removed them, are forgotten.
func (k *keep) useSpare(path string) bool {
	if len(k.spares) == 0 {
		return false
	}
	last := len(k.spares) - 1
	if err := putFolder(k.spares[last], path); err != nil {
		if !errors.Is(err, fs.ErrExist) {
			k.spares = nil
		}
		return false
	}
	k.spares = k.spares[:last]
	return true
}

func (c cover) kind() string {
	if c.missing == emptyFile {
		return madeFile
	}
	return madeFolder
}

// standIn makes one. made is false where we have no right to make anything:
// the command, the same user, has none either.
func (k *keep) standIn(c cover) (made bool, err error) {
	switch {
	case c.missing == emptyFile:
		err = makeFile(c.path)
	case !k.useSpare(c.path):
		err = makeFolder(c.path)
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
