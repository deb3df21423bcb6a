// Package overlay keeps what the person adds to the system prompt, encrypted,
// in the state folder.
//
// # Promised
//
// The text is on the disk encrypted alone (package seal). A file with no key
// set, with another key, one that was altered and one that was cut are errors
// that tell which; never is there less text than was stored, and never none in
// place of some.
//
// # Not promised
//
// That the text is a secret from the model, which can repeat it, or from the
// provider, to whom it is sent. It is text: no rule reads it, so that it
// permits nothing.
package overlay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/internal/seal"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// Most is the longest text, in bytes.
const Most = 32 << 10

// mostFile is the largest file that is read.
const mostFile = 4 * Most

// file is the name in the state folder.
const file = "prompt.sealed"

const sealContext = "tera-pilot/prompt/1"

// stored is the file.
type stored struct {
	Seal   json.RawMessage `json:"seal"` // the header
	Prompt []byte          `json:"prompt"`
}

// ErrNone says that there is no overlay.
var ErrNone = errors.New("nothing is added to the system prompt")

// A LockedError says that there is an overlay, and no key for it.
type LockedError struct{ File string }

func (e *LockedError) Error() string {
	return fmt.Sprintf("the addition to the system prompt %s is encrypted, and no key is set: set TERA_PILOT_PROMPT_KEY, or `tera-pilot keys set prompt --from …`; `tera-pilot prompt remove` takes it away", e.File)
}

// Set encrypts a text under a secret and puts it in the place of what is there.
func Set(state, secret string, from io.Reader) error {
	if secret == "" {
		return errors.New("no key is set: set TERA_PILOT_PROMPT_KEY, or `tera-pilot keys set prompt --from …`")
	}
	text, err := io.ReadAll(io.LimitReader(from, Most+1))
	switch {
	case err != nil:
		return fmt.Errorf("prompt: %w", err)
	case len(text) > Most:
		return fmt.Errorf("prompt: more than %d bytes", Most)
	case !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0:
		return errors.New("prompt: this is no text (UTF-8)")
	case strings.TrimSpace(string(text)) == "":
		return errors.New("prompt: the text is empty; `tera-pilot prompt remove` takes one away")
	}
	h, key, err := seal.New([]byte(secret))
	if err != nil {
		return fmt.Errorf("prompt: %w", err)
	}
	header, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("prompt: %w", err)
	}
	b, err := json.Marshal(stored{header, key.Seal(sealContext, text)})
	if err != nil {
		return fmt.Errorf("prompt: %w", err)
	}
	if err := statedir.Write(filepath.Join(state, file), append(b, '\n')); err != nil {
		return fmt.Errorf("prompt: %w", err)
	}
	return nil
}

// Load decrypts the text. key is asked only when there is one.
func Load(state string, key func() (string, error)) (string, error) {
	path := filepath.Join(state, file)
	f, err := statedir.Open(path, true)
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrNone
	}
	if err != nil {
		return "", fmt.Errorf("prompt: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostFile))
	if err != nil {
		return "", fmt.Errorf("prompt: %w", err)
	}
	secret, err := key()
	if err != nil {
		return "", err
	}
	if secret == "" {
		return "", &LockedError{path}
	}
	text, err := open(b, secret)
	if err != nil {
		return "", fmt.Errorf("the addition to the system prompt %s: %w; `tera-pilot prompt set` writes it anew", path, err)
	}
	return text, nil
}

func open(b []byte, secret string) (string, error) {
	var s stored
	if !bytes.HasSuffix(b, []byte("}\n")) || json.Unmarshal(b, &s) != nil || s.Seal == nil {
		return "", &seal.CutError{}
	}
	h, err := seal.ParseHeader(s.Seal)
	if err != nil {
		return "", err
	}
	key, err := h.Unlock([]byte(secret))
	if err != nil {
		return "", err
	}
	text, err := key.Open(sealContext, s.Prompt)
	return string(text), err
}

// Remove takes the overlay away; ErrNone when there is none.
func Remove(state string) error {
	err := os.Remove(filepath.Join(state, file))
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNone
	}
	return err
}
