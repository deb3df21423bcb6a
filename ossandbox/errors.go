package ossandbox

import (
	"strconv"
	"strings"
)

// A SetupError says that the sandbox could not be set up: the command has not
// run. It never stands for a failure of the command itself.
type SetupError struct {
	Cause string // what is wrong, in a few words
	Mend  string // what to do about it; may be empty
	File  string // text of a file that Mend speaks of; may be empty
	Err   error  // the error beneath, if any
}

func (e *SetupError) Error() string {
	var b strings.Builder
	b.WriteString("sandbox: ")
	b.WriteString(e.Cause)
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	if e.Mend != "" {
		b.WriteString("; ")
		b.WriteString(e.Mend)
	}
	return b.String()
}

func (e *SetupError) Unwrap() error { return e.Err }

// A GradeError says that this machine reaches no grade which the setting
// accepts, so that no command can run.
type GradeError struct {
	Setting Setting
	Report  Report
}

func (e *GradeError) Error() string {
	if e.Setting == Off {
		return "sandbox: agent_os_sandbox is off, and the command was not marked as one that may run unconfined"
	}
	var b strings.Builder
	b.WriteString("sandbox: grade " + e.Report.Grade.String() + " is not accepted by agent_os_sandbox " + e.Setting.String())
	for _, t := range e.Report.Troubles {
		b.WriteString("; " + t.String())
	}
	return b.String()
}

// An ExecError says that the sandbox stood, and the command could not be
// started in it: not found, or not executable.
type ExecError struct {
	Name     string // the program as it was named
	NotFound bool   // else it was found and could not be executed
	Reason   string // the system's words
}

func (e *ExecError) Error() string {
	if e.NotFound {
		return e.Name + ": not found in the sandbox's PATH"
	}
	return e.Name + ": cannot be executed in the sandbox: " + e.Reason
}

// quoted shows a string from outside in a message, one line, escaped.
func quoted(s string) string { return strconv.Quote(s) }
