package commandpolicy

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A value is what is known of a variable.
type value struct {
	text    string
	known   bool // text is the value
	unset   bool // surely not set
	plain   bool // not known, but printing it gives nothing away
	num     bool // not known, but surely an integer
	private bool // from the environment, and perhaps a secret
	node    node // where its content comes from
	alts    []string
}

// vars holds the variables of the shell at the point the walk has reached. A
// change within a subshell is undone when it ends; a change that may or may
// not happen leaves what both have in common. Both cost time in proportion to
// the number of changes only: see mark, undo and blur.
type vars struct {
	now     map[string]value
	trail   []change        // changes since the innermost mark that can still be blurred
	settled []change        // older ones, kept for undo alone
	fickle  map[string]bool // set in a loop or a function; true: only to integers
	// repeated are variables of for loops within loops; bound are those of the
	// loops that are being walked, with their present value.
	repeated map[string]bool
	bound    map[string]value
	ever     map[string][]string // values that a variable is ever given, for the deny list
	refs     map[string][]string // what a variable with the attribute -n stands for, for the deny list
	lost     bool                // something unknown may have set any variable
	outer    *vars               // of the shell that started this one; what it set may be exported or not
	env      map[string]string
	preset   map[string]value
}

func newVars(env map[string]string, preset map[string]value) *vars {
	return &vars{
		now: map[string]value{}, fickle: map[string]bool{}, repeated: map[string]bool{},
		bound: map[string]value{}, ever: map[string][]string{}, refs: map[string][]string{}, env: env, preset: preset,
	}
}

type change struct {
	name string
	old  value
	had  bool
}

type mark struct{ trail, settled int }

func (v *vars) mark() mark { return mark{len(v.trail), len(v.settled)} }

// set assigns; a variable that is also set in a loop or in a function keeps
// only what holds at every time.
func (v *vars) set(name string, val value) {
	old, had := v.now[name]
	v.trail = append(v.trail, change{name, old, had})
	if val.known && len(v.ever[name]) < maxAlts {
		v.ever[name] = append(v.ever[name], val.text)
	}
	if len(v.ever[name])+len(val.alts) <= maxAlts {
		v.ever[name] = append(v.ever[name], val.alts...)
	}
	if num, ok := v.fickle[name]; ok {
		val = changing(val, num)
	}
	v.now[name] = val
}

// changing is what holds of a variable that has val at one time of several.
func changing(val value, num bool) value {
	return value{num: num, plain: val.plain || val.known && !val.private, node: val.node}
}

// bind gives a loop variable its value for one walk of the body; unbind ends
// that, and leaves what holds afterwards.
func (v *vars) bind(name string, val value) {
	if _, ok := v.fickle[name]; ok {
		v.set(name, val)
		return
	}
	v.bound[name] = val
}

func (v *vars) unbind(name string, after value) {
	delete(v.bound, name)
	v.set(name, value{plain: after.plain || after.known, node: after.node})
}

// undo forgets every change since m: the end of a subshell.
func (v *vars) undo(m mark) {
	for _, list := range []*[]change{&v.trail, &v.settled} {
		n := m.trail
		if list == &v.settled {
			n = m.settled
		}
		for i := len(*list) - 1; i >= n; i-- {
			if c := (*list)[i]; c.had {
				v.now[c.name] = c.old
			} else {
				delete(v.now, c.name)
			}
		}
		*list = (*list)[:n]
	}
}

// blur ends a piece of text that may not have run at all.
func (v *vars) blur(m mark) {
	for i := len(v.trail) - 1; i >= m.trail; i-- {
		c := v.trail[i]
		before := c.old
		if !c.had {
			before = v.initial(c.name)
		}
		v.now[c.name] = either(before, v.now[c.name])
	}
	v.settled = append(v.settled, v.trail[m.trail:]...)
	v.trail = v.trail[:m.trail]
}

// either is what two possible values have in common.
func either(a, b value) value {
	if a.known && b.known && a.text == b.text {
		return a
	}
	out := value{
		plain:   (a.plain || a.known || a.unset) && (b.plain || b.known || b.unset),
		num:     (a.num || a.known && isInt(a.text)) && (b.num || b.known && isInt(b.text)),
		private: a.private || b.private,
		node:    b.node,
	}
	for _, x := range []value{a, b} {
		if x.known && len(out.alts) < maxAlts {
			out.alts = append(out.alts, x.text)
		}
		if len(out.alts)+len(x.alts) <= maxAlts {
			out.alts = append(out.alts, x.alts...)
		}
	}
	return out
}

// maxAlts bounds the values that one word is followed with.
const maxAlts = 8

// get looks a variable up. What is not known for sure comes with the values
// that it may have.
func (v *vars) get(name string) value {
	val := v.look(name)
	if others, ok := v.refs[name]; ok {
		val = value{node: val.node, private: val.private}
		for _, other := range others {
			val.alts = append(val.alts, v.ever[other]...)
		}
	}
	if v.lost && val.known {
		val = value{node: val.node, private: val.private, alts: []string{val.text}}
	}
	if !val.known && !val.unset {
		val.alts = append(slices.Clone(val.alts), v.ever[name]...)
	}
	return val
}

func (v *vars) look(name string) value {
	if val, ok := v.bound[name]; ok {
		return val
	}
	val, ok := v.now[name]
	if !ok {
		return v.initial(name)
	}
	if num, ok := v.fickle[name]; ok {
		return changing(val, num)
	}
	if v.repeated[name] {
		return changing(val, false)
	}
	return val
}

// initial is the value that a variable has before the text sets it.
func (v *vars) initial(name string) value {
	if num, ok := v.fickle[name]; ok {
		return value{num: num, plain: true}
	}
	if v.outer != nil && v.outer.touched(name) {
		val := v.outer.get(name)
		if val.known {
			val.alts = append(slices.Clone(val.alts), val.text)
		}
		return value{private: val.private, node: val.node, alts: val.alts}
	}
	if val, ok := v.preset[name]; ok {
		return val
	}
	if text, ok := v.env[name]; ok {
		return value{text: text, known: true, private: !harmlessVariable(name)}
	}
	harmless := harmlessVariable(name)
	return value{plain: harmless, num: integerVariables[name], private: !harmless}
}

// touched reports whether the text sets the variable at any time.
func (v *vars) touched(name string) bool {
	_, now := v.now[name]
	_, fickle := v.fickle[name]
	_, bound := v.bound[name]
	return now || fickle || bound || v.lost || v.repeated[name] || len(v.ever[name]) > 0 || v.outer != nil && v.outer.touched(name)
}

// inner are the variables of a shell that this one starts.
func (v *vars) inner() *vars {
	in := newVars(v.env, v.preset)
	in.outer = v
	return in
}

var intPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[-+]?[0-9]{1,18}$`) })

func isInt(s string) bool { return intPattern().MatchString(s) }

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
