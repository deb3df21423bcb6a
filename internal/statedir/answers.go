package statedir

import (
	"encoding/json"
	"errors"
	"fmt"
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
	b, err := Read(a.file, false)
	if err != nil {
		return false, false, err
	}
	all, err := a.parse(b)
	if err != nil {
		return false, false, err
	}
	yes, known = all.Folders[folder]
	return yes, known, nil
}

// parse reads the file's content; none is that nothing was asked yet.
func (a Answers) parse(b []byte) (answersFile, error) {
	out := answersFile{V: 1, Folders: map[string]bool{}}
	if len(b) == 0 {
		return out, nil
	}
	err := json.Unmarshal(b, &out)
	if err == nil && (out.V != 1 || out.Folders == nil) {
		err = errors.New("it is of another version")
	}
	if err != nil {
		return out, fmt.Errorf("%s cannot be read: %w; delete it, and you are asked again", a.file, err)
	}
	return out, nil
}

// Put keeps an answer. Processes that do so wait for each other.
func (a Answers) Put(folder string, yes bool) error {
	return Update(a.file, func(old []byte) ([]byte, error) {
		all, err := a.parse(old)
		if err != nil {
			return nil, err
		}
		all.Folders[folder] = yes
		b, err := json.MarshalIndent(all, "", "  ")
		return append(b, '\n'), err
	})
}
