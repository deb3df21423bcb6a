//go:build !unix

package termtest

import "syscall"

func ownTerminal() *syscall.SysProcAttr { return nil }
