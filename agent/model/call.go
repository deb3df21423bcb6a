package model

import "time"

// A CallPart is a piece of a native call as a protocol sends it. The
// normaliser groups pieces into calls (R2).
type CallPart struct {
	Index  *int   // nil: the protocol gave none
	ID     string // empty: none in this piece
	Name   string
	Args   string // to be appended
	New    bool   // a whole call by itself, never joined to another
	Whole  bool   // Args is all of the arguments, and replaces what came before
	Object bool   // Args came as an object where the protocol has a string
}

// A Retry tells that a request failed and will be sent again.
type Retry struct {
	Attempt int // the attempt that comes, from 2
	Wait    time.Duration
	Cause   *Error
}

// Warnings of a reply.
const (
	WarnPromptTruncated = "prompt_truncated_by_server" // the server cut the prompt to its window
	WarnRepetition      = "repetition_stopped"         // the model repeated itself; the stream was stopped
	WarnInvalidUTF8     = "invalid_utf8"               // bytes that are no text were replaced
	WarnNoCalls         = "finish_without_calls"       // finish says calls, and there are none
	WarnUnknownFinish   = "unknown_finish"             // a finish reason that no rule names
	WarnRefusal         = "refusal"                    // the server marked the text as a refusal
	WarnUnsupportedPart = "unsupported_part"           // a part of the reply that is not text, reasoning or a call
	WarnTextCall        = "text_call_unusable"         // the text holds the markup of a call that is none by R6
	WarnProbing         = "asking_about_tools"         // the model is asked once how it calls tools
	WarnNoTools         = "no_tools"                   // the model called no tool when it was told to
	WarnNotKept         = "answer_not_kept"            // what was found of the model could not be stored
	WarnTextTools       = "text_tools"                 // the model takes no tools: they were described in the prompt
)
