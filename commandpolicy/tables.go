package commandpolicy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// documents are the tables of a policy file (docs/policy.md).
type document struct {
	Rule []ruleTable `toml:"rule"`
	Path []pathTable `toml:"path"`
	Host []hostTable `toml:"host"`
	MCP  []mcpTable  `toml:"mcp"`
}

type commonTable struct {
	ID            string   `toml:"id"`
	Decision      string   `toml:"decision"`
	Because       string   `toml:"because"`
	Expires       any      `toml:"expires"`
	UntaintedOnly bool     `toml:"untainted_only"`
	Match         []string `toml:"match"`
	NoMatch       []string `toml:"no_match"`
	Grade         string   `toml:"grade"`
	Since         any      `toml:"since"`
	Root          string   `toml:"root"`
	Source        string   `toml:"source"`
	Question      string   `toml:"question"`
}

type ruleTable struct {
	commonTable
	Cmd   any         `toml:"cmd"`
	Sub   any         `toml:"sub"`
	Args  *[]string   `toml:"args"`
	Flags *flagsTable `toml:"flags"`
	Paths string      `toml:"paths"`

	Files *map[string]string `toml:"files"`
}

type flagsTable struct {
	Only   *[]string `toml:"only"`
	Forbid []string  `toml:"forbid"`
	Any    []string  `toml:"any"`
}

type pathTable struct {
	commonTable
	Glob   any `toml:"glob"`
	Effect any `toml:"effect"`
}

type hostTable struct {
	commonTable
	Host   any `toml:"host"`
	Method any `toml:"method"`
}

type mcpTable struct {
	commonTable
	Server string `toml:"server"`
	Tool   any    `toml:"tool"`
}

func (l *loader) tables(doc *document) {
	for i, t := range doc.Rule {
		l.command(t, l.line(kindRule, i))
	}
	for i, t := range doc.Path {
		l.path(t, l.line(kindPathRule, i))
	}
	for i, t := range doc.Host {
		l.host(t, l.line(kindHostRule, i))
	}
	for i, t := range doc.MCP {
		l.mcp(t, l.line(kindMCPRule, i))
	}
	slices.SortStableFunc(l.file.Rules, func(a, b Rule) int { return a.Line - b.Line })
}

// common fills what all kinds of rules share.
func (l *loader) common(k ruleKind, t commonTable, line int) Rule {
	r := Rule{kind: k, untaintedOnly: t.UntaintedOnly, match: t.Match, noMatch: t.NoMatch}
	r.Hit = Hit{File: l.file.Name, Line: line, Layer: l.file.Layer, Because: t.Because, Grade: t.Grade, ID: t.ID}
	if t.Decision == "" {
		l.fail(line, "decision is missing: write decision = \"allow\", \"ask\" or \"deny\"")
	} else if err := r.Decision.UnmarshalText([]byte(t.Decision)); err != nil {
		l.fail(line, "%v", err)
	}
	if t.Grade != "" && gradeRank(t.Grade) == 0 {
		l.fail(line, "grade %q is none of A, A-, B", t.Grade)
	}
	if t.UntaintedOnly && k != kindHostRule && k != kindMCPRule {
		l.fail(line, "untainted_only is for [[host]] and [[mcp]]")
	}
	if t.UntaintedOnly && r.Decision != Allow { // it would loosen when untrusted text comes
		l.fail(line, "untainted_only is for rules that allow: a rule that asks or denies must not end when untrusted text comes")
	}
	when, err := expiry(t.Expires)
	if err != nil {
		l.fail(line, "%v", err)
	}
	r.expires, r.kept = when, kept{root: t.Root, source: t.Source, question: t.Question}
	if r.since, err = expiry(t.Since); err != nil {
		l.fail(line, "since: write a time with a zone (2027-01-31T12:00:00Z)")
	}
	if r.root != "" && (!path.IsAbs(r.root) || path.Clean(r.root) != r.root) {
		l.fail(line, "root %q can never match: it is the absolute folder of a workspace", r.root)
	}
	return r
}

// expiry reads a date (its end, in UTC) or a date with a time and a zone.
func expiry(v any) (time.Time, error) {
	switch v := v.(type) {
	case nil:
		return time.Time{}, nil
	case time.Time:
		return v.UTC(), nil
	case toml.LocalDate:
		return v.AsTime(time.UTC).AddDate(0, 0, 1), nil
	case string:
		if t, err := time.Parse(time.RFC3339, v); err == nil {
			return t.UTC(), nil
		}
		if t, err := time.Parse(time.DateOnly, v); err == nil {
			return t.AddDate(0, 0, 1), nil
		}
	}
	return time.Time{}, fmt.Errorf("expires: write a date (2027-01-31) or a time with a zone (2027-01-31T12:00:00Z)")
}

// list reads a string or a list of strings.
func (l *loader) list(v any, key string, line int) []string {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, x := range v {
			s, ok := x.(string)
			if !ok {
				l.fail(line, "%s holds something that is no string", key)
				return nil
			}
			out = append(out, s)
		}
		return out
	}
	l.fail(line, "%s is neither a string nor a list of strings", key)
	return nil
}

func (l *loader) add(r Rule) {
	if r.ID == "" {
		r.ID = string(r.kind) + ":" + hashHex([]byte(r.core()))[:8]
	}
	l.file.Rules = append(l.file.Rules, r)
}

