package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/internal/strictjson"
)

// A Sandbox says how confined a server's process is.
type Sandbox string

// Sandboxes, from strict to none. Net and Off are named in the approval.
const (
	Observe Sandbox = "observe" // nothing can be written
	Work    Sandbox = "work"    // the default: as the agent's commands
	Net     Sandbox = "net"     // work, and the named hosts
	Off     Sandbox = "off"     // none
)

// An Entry is one server of a configuration file, as it is written there.
type Entry struct {
	Name     string
	Command  []string          // program and arguments; nil for one reached by HTTP
	Env      map[string]string // over the environment that is built from nothing
	Cwd      string            // "" is the workspace
	URL      string            // streamable HTTP
	Headers  map[string]string
	Sandbox  Sandbox
	Hosts    []string // of the sandbox net
	Login    Login    // of one reached by HTTP
	Role     string   // "search": it may serve web_search
	Disabled bool
	Project  bool // written in the repository, not by the person

	written *Entry // of an expanded entry: as it stands in the file
}

// Login is what the person wrote about the login (OAuth) at a server. Nothing of
// it is needed where the server and its authorization server say enough.
type Login struct {
	ClientID     string   `json:"client_id"`
	ClientSecret string   `json:"client_secret"`
	Issuer       string   `json:"issuer"`
	Audience     string   `json:"audience"`
	Scopes       []string `json:"scopes"`
}

// written says that there is something.
func (l Login) written() bool {
	return l.ClientID != "" || l.ClientSecret != "" || l.Issuer != "" || l.Audience != "" || l.Scopes != nil
}

// Remote says that what the server is told can leave the machine.
func (e Entry) Remote() bool { return e.URL != "" || e.Sandbox == Net || e.Sandbox == Off }

