package gate

import "fmt"

// Answer is what the gate says. The zero value is Deny: a lost reply, an early
// return and a decoding failure all mean no.
type Answer uint8

// The answers, strictest first.
const (
	Deny Answer = iota
	Ask
	Allow
)

// String is the answer's word.
func (a Answer) String() string {
	switch a {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	case Deny:
		return "deny"
	}
	return "deny"
}

// Level is the autonomy level, a column of the table. The zero value is the
// default, in which the person is asked about everything that matters.
type Level uint8

// The levels, strictest first.
const (
	AlwaysAsk Level = iota
	NewFilesOnly
	NeverAsk
)

var levelNames = [...]string{AlwaysAsk: "always_ask", NewFilesOnly: "new_files_only", NeverAsk: "never_ask"}

// String is the level's word in settings and logs.
func (l Level) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return levelNames[AlwaysAsk]
}

// ParseLevel reads the setting's word. The level returned with an error is
// AlwaysAsk.
func ParseLevel(word string) (Level, error) {
	for l, name := range levelNames {
		if name == word {
			return Level(l), nil
		}
	}
	return AlwaysAsk, fmt.Errorf("autonomy level %q is none of always_ask, new_files_only, never_ask", word)
}

// Front is the front end of the session. The zero value is none: nobody can be
// asked there.
type Front string

// The front ends.
const (
	FrontTUI  Front = "tui"
	FrontRun  Front = "run"
	FrontACP  Front = "acp"
	FrontMCP  Front = "mcp"
	FrontCLI  Front = "cli" // a command that a person typed
	FrontDemo Front = "demo"
)

// Setting is agent_os_sandbox. The zero value was never set and accepts no
// sandbox.
type Setting uint8

// The settings.
const (
	SandboxUnset Setting = iota
	SandboxOn            // accepts A and A-
	SandboxAuto          // accepts A, A- and B
	SandboxOff           // no sandbox: each command asks, in the interactive terminal only
)

// ParseSetting reads the setting's word.
func ParseSetting(word string) (Setting, error) {
	switch word {
	case "on":
		return SandboxOn, nil
	case "auto":
		return SandboxAuto, nil
	case "off":
		return SandboxOff, nil
	}
	return SandboxUnset, fmt.Errorf("agent_os_sandbox %q is none of auto, on, off", word)
}

// String is the setting's word.
func (s Setting) String() string {
	switch s {
	case SandboxOn:
		return "on"
	case SandboxAuto:
		return "auto"
	case SandboxOff:
		return "off"
	case SandboxUnset:
		return "unset"
	}
	return "unset"
}

// Accepts says whether commands may run in a sandbox of grade g.
func (s Setting) Accepts(g Grade) bool {
	switch s {
	case SandboxOn:
		return g >= GradeAMinus && g <= GradeA
	case SandboxAuto:
		return g >= GradeB && g <= GradeA
	case SandboxOff, SandboxUnset:
		return false
	}
	return false
}

// Grade is how much the sandbox of this machine holds. The zero value is none.
type Grade uint8

// The grades, weakest first.
const (
	NoGrade Grade = iota
	GradeB
	GradeAMinus
	GradeA
)

// ParseGrade reads "A", "A-", "B", or "none"; anything else is NoGrade.
func ParseGrade(word string) Grade {
	switch word {
	case "A":
		return GradeA
	case "A-":
		return GradeAMinus
	case "B":
		return GradeB
	}
	return NoGrade
}

// String is the grade as the status line and the log write it.
func (g Grade) String() string {
	switch g {
	case GradeA:
		return "A"
	case GradeAMinus:
		return "A-"
	case GradeB:
		return "B"
	case NoGrade:
		return "none"
	}
	return "none"
}

// Origin is how the model made the call. The zero value is text.
type Origin uint8

// The origins.
const (
	OriginText   Origin = iota // recovered from prose: a proposal
	OriginNative               // a tool call of the protocol, or no model's call at all
)

// ParseOrigin reads the word of an event.Call; what is not "native" is text.
func ParseOrigin(word string) Origin {
	if word == "native" {
		return OriginNative
	}
	return OriginText
}

// By names the source that decided, in the audit log's words.
type By string

// The sources that a decision of the gate can name.
const (
	ByFloor      By = "floor"
	ByRule       By = "rule" // of the user or the project
	ByParent     By = "parent"
	ByHook       By = "hook"
	ByGuardian   By = "guardian"
	ByTable      By = "table"
	ByRemembered By = "remembered" // a remembered rule, or a host grant of this session
	ByWindow     By = "window"
	ByBuiltIn    By = "built-in" // the read-only proof; the ask sources of step 4 that are built in
	ByTaint      By = "taint"
	ByHeadless   By = "headless"
	ByNoConfirm  By = "no-confirm" // the table's never_ask column, by the launch's opt-out
	ByUserTUI    By = "user:tui"
	ByUserACP    By = "user:acp"
	ByUserCLI    By = "user:cli"
	ByDemo       By = "demo" // typed in a demo, or a step that it played
)

// HookWord is a hook's answer. There is no word that admits. The zero value,
// and so a hook that failed or did not answer in time, is a veto.
type HookWord uint8

// The words of a hook.
const (
	HookVeto HookWord = iota
	HookRaise
	HookPass
)
