// Package model talks to language models. One call, [Provider.Complete], sends
// a [Request] and gives one [Reply], whatever the vendor, the protocol and the
// mistakes of the server were.
//
// # Layers
//
//   - wire (sub-package): bounded readers of event streams and JSON values.
//   - one adapter a protocol (chat, responses, anthropic, gemini, ollama): a
//     Request becomes bytes, bytes become [Delta] values.
//   - the normaliser: deltas become one Reply. It is the only place where calls
//     written as prose are recovered, arguments mended and names resolved; the
//     rules R1 to R16 it follows are in docs/models.md.
//   - the client: retry, back-off, breaker, key and egress rules.
//
// # Promised
//
// To the session: a [Call] with status [CallOK] names an offered tool, has
// complete arguments that fit the tool's schema, and was not cut by the end of
// the stream, by the output limit or by an error. No other call may be run.
// What was mended is listed in [Call.Repairs]; what came from prose has origin
// [OriginText]. No required value is ever made up.
//
// To the user: a [Key] is sent to the one configured origin only, over TLS or
// to loopback, and stands in no error, log line or JSON. Bytes go to that
// origin and to no other: redirects are refused, no proxy and no environment
// variable is looked up, and no other provider is ever chosen instead. Local
// kinds refuse an address that is not loopback, unless the user named it.
//
// # Not promised
//
// That a model tells the truth, that text is safe to print (it is kept as it
// came: make it visible before a human sees it), or that a price is known: an
// unknown price or count stays unknown and is never 0.
package model
