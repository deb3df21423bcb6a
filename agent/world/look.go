package world

import (
	"errors"
	"io"
	"os"

	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"golang.org/x/sys/unix"
)

// look answers the command parser's questions about files. It changes nothing,
// and its answers are recorded in the effect.
type look struct{}

// maxNames is how many names of one folder a glob may look at.
const maxNames = 100_000

// Lstat implements commandpolicy.Look.
func (look) Lstat(path string) (commandpolicy.Kind, string) {
	info, err := os.Lstat(path)
	switch {
	case os.IsNotExist(err):
		return commandpolicy.KindAbsent, ""
	case err != nil:
		return commandpolicy.KindUnknown, ""
	case info.Mode()&os.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			return commandpolicy.KindUnknown, ""
		}
		return commandpolicy.KindLink, target
	case info.IsDir():
		return commandpolicy.KindDir, ""
	case info.Mode().IsRegular():
		return commandpolicy.KindFile, ""
	default:
		return commandpolicy.KindOther, ""
	}
}

// Hash implements commandpolicy.Hasher.
func (look) Hash(path string) (string, bool) { return commandpolicy.HashFile(path) }

// Names implements commandpolicy.Look.
func (look) Names(path string) ([]string, bool) {
	// A pipe in the place of the folder must not make us wait for its writer.
	dir, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, false
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxNames + 1)
	if len(names) > maxNames || (err != nil && !errors.Is(err, io.EOF)) {
		return nil, false
	}
	return names, true
}
