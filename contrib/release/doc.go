// Command release makes what is given out of one commit: for each target an
// archive with the program, its manual pages and completions, the documents,
// the licence of everything that is linked in, and a bill of materials; and the
// list of their hashes, signed if the releaser names a key.
//
//	go run ./contrib/release --out dist --sign ~/.ssh/release_ed25519
//
// It promises
//   - that the same commit, Go version and targets give the same bytes, on any
//     machine and in any folder. What lies uncommitted in the working tree is in
//     no release;
//   - that nothing is fetched: modules come from the local cache, are held to
//     go.sum, and a missing one is an error;
//   - that no licence text is given out, or left out, that nobody read: each is
//     one of a list (licence.go), or there is no release.
//
// It does not promise that Go, or the machine it runs on, is honest. That is
// what building it a second time elsewhere is for (docs/release.md).
package main
