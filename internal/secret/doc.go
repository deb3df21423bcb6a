// Package secret finds secrets in text and masks them.
//
// # Promised
//
// A value that was registered with [Redactor.Add] is masked wherever it stands
// in clear, in base64 (standard and URL alphabet, padded or not, at every
// alignment, broken into lines or not), in hex without gaps, percent-encoded once or behind
// backslash escapes as in JSON, in any mixture of escaped and plain characters.
// Beside these, keys and tokens whose shape is public knowledge are masked. One
// secret has one number for the life of a Redactor: [secret:1]. Masked text
// stays as it is when it is masked again.
//
// The streaming [Writer] gives, for every way of cutting the text, the bytes
// that Text gives for the whole. It holds back only what may still become a
// secret, and no more than 64 KiB of that.
//
// # Not promised
//
// That an unregistered secret without a known shape is found: entropy alone
// masks nothing. Values shorter than six bytes. Other encodings, compression
// and encryption. In base64 the characters at both ends, which a secret shares
// with its neighbours, stay: up to four bits each.
//
// A secret that leaves in two parts is seen when the second would go
// ([Redactor.Sent], [Redactor.Completes]), in one request or in two, by whatever
// ways. One in three is not, nor one among more than 64 words of a request, nor
// one whose first part left before the last 256.
//
// A Redactor holds its values in memory and nowhere else. The shapes were
// collected from the vendors' own documentation and from what the rule files of
// gitleaks and GitHub's secret scanning list as public knowledge.
package secret
