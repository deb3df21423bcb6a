// Package websearch is the one way in which the tools of the agent read the
// web: fetching a page, and asking a search back end that the user configured.
// It stands on internal/netguard, which alone dials.
//
// # Promised
//
//   - Nothing is looked up or dialled before Fetch or Search is called, and both
//     are called after the gate's word only. Plan understands an address and
//     scans it for secrets without asking anybody about it.
//   - What is dialled is a checked public address (netguard). A redirect is
//     followed by hand, hop by hop through all checks, and on one host only: one
//     that leads to another host ends the fetch and is reported, since the host
//     is what was asked about. There are no cookies, no headers of a page's or a
//     model's choice, no proxy from the environment and no reuse of connections.
//   - One deadline holds over the whole fetch. Bytes on the wire, bytes after
//     decompression, nesting, links and the text that is returned are bounded.
//   - What comes back is valid UTF-8 text of the part of a page that a reader
//     would see: hidden elements and comments are dropped before conversion.
//     Links are listed and never followed.
//   - A search back end that refuses, limits or answers with a page of its own is
//     an error that says so, and never an empty list of results.
//
// # Not promised
//
// That a page is true or harmless: it is untrusted text, and callers must frame
// it so. What the server learns from the request itself. That a page which
// builds its text by script is readable: nothing is executed.
package websearch
