package ossandbox

import "fmt"

// A Grade says how much holds on this machine. The zero value is GradeNone.
// Grades are ordered: a higher one holds all that a lower one holds.
type Grade uint8

const (
	// GradeNone confines nothing; Run refuses.
	GradeNone Grade = iota
	// GradeB is Landlock and seccomp without namespaces, on a copy of the
	// workspace: files, network and system calls are confined; the process
	// list, the number of processes and survivors are not.
	GradeB
	// GradeAMinus is grade A without a /proc of its own (containers).
	GradeAMinus
	// GradeA is the whole plan.
	GradeA
)

// String is the grade as people and the audit log read it.
func (g Grade) String() string {
	switch g {
	case GradeA:
		return "A"
	case GradeAMinus:
		return "A-"
	case GradeB:
		return "B"
	default:
		return "none"
	}
}

// A Setting is the value of agent_os_sandbox. The zero value is not valid.
type Setting uint8

const (
	// Auto accepts the grades A, A- and B.
	Auto Setting = iota + 1
	// On accepts A and A- only.
	On
	// Off runs commands without confinement; each must say so (Command.Unconfined).
	Off
)

// ParseSetting reads the value of agent_os_sandbox.
func ParseSetting(s string) (Setting, error) {
	switch s {
	case "auto":
		return Auto, nil
	case "on":
		return On, nil
	case "off":
		return Off, nil
	default:
		return 0, fmt.Errorf("agent_os_sandbox %q is not one of auto, on, off", s)
	}
}

// String is the value as it is written in the settings.
func (s Setting) String() string {
	switch s {
	case Auto:
		return "auto"
	case On:
		return "on"
	case Off:
		return "off"
	default:
		return "invalid"
	}
}

// Accepts says whether a command may run, confined, at grade g. Off accepts
// none: what runs then is not confined at all.
func (s Setting) Accepts(g Grade) bool {
	switch s {
	case Auto:
		return g >= GradeB
	case On:
		return g >= GradeAMinus
	default:
		return false
	}
}
