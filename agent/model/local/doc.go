// Package local keeps what this machine needs to know of its own models from
// one start to the next: which one the person chose, and how each calls tools.
// It also says how large a window to ask for.
//
// Promised: a choice is used only at the very address at which it was made, and
// the caller is told what kind of server stood there, so that another one in
// its place is noticed. What was found of a model counts for those very weights
// and that template only.
//
// Not promised: that a model which called a tool once will do it well.
package local