// ServerName is what a server may be called: unlike in case to any other, and
// without the two underscores that part the names of tools.
var serverName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]|_[A-Za-z0-9.-])*$`) })

const maxServerName = 32

// fileEntry is an entry in either of the two forms that people have.
type fileEntry struct {
	Command json.RawMessage   `json:"command"` // text, or a list (the original's)
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Cwd     string            `json:"cwd"`
	Type    string            `json:"type"` // stdio, http or sse
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Sandbox Sandbox           `json:"sandbox"`
	Hosts   []string          `json:"hosts"`
	OAuth   Login             `json:"oauth"`
	Role    string            `json:"role"`

	Disabled bool  `json:"disabled"`
	Enabled  *bool `json:"enabled"` // the original's
}

// known are the keys of fileEntry; trusted and autoApprove are read by others
// as approvals, and here by nobody.
var (
	known    = []string{"command", "args", "env", "cwd", "type", "url", "headers", "sandbox", "hosts", "oauth", "role", "disabled", "enabled"}
	approves = []string{"trusted", "autoApprove", "alwaysAllow"}
)

// Parse reads a file in the common form ({"mcpServers": {…}}) or the original's
// ({"servers": {…}}). Entries come in the order of their names. Warnings name
// what was read past. project says that the file is a repository's.
func Parse(data []byte, project bool) (entries []Entry, warnings []string, err error) {
	var file struct {
		Common   map[string]json.RawMessage `json:"mcpServers"`
		Original map[string]json.RawMessage `json:"servers"`
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil, nil
	}
	if _, err := strictjson.Value(data); err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, nil, fmt.Errorf("is not of the form {\"mcpServers\": {…}}: %w", err)
	}
	all := file.Common
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	for name, raw := range file.Original {
		if _, twice := all[name]; twice {
			return nil, nil, fmt.Errorf("the server %q stands in mcpServers and in servers", name)
		}
		all[name] = raw
	}
	folded := map[string]string{}
	for name, raw := range all {
		e, warns, err := parseEntry(name, raw, project)
		if err != nil {
			return nil, nil, fmt.Errorf("server %q: %w", name, err)
		}
		if other, twice := folded[strings.ToLower(name)]; twice {
			return nil, nil, fmt.Errorf("the servers %q and %q differ in case alone", other, name)
		}
		folded[strings.ToLower(name)] = name
		entries, warnings = append(entries, e), append(warnings, warns...)
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(warnings)
	return entries, warnings, nil
}

func parseEntry(name string, raw json.RawMessage, project bool) (Entry, []string, error) {
	if !serverName().MatchString(name) || len(name) > maxServerName {
		return Entry{}, nil, fmt.Errorf("a server's name is up to %d letters, digits, dots, dashes and single underscores", maxServerName)
	}
	var f fileEntry
	if err := json.Unmarshal(raw, &f); err != nil {
		return Entry{}, nil, err
	}
	e := Entry{
		Name: name, Env: f.Env, Cwd: f.Cwd, URL: f.URL, Headers: f.Headers, Sandbox: f.Sandbox, Hosts: f.Hosts, Login: f.OAuth, Role: f.Role,
		Disabled: f.Disabled || f.Enabled != nil && !*f.Enabled, Project: project,
	}
	if err := e.command(f); err != nil {
		return Entry{}, nil, err
	}
	if err := e.check(f.Type); err != nil {
		return Entry{}, nil, err
	}
	return e, unread(name, raw), nil
}

// Parse1 holds one entry of the person's own, as it would stand in the file,
// against the same rules.
func Parse1(name string, entry map[string]any) (Entry, error) {
	raw, err := json.Marshal(entry)
	if err != nil {
		return Entry{}, err
	}
	e, _, err := parseEntry(name, raw, false)
	return e, err
}

// command takes the two spellings of a command.
func (e *Entry) command(f fileEntry) error {
	if len(f.Command) == 0 {
		return nil
	}
	var text string
	if json.Unmarshal(f.Command, &text) == nil {
		if text == "" {
			return errors.New("command is empty")
		}
		e.Command = append([]string{text}, f.Args...)
		return nil
	}
	if err := json.Unmarshal(f.Command, &e.Command); err != nil || len(e.Command) == 0 || e.Command[0] == "" {
		return errors.New("command must be a program, or a list of a program and its arguments")
	}
	e.Command = append(e.Command, f.Args...)
	return nil
}

// check refuses what cannot be meant, and sets what is left out.
func (e *Entry) check(kind string) error {
	switch {
	case kind == "sse":
		return errors.New("the transport sse is of the past: use the server's streamable HTTP address with type http")
	case !slices.Contains([]string{"", "stdio", "http", "streamable-http"}, kind):
		return fmt.Errorf("type %q is none of stdio and http", kind)
	case (len(e.Command) > 0) == (e.URL != ""):
		return errors.New("needs a command or a url, and not both")
	case e.URL != "" && e.Sandbox != "":
		return errors.New("sandbox is for servers that are started here")
	case e.Project && e.Sandbox != "" && e.Sandbox != Observe && e.Sandbox != Work:
		return fmt.Errorf("a repository's file cannot loosen the sandbox to %q: copy the entry into your own mcp.json", e.Sandbox)
	case e.Login.written() && e.URL == "":
		return errors.New("oauth is for servers that are reached by HTTP")
	case e.Login.written() && e.Project:
		return errors.New("a repository's file cannot say where a login goes: copy the entry into your own mcp.json")
	case e.Login.ClientSecret != "" && e.Login.ClientID == "":
		return errors.New("oauth: a client_secret goes with a client_id")
	case e.Role != "" && e.Role != "search":
		return fmt.Errorf("role %q is not known; the only one is search", e.Role)
	}
	if e.Sandbox == "" && e.URL == "" {
		e.Sandbox = Work
	}
	if !slices.Contains([]Sandbox{"", Observe, Work, Net, Off}, e.Sandbox) {
		return fmt.Errorf("sandbox %q is none of observe, work, net, off", e.Sandbox)
	}
	if (len(e.Hosts) > 0) != (e.Sandbox == Net) {
		return errors.New("hosts go with the sandbox net, which reaches these and no others")
	}
	if e.URL != "" && !strings.Contains(e.URL, "${") {
		if err := checkURL(e.URL); err != nil {
			return err
		}
	}
	return e.plain()
}

// envName is what a variable of the environment, or a header, may be called.
var envName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`) })

// fetches says that a command gets its package when it is started.
func (e Entry) fetches() bool {
	return len(e.Command) > 0 && slices.Contains([]string{"npx", "bunx", "uvx", "pipx"}, filepath.Base(e.Command[0]))
}

func checkURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("url %q is no address like https://mcp.example.org/mcp", raw)
	}
	return nil
}

// unread names the keys that were read past.
func unread(name string, raw json.RawMessage) []string {
	var keys map[string]json.RawMessage
	if json.Unmarshal(raw, &keys) != nil {
		return nil
	}
	var out []string
	for key := range keys {
		switch {
		case slices.Contains(approves, key):
			out = append(out, fmt.Sprintf("server %s: %q approves nothing here: tools are approved by `tera-pilot mcp approve %s`, and allowed by [[mcp]] rules", name, key, name))
		case !slices.Contains(known, key):
			out = append(out, fmt.Sprintf("server %s: the key %q means nothing here", name, key))
		}
	}
	return out
}

// Unpinned says that a command fetches whatever is newest of a package: its
// hash then tells nothing of what runs.
func (e Entry) Unpinned() string {
	if !e.fetches() {
		return ""
	}
	for _, word := range e.Command[1:] {
		if strings.HasPrefix(word, "-") || word == "run" || word == "exec" {
			continue
		}
		if i := strings.LastIndexByte(word, '@'); i > 0 && i < len(word)-1 && word[i+1:] != "latest" || strings.Contains(word, "==") {
			return ""
		}
		return word + " has no version: what runs can change between two starts; write " + word + "@1.2.3"
	}
	return ""
}
