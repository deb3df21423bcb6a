package fit

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"

	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// A Store keeps what was learnt of models, in learnt.json of our state folder.
// What it says is a help and no rule: a file that cannot be read counts as
// none.
type Store struct{ file string }

// NewStore is the store of a state folder. Nothing is opened. The zero Store
// knows and keeps nothing.
func NewStore(state string) Store { return Store{filepath.Join(state, "learnt.json")} }

// Get is what is known of a model.
func (s Store) Get(provider, name string) Known {
	if s.file == "" {
		return Known{}
	}
	data, err := statedir.Read(s.file, false)
	if err != nil {
		return Known{}
	}
	return parse(data)[key(provider, name)]
}

// Put keeps what is known of a model.
func (s Store) Put(provider, name string, k Known) error {
	if s.file == "" {
		return nil
	}
	err := statedir.Update(s.file, func(old []byte) ([]byte, error) {
		all := maps.Clone(parse(old))
		all[key(provider, name)] = k
		for other := range all { // so many are no list of models that somebody uses
			if len(all) > maxKnown && other != key(provider, name) {
				delete(all, other)
			}
		}
		return json.MarshalIndent(all, "", "  ")
	})
	if err != nil {
		return fmt.Errorf("what was learnt of the model is not kept: %w", err)
	}
	return nil
}

// maxKnown bounds the models that are remembered.
const maxKnown = 500

func key(provider, name string) string { return provider + " " + name }

// parse reads the file; what makes no sense is left out.
func parse(data []byte) map[string]Known {
	all := map[string]Known{}
	if json.Unmarshal(data, &all) != nil || all == nil { // null leaves no map
		return map[string]Known{}
	}
	for name, k := range all {
		if k.Factor != 0 && !(k.Factor >= minFactor && k.Factor <= maxFactor) || k.Window != 0 && (k.Window < minWindow || k.Window > maxWindow) {
			delete(all, name)
		}
	}
	return all
}
