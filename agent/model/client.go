package model

import (
	"net/http"
	"time"
)

// Config opens a Client. It is a value: nothing is read from the environment.
type Config struct {
	Provider    string // id in the table of presets
	BaseURL     string // empty: the preset's address
	Key         Key
	AllowRemote bool // a local kind may be at this address, which the user named, though it is not loopback
	Profile     Profile
	Tries       int               // attempts a request, 0: 5
	Transport   http.RoundTripper // nil: the guarded one; tests and decode hand in another
	FirstToken  time.Duration     // 0: 120 s, local kinds 600 s
	Idle        time.Duration     // 0: 120 s
}

// A Profile describes how an endpoint behaves.
type Profile struct {
	TextCalls             TextCalls // empty: auto
	NumCtx                int64     // window in force, 0: unknown
	EstimatedPromptTokens int64     // our estimate of the request, 0: none
}

// TextCalls says whether calls written as prose are recovered (R6).
type TextCalls string

// Settings of text calls.
const (
	TextCallsAuto TextCalls = "auto"
	TextCallsOff  TextCalls = "off"
)
