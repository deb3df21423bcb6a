package model

import (
	"strings"
	"time"
)

// Class sorts the failures of a provider by what can be done about them (R10).
type Class string

// The classes of errors.
const (
	ClassAuth             Class = "auth"
	ClassQuota            Class = "quota"
	ClassRateLimit        Class = "rate_limit"
	ClassOverloaded       Class = "overloaded"
	ClassContextOverflow  Class = "context_overflow"
	ClassToolsUnsupported Class = "tools_unsupported"
	ClassModelNotFound    Class = "model_not_found"
	ClassModelLoading     Class = "model_loading"
	ClassBadRequest       Class = "bad_request"
	ClassServer           Class = "server"
	ClassStreamTruncated  Class = "stream_truncated"
	ClassNetwork          Class = "network"
)

// passes says that waiting may help.
func (c Class) passes() bool {
	switch c {
	case ClassRateLimit, ClassOverloaded, ClassModelLoading, ClassServer, ClassStreamTruncated, ClassNetwork:
		return true
	case ClassAuth, ClassQuota, ClassContextOverflow, ClassToolsUnsupported, ClassModelNotFound, ClassBadRequest:
		return false
	}
	return false
}

// Fallbacks that a caller can try.
const (
	FallbackCompact   = "compact"    // make the conversation shorter, then send again once
	FallbackTextCalls = "text_calls" // describe the tools in the prompt; the client does it itself
)

// An Error says why a reply failed, and what to do next. Its text holds no key
// and no more of the server's words than a line, made printable.
type Error struct {
	Class      Class
	Status     int    // HTTP status, 0 if there was none
	Message    string // the server's words, or ours
	Retryable  bool   // the same request may succeed later
	RetryAfter *time.Duration
	Fallback   string
	Limit      int64 // context_overflow: the window, 0 if unknown
	Used       int64 // context_overflow: the prompt, 0 if unknown
	Hint       string
	cause      error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("model: ")
	b.WriteString(strings.ReplaceAll(string(e.Class), "_", " "))
	if e.Message != "" {
		b.WriteString(": ")
		b.WriteString(e.Message)
	}
	if e.Hint != "" {
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

// Unwrap gives the cause, such as an error of the network.
func (e *Error) Unwrap() error { return e.cause }
