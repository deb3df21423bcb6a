package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/strictjson"
)

// A schema is the part of JSON Schema 2020-12 in which tools describe their
// arguments.
type schema struct {
	Type        string            `json:"type"`
	Description string            `json:"description,omitempty"`
	Properties  map[string]schema `json:"properties,omitempty"`
	Required    []string          `json:"required,omitempty"`
	Additional  *bool             `json:"additionalProperties,omitempty"`
	Items       *schema           `json:"items,omitempty"`
	Enum        []string          `json:"enum,omitempty"`
	Minimum     *int64            `json:"minimum,omitempty"`
	Maximum     *int64            `json:"maximum,omitempty"`
	MinLength   int               `json:"minLength,omitempty"`
	MinItems    int               `json:"minItems,omitempty"`
	MaxItems    int               `json:"maxItems,omitempty"`
}

// decode holds args to the tool's schema and puts them into a struct. Names
// count exactly, none may come twice, and nothing is converted but a whole
// number that is written as 5.0; an optional argument may be null.
func decode(s Spec, args json.RawMessage, into any) error {
	fail := func(err error) error { return &ArgumentError{s.Name + ": " + err.Error()} }
	var sc schema
	if err := json.Unmarshal(s.Schema, &sc); err != nil {
		return fmt.Errorf("the schema of %s: %w", s.Name, err)
	}
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	v, err := strictjson.Value(args)
	if err != nil {
		return fail(fmt.Errorf("the JSON of the arguments %w", err))
	}
	if v, err = sc.check("", v); err != nil {
		return fail(err)
	}
	clean, err := json.Marshal(v)
	if err != nil {
		return fail(err)
	}
	if err := json.Unmarshal(clean, into); err != nil {
		return fail(err)
	}
	return nil
}

// mustEncode is the JSON of one of this package's own argument structs.
func mustEncode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("tool: arguments that were decoded do not encode: " + err.Error())
	}
	return string(b)
}

// check holds a value to the schema and returns it in the form to decode.
func (s schema) check(name string, v any) (any, error) {
	switch s.Type {
	case "object":
		return s.checkObject(name, v)
	case "array":
		return s.checkList(name, v)
	case "string":
		return s.checkText(name, v)
	case "integer":
		return s.checkInteger(name, v)
	case "boolean":
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, wrongType(name, "true or false", v)
	default:
		return nil, fmt.Errorf("the schema has a type %q", s.Type)
	}
}

func (s schema) checkObject(name string, v any) (any, error) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil, wrongType(name, "an object", v)
	}
	out := map[string]any{}
	for _, key := range sortedKeys(object) {
		sub, known := s.Properties[key]
		if !known {
			return nil, fmt.Errorf("unknown argument %q%s; it takes %s", key, inside(name), strings.Join(sortedKeys(s.Properties), ", "))
		}
		if object[key] == nil {
			continue
		}
		checked, err := sub.check(join(name, key), object[key])
		if err != nil {
			return nil, err
		}
		out[key] = checked
	}
	for _, key := range s.Required {
		if _, given := out[key]; !given {
			return nil, fmt.Errorf("the argument %q is missing%s", key, inside(name))
		}
	}
	return out, nil
}

func (s schema) checkList(name string, v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, wrongType(name, "a list", v)
	}
	if len(list) < s.MinItems {
		return nil, fmt.Errorf("%q needs at least %d", name, s.MinItems)
	}
	if s.MaxItems > 0 && len(list) > s.MaxItems {
		return nil, fmt.Errorf("%q has %d entries; it may have %d", name, len(list), s.MaxItems)
	}
	out := make([]any, len(list))
	for i, e := range list {
		checked, err := s.Items.check(fmt.Sprintf("%s[%d]", name, i), e)
		if err != nil {
			return nil, err
		}
		out[i] = checked
	}
	return out, nil
}

func (s schema) checkText(name string, v any) (any, error) {
	text, ok := v.(string)
	switch {
	case !ok:
		return nil, wrongType(name, "a string", v)
	case len(text) < s.MinLength:
		return nil, fmt.Errorf("%q is empty", name)
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, text):
		return nil, fmt.Errorf("%q is %q; it can be %s", name, text, strings.Join(s.Enum, ", "))
	}
	return text, nil
}

func (s schema) checkInteger(name string, v any) (any, error) {
	number, ok := v.(json.Number)
	if !ok {
		return nil, wrongType(name, "a whole number", v)
	}
	text := number.String()
	if whole, zeros, found := strings.Cut(text, "."); found && strings.Trim(zeros, "0") == "" {
		text = whole
	}
	n, err := strconv.ParseInt(text, 10, 64) // the nearest, where none is so large
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return nil, fmt.Errorf("%q is %s; it must be a whole number", name, number)
	case s.Minimum != nil && n < *s.Minimum:
		return nil, fmt.Errorf("%q is %s; the least is %d", name, text, *s.Minimum)
	case s.Maximum != nil && n > *s.Maximum:
		return nil, fmt.Errorf("%q is %s; the most is %d", name, text, *s.Maximum)
	}
	return n, nil
}

func wrongType(name, want string, v any) error {
	if name == "" {
		name = "the arguments"
	} else {
		name = strconv.Quote(name)
	}
	return fmt.Errorf("%s must be %s, not %s", name, want, typeName(v))
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "a list"
	default:
		return "an object"
	}
}

func inside(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" in %q", name)
}

func join(name, key string) string {
	if name == "" {
		return key
	}
	return name + "." + key
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// Decode checks arguments against a tool's schema and decodes them: for tools
// of other packages.
func Decode(s Spec, args json.RawMessage, into any) error { return decode(s, args, into) }
