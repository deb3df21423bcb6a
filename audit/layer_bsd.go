//go:build unix && !linux

package audit

import "syscall"

type unixStat = syscall.Stat_t

// Sync is as strong as the system allows: package os asks macOS for
// F_FULLFSYNC.
func (f *osFile) Sync() error { return f.File.Sync() }

// Reserve keeps no space on these systems: a full disk is still noticed before
// an effect, but the outcome of the last one may not fit any more.
func (f *osFile) Reserve(int64) error { return nil }
