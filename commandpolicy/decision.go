package commandpolicy

import "fmt"

// Decision is an answer about a command, a path, a host or a tool. The zero
// value is Deny: a lost or broken answer means no.
type Decision uint8

// The answers, strictest first.
const (
	Deny Decision = iota
	Ask
	Allow
)

// String is the word used in policy files and in the output of `policy decide`.
func (d Decision) String() string {
	switch d {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	case Deny:
		return "deny"
	}
	return "deny"
}

// MarshalText implements [encoding.TextMarshaler].
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Decision) UnmarshalText(text []byte) error {
	switch string(text) {
	case "allow":
		*d = Allow
	case "ask":
		*d = Ask
	case "deny":
		*d = Deny
	default:
		return fmt.Errorf("decision %q is none of allow, ask, deny", text)
	}
	return nil
}

// Layer says where a rule comes from.
type Layer uint8

// The layers of a policy.
const (
	LayerBuiltin    Layer = iota // the catastrophe list in this program
	LayerUser                    // ~/.tera_pilot/policy.toml and commands.json
	LayerProject                 // <project>/.tera_pilot: tightens; allows wait for approval
	LayerRemembered              // ~/.tera_pilot/remembered.toml
	LayerSession                 // chosen in this session, gone with it
)

// String names the layer as policy list and the decision records do.
func (l Layer) String() string {
	switch l {
	case LayerBuiltin:
		return "builtin"
	case LayerUser:
		return "user"
	case LayerProject:
		return "project"
	case LayerRemembered:
		return "remembered"
	case LayerSession:
		return "session"
	}
	return "unknown"
}

// A Hit is a rule that speaks about something.
type Hit struct {
	Decision Decision
	ID       string // given in the file, or derived from the rule's content
	File     string // "built in" for the built-in list
	Line     int    // 0 for the built-in list
	Layer    Layer
	Because  string
	Grade    string // sandbox grade a remembered rule was granted at, else empty
	OneHost  bool   // the rule names exactly one host, or one MCP tool
}

// String is "id (file:line)".
func (h *Hit) String() string {
	if h == nil {
		return "no rule"
	}
	if h.Line == 0 {
		return fmt.Sprintf("%s (%s)", h.ID, h.File)
	}
	return fmt.Sprintf("%s (%s:%d)", h.ID, h.File, h.Line)
}

// Spoken is what the rules say about one thing. A nil field means that no rule
// of that decision speaks. Within one layer the strictest rule silences the
// others; between layers all are given, since the gate weighs them by source:
// Deny beats everything, Ask raises, Allow only answers the table's ask.
type Spoken struct {
	Deny  *Hit
	Ask   *Hit
	Allow *Hit // for a command: set only when every part is covered or proven
	// Covers lists every allow rule that was needed, Allow first: for a
	// compound command more than one can be.
	Covers []*Hit
	// Pending is an allow rule of the project that waits for the user's yes.
	Pending *Hit
}
