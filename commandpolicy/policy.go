package commandpolicy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// A Policy is a set of files. The nil Policy holds the built-in list alone. A
// Policy is never changed once it is made.
type Policy struct {
	files   []*File
	session []Rule
}

// New makes a policy of files, in any order.
func New(files ...*File) *Policy { return &Policy{files: slices.Clone(files)} }

// With returns a copy of p with rules added to the session's layer.
func (p *Policy) With(rules ...Rule) *Policy {
	out := &Policy{}
	if p != nil {
		*out = *p
	}
	out.session = slices.Clone(out.session)
	for _, r := range rules {
		r.Layer, r.File, r.Line = LayerSession, "this session", len(out.session)+1
		if r.ID == "" {
			r.ID = string(r.kind) + ":" + hashHex([]byte(r.core()))[:8]
		}
		out.session = append(out.session, r)
	}
	return out
}

// Rules lists every rule in force, builtin ones excepted, in the order of
// files.
func (p *Policy) Rules() []Rule {
	if p == nil {
		return nil
	}
	var out []Rule
	for _, f := range p.files {
		out = append(out, f.Rules...)
	}
	return append(out, p.session...)
}

// Digest is the hash of everything in force, hex.
func (p *Policy) Digest() string {
	var lines []string
	if p != nil {
		for _, f := range p.files {
			lines = append(lines, fmt.Sprintf("%s %v %s", f.Layer, f.Approved, f.Digest))
		}
		slices.Sort(lines)
		for _, r := range p.session {
			lines = append(lines, r.TOML())
		}
	}
	sum := sha256.Sum256([]byte("tera-pilot/policy/1\n" + strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

// speech gathers, layer by layer, what rules say about one thing.
type speech struct {
	out  Spoken
	best [LayerSession + 1]*Rule // the strictest rule of each layer
	soft [LayerSession + 1]bool  // the project's allow is not approved
}

// hear notes that a rule speaks; maybe is a rule that only might.
func (s *speech) hear(r *Rule, maybe, approved bool) {
	if maybe && r.Decision == Deny {
		// It cannot be told that the rule does not forbid this: ask.
		copied := *r
		copied.Decision = Ask
		r = &copied
	}
	if old := s.best[r.Layer]; old == nil || r.Decision < old.Decision {
		s.best[r.Layer] = r
		s.soft[r.Layer] = r.Layer == LayerProject && !approved
	}
}

// end gives the strictest of each layer its field.
func (s *speech) end() Spoken {
	for layer, r := range s.best {
		if r == nil {
			continue
		}
		hit := r.Hit
		switch {
		case r.Decision == Deny && s.out.Deny == nil:
			s.out.Deny = &hit
		case r.Decision == Ask && s.out.Ask == nil:
			s.out.Ask = &hit
		case r.Decision == Allow && s.soft[layer]:
			s.out.Pending = &hit
		case r.Decision == Allow && s.out.Allow == nil:
			s.out.Allow = &hit
		}
	}
	return s.out
}

// each calls f with every active rule of a kind.
func (p *Policy) each(k ruleKind, w When, f func(r *Rule, approved bool)) {
	if p == nil {
		return
	}
	for _, file := range p.files {
		for i := range file.Rules {
			if r := &file.Rules[i]; r.kind == k && r.active(w) {
				f(r, file.Approved)
			}
		}
	}
	for i := range p.session {
		if r := &p.session[i]; r.kind == k && r.active(w) {
			f(r, true)
		}
	}
}

// Command tells which rules speak about an analysed command. Allow is set only
// when every part is proven or covered by an allow rule of its own.
func (p *Policy) Command(a *Analysis, w When) Spoken {
	w = a.anchor(w)
	var out Spoken
	covered := a.Parsed && a.Catastrophe == nil
	pending := covered
	for i := range a.Parts {
		part := &a.Parts[i]
		got := p.part(part, w)
		out.Deny = stricter(out.Deny, got.Deny)
		out.Ask = stricter(out.Ask, got.Ask)
		if part.Proven {
			continue
		}
		switch {
		case got.Allow != nil && a.rewrites(i):
			covered, pending = false, false
		case got.Allow != nil:
			out.Covers = append(out.Covers, got.Covers...)
		case got.Pending != nil && pending:
			covered = false
			out.Pending = stricter(out.Pending, got.Pending)
		default:
			covered, pending = false, false
		}
	}
	if !pending {
		out.Pending = nil
	}
	if !covered {
		out.Covers = nil
	}
	if len(out.Covers) > 0 {
		out.Allow = out.Covers[0]
	}
	return out
}

// anchor gives the lookups of a command the folders it was analysed in.
func (a *Analysis) anchor(w When) When {
	if w.Workspace == "" {
		w.Workspace = a.where.Workspace
	}
	if w.Home == "" {
		w.Home = a.where.Home
	}
	return w
}

// stricter keeps the first hit.
func stricter(a, b *Hit) *Hit {
	if a != nil {
		return a
	}
	return b
}

// part tells which rules speak about one part.
func (p *Policy) part(part *Part, w When) Spoken {
	if part.Kind == PartRedirect {
		return p.redirect(part, w)
	}
	var s speech
	p.each(kindRule, w, func(r *Rule, approved bool) {
		if f := r.fits(part); f != fitNo {
			s.hear(r, f == fitMaybe, approved)
		}
	})
	out := s.end()
	if out.Allow != nil {
		out.Covers = []*Hit{out.Allow}
	}
	paths := p.touched(part, w)
	out.Deny, out.Ask = stricter(out.Deny, paths.Deny), stricter(out.Ask, paths.Ask)
	return out
}

// redirect is covered by [[path]] rules for everything that it does.
func (p *Policy) redirect(part *Part, w When) Spoken {
	var out Spoken
	if len(part.Effects.Unknown)+len(part.Effects.Network) > 0 {
		return out
	}
	all := true
	for _, use := range pathUses(part) {
		got := p.Path(use.Act, use.Path, w)
		out.Deny = stricter(out.Deny, got.Deny)
		out.Ask = stricter(out.Ask, got.Ask)
		if got.Allow == nil {
			all = false
			out.Pending = stricter(out.Pending, got.Pending)
			continue
		}
		out.Covers = append(out.Covers, got.Allow)
	}
	if all && len(out.Covers) > 0 {
		out.Allow = out.Covers[0]
	} else {
		out.Covers = nil
	}
	return out
}

// pathUses lists the acts of a part on paths.
func pathUses(part *Part) []PathUse {
	var out []PathUse
	for _, l := range []struct {
		act   Act
		paths []string
	}{{ActRead, part.Effects.Reads}, {ActWrite, part.Effects.Writes}, {ActDelete, part.Effects.Deletes}, {ActChmod, part.Effects.Chmods}} {
		for _, name := range l.paths {
			out = append(out, PathUse{Path: name, Act: l.act})
		}
	}
	return out
}

// Path tells which rules speak about an act on an absolute, resolved path.
func (p *Policy) Path(act Act, name string, w When) Spoken {
	var s speech
	p.each(kindPathRule, w, func(r *Rule, approved bool) {
		if r.fitsPath(act, name, w) {
			s.hear(r, false, approved)
		}
	})
	return s.end()
}

// Host tells which rules speak about traffic: method is GET, PUSH or CONNECT.
func (p *Policy) Host(host, method string, w When) Spoken {
	var s speech
	p.each(kindHostRule, w, func(r *Rule, approved bool) {
		if r.fitsHost(host, method) {
			s.hear(r, false, approved)
		}
	})
	return s.end()
}

// MCP tells which rules speak about a tool of an MCP server.
func (p *Policy) MCP(server, tool string, w When) Spoken {
	var s speech
	p.each(kindMCPRule, w, func(r *Rule, approved bool) {
		if r.fitsMCP(server, tool) {
			s.hear(r, false, approved)
		}
	})
	return s.end()
}
