// Package page turns an HTML document into the text that a reader of it would
// see, as Markdown.
//
// # Promised
//
// Nothing is executed, loaded or followed. Elements that are not shown (script,
// style, template, hidden, display:none, moved off the screen, without size or
// colour), comments, and the text of attributes (alt, title) are dropped before the
// conversion, which would keep them; the addresses of links and pictures stay. The time is bounded by the context: a conversion
// that does not end is left behind and its result thrown away. A document that
// the parser refuses (nesting beyond 512) comes back as its bare text.
//
// # Not promised
//
// That everything hidden is found: a style sheet can hide what no attribute
// tells. The text is untrusted either way.
package page
