package local

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// Tools remembers how models call tools, in model_tools.json of a state folder.
// It is a help: a file that cannot be read counts as none.
type Tools struct{ file string }

// OpenTools names the file; nothing is read yet.
func OpenTools(state string) Tools { return Tools{filepath.Join(state, "model_tools.json")} }

// Key names a model of a server so exactly that other weights, another template
// or another server have another name.
func Key(f model.Found, m model.FoundModel) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Kind, f.Address, f.Version, m.Name, m.Digest}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Get is what was found of a model; empty when nothing was.
func (t Tools) Get(key string) model.ToolMode {
	data, err := statedir.Read(t.file, false)
	if err != nil {
		return ""
	}
	switch m := parseTools(data)[key]; m {
	case model.ToolsNative, model.ToolsText, model.ToolsNone:
		return m
	}
	return ""
}

// Keep remembers what was found.
func (t Tools) Keep(key string, m model.ToolMode) error {
	err := statedir.Update(t.file, func(old []byte) ([]byte, error) {
		all := parseTools(old)
		for other := range all { // so many are no list of models that somebody uses
			if len(all) >= maxTools && other != key {
				delete(all, other)
			}
		}
		all[key] = m
		return json.MarshalIndent(all, "", "  ")
	})
	if err != nil {
		return fmt.Errorf("how the model calls tools is not kept: %w", err)
	}
	return nil
}

// maxTools bounds the models that are remembered.
const maxTools = 500

func parseTools(data []byte) map[string]model.ToolMode {
	all := map[string]model.ToolMode{}
	if json.Unmarshal(data, &all) != nil || all == nil {
		return map[string]model.ToolMode{}
	}
	return all
}
