package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An Identity is what a server is: pins hold for exactly it.
type Identity struct {
	Program  string   `json:"program,omitempty"` // absolute, links resolved
	SHA256   string   `json:"sha256,omitempty"`  // of the program
	Args     []string `json:"args,omitempty"`
	Script   string   `json:"script,omitempty"` // the file that the first argument names, when it is one
	ScriptID string   `json:"script_sha256,omitempty"`
	EnvNames []string `json:"env,omitempty"`
	Cwd      string   `json:"cwd,omitempty"`
	Sandbox  Sandbox  `json:"sandbox,omitempty"`
	Hosts    []string `json:"hosts,omitempty"`

	Origin  string   `json:"origin,omitempty"` // of an address, with its path
	Headers []string `json:"headers,omitempty"`
}

// maxProgram bounds what is hashed of a program or script, in bytes.
const maxProgram = 1 << 30

// Identify looks at an expanded entry's program. path is the PATH that a
// command is looked up in, workspace the folder that nothing may be run from
// unless the entry says so with a slash.
func Identify(e Entry, path, workspace string) (Identity, error) {
	if e.URL != "" {
		u, err := url.Parse(e.URL)
		if err != nil {
			return Identity{}, err
		}
		return Identity{Origin: u.Scheme + "://" + u.Host + u.EscapedPath(), Headers: sorted(e.Headers)}, nil
	}
	id := Identity{Args: e.Command[1:], EnvNames: sorted(e.Env), Cwd: e.Cwd, Sandbox: e.Sandbox, Hosts: e.Hosts}
	var err error
	if id.Program, err = lookup(e.Command[0], path, workspace); err != nil {
		return Identity{}, err
	}
	if id.SHA256, err = hashFile(id.Program); err != nil {
		return Identity{}, err
	}
	if len(id.Args) == 0 || strings.HasPrefix(id.Args[0], "-") {
		return id, nil
	}
	script := id.Args[0]
	if !filepath.IsAbs(script) {
		if !strings.ContainsRune(script, '/') && filepath.Ext(script) == "" {
			return id, nil // a word, not a file
		}
		script = filepath.Join(workspace, script)
	}
	if info, err := os.Stat(script); err != nil || !info.Mode().IsRegular() {
		return id, nil
	}
	if id.Script, err = filepath.EvalSymlinks(script); err != nil {
		return Identity{}, err
	}
	id.ScriptID, err = hashFile(id.Script)
	return id, err
}

// Hash is the identity in one word.
func (id Identity) Hash() string { return digest(canonical(id)) }

// String is the identity in one line, for people; whoever shows it makes it
// visible.
func (id Identity) String() string {
	if id.Origin != "" {
		return id.Origin
	}
	words := append([]string{id.Program}, id.Args...)
	return fmt.Sprintf("%s  sha256 %.12s, sandbox %s", strings.Join(words, " "), id.SHA256, id.Sandbox)
}

// Differs names the members in which two identities differ.
func (id Identity) Differs(other Identity) []string { return fields(canonical(id), canonical(other)) }

// lookup finds a program on the PATH, but never in the workspace by its bare
// name.
func lookup(name, path, workspace string) (string, error) {
	if strings.ContainsRune(name, '/') {
		if !filepath.IsAbs(name) {
			name = filepath.Join(workspace, name)
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
	f, err := os.Open(name)
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
// program, and its script with the packages that it belongs to.
func (id Identity) Reads() []string {
	var out []string
	for _, file := range []string{id.Program, id.Script} {
		if file == "" {
			continue
		}
		if top, _, ok := strings.Cut(file, "/node_modules/"); ok {
			out = append(out, top+"/node_modules")
		} else if file == id.Script {
			out = append(out, filepath.Dir(file))
		} else {
			out = append(out, file)
		}
	}
	return out
}
