package jsonschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/internal/strictjson"
)

// Bounds of one check.
const (
	maxSteps  = 1 << 18 // schemas that are held against values
	maxFaults = 20
	maxNested = 4 * strictjson.MaxDepth // schemas within schemas, references among them
)

// A Fault is one way in which a value does not fit.
type Fault struct {
	Path string // JSON pointer into the value; "" is the value itself
	What string
}

// String names the place and what is wrong there.
func (f Fault) String() string {
	if f.Path == "" {
		return "the value " + f.What
	}
	return f.Path + " " + f.What
}

// A MisfitError says how a value does not fit.
type MisfitError struct{ Faults []Fault }

func (e *MisfitError) Error() string {
	out := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		out[i] = f.String()
	}
	return strings.Join(out, "; ")
}

// ErrCostly says that a check would take too long. Such a value does not fit.
var ErrCostly = errors.New("the schema is too costly for this value: simplify its references and alternatives")

// Check holds a JSON text against the schema. The error is a *MisfitError when
// the value is JSON and does not fit.
func (s *Schema) Check(data []byte) error {
	v, err := decode(data)
	if err != nil {
		return fmt.Errorf("it is no JSON value: %w", err)
	}
	c := &check{schema: s, steps: maxSteps}
	faults := c.hold(s.root, v, "", 0)
	switch {
	case c.steps <= 0 || c.deep:
		return ErrCostly
	case len(faults) > 0:
		return &MisfitError{faults[:min(len(faults), maxFaults)]}
	default:
		return nil
	}
}

type check struct {
	schema *Schema
	steps  int
	deep   bool
}

// hold is how v does not fit n. Once the bounds are passed its answer means
// nothing, and Check says so.
func (c *check) hold(n *node, v any, path string, depth int) (out []Fault) {
	if c.steps--; c.steps <= 0 {
		return nil
	}
	if depth > maxNested {
		c.deep = true
		return nil
	}
	fail := func(format string, args ...any) {
		if len(out) < maxFaults {
			out = append(out, Fault{path, fmt.Sprintf(format, args...)})
		}
	}
	if n.never {
		fail("must not be there")
		return out
	}
	kind := kindOf(v)
	if len(n.types) > 0 && !slices.Contains(n.types, kind) && !(kind == "integer" && slices.Contains(n.types, "number")) {
		fail("is %s, not %s", kind, strings.Join(n.types, " or "))
		return out
	}
	if n.constant != nil && !c.equal(*n.constant, v) {
		fail("is not %s", short(*n.constant))
	}
	if n.enum != nil && !slices.ContainsFunc(n.enum, func(e any) bool { return c.equal(e, v) }) {
		fail("is none of %s", short(n.enum))
	}
	switch v := v.(type) {
	case string:
		c.text(n, v, fail)
	case json.Number:
		numbers(n, v, fail)
	case []any:
		out = append(out, c.array(n, v, path, depth, fail)...)
	case map[string]any:
		out = append(out, c.object(n, v, path, depth, fail)...)
	}
	return append(out, c.combined(n, v, path, depth)...)
}

func (c *check) text(n *node, v string, fail func(string, ...any)) {
	size := utf8.RuneCountInString(v)
	sized(n, 0, size, "characters", fail)
	if n.pattern != nil {
		c.steps -= len(v) / 64 // long texts cost
		if !n.pattern.MatchString(v) {
			fail("does not match %q", n.pattern)
		}
	}
}

// sized holds a size to the bounds that begin at i.
func sized(n *node, i, size int, what string, fail func(string, ...any)) {
	if low := n.sizes[i]; low != nil && size < *low {
		fail("has %d %s, and needs %d or more", size, what, *low)
	}
	if high := n.sizes[i+1]; high != nil && size > *high {
		fail("has %d %s, and may have %d at most", size, what, *high)
	}
}

func numbers(n *node, v json.Number, fail func(string, ...any)) {
	r, err := rational(v)
	if err != nil {
		fail("%v", err)
		return
	}
	bounds := []func(limit *big.Rat) bool{
		func(l *big.Rat) bool { return r.Cmp(l) >= 0 }, func(l *big.Rat) bool { return r.Cmp(l) <= 0 },
		func(l *big.Rat) bool { return r.Cmp(l) > 0 }, func(l *big.Rat) bool { return r.Cmp(l) < 0 },
		func(l *big.Rat) bool { return new(big.Rat).Quo(r, l).IsInt() },
	}
	for i, holds := range bounds {
		if limit := n.number[i]; limit != nil && !holds(limit) {
			fail("is %.40s, against %s %s", v, numberWords[i], limit.RatString())
		}
	}
}

