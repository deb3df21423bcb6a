package session

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

	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// Blobs of a session are pictures: each a file under the name of its hash.
const blobFolder = "blobs"

// maxBlob is the size of the largest one that is read, in bytes.
const maxBlob = 16 << 20

var blobForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })

// KeepBlob stores content beside the log and returns its hash in hex.
func (l *Log) KeepBlob(data []byte) (string, error) {
	sum := hashOf(data)
	dir := filepath.Join(l.dir, blobFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("picture of the session: %w", err)
	}
	name := filepath.Join(dir, l.blobName(sum))
	if _, err := os.Lstat(name); err == nil {
		return sum, nil
	}
	f, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return "", fmt.Errorf("picture of the session: %w", err)
	}
	if !l.key.IsZero() {
		data = l.key.Seal(fileContext(l.id, "blob", sum), data)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("picture of the session: %w", err), os.Remove(f.Name()))
	}
	return sum, nil
}

// blobName is the name that a blob is filed under.
func (l *Log) blobName(sum string) string {
	if l.key.IsZero() {
		return sum
	}
	return l.key.Name(sum)
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Blob is what was stored under a hash. Content that is not what its name says
// is an error.
func (l *Log) Blob(sum string) ([]byte, error) {
	if !blobForm().MatchString(sum) {
		return nil, fmt.Errorf("%q names no picture: %w", sum, fs.ErrNotExist)
	}
	f, err := statedir.OpenRegular(filepath.Join(l.dir, blobFolder, l.blobName(sum)), os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("picture of the session: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBlob))
	if err == nil && !l.key.IsZero() {
		data, err = l.key.Open(fileContext(l.id, "blob", sum), data)
	}
	if err != nil {
		return nil, fmt.Errorf("picture of the session: %w", err)
	}
	if hashOf(data) != sum {
		return nil, fmt.Errorf("the picture %.12s was changed since it was stored", sum)
	}
	return data, nil
}
