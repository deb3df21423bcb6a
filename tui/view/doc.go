// Package view holds what screens are made of: spans of safe text with a
// style, lines, frames; and the pure functions that lay them out.
//
// # Promised
//
// A Frame draws to exactly as many lines as it is given, none wider than the
// width, whatever the sizes, zero among them. A view takes text as safe.Text
// alone. Widths are those of the renderer, so that a cell is where we think it
// is.
package view
