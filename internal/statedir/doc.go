// Package statedir makes and checks our own state folder. What decides about
// the person's machine lies there, so a folder that somebody else could change
// is refused and never mended silently.
package statedir
