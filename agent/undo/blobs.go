package undo

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/tera-pilot/tera-pilot/internal/seal"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// blobs is content by its hash, in one folder. A blob never changes, so that
// stores of several sessions share it by hard links.
type blobs struct {
	dir     string
	memory  map[string][]byte // in place of dir, where there is none
	key     seal.Key          // zero: not encrypted
	total   int64             // bytes of all blobs
	limit   int64
	sync    func(*os.File) error
	earlier string // blobs of an earlier session of the same workspace; "" for none
}

// errFull says that the store may not grow.
var errFull = errors.New("the undo store of this session is full")

// A DamagedError says that kept content is not what it was.
type DamagedError struct {
	Path string // of the file that wanted it
	Err  error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("what was kept of %s is damaged, and nothing is put back from it: %v", e.Path, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

var hashForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// name is the name that content is filed under.
func (b *blobs) name(sum string) string {
	if b.key.IsZero() {
		return sum
	}
	return b.key.Name(sum)
}

func (b *blobs) file(sum string) string { return fileIn(b.dir, b.name(sum)) }

func fileIn(dir, name string) string { return filepath.Join(dir, name[:2], name) }

func (b *blobs) has(sum string) bool {
	if !hashForm().MatchString(sum) {
		return false
	}
	if b.memory != nil {
		_, ok := b.memory[sum]
		return ok
	}
	info, err := os.Lstat(b.file(sum))
	return err == nil && info.Mode().IsRegular()
}

// borrow takes a blob over from the earlier store.
func (b *blobs) borrow(sum string) bool {
	if b.has(sum) {
		return true
	}
	if b.earlier == "" || !hashForm().MatchString(sum) {
		return false
	}
	if err := os.MkdirAll(filepath.Dir(b.file(sum)), 0o700); err != nil {
		return false
	}
	from := fileIn(b.earlier, b.name(sum))
	info, err := os.Lstat(from)
	if err != nil || !info.Mode().IsRegular() || os.Link(from, b.file(sum)) != nil {
		return false
	}
	b.total += info.Size()
	return true
}

// keep stores content; durable says that it must outlast a loss of power.
func (b *blobs) keep(data []byte, durable bool) (string, error) {
	sum := hashOf(data)
	if b.borrow(sum) {
		return sum, nil
	}
	if b.total+int64(len(data)) > b.limit {
		return sum, errFull
	}
	if b.memory != nil {
		b.memory[sum], b.total = data, b.total+int64(len(data))
		return sum, nil
	}
	out := data
	if !b.key.IsZero() {
		out = b.key.Seal(blobContext(sum), data)
	}
	dir := filepath.Dir(b.file(sum))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return sum, fmt.Errorf("undo store: %w", err)
	}
	tmp, err := os.CreateTemp(dir, ".new-*") // 0600
	if err != nil {
		return sum, fmt.Errorf("undo store: %w", err)
	}
	_, err = tmp.Write(out)
	if durable {
		err = errors.Join(err, b.sync(tmp))
	}
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), b.file(sum))
	}
	if err != nil {
		return sum, errors.Join(fmt.Errorf("undo store: %w", err), os.Remove(tmp.Name()))
	}
	b.total += int64(len(out))
	return sum, nil
}

func blobContext(sum string) string { return "tera-pilot/undo/1 blob " + sum }

// load returns content, held to its hash.
func (b *blobs) load(path, sum string) ([]byte, error) {
	if !hashForm().MatchString(sum) {
		return nil, &DamagedError{path, errors.New("its hash is none")}
	}
	if data, ok := b.memory[sum]; ok {
		return data, nil
	}
	f, err := statedir.OpenRegular(b.file(sum), os.O_RDONLY)
	if err != nil {
		return nil, &DamagedError{path, err}
	}
	defer f.Close()
	data, err := readBounded(f)
	if err == nil && !b.key.IsZero() {
		data, err = b.key.Open(blobContext(sum), data)
	}
	if err == nil && hashOf(data) != sum {
		err = errors.New("the content does not have its hash")
	}
	if err != nil {
		return nil, &DamagedError{path, err}
	}
	return data, nil
}

// sweep removes what used does not name, and counts the rest.
func (b *blobs) sweep(used map[string]bool) error {
	b.total = 0
	names := make(map[string]bool, len(used))
	for sum := range used {
		names[b.name(sum)] = true
	}
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir():
			return nil
		case !names[d.Name()]:
			return os.Remove(path)
		}
		info, err := d.Info()
		if err == nil {
			b.total += info.Size()
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("undo store: %w", err)
	}
	return nil
}

// maxBlob is the largest blob that is read, in bytes.
const maxBlob = 64 << 20

func readBounded(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxBlob+1))
	if err == nil && len(b) > maxBlob {
		err = fmt.Errorf("it has more than %d bytes", maxBlob)
	}
	return b, err
}
