package jsonschema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Schema is one that was understood whole.
type Schema struct {
	root  *node
	nodes map[string]*node // by their place, "#/$defs/x"
}

// node is one schema. nil pointers and maps state nothing.
type node struct {
	place string
	never bool // the schema false
	ref   string

	types    []string
	enum     []any
	constant *any
	number   [5]*big.Rat
	sizes    [6]*int // of strings, arrays and objects
	pattern  *regexp.Regexp
	combined
	array
	object
}

// combined is what a node says of a value by other schemas for it.
type combined struct {
	all, any, one []*node
	not           *node
	cond          [3]*node // if, then, else
}

// array is what a node says of lists.
type array struct {
	unique   bool
	prefix   []*node
	items    *node
	contains *node
}

// object is what a node says of objects.
type object struct {
	props     map[string]*node
	patterns  map[string]*node
	compiled  map[string]*regexp.Regexp // the names of patterns
	others    *node                     // additionalProperties
	names     *node                     // propertyNames
	required  []string
	dependent map[string][]string
}

// Places in node.number and node.sizes, with their keywords.
var (
	numberWords = [...]string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
	sizeWords   = [...]string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}
)

// annotations state nothing about a value.
var annotations = []string{
	"$schema", "$id", "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
	"format", "contentEncoding", "contentMediaType",
}

// types are the words of "type".
var typeWords = []string{"null", "boolean", "string", "number", "integer", "array", "object"}

// Parse reads a schema. What is not understood whole is refused, by its place.
func Parse(data []byte) (*Schema, error) {
	raw, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("the schema is no JSON value that can be used: %w", err)
	}
	s := &Schema{nodes: map[string]*node{}}
	if s.root, err = s.node("#", raw); err != nil {
		return nil, err
	}
	for _, n := range s.nodes {
		if n.ref != "" && s.nodes[n.ref] == nil {
			return nil, fmt.Errorf("%s: $ref leads to %q, which is no schema of this file; nothing else is loaded", n.place, n.ref)
		}
	}
	return s, nil
}

// node reads one schema and those in it.
func (s *Schema) node(place string, raw any) (*node, error) {
	n := &node{place: place}
	s.nodes[place] = n
	switch raw := raw.(type) {
	case bool:
		n.never = !raw
		return n, nil
	case map[string]any:
		for word, v := range raw {
			if err := s.keyword(n, word, v); err != nil {
				return nil, err
			}
		}
		return n, nil
	default:
		return nil, fmt.Errorf("%s: a schema is an object, true or false", place)
	}
}

// keyword takes one member of a schema.
func (s *Schema) keyword(n *node, word string, v any) (err error) {
	at := n.place + "/" + escape(word)
	switch word {
	case "type":
		n.types, err = words(at, v)
		for _, t := range n.types {
			if !slices.Contains(typeWords, t) {
				err = fmt.Errorf("%s: no type is called %q", at, t)
			}
		}
	case "enum":
		list, ok := v.([]any)
		if n.enum = list; !ok || len(list) == 0 {
			err = fmt.Errorf("%s: a list with something in it is needed", at)
		}
	case "const":
		n.constant = &v
	case "$ref":
		n.ref, err = str(at, v)
	case "pattern":
		n.pattern, err = compile(at, v)
	case "uniqueItems":
		ok := false
		if n.unique, ok = v.(bool); !ok {
			err = fmt.Errorf("%s: true or false is needed", at)
		}
	case "required":
		n.required, err = words(at, v)
	case "dependentRequired":
		n.dependent, err = dependent(at, v)
	default:
		return s.within(n, word, at, v)
	}
	return err
}

// within takes the keywords that hold numbers and other schemas.
func (s *Schema) within(n *node, word, at string, v any) (err error) {
	if i := slices.Index(numberWords[:], word); i >= 0 {
		n.number[i], err = limit(at, word, v)
		return err
	}
	if i := slices.Index(sizeWords[:], word); i >= 0 {
		n.sizes[i], err = count(at, v)
		return err
	}
	if to := n.schema(word); to != nil {
		*to, err = s.node(at, v)
		return err
	}
	if to := n.schemas(word); to != nil {
		*to, err = s.list(at, v)
		return err
	}
	switch {
	case word == "properties":
		n.props, err = s.table(at, v)
	case word == "patternProperties":
		if n.patterns, err = s.table(at, v); err == nil {
			n.compiled, err = compileAll(at, n.patterns)
		}
	case word == "$defs", word == "definitions":
		_, err = s.table(at, v)
	case !slices.Contains(annotations, word):
		err = fmt.Errorf("%s: the keyword %q is not checked here, so the schema is refused: leave it away", n.place, word)
	}
	return err
}

