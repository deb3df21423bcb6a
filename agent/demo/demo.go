package demo

import (
	"crypto/rand"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed place
var files embed.FS

//go:embed turns.json
var turns []byte

// Prompt is what the demo's person asks for.
const Prompt = "The tests fail. Find out why and mend it."

// Place is where the demo plays. Its folder is private and is kept.
type Place struct {
	Dir   string // holds everything
	Home  string // the home folder, with a planted key
	State string // our own state
	Repo  string // the repository
}

// New makes the place in a new folder below parent ("" is the system's
// temporary folder). It is made real, so that it can be compared with paths
// that had their links resolved.
func New(parent string) (Place, error) {
	dir, err := os.MkdirTemp(parent, "tera-pilot-demo-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return Place{}, fmt.Errorf("folder for the demo: %w", err)
	}
	p := Place{Dir: dir, Home: filepath.Join(dir, "home"), Repo: filepath.Join(dir, "home", "calc")}
	p.State = filepath.Join(p.Home, ".tera_pilot")
	if err := errors.Join(p.plantKey(), p.copyRepo()); err != nil {
		return Place{}, fmt.Errorf("folder for the demo: %w", err)
	}
	return p, nil
}

// plantKey puts something where a private key would lie. It opens nothing.
func (p Place) plantKey() error {
	ssh := filepath.Join(p.Home, ".ssh")
	if err := os.MkdirAll(ssh, 0o700); err != nil {
		return err
	}
	var b [48]byte
	if _, err := rand.Read(b[:]); err != nil {
		return err
	}
	key := "planted by the demo, opens nothing: " + base64.StdEncoding.EncodeToString(b[:]) + "\n"
	return os.WriteFile(filepath.Join(ssh, "id_ed25519"), []byte(key), 0o600)
}

func (p Place) copyRepo() error {
	return fs.WalkDir(files, "place", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(p.Repo, strings.TrimPrefix(name, "place"))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		data, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if d.Name() == "test" {
			mode = 0o755
		}
		return os.WriteFile(to, data, mode)
	})
}

// Script writes the model's turns next to the repository and returns the file.
func (p Place) Script() (string, error) {
	file := filepath.Join(p.Dir, "turns.json")
	return file, os.WriteFile(file, turns, 0o600)
}

// FlipByte copies an export and changes one byte in its middle.
func FlipByte(export string) (changed string, err error) {
	data, err := os.ReadFile(export)
	if err != nil {
		return "", err
	}
	if len(data) == 0 {
		return "", fmt.Errorf("%s is empty", export)
	}
	i := len(data) / 2
	for ; i < len(data)-1 && (data[i] < 'a' || data[i] > 'y'); i++ {
	}
	data[i]++
	changed = strings.TrimSuffix(export, ".json") + "-one-byte-changed.json"
	return changed, os.WriteFile(changed, data, 0o600)
}
