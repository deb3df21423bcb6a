// Package secret finds secrets in text and masks them.
//
// # Promised
//
// A value that was registered with [Redactor.Add] is masked wherever it stands
// in clear, in base64 (standard and URL alphabet, padded or not, at every
// alignment), in hex, percent-encoded or escaped as in JSON. Beside these,
// keys and tokens whose shape is public knowledge are masked. The streaming
// [Writer] gives, for every way of cutting the text, the bytes that Text gives
// for the whole.
//
// # Not promised
//
// That an unregistered secret without a known shape is found: entropy alone
// masks nothing. Encodings that are not named here, compression and encryption.
//
// A Redactor holds its values in memory and nowhere else.
package secret
