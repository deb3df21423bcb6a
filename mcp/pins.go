package mcp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// A Pin is what the person approved of one server.
type Pin struct {
	Identity Identity          `json:"identity"`
	Tools    map[string]string `json:"tools"` // canonical definition by name
}

// State says where a tool stands against its pin. The zero value is refused.
type State string

// States.
const (
	Refused  State = "refused"
	New      State = "new"
	Changed  State = "changed"
	Approved State = "approved"
)

// Judge holds a definition of a server against the pin.
func (p Pin) Judge(id Identity, d Definition) (State, []Change) {
	if p.Tools == nil {
		return New, nil
	}
	if p.Identity.Hash() != id.Hash() {
		changes := []Change{{Field: "server", Before: p.Identity.String(), After: id.String()}}
		if was, ok := p.Tools[d.Name]; ok && was != d.JSON {
			changes = append(changes, Changes(Definition{d.Name, was}, d)...)
		}
		return Changed, changes
	}
	was, ok := p.Tools[d.Name]
	switch {
	case !ok:
		return New, nil
	case was == d.JSON:
		return Approved, nil
	}
	return Changed, Changes(Definition{d.Name, was}, d)
}

// Definitions are the approved tools, by name in order.
func (p Pin) Definitions() []Definition {
	var out []Definition
	for name, text := range p.Tools {
		out = append(out, Definition{name, text})
	}
	slices.SortFunc(out, func(a, b Definition) int { return compare(a.Name, b.Name) })
	return out
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Hash is the pin in one word: server and tools.
func (p Pin) Hash() string { return digest(canonical(p)) }

// Pins are the approvals of this user, in one file of the state folder. A
// repository's server is kept under the repository's path, so that the name
// alone carries nothing from one to another.
type Pins struct{ file string }

// OpenPins gives the pins of a state folder. Nothing is read yet.
func OpenPins(state string) *Pins { return &Pins{filepath.Join(state, "mcp_pins.json")} }

// Key is the name under which an entry's pin is kept.
func Key(e Entry, workspace string) string {
	if e.Project {
		return workspace + "#" + e.Name
	}
	return e.Name
}

func (p *Pins) all() (map[string]Pin, error) {
	out := map[string]Pin{}
	data, err := statedir.Read(p.file, false)
	if err != nil {
		return nil, fmt.Errorf("approved MCP servers: %w", err)
	}
	if data == nil {
		return out, nil
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("approved MCP servers: %s is damaged, so none is approved: remove it and approve again: %w", p.file, err)
	}
	return out, nil
}

// Get is the pin of a key; the zero Pin when nothing was approved.
func (p *Pins) Get(key string) (Pin, error) {
	all, err := p.all()
	return all[key], err
}

// Set approves, in place of what was approved before. Remove forgets.
func (p *Pins) Set(key string, pin Pin) error {
	return p.change(func(all map[string]Pin) { all[key] = pin })
}

// Remove forgets an approval.
func (p *Pins) Remove(key string) error {
	return p.change(func(all map[string]Pin) { delete(all, key) })
}

func (p *Pins) change(f func(map[string]Pin)) error {
	return statedir.Update(p.file, func([]byte) ([]byte, error) {
		all, err := p.all()
		if err != nil {
			return nil, err
		}
		f(all)
		return append(canonical(all), '\n'), nil
	})
}
