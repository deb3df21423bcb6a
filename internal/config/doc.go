// Package config reads the person's own settings: config.json in the state
// folder, in the form of the original, the environment, and flags.
//
// A key that nobody knows and a bad value refuse, with file and line: a
// misspelt safety setting must not be a setting that is not there. The
// original's keys that have no meaning here are kept and listed, so that
// doctor can name them. Nothing of a project is read here.
package config
