package mend

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Fit changes v so that it has the schema's shape, and names what it changed:
// coerce:FIELD, drop_null:FIELD, drop_extra:FIELD. The error says, in words
// for a model, why v cannot be made to fit; v is then in between.
func Fit(s *Schema, v *Value) (repairs []string, err error) {
	left := maxSteps
	f := &fitter{root: s, left: &left}
	err = f.fit(s, v, place{})
	if err == nil && len(f.repairs) > maxRepairs {
		err = fmt.Errorf("more than %d fields do not have the form that the schema says", maxRepairs)
	}
	return f.repairs, err
}

const (
	maxRepairs = 64      // what needs more is not what was meant
	maxSteps   = 100_000 // values looked at: alternatives within alternatives multiply
)

type fitter struct {
	root    *Schema
	left    *int // steps
	repairs []string
}

func (f *fitter) note(what, path string) {
	if note := what + ":" + path; len(f.repairs) <= maxRepairs && !slices.Contains(f.repairs, note) {
		f.repairs = append(f.repairs, note)
	}
}

// A place is where in the arguments a value stands.
type place struct {
	path  string
	depth int
	part  bool // the schema is one of several for this value: it does not know all fields
}

func (p place) child(key string) place {
	if p.path != "" {
		key = p.path + "." + key
	}
	return place{path: key, depth: p.depth + 1}
}

func (p place) again(part bool) place { return place{p.path, p.depth + 1, p.part || part} }

func (p place) String() string {
	if p.path == "" {
		return "the whole"
	}
	return fmt.Sprintf("the field %q", p.path)
}

func (f *fitter) fit(s *Schema, v *Value, at place) error {
	*f.left--
	switch {
	case *f.left < 0:
		return errors.New("the schema takes too long to compare with")
	case at.depth > maxDepth:
		return fmt.Errorf("%s nests too deeply", at)
	case s == nil:
		return nil
	case s.Never:
		return fmt.Errorf("%s is not allowed", at)
	case s.Ref != "":
		target, err := f.resolve(s.Ref)
		if err != nil {
			return err
		}
		return f.fit(target, v, at.again(false))
	}
	for _, all := range s.AllOf {
		if err := f.fit(all, v, at.again(true)); err != nil {
			return err
		}
	}
	if len(s.AnyOf) > 0 {
		if err := f.fitAny(s.AnyOf, v, at.again(true)); err != nil {
			return err
		}
	}
	at.part = at.part || len(s.AllOf)+len(s.AnyOf) > 0
	return f.fitType(s, v, at)
}

// resolve follows a reference within the schema.
func (f *fitter) resolve(ref string) (*Schema, error) {
	if ref == "#" {
		return f.root, nil
	}
	for _, at := range []string{"#/$defs/", "#/definitions/"} {
		if key, ok := strings.CutPrefix(ref, at); ok && f.root.Defs[key] != nil {
			return f.root.Defs[key], nil
		}
	}
	return nil, fmt.Errorf("the schema refers to %q, which is not in it", ref)
}

// fitAny takes the first alternative that fits unchanged, else the first that
// fits at all.
func (f *fitter) fitAny(any []*Schema, v *Value, at place) error {
	var best *Value
	var bestNotes []string
	var failed error
	for _, s := range any {
		try := &fitter{root: f.root, left: f.left}
		c := v.clone()
		err := try.fit(s, c, at)
		switch {
		case err != nil:
			failed = err
			continue
		case len(try.repairs) == 0:
			*v = *c
			return nil
		case best == nil:
			best, bestNotes = c, try.repairs
		}
	}
	if best == nil {
		return failed
	}
	*v = *best
	f.repairs = append(f.repairs, bestNotes...)
	return nil
}

