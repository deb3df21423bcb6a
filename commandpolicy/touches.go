package commandpolicy

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// lookAtFolders notes which of the paths that a part uses are folders: a rule
// about a path beneath one speaks about what happens to the folder.
func (e *effects) lookAtFolders() {
	if e.w.places.look == nil {
		return
	}
	for _, use := range pathUses(&e.part) {
		if kind, _ := e.w.places.lstat(use.Path); (kind == KindDir || kind == KindUnknown) && !slices.Contains(e.part.folders, use.Path) {
			e.part.folders = append(e.part.folders, use.Path)
		}
	}
}

// everyAct is what becomes possible, or was forbidden, under another name.
var everyAct = []Act{ActRename, ActDelete, ActRead, ActCreate, ActWrite, ActChmod}

// touched tells what the [[path]] rules that forbid or ask say about the paths
// that a call uses. An allow rule about a path lets no program run.
func (p *Policy) touched(part *Part, w When) Spoken {
	var out Spoken
	for _, use := range pathUses(part) {
		acts := []Act{use.Act}
		switch {
		case use.Act == ActDelete && part.Name == "mv":
			acts = everyAct
		case use.Act == ActWrite:
			acts = []Act{ActWrite, ActCreate}
		}
		tree := slices.Contains(part.folders, use.Path)
		for _, act := range acts {
			s := p.Tree(act, use.Path, tree, w)
			out.Deny, out.Ask = stricter(out.Deny, s.Deny), stricter(out.Ask, s.Ask)
		}
	}
	return out
}

// Tree is [Policy.Path] about a path and, where it is a folder that is taken as
// a whole, about all beneath it: a rule that forbids to change, move or remove
// something in it forbids that of the folder. One that forbids to read
// something in it makes reading the folder a question, and an allow rule must
// speak about the folder itself.
func (p *Policy) Tree(act Act, name string, folder bool, w When) Spoken {
	var s speech
	p.each(kindPathRule, w, func(r *Rule, approved bool) {
		switch {
		case r.fitsPath(act, name, w):
			s.hear(r, false, approved)
		case folder && r.Decision != Allow && r.fitsBelow(act, name, w):
			s.hear(r, act == ActRead, approved)
		}
	})
	return s.end()
}

// fitsBelow reports whether a rule may speak about an act on something beneath
// a folder.
func (r *Rule) fitsBelow(act Act, folder string, w When) bool {
	if !slices.Contains(r.acts, act) {
		return false
	}
	for _, g := range r.globs {
		base, g := anchored(g, w)
		if base == "" {
			return true // nobody knows where the rule's paths lie
		}
		if mayMeet(strings.Split(strings.Trim(path.Join("/", base), "/"), "/"), strings.Split(g, "/"), strings.Split(strings.Trim(path.Clean(folder), "/"), "/")) {
			return true
		}
	}
	return false
}

// mayMeet reports whether a pattern, of literal folders and then segments, can
// match something beneath a folder.
func mayMeet(literal, pattern, folder []string) bool {
	for _, f := range folder {
		switch {
		case f == "":
			return true // the root
		case len(literal) > 0 && literal[0] == "":
			literal = literal[1:]
			return mayMeet(literal, pattern, folder)
		case len(literal) > 0:
			if literal[0] != f {
				return false
			}
			literal, folder = literal[1:], folder[1:]
		case len(pattern) == 0:
			return false // the rule is about a folder above
		case pattern[0] == "**":
			return true
		default:
			if ok, err := doublestar.Match(pattern[0], f); err != nil || !ok {
				return false
			}
			pattern, folder = pattern[1:], folder[1:]
		}
	}
	return true
}
