package effect

import (
	"crypto/sha256"
	"encoding/hex"
	"sort"
	"strconv"
	"time"
	"unicode/utf8"
)

// A Digest commits to a completed set. The zero Digest is no digest at all.
type Digest [sha256.Size]byte

// String is the digest in hex.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Short is what identifies a question on the screen: eight hex digits.
func (d Digest) Short() string { return d.String()[:8] }

// IsZero says that d commits to nothing.
func (d Digest) IsZero() bool { return d == Digest{} }

// Context of the digests (docs/contracts.md, section 2).
const (
	setContext    = "tera-pilot/effect/1\n"
	effectContext = "tera-pilot/effect/1/one\n"
)

// Digest is SHA-256 over the context line and the set's canonical form.
func (s Set) Digest() Digest {
	return sha256.Sum256(append([]byte(setContext), s.Canonical()...))
}

// Digest identifies one effect of a set: Env compares it with the grant.
func (e Effect) Digest() Digest {
	return sha256.Sum256(appendValue([]byte(effectContext), e.object()))
}

// Canonical is the set in the canonical JSON of RFC 8785, restricted to
// strings, booleans, integers, lists and objects. Numbers that can exceed 2^53
// are decimal strings.
func (s Set) Canonical() []byte {
	effects := make(list, 0, len(s.Effects))
	for _, e := range s.Effects {
		effects = append(effects, e.object())
	}
	return appendValue(nil, object{"tool": s.Tool, "args": s.Args, "free": s.Free, "effects": effects})
}

func (e Effect) object() object {
	o := object{"kind": e.Kind.String()}
	if e.Path != nil {
		o["path"] = e.Path.object()
	}
	if e.To != nil {
		o["to"] = e.To.object()
	}
	if e.After != nil {
		o["after"] = object{"sha256": e.After.SHA256, "size": e.After.Size}
	}
	if e.Mode != 0 {
		o["mode"] = int64(e.Mode)
	}
	if e.Exact {
		o["exact"] = true
	}
	if e.Link {
		o["link"] = true
	}
	if e.Exec != nil {
		o["exec"] = e.Exec.object()
	}
	if e.Git != nil {
		o["git"] = e.Git.object()
	}
	if e.Net != nil {
		o["net"] = e.Net.object()
	}
	if c := e.Child; c != nil {
		o["child"] = object{"goal": c.Goal, "role": c.Role, "tools": texts(c.Tools), "writes": c.Writes, "steps": int64(c.Steps)}
	}
	if e.MCP != nil {
		o["mcp"] = object{
			"server": e.MCP.Server, "identity": e.MCP.Identity, "tool": e.MCP.Tool, "args": e.MCP.Args,
			"pin": e.MCP.Pin, "pinned": e.MCP.Pinned, "remote": e.MCP.Remote,
		}
	}
	return o
}

func (p Path) object() object {
	o := object{
		"name": p.Name, "abs": p.Abs, "exists": p.Exists, "type": p.Type.String(),
		"outside": p.Outside, "virtual": p.Virtual, "secret": p.Secret, "named": p.Named, "protected": p.Protected,
	}
	if p.Exists {
		o["dev"] = strconv.FormatUint(p.Device, 10)
		o["ino"] = strconv.FormatUint(p.Inode, 10)
		o["mode"] = int64(p.Mode)
		if p.Type == Regular {
			o["links"] = strconv.FormatUint(p.Links, 10)
			o["size"] = strconv.FormatInt(p.Size, 10)
			o["sha256"] = p.SHA256
		}
		o["target"] = p.Target
	}
	return o
}

func (x Command) object() object {
	parts := make(list, 0, len(x.Parts))
	for _, p := range x.Parts {
		parts = append(parts, object{"argv": texts(p.Argv), "known": p.Known})
	}
	facts := make(list, 0, len(x.Facts))
	for _, f := range x.Facts {
		facts = append(facts, object{"op": f.Op, "name": f.Name, "found": f.Found, "text": f.Text, "values": texts(f.Values)})
	}
	programs := make(list, 0, len(x.Programs))
	for _, p := range x.Programs {
		programs = append(programs, p.object())
	}
	stdin := sha256.Sum256(x.Stdin)
	return object{
		"script": x.Script, "argv": texts(x.Argv), "program": x.Program.object(), "programs": programs, "dir": x.Dir,
		"set": texts(x.Set), "dropped": texts(x.Dropped), "stdin": hex.EncodeToString(stdin[:]),
		"timeout_ms": int64(x.Timeout / time.Millisecond), "parts": parts, "facts": facts,
		"parsed": x.Parsed, "reads": paths(x.Reads), "writes": paths(x.Writes),
		"deletes": paths(x.Deletes), "chmods": paths(x.Chmods), "detected": x.Detected, "background": x.Background,
		"profile": x.Profile, "grade": x.Grade, "hosts": texts(x.Hosts), "readonly": x.ReadOnly,
	}
}

func (p Program) object() object { return object{"path": p.Path, "sha256": p.SHA256} }

func (g GitCall) object() object {
	return object{
		"args": texts(g.Args), "class": g.Class.String(), "program": g.Program.object(), "dir": g.Dir,
		"remotes": texts(g.Remotes), "reads": paths(g.Reads), "writes": paths(g.Writes),
		"loses": texts(g.Loses), "notes": texts(g.Notes), "head": g.Head,
	}
}

func (n NetCall) object() object {
	return object{
		"url": n.URL, "query": n.Query, "host": n.Host, "port": int64(n.Port), "method": n.Method,
		"reason": n.Reason, "secret_hit": n.SecretHit,
	}
}

// object and list are the two compound values of the canonical form.
type (
	object map[string]any
	list   []any
)

func texts(in []string) list {
	out := make(list, len(in))
	for i, s := range in {
		out[i] = s
	}
	return out
}

func paths(in []Path) list {
	out := make(list, len(in))
	for i, p := range in {
		out[i] = p.object()
	}
	return out
}

// appendValue writes v. Only the types that this package builds occur; member
// names are ASCII, so that byte order is the order of RFC 8785.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return appendText(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case list:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, e)
		}
		return append(b, ']')
	case object:
		return appendObject(b, v)
	default:
		panic("effect: canonical form met a type that this package does not build")
	}
}

func appendObject(b []byte, o object) []byte {
	names := make([]string, 0, len(o))
	for name := range o {
		names = append(names, name)
	}
	sort.Strings(names)
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, name), ':')
		b = appendValue(b, o[name])
	}
	return append(b, '}')
}

// appendText writes a string as RFC 8785, section 3.2.2.2 wants it. Text that
// is not UTF-8 becomes an object that says so and holds the bytes in hex: no
// two strings share a form.
func appendText(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		return appendObject(b, object{"raw": true, "hex": hex.EncodeToString([]byte(s))})
	}
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		b = appendByte(b, s[i])
	}
	return append(b, '"')
}

func appendByte(b []byte, c byte) []byte {
	const digits = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, '\\', 'b')
	case '\t':
		return append(b, '\\', 't')
	case '\n':
		return append(b, '\\', 'n')
	case '\f':
		return append(b, '\\', 'f')
	case '\r':
		return append(b, '\\', 'r')
	}
	if c < 0x20 {
		return append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
	}
	return append(b, c)
}
