package commandpolicy

import (
	"bytes"
	"fmt"
	"time"
)

// Remember is what is kept with a rule that a person chose to remember.
type Remember struct {
	Grade    string    // sandbox grade the yes was given at
	Expires  time.Time // zero: never
	Question string    // commitment of the question that it came from
	Since    time.Time // when the yes was said: a clock that stands before it is wrong, and the rule silent
	Root     string    // the workspace that it counts in; "" for every one
	Source   string    // where the yes was said, for people
}

// With returns the rule as it is kept.
func (m Remember) With(r Rule) Rule {
	r.Grade, r.expires, r.question, r.since, r.root, r.source = m.Grade, m.Expires, m.Question, m.Since, m.Root, m.Source
	r.Layer = LayerRemembered
	return r
}

// Append adds rules to the source of a remembered.toml. The result loads if
// src did.
func Append(src []byte, rules ...Rule) []byte {
	out := bytes.Clone(src)
	for i := range rules {
		if len(out) > 0 {
			if out[len(out)-1] != '\n' {
				out = append(out, '\n')
			}
			out = append(out, '\n')
		}
		out = append(out, rules[i].TOML()...)
	}
	return out
}

// Forget takes the rule with the given id out of the source of a policy file,
// and leaves every other byte as it is.
func Forget(src []byte, name, id string) ([]byte, error) {
	f, err := Load(bytes.NewReader(src), name, LayerRemembered)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(src, []byte("\n"))
	for i, r := range f.Rules {
		if r.ID != id {
			continue
		}
		end := len(lines)
		if i+1 < len(f.Rules) {
			end = f.Rules[i+1].Line - 1
		}
		kept := append(bytes.Clone(bytes.Join(lines[:r.Line-1], nil)), bytes.Join(lines[end:], nil)...)
		if _, err := Load(bytes.NewReader(kept), name, LayerRemembered); err != nil {
			return nil, fmt.Errorf("without the rule %s the file would not load: %w", id, err)
		}
		return kept, nil
	}
	return nil, fmt.Errorf("no rule %s in %s; `tera-pilot policy list` shows the ids", id, name)
}
