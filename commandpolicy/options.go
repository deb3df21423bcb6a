package commandpolicy

import (
	"sort"
	"strings"
)

// take parses args by the grammar s.
func (s *spec) take(name string, args []word) *call {
	c := &call{name: name, spec: s}
	p := optionParser{call: c, args: args}
	switch s.style {
	case styleGNU, stylePOSIX:
		p.gnu()
	case styleGo:
		p.golang()
	case styleRaw:
		c.operands = args
	}
	c.info = len(args) == 1 && len(c.flags) == 1 && c.flags[0].opt != nil && c.flags[0].opt.info
	return c
}

type optionParser struct {
	call *call
	args []word
	i    int
}

func (p *optionParser) fail(why string) {
	if p.call.broken == "" {
		p.call.broken = why
	}
}

func (p *optionParser) gnu() {
	s := p.call.spec
	for p.i < len(p.args) {
		x := p.args[p.i]
		p.i++
		switch {
		case !x.known && x.under == "" && !x.num:
			p.fail("a word that is not known before the run may be an option")
			p.operand(x)
		case x.text == "--" && x.known:
			p.closing()
			p.rest(p.args[p.i:])
			return
		case !x.known || len(x.text) < 2 || x.text[0] != '-' && !(x.text[0] == '+' && s.opts[x.text[:2]] != nil):
			p.operand(x)
			if s.style == stylePOSIX || p.call.command != nil {
				p.rest(p.args[p.i:])
				return
			}
		case strings.HasPrefix(x.text, "--"):
			p.long(x)
		case s.numeric && x.text[1] >= '0' && x.text[1] <= '9':
			p.number(x)
		default:
			p.cluster(x)
		}
	}
}

// number reads -20, and -20f, where letters of other options may follow.
func (p *optionParser) number(x word) {
	rest := strings.TrimLeft(x.text[1:], "0123456789")
	p.add(flagUse{opt: &option{name: "-NUM", kind: kindText}, name: "-NUM", raw: strings.TrimSuffix(x.text, rest)})
	if rest != "" {
		p.cluster(x.cut("-" + rest))
	}
}

// operand takes one operand; where the grammar says that a command begins,
// everything that follows belongs to it.
func (p *optionParser) operand(x word) {
	c := p.call
	if k, ok := c.spec.operandKind(len(c.operands)); ok && k == kindCommand {
		c.command = append([]word{x}, p.args[p.i:]...)
		p.i = len(p.args)
		return
	}
	c.operands = append(c.operands, x)
}

func (p *optionParser) rest(words []word) {
	for len(words) > 0 && p.call.command == nil {
		p.i = len(p.args) - len(words) + 1
		p.operand(words[0])
		words = words[1:]
	}
}

// lookLong finds a long option, also by an unambiguous beginning.
func (s *spec) lookLong(name string) (o *option, exact bool) {
	if o := s.opts[name]; o != nil {
		return o, true
	}
	i := sort.SearchStrings(s.longs, name)
	for j := i; j < len(s.longs) && strings.HasPrefix(s.longs[j], name); j++ {
		if o != nil && s.opts[s.longs[j]] != o {
			return nil, false
		}
		o = s.opts[s.longs[j]]
	}
	return o, false
}

func (p *optionParser) long(x word) {
	name, text, attached := strings.Cut(x.text, "=")
	o, exact := p.call.spec.lookLong(name)
	if o == nil {
		p.fail("the option " + name + " of " + p.call.name + " is not known")
		p.add(flagUse{name: name, raw: name, value: known(text), has: attached})
		return
	}
	if !exact {
		p.fail("the option " + name + " of " + p.call.name + " is abbreviated")
	}
	u := flagUse{opt: o, name: o.name, raw: name, short: !exact}
	switch {
	case attached && o.arity == noValue:
		p.fail("the option " + name + " of " + p.call.name + " takes no value")
	case attached:
		u.value, u.has = x.cut(text), true
	case o.arity == oneValue && !(o.last && p.i == len(p.args)):
		u.value, u.has = p.value(o, name)
	}
	p.add(u)
}

// cut is the part of a known word that is text.
func (x word) cut(text string) word {
	x.text, x.glob, x.alts = text, "", nil
	return x
}

func (p *optionParser) next(name string) (word, bool) {
	if p.i >= len(p.args) {
		p.fail("the option " + name + " of " + p.call.name + " needs a value")
		return word{}, false
	}
	x := p.args[p.i]
	p.i++
	return x, true
}

