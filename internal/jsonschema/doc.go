// Package jsonschema holds a JSON value against a JSON Schema (2020-12).
//
// # Promised
//
// To the caller: nothing in a schema is passed over in silence. A keyword that
// is not checked here refuses the schema, by its place; the exceptions are
// annotations, format among them, which state nothing (JSON Schema Validation
// 2020-12, 7). Nothing is loaded: a $ref leads to a place in the same schema.
// Names count exactly, a name that comes twice refuses the value, numbers are
// compared as what is written and not as float64. Time and memory are bounded
// for every pair of schema and value: one that costs too much is refused, and
// never counts as fitting.
//
// # Not promised
//
// Regular expressions are Go's (RE2), which take linear time and lack a few
// forms of ECMA-262; a pattern with one of those refuses the schema.
package jsonschema
