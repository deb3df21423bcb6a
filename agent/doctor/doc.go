// Package doctor says what works here, what does not, and how to mend it. It
// changes nothing, makes no key and executes nothing of a project: it looks at
// our own state, at git's version, and at what the sandbox's probe reaches.
package doctor
