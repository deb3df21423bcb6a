// Package jcs reads and writes JSON in the one spelling that the audit log
// signs: RFC 8785 (JCS), restricted so far that the canonical form needs no
// number formatting and no sorting by UTF-16 units.
//
// # Promised
//
// Parse accepts objects, arrays, strings, booleans and integers with an
// absolute value below 2^53. It refuses everything else: null, fractions,
// exponents, -0, names that are not ASCII, duplicate names, invalid UTF-8,
// lone surrogates, a byte order mark, and nesting deeper than the caller
// allows. It never panics, and its memory is linear in the text.
//
// The canonical form of a parsed value is unique: names in byte order, no white
// space, and the shortest escapes. In Python it is
// json.dumps(v, sort_keys=True, separators=(",", ":"), ensure_ascii=False).
//
// # Not promised
//
// encoding/json is not used because it takes names without regard to case,
// keeps the last of two equal names, repairs invalid UTF-8 silently, and
// escapes what JCS does not.
package jcs
