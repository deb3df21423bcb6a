package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// A revision is what the person, or the guardian's review, made of a call. It
// is applied to each new plan of the call, so that the recheck sees what the
// question showed; where the plan is another one by then, it no longer fits,
// and the digests differ.
type revision struct {
	by    string                  // who, in the words of a result: "the person", "the guardian's review"
	args  json.RawMessage         // arguments in place of the model's; nil: the model's own
	files map[string]fileRevision // by the path's name
}

// A fileRevision is another content for one file, made from just this state of
// it and this proposal.
type fileRevision struct {
	base, proposed string // hashes; "" for a file that is not there, or will be gone
	whole          []byte // what the file would hold with nothing left out
	choice         choice
}

// change is a content effect with what the person made of it.
type change struct {
	effect   effect.Effect
	lines    []diffLine
	reading  reading
	revision fileRevision
}

// change lays an effect out as r has it; ok is false for what cannot be
// reviewed as lines. A nil r is no revision.
func (r *revision) change(e effect.Effect) (c change, ok bool) {
	c = change{effect: e, revision: fileRevision{base: e.Path.SHA256}}
	if e.After != nil {
		c.revision.proposed, c.revision.whole = e.After.SHA256, e.After.Data
	}
	if r != nil {
		if have, found := r.files[e.Path.Name]; found && have.base == c.revision.base && have.proposed == c.revision.proposed {
			c.revision = have
		}
	}
	if c.reading, ok = readBoth(e.Path.Before, c.revision.whole); !ok {
		return c, false
	}
	c.lines = lineDiff([]byte(c.reading.before), []byte(c.reading.after))
	return c, true
}

// bytes is the content that the file gets.
func (c change) bytes() []byte {
	if len(c.revision.choice.left) == 0 {
		return c.revision.whole
	}
	s := c.revision.choice.result(c.lines, lineEnd(c.reading.before+c.reading.after))
	if s == "" && len(c.revision.whole) == 0 {
		return nil
	}
	return c.reading.write(s)
}

// apply makes the planned set what the revision wants of it. What nothing is
// left of goes, with the folders that were to be made for it.
func (r *revision) apply(set effect.Set) effect.Set {
	if r == nil || len(r.files) == 0 {
		return set
	}
	out := make([]effect.Effect, 0, len(set.Effects))
	for _, e := range set.Effects {
		if !reviewed(e) {
			out = append(out, e)
			continue
		}
		if c, ok := r.change(e); ok {
			if e, ok = c.revised(); !ok {
				continue
			}
		}
		out = append(out, e)
	}
	set.Effects = slices.DeleteFunc(out, func(e effect.Effect) bool { return e.Kind == effect.Mkdir && !needed(e, out) })
	return set
}

// revised is the effect with its new content; ok is false when nothing of it
// is left. A deletion of which something is left out becomes a write.
func (c change) revised() (e effect.Effect, ok bool) {
	e = c.effect
	after := c.bytes()
	switch {
	case e.Kind == effect.Create && len(after) == 0 && len(c.revision.choice.left) > 0,
		e.Path.Exists && string(after) == string(e.Path.Before) && e.Kind != effect.Create:
		return e, false
	case e.Kind == effect.Delete && len(after) == 0:
		return e, true
	case e.Kind == effect.Delete:
		e.Kind, e.Mode = effect.Write, e.Path.Mode
	}
	sum := sha256.Sum256(after)
	e.After = &effect.Bytes{Data: after, SHA256: hex.EncodeToString(sum[:]), Size: int64(len(after))}
	return e, true
}

// needed says that something else of the set comes to lie beneath the folder.
func needed(dir effect.Effect, all []effect.Effect) bool {
	return slices.ContainsFunc(all, func(e effect.Effect) bool {
		for _, p := range []*effect.Path{e.Path, e.To} {
			if p != nil && e.Kind != effect.Mkdir && strings.HasPrefix(p.Name, dir.Path.Name+"/") {
				return true
			}
		}
		return false
	})
}

// maxRevised is the size of the longest text that a person may put in place of
// a proposal, in bytes.
const maxRevised = tool.MaxFile
