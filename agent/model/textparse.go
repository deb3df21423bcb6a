package model

import (
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/model/mend"
)

// runParser reads a text that is nothing but calls, in the forms of R6.
type runParser struct {
	s     string
	i     int
	calls []rawCall
}

func (p *runParser) rest() string { return p.s[p.i:] }

func (p *runParser) space() {
	p.i = len(p.s) - len(strings.TrimLeft(p.rest(), " \t\r\n"))
}

func (p *runParser) done() bool {
	p.space()
	return p.i >= len(p.s)
}

func (p *runParser) has(prefix string) bool { return strings.HasPrefix(p.rest(), prefix) }

func (p *runParser) take(prefix string) bool {
	if !p.has(prefix) {
		return false
	}
	p.i += len(prefix)
	return true
}

// until takes everything up to mark, and mark.
func (p *runParser) until(mark string) (string, bool) {
	before, _, ok := strings.Cut(p.rest(), mark)
	if ok {
		p.i += len(before) + len(mark)
	}
	return before, ok
}

// run reads calls up to the end. False: something else is there too.
func (p *runParser) run() bool {
	for !p.done() {
		if !p.block() {
			return false
		}
	}
	return len(p.calls) > 0
}

func (p *runParser) block() bool {
	for _, w := range wrappers {
		if p.take(w[0]) {
			p.space()
			if !p.list() {
				return false
			}
			p.space()
			p.take(w[1])
			return true
		}
	}
	switch {
	case p.take(tagOpen):
		return p.tagged()
	case p.has(functionOpen):
		return p.function()
	case p.take(mistralMark):
		p.space()
		return p.json(false)
	}
	return p.list()
}

// list reads a Python list of calls, or JSON.
func (p *runParser) list() bool {
	if p.has("[") {
		start, n := p.i, len(p.calls)
		if p.python() {
			return true
		}
		p.i, p.calls = start, p.calls[:n]
	}
	return (p.has("{") || p.has("[")) && p.json(false)
}

// tagged reads what stands after <tool_call>. The closing tag may be missing
// at the end of the text, or before the next call.
func (p *runParser) tagged() bool {
	p.space()
	switch {
	case p.has(functionOpen):
		if !p.function() {
			return false
		}
	case !p.json(true) && !p.cutJSON():
		return false
	}
	p.space()
	return p.take(tagClose) || p.i >= len(p.s) || p.has(tagOpen)
}

// json reads one call, or a list of them.
func (p *runParser) json(tagged bool) bool {
	v, n, mended, err := mend.Prefix(p.rest())
	if err != nil || !p.add(v, mended, tagged) {
		return false
	}
	p.i += n
	return true
}

// cutJSON reads what stands before the closing tag, or before the end, and
// mends brackets that are missing there.
func (p *runParser) cutJSON() bool {
	body, _, closed := strings.Cut(p.rest(), tagClose)
	v, mended, err := mend.Parse(body)
	if err != nil || !p.add(v, mended, true) {
		return false
	}
	p.i += len(body)
	return closed || p.done()
}

// add takes v as a call, or as a list of calls.
func (p *runParser) add(v *mend.Value, mended, tagged bool) bool {
	items := []*mend.Value{v}
	if v.Kind == mend.Array {
		items = v.Items
	}
	for _, item := range items {
		call, ok := callOf(item, tagged)
		if !ok {
			return false
		}
		call.mended = mended
		p.calls = append(p.calls, call)
	}
	return len(items) > 0
}

// callOf reads an object with a name and arguments (or parameters), and
// nothing that a call does not have: JSON that is an answer often has a name
// too. Between tags the arguments may be missing.
func callOf(v *mend.Value, tagged bool) (rawCall, bool) {
	if v.Kind != mend.Object {
		return rawCall{}, false
	}
	if inner := v.Member("function"); inner != nil && v.Member("name") == nil && len(v.Members) <= 3 {
		return callOf(inner, tagged)
	}
	var name, args *mend.Value
	for _, m := range v.Members {
		switch m.Key {
		case "name":
			name = m.Value
		case "arguments", "parameters":
			if args != nil {
				return rawCall{}, false
			}
			args = m.Value
		case "id", "type", "index", "call_id", "tool_call_id":
		default:
			return rawCall{}, false
		}
	}
	if name == nil || name.Kind != mend.String || args == nil && !tagged {
		return rawCall{}, false
	}
	call := rawCall{name: name.Text}
	if args != nil {
		call.args = string(args.JSON())
	}
	return call, true
}

// function reads <function=name> with parameters in tags, or with JSON.
func (p *runParser) function() bool {
	p.take(functionOpen)
	name, ok := p.until(">")
	if !ok {
		return false
	}
	p.space()
	call := rawCall{name: strings.TrimSpace(name)}
	if p.has("{") {
		v, n, mended, err := mend.Prefix(p.rest())
		if err != nil {
			return false
		}
		p.i += n
		call.args, call.mended = string(v.JSON()), mended
	} else {
		v, ok := p.parameters()
		if !ok {
			return false
		}
		call.args = string(v.JSON())
	}
	p.space()
	p.calls = append(p.calls, call)
	return p.take("</function>") || p.i >= len(p.s) || p.has(tagClose)
}

// parameters reads <parameter=key>value</parameter> any number of times. One
// line end after the opening and before the closing tag is no part of a value;
// the schema makes numbers and lists of them later.
func (p *runParser) parameters() (*mend.Value, bool) {
	v := &mend.Value{Kind: mend.Object}
	for p.take("<parameter=") {
		key, ok := p.until(">")
		key = strings.TrimSpace(key)
		if !ok || key == "" || v.Member(key) != nil {
			return nil, false
		}
		text, ok := p.until("</parameter>")
		if !ok || strings.Contains(text, "<parameter=") {
			return nil, false
		}
		text = strings.TrimPrefix(strings.TrimPrefix(text, "\r"), "\n")
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
		v.Members = append(v.Members, mend.Member{Key: key, Value: mend.Str(text)})
		p.space()
	}
	return v, true
}

// python reads [name(key=value, …), …].
func (p *runParser) python() bool {
	p.take("[")
	for {
		p.space()
		name := p.word()
		if name == "" || !p.take("(") {
			return false
		}
		args, ok := p.keywords()
		if !ok {
			return false
		}
		p.calls = append(p.calls, rawCall{name: name, args: string(args.JSON())})
		p.space()
		if p.take("]") {
			return true
		}
		if !p.take(",") {
			return false
		}
	}
}

// keywords reads key=value up to the closing bracket. Arguments without a key
// would be a guess.
func (p *runParser) keywords() (*mend.Value, bool) {
	v := &mend.Value{Kind: mend.Object}
	for p.space(); !p.take(")"); p.space() {
		key := p.word()
		p.space()
		if key == "" || v.Member(key) != nil || !p.take("=") {
			return nil, false
		}
		p.space()
		item, n, err := mend.PythonPrefix(p.rest())
		if err != nil {
			return nil, false
		}
		p.i += n
		v.Members = append(v.Members, mend.Member{Key: key, Value: item})
		p.space()
		if !p.take(",") && !p.has(")") {
			return nil, false
		}
	}
	return v, true
}

// word takes letters, digits and what else names of tools hold.
func (p *runParser) word() string {
	start := p.i
	for p.i < len(p.s) {
		c := p.s[p.i]
		if c != '_' && c != '.' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
		p.i++
	}
	return p.s[start:p.i]
}