func (c *check) array(n *node, v []any, path string, depth int, fail func(string, ...any)) (out []Fault) {
	sized(n, 2, len(v), "items", fail)
	if n.unique {
		for i := range v {
			for j := range i {
				if c.steps--; c.steps <= 0 {
					return nil
				}
				if c.equal(v[i], v[j]) {
					fail("has the same item at %d and %d", j, i)
				}
			}
		}
	}
	found := n.contains == nil
	for i, item := range v {
		at := path + "/" + strconv.Itoa(i)
		switch {
		case i < len(n.prefix):
			out = append(out, c.hold(n.prefix[i], item, at, depth+1)...)
		case n.items != nil:
			out = append(out, c.hold(n.items, item, at, depth+1)...)
		}
		if !found {
			found = len(c.hold(n.contains, item, at, depth+1)) == 0
		}
		if len(out) > maxFaults {
			return out
		}
	}
	if !found {
		fail("has no item of the needed form")
	}
	return out
}

func (c *check) object(n *node, v map[string]any, path string, depth int, fail func(string, ...any)) (out []Fault) {
	sized(n, 4, len(v), "members", fail)
	for _, name := range n.required {
		if _, ok := v[name]; !ok {
			fail("lacks %q", name)
		}
	}
	for name, needs := range n.dependent {
		for _, other := range needs {
			if _, ok := v[name]; ok && !has(v, other) {
				fail("has %q and lacks %q", name, other)
			}
		}
	}
	for _, name := range sorted(v) {
		at := path + "/" + escape(name)
		if n.names != nil {
			out = append(out, c.hold(n.names, name, at, depth+1)...)
		}
		known := false
		if p := n.props[name]; p != nil {
			known = true
			out = append(out, c.hold(p, v[name], at, depth+1)...)
		}
		for pattern, p := range n.patterns {
			if n.compiled[pattern].MatchString(name) {
				known = true
				out = append(out, c.hold(p, v[name], at, depth+1)...)
			}
		}
		if !known && n.others != nil {
			out = append(out, c.hold(n.others, v[name], at, depth+1)...)
		}
		if len(out) > maxFaults {
			return out
		}
	}
	return out
}

// combined holds v to what a schema says by way of others.
func (c *check) combined(n *node, v any, path string, depth int) (out []Fault) {
	if n.ref != "" {
		out = append(out, c.hold(c.schema.nodes[n.ref], v, path, depth+1)...)
	}
	for _, m := range n.all {
		out = append(out, c.hold(m, v, path, depth+1)...)
	}
	if len(n.any) > 0 && c.fitting(n.any, v, path, depth) == 0 {
		out = append(out, Fault{path, "fits none of the alternatives of " + n.place + "/anyOf"})
	}
	if len(n.one) > 0 {
		if fit := c.fitting(n.one, v, path, depth); fit != 1 {
			out = append(out, Fault{path, fmt.Sprintf("fits %d of the alternatives of %s/oneOf, not one", fit, n.place)})
		}
	}
	if n.not != nil && len(c.hold(n.not, v, path, depth+1)) == 0 {
		out = append(out, Fault{path, "fits what it must not: " + n.place + "/not"})
	}
	if n.cond[0] != nil {
		then := n.cond[1]
		if len(c.hold(n.cond[0], v, path, depth+1)) > 0 {
			then = n.cond[2]
		}
		if then != nil {
			out = append(out, c.hold(then, v, path, depth+1)...)
		}
	}
	return out
}

func (c *check) fitting(alternatives []*node, v any, path string, depth int) (fit int) {
	for _, m := range alternatives {
		if len(c.hold(m, v, path, depth+1)) == 0 {
			fit++
		}
	}
	return fit
}

// equal compares two values; numbers by what they are worth.
func (c *check) equal(a, b any) bool {
	if c.steps--; c.steps <= 0 {
		return false
	}
	switch a := a.(type) {
	case json.Number:
		n, ok := b.(json.Number)
		x, errA := rational(a)
		y, errB := rational(n)
		return ok && errA == nil && errB == nil && x.Cmp(y) == 0
	case []any:
		l, ok := b.([]any)
		return ok && slices.EqualFunc(a, l, c.equal)
	case map[string]any:
		m, ok := b.(map[string]any)
		if !ok || len(a) != len(m) {
			return false
		}
		for name, v := range a {
			if w, ok := m[name]; !ok || !c.equal(v, w) {
				return false
			}
		}
		return true
	default: // nil, bool, string
		switch b.(type) {
		case []any, map[string]any:
			return false
		}
		return a == b
	}
}

func has(v map[string]any, name string) bool { _, ok := v[name]; return ok }

func sorted(v map[string]any) []string {
	out := make([]string, 0, len(v))
	for name := range v {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// short is a value for a message.
func short(v any) string {
	b, err := json.Marshal(v)
	if err != nil || len(b) > 200 {
		return "what is wanted"
	}
	return string(b)
}