// value takes the next word as the value of o. Versions of a program differ in
// whether an option takes one (git diff -U): a word that would do harm as an
// option of its own is not taken for a value without asking.
func (p *optionParser) value(o *option, name string) (word, bool) {
	x, ok := p.next(name)
	if ok && !o.sure && dashed(x) && !p.call.spec.harmless(x.text, false) {
		p.fail("the value " + x.text + " of " + name + " may be an option of its own")
	}
	return x, ok
}

// closing looks at the words behind --, which are operands unless the option
// before it took the -- as its value.
func (p *optionParser) closing() {
	if p.i < 2 || !dashed(p.args[p.i-2]) {
		return
	}
	before, s := p.args[p.i-2].text, p.call.spec
	for _, x := range p.args[p.i:] {
		if dashed(x) && !(s.harmless(before, false) && s.valueless(before) && s.harmless(x.text, true)) {
			p.fail("behind " + before + " -- the word " + x.text + " may be an option")
		}
	}
}

// dashed reports whether a word looks like an option, and not like a number.
func dashed(x word) bool {
	return x.known && len(x.text) > 1 && x.text[0] == '-' && (x.text[1] < '0' || x.text[1] > '9')
}

// harmless reports whether a word that begins with a dash holds, as options of
// s, none but known ones that name no file, program or host.
func (s *spec) harmless(text string, unknown bool) bool {
	all, ok := s.optionsIn(text)
	for _, o := range all {
		if o.kind != kindText {
			return false
		}
	}
	return ok || unknown
}

// valueless reports whether none of the options in a word takes a value.
func (s *spec) valueless(text string) bool {
	all, ok := s.optionsIn(text)
	for _, o := range all {
		if o.arity != noValue {
			return false
		}
	}
	return ok
}

// optionsIn are the options that one word holds, and whether all are known.
func (s *spec) optionsIn(text string) (all []*option, ok bool) {
	if s.style != styleGo && !strings.HasPrefix(text, "--") && s.opts[text] == nil {
		for j := 1; j < len(text); j++ {
			o := s.opts["-"+text[j:j+1]]
			if o == nil {
				return all, false
			}
			if all = append(all, o); o.arity != noValue {
				break
			}
		}
		return all, true
	}
	name, _, _ := strings.Cut(text, "=")
	o, _ := s.lookLong(name)
	if o == nil {
		return nil, false
	}
	return []*option{o}, true
}

func (p *optionParser) cluster(x word) {
	s := p.call.spec
	for j := 1; j < len(x.text); j++ {
		name := x.text[:1] + x.text[j:j+1]
		o := s.opts[name]
		if j == 1 && o == nil && s.opts[x.text] != nil { // a long name after one dash
			o, j = s.opts[x.text], len(x.text)-1
			name = x.text
		}
		if o == nil {
			p.fail("the option " + name + " of " + p.call.name + " is not known")
			p.add(flagUse{name: name, raw: name})
			continue
		}
		u := flagUse{opt: o, name: o.name, raw: name}
		if o.arity != noValue {
			rest := x.text[j+1:]
			switch {
			case rest != "":
				u.value, u.has = x.cut(rest), true
			case o.arity == oneValue:
				u.value, u.has = p.value(o, name)
			}
			p.add(u)
			return
		}
		p.add(u)
	}
}

func (p *optionParser) add(u flagUse) {
	p.call.flags = append(p.call.flags, u)
	if u.opt != nil {
		p.call.follow = p.call.follow || u.opt.follow
		p.call.recursive = p.call.recursive || u.opt.recursive
		p.call.reads = p.call.reads || u.opt.reads
	}
}

// golang reads options as Go's flag package does.
func (p *optionParser) golang() {
	for p.i < len(p.args) {
		x := p.args[p.i]
		if !x.known {
			p.fail("a word that is not known before the run may be an option")
		}
		if !x.known || len(x.text) < 2 || x.text[0] != '-' {
			break
		}
		p.i++
		if x.text == "--" {
			break
		}
		name, text, attached := strings.Cut("-"+strings.TrimLeft(x.text, "-"), "=")
		o := p.call.spec.opts[name]
		if o == nil {
			p.fail("the option " + name + " of " + p.call.name + " is not known")
			p.add(flagUse{name: name, raw: name, value: known(text), has: attached})
			continue
		}
		u := flagUse{opt: o, name: o.name, raw: name, value: x.cut(text), has: attached}
		if !attached && o.arity == oneValue {
			u.value, u.has = p.value(o, name)
		}
		p.add(u)
	}
	p.rest(p.args[p.i:])
}
