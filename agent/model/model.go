package model

import (
	"context"
	"encoding/json"
)

// A Provider completes conversations. [Client] speaks to a server; [Scripted]
// plays a scenario.
type Provider interface {
	// ID is the provider's id in the table of presets, such as "openai-chat".
	ID() string

	// Complete sends one request and waits for the whole reply. onDelta, which
	// may be nil, is called from the same goroutine while the reply arrives;
	// what it shows is provisional, and the Reply is the truth.
	//
	// An error is a *Error, or wraps the cause of a cancelled ctx. The Reply is
	// valid then too: it holds what had arrived, and no call in it is CallOK.
	Complete(ctx context.Context, req Request, onDelta func(Delta)) (Reply, error)
}

// A Request is everything one turn sends. The bytes that are made of it depend
// on nothing else, so that the request of a turn is a prefix of the next one's.
type Request struct {
	Model       string
	System      string
	Messages    []Message
	Tools       []ToolSpec // sorted by name before they are sent
	MaxTokens   int        // 0: the provider's default
	Temperature *float64   // nil: the provider's default
	Effort      Effort     // how long to reason; empty: the provider's default
	Seed        *int64     // honoured by few servers; nil: none
}

// Effort asks a reasoning model for more or less of it.
type Effort string

// Efforts that every adapter understands.
const (
	EffortOff    Effort = "off" // as little as the model allows
	EffortLow    Effort = "low"
	EffortMedium Effort = "medium"
	EffortHigh   Effort = "high"
)

// A ToolSpec offers one tool to the model.
type ToolSpec struct {
	Name        string
	Description string
	Schema      json.RawMessage   // JSON Schema of the arguments: an object
	Foreign     bool              // a server's schema, in any dialect: calls are not held against what we do not understand
	Aliases     []string          // other names that mean this tool (R5)
	Renamed     map[string]string // other names of its arguments, and what the schema calls them (R5)
}

// Role says who speaks.
type Role string

// The roles of a conversation. The system prompt is [Request.System].
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// A Message is one entry of the conversation. It can be stored as JSON.
type Message struct {
	Role  Role   `json:"role"`
	Parts []Part `json:"parts"`
}

// PartKind tells which fields of a Part count.
type PartKind string

// Kinds of parts, with the fields they use.
const (
	PartText      PartKind = "text"      // Text
	PartReasoning PartKind = "reasoning" // Text
	PartCall      PartKind = "call"      // CallID, Name, Args
	PartResult    PartKind = "result"    // CallID, Name, Text, Failed
	PartOpaque    PartKind = "opaque"    // Opaque; belongs to the part before it
	PartImage     PartKind = "image"     // Image
)

// A Part is one piece of a message. Order counts: text, calls and opaque
// blocks go back to the provider as they came.
type Part struct {
	Kind   PartKind        `json:"kind"`
	Text   string          `json:"text,omitempty"`
	CallID string          `json:"call_id,omitempty"`
	Name   string          `json:"name,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"`
	Failed bool            `json:"failed,omitempty"`
	Opaque *Opaque         `json:"opaque,omitempty"`
	Image  *Image          `json:"image,omitempty"`
}

// An Image is a picture for models that take one.
type Image struct {
	MediaType string `json:"media_type"` // image/png, image/jpeg, image/gif, image/webp
	Data      []byte `json:"data"`
}

// An Opaque block is data of a provider that nobody reads: signatures and
// encrypted reasoning. It goes back byte for byte, to the provider and model
// that made it, and is left out of a request to any other.
type Opaque struct {
	Kind     string `json:"kind"` // such as "anthropic.signature"
	ID       string `json:"id,omitempty"`
	Value    string `json:"value"`
	Provider string `json:"provider,omitempty"` // set by the client
	Model    string `json:"model,omitempty"`    // set by the client
}

// Sealed says that the block holds no words that anybody could read: a
// signature, or what the provider encrypted.
func (o Opaque) Sealed() bool {
	switch o.Kind {
	case opaqueSignature, opaqueRedacted, opaqueThought, opaqueReasoning:
		return true
	}
	return false
}

