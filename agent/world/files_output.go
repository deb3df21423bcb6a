package world

import (
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// outPrefix begins the names of outputs of earlier calls, which are no paths
// (docs/contracts.md, section 4).
const outPrefix = "@out/"

// output looks at an output that was cut.
func (f *Files) output(name string) (effect.Path, error) {
	p := effect.Path{Name: name, Abs: name, Virtual: true, Named: true}
	file := strings.TrimPrefix(name, outPrefix)
	if f.o.Outputs == "" || !outputName(file) {
		return p, noOutput(name)
	}
	r, err := roots.Open(f.o.Outputs, roots.Options{})
	if err != nil {
		return p, noOutput(name) // nothing was ever cut
	}
	defer r.Close()
	s, err := r.Stat(file)
	if err != nil || s.Type != roots.Regular {
		return p, noOutput(name)
	}
	return withState(p, s), nil
}

func noOutput(name string) error {
	return &tool.ArgumentError{What: fmt.Sprintf("there is no output %q: such a name stands in the result of a call whose output was cut", name)}
}

// outputName holds a name to what the dispatcher gives.
func outputName(s string) bool {
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return s != ""
}

func (f *Files) readOutput(name string) ([]byte, roots.State, error) {
	r, err := roots.Open(f.o.Outputs, roots.Options{})
	if err != nil {
		return nil, roots.State{}, err
	}
	defer r.Close()
	file := strings.TrimPrefix(name, outPrefix)
	data, s, err := readAt(r, file)
	if err == nil && f.o.OpenOutput != nil {
		data, err = f.o.OpenOutput(file, data)
	}
	return data, s, err
}
