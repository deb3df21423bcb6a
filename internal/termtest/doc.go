// Package termtest lets tests use a terminal: an emulator in the process, a
// program on a pseudo terminal behind such an emulator, and tmux.
//
// It is for tests alone.
package termtest
