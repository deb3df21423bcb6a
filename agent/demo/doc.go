// Package demo makes the throw-away place in which `tera-pilot demo` plays: a
// home folder with a planted key, a small repository with one bug and a README
// that tries to give orders, and the scripted turns of a model.
//
// Only the model is scripted. The tools, the gate, the sandbox, git and the
// audit log are the real ones, and the folder is kept, so that everything can
// be looked at afterwards.
package demo
