package commandpolicy

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/strictjson"
)

// commandsKeys are the keys of the original's commands.json.
var commandsKeys = []string{"extra_allowed", "extra_denied", "extra_dangerous_flags", "extra_trusted_flags"}

// LoadCommandsJSON reads the commands.json of the original, user's or
// project's, with its meaning. There a program had to be on a list before a
// person could even be asked; here every command may be asked about, so
// extra_allowed and extra_trusted_flags loosen nothing, and are only checked.
// extra_denied and extra_dangerous_flags are deny rules, and an
// extra_trusted_flags of the same file takes a flag from the latter.
func LoadCommandsJSON(r io.Reader, name string, layer Layer) (*File, error) {
	src, err := readAll(r, name)
	if err != nil {
		return nil, err
	}
	l := &loader{file: &File{Name: name, Layer: layer, Digest: hashHex(src), Source: src}}
	var doc struct {
		Allowed   []string            `json:"extra_allowed"`
		Denied    []string            `json:"extra_denied"`
		Dangerous map[string][]string `json:"extra_dangerous_flags"`
		Trusted   map[string][]string `json:"extra_trusted_flags"`
	}
	lines := l.jsonKeys(src)
	if len(l.errors) == 0 {
		if err := json.Unmarshal(src, &doc); err != nil {
			l.fail(1, "%v", err)
		}
	}
	for _, cmd := range doc.Denied {
		l.denied(cmd, nil, lines["extra_denied"])
	}
	for _, cmd := range sortedKeys(doc.Dangerous) {
		flags := slices.DeleteFunc(slices.Clone(doc.Dangerous[cmd]), func(f string) bool { return slices.Contains(doc.Trusted[cmd], f) })
		if len(flags) > 0 {
			l.denied(cmd, flags, lines["extra_dangerous_flags"])
		}
	}
	if len(doc.Allowed)+len(doc.Trusted) > 0 {
		l.warn(max(lines["extra_allowed"], lines["extra_trusted_flags"]),
			"extra_allowed and extra_trusted_flags loosen nothing here: to run a command unasked, write a [[rule]] in policy.toml")
	}
	if len(l.errors) > 0 {
		return nil, &LoadError{l.errors}
	}
	return l.file, nil
}

func sortedKeys(m map[string][]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (l *loader) denied(cmd string, flags []string, line int) {
	if cmd == "" || strings.ContainsAny(cmd, "/ \t") {
		l.fail(line, "command %q can never match: it is the program's own name", cmd)
		return
	}
	r := Rule{kind: kindRule, aboutCommand: aboutCommand{cmds: []string{cmd}, any: flags, anyPath: true}}
	r.Hit = Hit{Decision: Deny, File: l.file.Name, Line: line, Layer: l.file.Layer, Because: "commands.json"}
	l.add(r)
}

// jsonKeys finds the line of every key of the object, and refuses unknown and
// repeated ones.
func (l *loader) jsonKeys(src []byte) map[string]int {
	lines := map[string]int{}
	members, err := strictjson.List(src)
	if err == nil {
		for _, m := range members {
			if !slices.Contains(commandsKeys, m.Name) {
				l.fail(m.Line, "unknown key %q%s", m.Name, suggest(m.Name, commandsKeys))
			}
			if lines[m.Name] != 0 {
				l.fail(m.Line, "the key %q stands twice", m.Name)
			}
			lines[m.Name] = m.Line
		}
		if len(l.errors) == 0 {
			_, err = strictjson.Value(src) // a command that stands twice would lose the flags of one
		}
	}
	if err != nil {
		l.fail(strictjson.Line(err), "the file %v; it is one JSON object with the keys %s", err, strings.Join(commandsKeys, ", "))
	}
	return lines
}
