// Package headless is the front end of `tera-pilot run`: one turn, nobody to
// ask, the answer on stdout, progress on stderr, and what was denied in a
// ledger with the smallest rule that would have allowed it.
//
// It decides nothing: it reads the session's events.
package headless
