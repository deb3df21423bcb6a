package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// Rules are the rules in force for one agent, of all layers. The zero Rules
// hold the built-in list alone.
type Rules struct {
	files  []*commandpolicy.File
	digest string
	all    *commandpolicy.Policy
	// By source, since the steps weigh them differently.
	user    *commandpolicy.Policy // the user's own files: the only ones that lift a deny
	project *commandpolicy.Policy
	kept    *commandpolicy.Policy // what the user chose to remember, for long or for this session
}

// NewRules sorts files by their layer.
func NewRules(files ...*commandpolicy.File) Rules {
	var user, project, kept []*commandpolicy.File
	for _, f := range files {
		switch f.Layer {
		case commandpolicy.LayerUser:
			user = append(user, f)
		case commandpolicy.LayerProject:
			project = append(project, f)
		case commandpolicy.LayerRemembered, commandpolicy.LayerSession:
			kept = append(kept, f)
		case commandpolicy.LayerBuiltin:
		}
	}
	return Rules{
		files: slices.Clone(files), digest: digestOf(files), all: commandpolicy.New(files...),
		user: commandpolicy.New(user...), project: commandpolicy.New(project...), kept: commandpolicy.New(kept...),
	}
}

// Add returns the rules with further files.
func (r Rules) Add(files ...*commandpolicy.File) Rules {
	return NewRules(append(r.Files(), files...)...)
}

// Files are the files in force.
func (r Rules) Files() []*commandpolicy.File { return slices.Clone(r.files) }

// Digest identifies everything in force, in hex: names, layers, contents, and
// which of the project's files the user approved. The order does not count.
func (r Rules) Digest() string {
	if r.digest == "" {
		return digestOf(r.files)
	}
	return r.digest
}

func digestOf(files []*commandpolicy.File) string {
	lines := make([]string, len(files))
	for i, f := range files {
		lines[i] = fmt.Sprintf("%s %t %s %q\n", f.Layer, f.Approved, f.Digest, f.Name)
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte("tera-pilot/rules/1\n" + strings.Join(lines, "")))
	return hex.EncodeToString(sum[:])
}
