package mcp

import (
	"fmt"
	"slices"
	"strings"
)

// schemaTypes are the types of JSON Schema (2020-12, section 6.1.1).
var schemaTypes = []string{"null", "boolean", "object", "array", "number", "string", "integer"}

// rootFault says why a schema cannot be that of arguments, "" when it can. A
// model's server refuses the whole request for one bad schema in it, and with
// it everything else that the model is offered.
func rootFault(v any) string {
	schema, ok := v.(map[string]any)
	if !ok {
		return "" // none at all: any object is taken
	}
	if kind, there := schema["type"]; there && kind != "object" {
		return "its schema is not that of an object"
	}
	return schemaFault(v)
}

// schemaFault looks for what no reader of JSON Schema takes: types that are
// none, keywords of another shape, and references that lead out of the schema.
func schemaFault(v any) string {
	schema, ok := v.(map[string]any)
	if !ok {
		if _, ok := v.(bool); ok {
			return ""
		}
		return "its schema holds a value where a schema belongs"
	}
	if kind, there := schema["type"]; there && !areTypes(kind) {
		return fmt.Sprintf("its schema has the type %q, which is none", cutWord(fmt.Sprint(kind)))
	}
	if ref, there := schema["$ref"]; there {
		if text, _ := ref.(string); !strings.HasPrefix(text, "#") {
			return "its schema refers to something outside of it"
		}
	}
	if required, there := schema["required"]; there && !areTexts(required) {
		return "its schema's required is no list of names"
	}
	for _, keyword := range []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"} {
		inner, there := schema[keyword]
		members, ok := inner.(map[string]any)
		if there && !ok {
			return "its schema's " + keyword + " is no object"
		}
		for _, member := range members {
			if why := schemaFault(member); why != "" {
				return why
			}
		}
	}
	for _, keyword := range []string{"items", "prefixItems", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "additionalProperties", "contains", "propertyNames"} {
		inner, there := schema[keyword]
		list, ok := inner.([]any)
		if there && !ok {
			list = []any{inner}
		}
		for _, member := range list {
			if why := schemaFault(member); why != "" {
				return why
			}
		}
	}
	return ""
}

func areTypes(v any) bool {
	if one, ok := v.(string); ok {
		return slices.Contains(schemaTypes, one)
	}
	list, ok := v.([]any)
	return ok && len(list) > 0 && !slices.ContainsFunc(list, func(x any) bool {
		text, _ := x.(string)
		return !slices.Contains(schemaTypes, text)
	})
}

func areTexts(v any) bool {
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(x any) bool { _, text := x.(string); return !text })
}
