package statedir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Answers are what a person was asked once for each folder, in one file of the
// state folder.
type Answers struct{ file string }

// OpenAnswers names the file; it is made by the first Put.
func OpenAnswers(state, name string) Answers { return Answers{filepath.Join(state, name)} }

type answersFile struct {
	V       int             `json:"v"`
	Folders map[string]bool `json:"folders"`
}

// Get is the answer for a folder. known is false when it was never asked
// about.
func (a Answers) Get(folder string) (yes, known bool, err error) {
	all, err := a.read()
	if err != nil {
		return false, false, err
	}
	yes, known = all.Folders[folder]
	return yes, known, nil
}

func (a Answers) read() (answersFile, error) {
	out := answersFile{V: 1, Folders: map[string]bool{}}
	if err := CheckFile(a.file, false); err != nil {
		return out, err
	}
	b, err := os.ReadFile(a.file)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err == nil && (out.V != 1 || out.Folders == nil) {
		err = errors.New("it is of another version")
	}
	if err != nil {
		return out, fmt.Errorf("%s cannot be read: %w; delete it, and you are asked again", a.file, err)
	}
	return out, nil
}

// Put keeps an answer. The file changes whole or not at all.
func (a Answers) Put(folder string, yes bool) (err error) {
	all, err := a.read()
	if err != nil {
		return err
	}
	all.Folders[folder] = yes
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(a.file), ".answers-*") // 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(b, '\n'))
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), a.file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}
