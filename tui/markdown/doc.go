// Package markdown draws the Markdown of answers as lines of the screen.
//
// # Promised
//
// Headings, lists, quotes, tables, fenced code, emphasis and links are drawn
// plainly; everything else is text. HTML is text, images are not fetched, and
// a link shows its target beside its name. A text that comes in piece by piece
// is drawn as the whole would be, in time that does not grow with what came
// before: what is closed is drawn once.
//
// # Not promised
//
// All of CommonMark. What is not understood is shown as it stands, so nothing
// is lost or hidden.
package markdown