// UserText is a message of the user.
func UserText(text string) Message {
	return Message{Role: RoleUser, Parts: []Part{{Kind: PartText, Text: text}}}
}

// ToolResult answers one call. Every call of a reply needs one, those that did
// not run among them.
func ToolResult(callID, tool, text string, failed bool) Message {
	return Message{Role: RoleTool, Parts: []Part{{Kind: PartResult, CallID: callID, Name: tool, Text: text, Failed: failed}}}
}

// DeltaKind tells which fields of a Delta count.
type DeltaKind string

// Kinds of deltas, with the fields they use.
const (
	DeltaText      DeltaKind = "text"      // Text
	DeltaReasoning DeltaKind = "reasoning" // Text
	DeltaCall      DeltaKind = "call"      // Call: a piece of a native call
	DeltaOpaque    DeltaKind = "opaque"    // Opaque
	DeltaUsage     DeltaKind = "usage"     // Usage
	DeltaStop      DeltaKind = "stop"      // Stop
	DeltaWarning   DeltaKind = "warning"   // Text: one of the Warn constants
	DeltaRetry     DeltaKind = "retry"     // Retry: what arrived so far is void

	deltaEnd   DeltaKind = "end"   // the stream's own end marker
	deltaModel DeltaKind = "model" // Text: the model, as the server names it
)

// A Delta is one piece of a reply on its way.
type Delta struct {
	Kind   DeltaKind
	Text   string
	Call   *CallPart
	Opaque *Opaque
	Usage  *Usage
	Stop   Stop
	Retry  *Retry
}

// A Call is one tool call of a reply.
type Call struct {
	ID      string          // never empty, unique in the session (R3)
	Name    string          // the offered tool's name, or as written if there is none
	Args    json.RawMessage // an object in strict JSON; nil: must not be used
	Status  CallStatus
	Origin  Origin
	Repairs []string // what was mended: name, json, empty_args, coerce:FIELD …
	Problem string   // why the status is not CallOK, in words for the model
}

// CallStatus says whether a call may go to the gate. The zero value may not.
type CallStatus uint8

// Statuses of a call. Only CallOK ever runs; the others get an error result.
const (
	CallTruncated CallStatus = iota
	CallInvalidArgs
	CallUnknownTool
	CallDuplicate
	CallOK
)

// Origin says how a call was written.
type Origin string

// Origins. A call recovered from prose is a proposal that the gate must hear of.
const (
	OriginNative Origin = "native"
	OriginText   Origin = "text"
)

// Stop says why the model stopped. The zero value is an error.
type Stop uint8

// Reasons to stop.
const (
	StopError Stop = iota
	StopEnd
	StopToolCalls
	StopLength
	StopFilter
)

// Usage counts tokens. Input excludes cached tokens, Output includes Reasoning.
type Usage struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning"`
}

// A Reply is what one request came to.
type Reply struct {
	Text      string // raw: make it visible before showing it (R12)
	Reasoning string
	Calls     []Call
	Parts     []Part // text, reasoning, calls and opaque blocks in order (R14)
	Opaque    []Opaque
	Stop      Stop
	Usage     *Usage // nil: the server did not say
	Warnings  []string
	Err       *Error // nil: no error; else Complete returned it too
	Provider  string
	Model     string // as the server named it; empty: it did not
}

// Message is the assistant's entry of the conversation that the reply makes.
// Calls without usable arguments are sent back with an empty object.
func (r Reply) Message() Message {
	return Message{Role: RoleAssistant, Parts: r.Parts}
}

func (s CallStatus) String() string {
	switch s {
	case CallOK:
		return "ok"
	case CallInvalidArgs:
		return "invalid_args"
	case CallUnknownTool:
		return "unknown_tool"
	case CallDuplicate:
		return "duplicate"
	default:
		return "truncated"
	}
}

func (s Stop) String() string {
	switch s {
	case StopEnd:
		return "end"
	case StopToolCalls:
		return "tool_calls"
	case StopLength:
		return "length"
	case StopFilter:
		return "filter"
	default:
		return "error"
	}
}
