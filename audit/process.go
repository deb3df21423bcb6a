package audit

// A process names one process for good: ids are used again, start times and
// boots are not.
type process struct {
	pid   int64
	start int64  // in the system's own unit
	boot  string // boot id, and the pid namespace where there is one
}

// processes tells whether a process that wrote into the log is still there.
type processes interface {
	self() (process, error)
	gone(p process) bool
}
