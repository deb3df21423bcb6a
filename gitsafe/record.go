package gitsafe

import (
	"bytes"
	"strings"
)

// A record is one line of `git config --list -z --show-scope --show-origin`.
type record struct {
	scope  string // system, global, local, worktree, command, …
	origin string // file:PATH, "command line:", …
	key    string // section.subsection.variable; git folds all but the subsection
	value  string
	bare   bool // no value was written, which means true
}

// parseRecords splits the output. Each record is SCOPE NUL ORIGIN NUL KEY LF
// VALUE NUL; the first line feed ends the key, and is missing for a key
// without a value. Source: git-config(1), -z, and builtin/config.c.
func parseRecords(out []byte) ([]record, error) {
	if len(out) == 0 {
		return nil, nil
	}
	fields := bytes.Split(out, []byte{0})
	last := len(fields) - 1
	if len(fields[last]) != 0 || last%3 != 0 {
		return nil, refuse("is git 2.31 or newer?", "the list of settings is cut short")
	}
	var rs []record
	for i := 0; i < last; i += 3 {
		r := record{scope: string(fields[i]), origin: string(fields[i+1])}
		key, value, ok := strings.Cut(string(fields[i+2]), "\n")
		r.key, r.value, r.bare = key, value, !ok
		if _, _, _, ok := splitKey(key); !ok || r.scope == "" {
			return nil, refuse("is git 2.31 or newer?", "the list of settings holds %q, which is no key", key)
		}
		rs = append(rs, r)
	}
	return rs, nil
}

// text is the value to write where a value must stand.
func (r record) text() string {
	if r.bare {
		return "true"
	}
	return r.value
}

// splitKey takes a key apart. A subsection may hold any byte, also dots.
func splitKey(key string) (section, sub, variable string, ok bool) {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 1 || last == len(key)-1 {
		return "", "", "", false
	}
	section, variable = key[:first], key[last+1:]
	if first < last {
		sub = key[first+1 : last]
	}
	return section, sub, variable, true
}

// foldKey brings a key to the form that git lists: section and variable in
// small letters, the subsection untouched.
func foldKey(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

// keyPattern matches keys: "core.bare" exactly, "branch.*.remote" with any
// subsection, "color." a whole section with all that is in it.
type keyPattern string

func (p keyPattern) match(key string) bool {
	if section, whole := strings.CutSuffix(string(p), "."); whole {
		return strings.HasPrefix(key, section+".")
	}
	head, tail, wild := strings.Cut(string(p), ".*.")
	if !wild {
		return key == string(p)
	}
	section, _, variable, ok := splitKey(key)
	return ok && section == head && (tail == "*" || variable == tail) && len(section)+len(variable)+1 < len(key)
}
