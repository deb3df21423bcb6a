//go:build unix

package termtest

import "syscall"

// ownTerminal makes the terminal the program's own.
func ownTerminal() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true, Setctty: true} }
