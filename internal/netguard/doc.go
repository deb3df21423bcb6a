// Package netguard is the one place of the program that dials. Everything that
// leaves the machine, or reaches a server on it, goes through a [Guard], which
// is made for one purpose from one [Policy].
//
// # Promised
//
// To whoever asks for a URL that a model, a page or a repository has chosen:
//
//   - A URL is refused unless every byte of it is understood: printable ASCII,
//     scheme http or https, no user information, one spelling of the host.
//   - A name is resolved once, by Go's own resolver and without search
//     domains. If one of its answers is not allowed, the name is refused.
//   - What is dialled is an address that was checked, never a name. The socket
//     itself is checked once more before it connects.
//   - Redirects are returned, not followed. There is no proxy, no cookie jar
//     and no look at the environment. Headers, bodies and time are bounded.
//   - The zero Policy refuses everything.
//
// The classes of addresses are those of the IANA special-purpose registries,
// with a few more that cloud providers made (see class.go).
//
// [ListenHere] is the other direction: a port of 127.0.0.1 for one login.
//
// # Not promised
//
// What a server does once it was reached, and what it learns from the look-up
// of its name. A public name whose owner is hostile stays public.
package netguard
