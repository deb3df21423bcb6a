package gate

import "github.com/tera-pilot/tera-pilot/commandpolicy"

// Rules are the rules in force for one agent, of all layers. The zero Rules
// hold the built-in list alone.
type Rules struct {
	files []*commandpolicy.File
	all   *commandpolicy.Policy
	user  *commandpolicy.Policy // the user's own files: the only ones that lift a deny
	kept  *commandpolicy.Policy // what the user chose to remember, for long or for this session
}

// NewRules sorts files by their layer.
func NewRules(files ...*commandpolicy.File) Rules {
	r := Rules{files: files, all: commandpolicy.New(files...)}
	var user, kept []*commandpolicy.File
	for _, f := range files {
		switch f.Layer {
		case commandpolicy.LayerUser:
			user = append(user, f)
		case commandpolicy.LayerRemembered, commandpolicy.LayerSession:
			kept = append(kept, f)
		case commandpolicy.LayerBuiltin, commandpolicy.LayerProject:
		}
	}
	r.user, r.kept = commandpolicy.New(user...), commandpolicy.New(kept...)
	return r
}

// Add returns the rules with further files.
func (r Rules) Add(files ...*commandpolicy.File) Rules {
	return NewRules(append(append([]*commandpolicy.File(nil), r.files...), files...)...)
}

// Files are the files in force.
func (r Rules) Files() []*commandpolicy.File { return append([]*commandpolicy.File(nil), r.files...) }

// Digest identifies everything in force, in hex.
func (r Rules) Digest() string { return r.all.Digest() }
