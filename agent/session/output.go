package session

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tera-pilot/tera-pilot/internal/seal"
)

// KeepOutput stores the whole of an output that was cut, under a name that
// holds letters, digits, _ and - alone.
func (l *Log) KeepOutput(name string, body []byte) error {
	if err := os.MkdirAll(l.OutDir(), 0o700); err != nil {
		return fmt.Errorf("output of the call: %w", err)
	}
	if err := os.WriteFile(filepath.Join(l.OutDir(), name), sealOutput(l.key, l.id, name, body), 0o600); err != nil {
		return fmt.Errorf("output of the call: %w", err)
	}
	return nil
}

// HasOutput says that there is an output of that name.
func (l *Log) HasOutput(name string) bool {
	_, err := os.Lstat(filepath.Join(l.OutDir(), name))
	return err == nil
}

// OpenOutput makes the output out of what is stored under its name.
func (l *Log) OpenOutput(name string, stored []byte) ([]byte, error) {
	return openOutput(l.key, l.id, name, stored)
}

func sealOutput(key seal.Key, id, name string, body []byte) []byte {
	if key.IsZero() {
		return body
	}
	return key.Seal(fileContext(id, "out", name), body)
}

func openOutput(key seal.Key, id, name string, stored []byte) ([]byte, error) {
	if key.IsZero() {
		return stored, nil
	}
	body, err := key.Open(fileContext(id, "out", name), stored)
	if err != nil {
		return nil, fmt.Errorf("the output @out/%s: %w", name, err)
	}
	return body, nil
}