func (f *fitter) fitType(s *Schema, v *Value, at place) error {
	if !s.allows(v.Kind) && !f.coerce(s, v, at.path) {
		return fmt.Errorf("%s must be %s and is %s", at, kinds(s), article(v.Kind))
	}
	if v.Kind == Number && !s.wants(Number) && s.wants(integer) && !f.integral(v, at.path) {
		return fmt.Errorf("%s must be a whole number and is %s", at, v.Text)
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e *Value) bool { return Equal(e, v) }) {
		return fmt.Errorf("%s is %s, which is not one of the values allowed", at, shorten(string(v.JSON())))
	}
	switch v.Kind {
	case Object:
		return f.fitObject(s, v, at)
	case Array:
		for i, item := range v.Items {
			if err := f.fit(s.Items, item, at.child(fmt.Sprint(i))); err != nil {
				return err
			}
		}
	}
	return nil
}

// integral says whether v is whole, and writes 10.0 as 10.
func (f *fitter) integral(v *Value, path string) bool {
	whole, fraction, has := strings.Cut(v.Text, ".")
	if strings.ContainsAny(v.Text, "eE") || strings.Trim(fraction, "0") != "" {
		return false
	}
	if has {
		v.Text = whole
		f.note("coerce", path)
	}
	return true
}

// coerce spells v as a type that s names.
func (f *fitter) coerce(s *Schema, v *Value, path string) bool {
	c := coerced(s, v)
	if c == nil {
		return false
	}
	*v = *c
	f.note("coerce", path)
	return true
}

func coerced(s *Schema, v *Value) *Value {
	if v.Kind == String {
		inside, mended, err := Parse(strings.TrimSpace(v.Text))
		switch {
		case err == nil && inside.Kind == Number && !mended && s.allows(Number),
			err == nil && inside.Kind == Bool && s.allows(Bool),
			err == nil && inside.Kind == Array && !mended && s.allows(Array),
			err == nil && inside.Kind == Object && !mended && s.allows(Object):
			return inside
		}
	}
	switch v.Kind {
	case String, Number, Bool:
		if s.wants(Array) {
			scalar := *v
			return &Value{Kind: Array, Items: []*Value{&scalar}}
		}
	}
	return nil
}

func (f *fitter) fitObject(s *Schema, v *Value, at place) error {
	var kept []Member
	for _, m := range v.Members {
		field := at.child(m.Key)
		schema, known := s.Properties[m.Key]
		if !known {
			if s.Additional != nil && !s.Additional.Never {
				schema = s.Additional
			} else if s.Additional != nil || s.Properties != nil && !at.part {
				f.note("drop_extra", field.path)
				continue
			}
		}
		if m.Value.Kind == Null && known && !f.nullable(schema, 0) && !slices.Contains(s.Required, m.Key) {
			f.note("drop_null", field.path)
			continue
		}
		if err := f.fit(schema, m.Value, field); err != nil {
			return err
		}
		kept = append(kept, m)
	}
	v.Members = kept
	for _, key := range s.Required {
		if v.Member(key) == nil {
			return fmt.Errorf("the required field %q is missing", at.child(key).path)
		}
	}
	return nil
}

// nullable says whether null is a value of s.
func (f *fitter) nullable(s *Schema, depth int) bool {
	if s == nil || depth > maxDepth {
		return false
	}
	if s.Ref != "" {
		target, err := f.resolve(s.Ref)
		return err == nil && f.nullable(target, depth+1)
	}
	if len(s.AnyOf) > 0 {
		return slices.ContainsFunc(s.AnyOf, func(a *Schema) bool { return f.nullable(a, depth+1) })
	}
	return s.wants(Null)
}

// kinds says which types s allows, in words.
func kinds(s *Schema) string {
	var words []string
	for _, t := range s.Types {
		words = append(words, article(t))
	}
	if words == nil {
		words = []string{"an object"}
	}
	return strings.Join(words, " or ")
}

func article(k Kind) string {
	switch k {
	case Object, Array, integer:
		return "an " + string(k)
	case Null:
		return "null"
	}
	return "a " + string(k)
}

// shorten cuts s where a character ends.
func shorten(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}
