package netguard

import "fmt"

// Code says which rule refused.
type Code string

// The rules that refuse.
const (
	CodeText     Code = "text"     // bytes that no URL needs
	CodeScheme   Code = "scheme"   // neither http nor https
	CodeUserinfo Code = "userinfo" // user or password in the URL
	CodeHost     Code = "host"     // a host in no accepted spelling, or of a private name
	CodePort     Code = "port"     // a port outside the policy
	CodePolicy   Code = "policy"   // a host or scheme outside the policy
	CodeResolve  Code = "resolve"  // no answer, too many, or too late
	CodeAddress  Code = "address"  // an address outside the policy
	CodeResponse Code = "response" // an answer that no request of ours asks for
)

// A RefusedError says what a Guard refused and by which rule. Nothing was
// connected.
type RefusedError struct {
	Code   Code
	Host   string // as far as it was understood
	Reason string
}

func (e *RefusedError) Error() string { return "refused: " + e.Reason }

func refuse(code Code, host, format string, args ...any) *RefusedError {
	return &RefusedError{Code: code, Host: host, Reason: fmt.Sprintf(format, args...)}
}