// schema is where the schema of a keyword stands; nil when it takes none.
func (n *node) schema(word string) **node {
	switch word {
	case "not":
		return &n.not
	case "if":
		return &n.cond[0]
	case "then":
		return &n.cond[1]
	case "else":
		return &n.cond[2]
	case "items":
		return &n.items
	case "contains":
		return &n.contains
	case "additionalProperties":
		return &n.others
	case "propertyNames":
		return &n.names
	}
	return nil
}

// schemas is where the schemas of a keyword stand; nil when it takes no list.
func (n *node) schemas(word string) *[]*node {
	switch word {
	case "allOf":
		return &n.all
	case "anyOf":
		return &n.any
	case "oneOf":
		return &n.one
	case "prefixItems":
		return &n.prefix
	}
	return nil
}

// limit is the number of a keyword that bounds numbers.
func limit(at, word string, v any) (*big.Rat, error) {
	num, ok := v.(json.Number)
	if !ok {
		return nil, fmt.Errorf("%s: a number is needed", at)
	}
	r, err := rational(num)
	if err == nil && word == "multipleOf" && r.Sign() <= 0 {
		err = fmt.Errorf("%s: it must be above 0", at)
	}
	return r, err
}

func compileAll(at string, patterns map[string]*node) (map[string]*regexp.Regexp, error) {
	out := map[string]*regexp.Regexp{}
	for p := range patterns {
		re, err := compile(at, p)
		if err != nil {
			return nil, err
		}
		out[p] = re
	}
	return out, nil
}

func (s *Schema) list(at string, v any) ([]*node, error) {
	raw, ok := v.([]any)
	if !ok || len(raw) == 0 {
		return nil, fmt.Errorf("%s: a list of schemas is needed", at)
	}
	var out []*node
	for i, r := range raw {
		n, err := s.node(at+"/"+strconv.Itoa(i), r)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

func (s *Schema) table(at string, v any) (map[string]*node, error) {
	raw, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: an object of schemas is needed", at)
	}
	out := map[string]*node{}
	for name, r := range raw {
		n, err := s.node(at+"/"+escape(name), r)
		if err != nil {
			return nil, err
		}
		out[name] = n
	}
	return out, nil
}

// escape is a name in a JSON pointer (RFC 6901, 3).
func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

func str(at string, v any) (string, error) {
	s, ok := v.(string)
	if !ok || s == "" {
		return "", fmt.Errorf("%s: a string is needed", at)
	}
	return s, nil
}

// words are a list of strings, or one.
func words(at string, v any) ([]string, error) {
	if s, ok := v.(string); ok {
		return []string{s}, nil
	}
	raw, ok := v.([]any)
	out := []string{}
	for _, r := range raw {
		s, isString := r.(string)
		ok = ok && isString
		out = append(out, s)
	}
	if !ok {
		return nil, fmt.Errorf("%s: a list of strings is needed", at)
	}
	return out, nil
}

func dependent(at string, v any) (map[string][]string, error) {
	raw, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: an object is needed", at)
	}
	out := map[string][]string{}
	for name, r := range raw {
		list, err := words(at, r)
		if err != nil {
			return nil, err
		}
		out[name] = list
	}
	return out, nil
}

func count(at string, v any) (*int, error) {
	num, _ := v.(json.Number)
	r, err := rational(num)
	if err != nil || !r.IsInt() || r.Sign() < 0 || !r.Num().IsInt64() {
		return nil, fmt.Errorf("%s: a whole number from 0 is needed", at)
	}
	n := int(r.Num().Int64())
	return &n, nil
}

func compile(at string, v any) (*regexp.Regexp, error) {
	text, err := str(at, v)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("%s: the pattern cannot be used: %w", at, err)
	}
	return re, nil
}
