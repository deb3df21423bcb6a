package rulebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// kept is one file of an archived policy.
type kept struct {
	Name     string              `json:"name"`
	Layer    commandpolicy.Layer `json:"layer"`
	Approved bool                `json:"approved"`
	Source   []byte              `json:"source"`
}

// archive is where a policy lies under its digest, so that the decisions made
// under it can be replayed later.
func archive(state, digest string) string {
	return filepath.Join(state, "policies", digest+".json")
}

var digestForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })

// Archive keeps the texts of the rules in force under their digest.
func (b Book) Archive(r gate.Rules) error {
	name := archive(b.State, r.Digest())
	if _, err := os.Lstat(name); err == nil {
		return nil
	}
	if err := statedir.Ensure(filepath.Dir(name)); err != nil {
		return err
	}
	list := []kept{}
	for _, f := range r.Files() {
		list = append(list, kept{f.Name, f.Layer, f.Approved, f.Source})
	}
	return statedir.Update(name, func([]byte) ([]byte, error) { return json.Marshal(list) })
}

// Archived are the rules that had a digest; ok is false when their texts are
// gone, or are not what they were.
func (b Book) Archived(digest string) (r gate.Rules, ok bool) {
	if !digestForm().MatchString(digest) {
		return r, false
	}
	data, err := statedir.Read(archive(b.State, digest), true)
	var list []kept
	if errors.Is(err, fs.ErrNotExist) || err != nil || json.Unmarshal(data, &list) != nil {
		return r, false
	}
	var files []*commandpolicy.File
	for _, k := range list {
		load := commandpolicy.Load
		if strings.HasSuffix(k.Name, ".json") {
			load = commandpolicy.LoadCommandsJSON
		}
		f, err := load(bytes.NewReader(k.Source), k.Name, k.Layer)
		if err != nil {
			return r, false
		}
		f.Approved = k.Approved
		files = append(files, f)
	}
	r = gate.NewRules(files...)
	return r, r.Digest() == digest
}