func (l *loader) command(t ruleTable, line int) {
	r := l.common(kindRule, t.commonTable, line)
	r.cmds = l.list(t.Cmd, "cmd", line)
	if len(r.cmds) == 0 {
		l.fail(line, "cmd is missing: name the program")
	}
	for _, s := range l.list(t.Sub, "sub", line) {
		words := strings.Fields(s)
		if len(words) == 0 || strings.HasPrefix(s, "-") {
			l.fail(line, "sub %q can never match: it names first operands; options belong in flags", s)
		}
		r.subs = append(r.subs, words)
	}
	if t.Args != nil {
		r.args, r.exact = *t.Args, true
		if len(r.subs) > 0 || t.Flags != nil {
			l.fail(line, "args is the whole argument list: sub and flags have no place beside it")
		}
	}
	if t.Flags != nil {
		r.forbid, r.any = t.Flags.Forbid, t.Flags.Any
		if t.Flags.Only != nil {
			r.only, r.hasOnly = *t.Flags.Only, true
		}
		for _, f := range slices.Concat(r.forbid, r.any, r.only) {
			if !strings.HasPrefix(f, "-") && !strings.HasPrefix(f, "+") {
				l.fail(line, "flag %q can never match: options begin with -", f)
			}
		}
	}
	l.pinned(&r, t.Files, line)
	switch t.Paths {
	case "", "workspace":
		r.anyPath = t.Paths == "" && r.Decision != Allow
	case "any":
		r.anyPath = true
	default:
		l.fail(line, "paths %q is none of \"workspace\", \"any\"", t.Paths)
	}
	l.add(r)
}

// pinned reads the files of an allow rule.
func (l *loader) pinned(r *Rule, files *map[string]string, line int) {
	if files == nil {
		return
	}
	if r.Decision != Allow {
		l.fail(line, "files is for rules that allow: a rule that forbids must not fall silent when a file changes")
	}
	r.files, r.hasFiles = *files, true
	for name, sum := range *files {
		if name == "" || path.IsAbs(name) || path.Clean(name) != name || strings.HasPrefix(name, "../") || name == ".." {
			l.fail(line, "files: %q can never match: it is a name beneath the workspace, such as scripts/test.sh", name)
		}
		if raw, err := hex.DecodeString(sum); err != nil || len(raw) != sha256.Size || strings.ToLower(sum) != sum {
			l.fail(line, "files: %q needs the SHA-256 of its content, in lower-case hex (sha256sum prints it)", name)
		}
	}
}

func (l *loader) path(t pathTable, line int) {
	r := l.common(kindPathRule, t.commonTable, line)
	r.globs = l.list(t.Glob, "glob", line)
	if len(r.globs) == 0 {
		l.fail(line, "glob is missing")
	}
	for _, g := range r.globs {
		if g == "" || strings.Contains("/"+g+"/", "/../") || !validGlob(g) {
			l.fail(line, "glob %q can never match a resolved path", g)
		}
	}
	acts := l.list(t.Effect, "effect", line)
	if len(acts) == 0 {
		l.fail(line, "effect is missing: name some of read, create, write, delete, rename, chmod")
	}
	for _, a := range acts {
		switch act := Act(a); act {
		case ActRead, ActCreate, ActWrite, ActDelete, ActRename, ActChmod:
			r.acts = append(r.acts, act)
		default:
			l.fail(line, "effect %q is none of read, create, write, delete, rename, chmod", a)
		}
	}
	l.add(r)
}

func (l *loader) host(t hostTable, line int) {
	r := l.common(kindHostRule, t.commonTable, line)
	for _, h := range l.list(t.Host, "host", line) {
		h = strings.ToLower(strings.TrimSuffix(h, "."))
		if !validHost(h) {
			l.fail(line, "host %q can never match: write a name, an address or *.name, without scheme, port or path", h)
		}
		r.hosts = append(r.hosts, h)
	}
	if len(r.hosts) == 0 {
		l.fail(line, "host is missing")
	}
	r.methods = l.list(t.Method, "method", line)
	for _, m := range r.methods {
		if m != "GET" && m != "PUSH" && m != "CONNECT" {
			l.fail(line, "method %q is none of GET, PUSH, CONNECT", m)
		}
	}
	if len(r.methods) == 0 {
		r.methods = []string{"GET"}
	}
	r.OneHost = len(r.hosts) == 1 && !strings.Contains(r.hosts[0], "*")
	l.add(r)
}

// mcpForm stands in a rule for the answers to forms that a server puts.
const mcpForm = "elicitation/create"

// mcpName is what servers and tools are called.
var mcpName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.-]+$`) })

func (l *loader) mcp(t mcpTable, line int) {
	r := l.common(kindMCPRule, t.commonTable, line)
	r.server = t.Server
	if r.server == "" {
		l.fail(line, "server is missing")
	}
	r.tools = l.list(t.Tool, "tool", line)
	if t.Tool != nil && len(r.tools) == 0 {
		l.fail(line, "tool is an empty list, which can never match")
	}
	if r.server != "" && r.server != "*" && !mcpName().MatchString(r.server) {
		l.fail(line, "server %q is no name of a server, and patterns are not understood: write its name, or * in a rule that denies or asks", r.server)
	}
	for _, name := range r.tools {
		if !mcpName().MatchString(name) && name != mcpForm {
			l.fail(line, "tool %q is no name of a tool, and patterns are not understood: write the names, or leave tool out for all of them", name)
		}
	}
	r.OneHost = len(r.tools) == 1
	l.add(r)
}
