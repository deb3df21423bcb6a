package mend

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Schema is the part of a JSON Schema that Fit understands.
type Schema struct {
	Types      []Kind // empty: any; "integer" is kept as a kind of its own
	Properties map[string]*Schema
	Required   []string
	Additional *Schema // what unknown fields must be; nil: not said
	Items      *Schema
	Enum       []*Value
	AnyOf      []*Schema
	AllOf      []*Schema
	Ref        string
	Defs       map[string]*Schema
	Never      bool // the schema false
}

// integer is JSON Schema's name for numbers without a fraction.
const integer Kind = "integer"

// ParseSchema reads a JSON Schema. An empty one lets everything through.
func ParseSchema(raw json.RawMessage) (*Schema, error) {
	s := &Schema{}
	if len(raw) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return s, nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Schema) UnmarshalJSON(b []byte) error {
	switch strings.TrimSpace(string(b)) {
	case "true":
		return nil
	case "false":
		s.Never = true
		return nil
	}
	var raw struct {
		Type        json.RawMessage    `json:"type"`
		Properties  map[string]*Schema `json:"properties"`
		Required    json.RawMessage    `json:"required"`
		Additional  *Schema            `json:"additionalProperties"`
		Items       json.RawMessage    `json:"items"`
		Enum        []json.RawMessage  `json:"enum"`
		Const       json.RawMessage    `json:"const"`
		AnyOf       []*Schema          `json:"anyOf"`
		OneOf       []*Schema          `json:"oneOf"`
		AllOf       []*Schema          `json:"allOf"`
		Ref         string             `json:"$ref"`
		Defs        map[string]*Schema `json:"$defs"`
		Definitions map[string]*Schema `json:"definitions"`
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*s = Schema{
		Properties: raw.Properties, Additional: raw.Additional,
		AnyOf: append(raw.AnyOf, raw.OneOf...), AllOf: raw.AllOf, Ref: raw.Ref,
		Defs: raw.Defs,
	}
	if s.Defs == nil {
		s.Defs = raw.Definitions
	}
	if raw.Const != nil {
		raw.Enum = append(raw.Enum, raw.Const)
	}
	for _, e := range raw.Enum {
		v, _, err := Parse(string(e))
		if err != nil {
			return err
		}
		s.Enum = append(s.Enum, v)
	}
	if err := s.lists(raw.Required, raw.Items); err != nil {
		return err
	}
	return s.types(raw.Type)
}

// lists reads required and items. Older drafts have a required that is a
// boolean and an items that is a list: such a form is left to the tool's own
// check, like other keywords.
func (s *Schema) lists(required, items json.RawMessage) error {
	if bytes.HasPrefix(required, []byte("[")) {
		if err := json.Unmarshal(required, &s.Required); err != nil {
			return err
		}
	}
	if len(items) > 0 && items[0] != '[' {
		return json.Unmarshal(items, &s.Items)
	}
	return nil
}

func (s *Schema) types(raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	var one Kind
	if json.Unmarshal(raw, &one) == nil {
		s.Types = []Kind{one}
		return nil
	}
	return json.Unmarshal(raw, &s.Types)
}

// allows says whether a value of kind k can have this schema's type.
func (s *Schema) allows(k Kind) bool {
	switch {
	case len(s.Types) > 0:
		return slices.Contains(s.Types, k) || k == Number && slices.Contains(s.Types, integer)
	case s.Properties != nil:
		return k == Object
	default:
		return true
	}
}

// wants says that the schema names the type k outright.
func (s *Schema) wants(k Kind) bool { return slices.Contains(s.Types, k) }
