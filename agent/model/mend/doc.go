// Package mend reads the JSON that models write, and fits it to the schema of
// the tool that it is meant for (R4 and R15).
//
// # Promised
//
// To the caller: what Parse gives has exactly one meaning. Valid JSON keeps its
// own; what is mended is told apart and comes from a closed list: trailing
// commas, single quotes, bare keys, Python literals, raw control characters in
// strings, a code fence around the whole, closing brackets that are missing.
// An open string, a second value, a key that comes twice, half a character or
// a missing value is an error and never a guess. Fit makes no value up: it
// changes the spelling of values that are there, drops what the schema does
// not know, and names each change.
//
// # Not promised
//
// That arguments which fit a schema are wise. Keywords of JSON Schema beyond
// type, properties, required, additionalProperties, items, enum, const, anyOf,
// oneOf, allOf and $ref are not looked at here.
package mend
