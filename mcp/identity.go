package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// An Identity is what a server is: pins hold for exactly it. Values of
// variables that the entry takes from the environment stand in none of it.
type Identity struct {
	Program  string            `json:"program,omitempty"` // absolute, links resolved
	SHA256   string            `json:"sha256,omitempty"`  // of the program
	Args     []string          `json:"args,omitempty"`    // as they are written in the entry
	ArgsID   string            `json:"args_sha256,omitempty"`
	Files    map[string]string `json:"files,omitempty"` // SHA-256 of the script files that the arguments name
	EnvNames []string          `json:"env,omitempty"`
	Settings string            `json:"settings_sha256,omitempty"` // of environment, headers and address as they are written
	Cwd      string            `json:"cwd,omitempty"`
	Sandbox  Sandbox           `json:"sandbox,omitempty"`
	Hosts    []string          `json:"hosts,omitempty"`

	Origin  string   `json:"origin,omitempty"` // of an address, with its path
	Headers []string `json:"headers,omitempty"`
}

// maxProgram bounds what is hashed of a program or script, in bytes.
const maxProgram = 1 << 30

// Identify looks at an expanded entry's program. path is the PATH that a
// command is looked up in, workspace the folder that nothing may be run from
// unless the entry says so with a slash.
func Identify(e Entry, path, workspace string) (Identity, error) {
	written := e
	if e.written != nil {
		written = *e.written
	}
	all := map[string]any{"env": written.Env, "headers": written.Headers, "url": written.URL}
	if written.Login.written() {
		all["oauth"] = written.Login
	}
	settings := digest(canonical(all))
	if e.URL != "" {
		u, err := url.Parse(e.URL)
		if err != nil {
			return Identity{}, err
		}
		return Identity{Origin: u.Scheme + "://" + u.Host + u.EscapedPath(), Headers: sorted(e.Headers), Settings: settings}, nil
	}
	id := Identity{Args: written.Command[1:], EnvNames: sorted(e.Env), Settings: settings, Cwd: e.Cwd, Sandbox: e.Sandbox, Hosts: e.Hosts}
	if !slices.Equal(written.Command[1:], e.Command[1:]) {
		id.ArgsID = digest(canonical(e.Command[1:]))
	}
	dir := workspace
	if e.Cwd != "" {
		dir = e.Cwd
	}
	var err error
	if id.Program, err = lookup(e.Command[0], path, workspace, dir); err != nil {
		return Identity{}, err
	}
	if id.SHA256, err = hashFile(id.Program); err != nil {
		return Identity{}, err
	}
	id.Files, err = scripts(e.Command, dir)
	return id, err
}

// interpreters run the file that is named among their arguments.
var interpreters = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(node|nodejs|deno|bun|tsx|ts-node|python[0-9.]*|ruby|perl|php|lua|java|sh|bash|dash|zsh|env)$`)
})

// maxScripts bounds how many files of one command are hashed.
const maxScripts = 16

// scripts hashes the files that a command runs, as far as its arguments name
// them: of an interpreter all up to the script itself, with those that its flags
// name; of another program the first argument, where that is a file.
func scripts(command []string, dir string) (map[string]string, error) {
	out := map[string]string{}
	runs := interpreters().MatchString(filepath.Base(command[0]))
	flag := false // the word before is a flag, and this one may be its value
	for i, word := range command[1:] {
		name := word
		isFlag := strings.HasPrefix(word, "-")
		if _, value, ok := strings.Cut(word, "="); isFlag && ok {
			name = value
		}
		file := scriptFile(name, dir, runs)
		if file != "" {
			if len(out) == maxScripts {
				return nil, fmt.Errorf("its command names over %d files", maxScripts)
			}
			sum, err := hashFile(file)
			if err != nil {
				return nil, err
			}
			out[file] = sum
		}
		if !runs && i == 0 || file != "" && !isFlag && !flag {
			break
		}
		flag = isFlag
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}

// scriptFile is the file that a word names, links resolved, or "". A bare word
// is one for an interpreter only.
func scriptFile(word, dir string, bare bool) string {
	if word == "" || strings.HasPrefix(word, "-") || !bare && !strings.ContainsRune(word, '/') && filepath.Ext(word) == "" {
		return ""
	}
	if !filepath.IsAbs(word) {
		word = filepath.Join(dir, word)
	}
	real, err := filepath.EvalSymlinks(word)
	if err != nil {
		return ""
	}
	if info, err := os.Stat(real); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return real
}

// Hash is the identity in one word.
func (id Identity) Hash() string { return digest(canonical(id)) }

// plainWord is a word that nobody reads as two, or as none.
var plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9@%+=:,./_-]+$`) })

// String is the identity in one line, for people; whoever shows it makes it
// visible.
func (id Identity) String() string {
	if id.Origin != "" {
		return id.Origin
	}
	words := []string{id.Program}
	for _, w := range id.Args {
		if !plainWord().MatchString(w) {
			w = strconv.Quote(w)
		}
		words = append(words, w)
	}
	return fmt.Sprintf("%s  sha256 %.12s, sandbox %s", strings.Join(words, " "), id.SHA256, id.Sandbox)
}

// Differs names the members in which two identities differ.
func (id Identity) Differs(other Identity) []string { return fields(canonical(id), canonical(other)) }

// lookup finds a program on the PATH, but never in the workspace by its bare
// name. One that is written with a slash is looked for from dir.
func lookup(name, path, workspace, dir string) (string, error) {
	if strings.ContainsRune(name, '/') {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return executable(name)
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) || dir == workspace || strings.HasPrefix(dir, workspace+"/") {
			continue
		}
		if found, err := executable(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("the program %s is not on the PATH: install it, or write its whole path", name)
}

func executable(name string) (string, error) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
		return "", fmt.Errorf("%s is not a program", name)
	}
	return real, nil
}

func hashFile(name string) (sum string, err error) {
	f, err := roots.Plain(name)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, maxProgram+1))
	if err == nil && n > maxProgram {
		err = fmt.Errorf("%s is too large to be hashed", name)
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

func sorted(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Reads are the paths that a server's process must be able to read: its
// program, and its scripts with the folders or packages that they belong to. Of
// a script that lies in the person's home itself, or above it, it is the file alone.
func (id Identity) Reads(home string) []string {
	var out []string
	for _, file := range append([]string{id.Program}, slices.Sorted(maps.Keys(id.Files))...) {
		switch top, _, ok := strings.Cut(file, "/node_modules/"); {
		case file == "":
		case ok:
			out = append(out, top+"/node_modules")
		case file == id.Program, strings.HasPrefix(home+"/", strings.TrimSuffix(filepath.Dir(file), "/")+"/"):
			out = append(out, file)
		default:
			out = append(out, filepath.Dir(file))
		}
	}
	return out
}
