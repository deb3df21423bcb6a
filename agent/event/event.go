package event

import (
	"encoding/json"
	"fmt"
	"time"
)

// Version is the version of the event format.
const Version = 1

// An Event is one thing that happened in a session (docs/contracts.md, section 3).
type Event struct {
	Seq     uint64    // from 1 without a gap; 0 for a transient event
	Time    time.Time // UTC
	Session string
	Body    Body
}

// A Body is the content of an event: one of the types that kinds lists. Type is
// its word in the log.
type Body interface{ Type() string }

type header struct {
	V       int    `json:"v"`
	Seq     uint64 `json:"seq,omitempty"`
	TS      string `json:"ts"`
	Session string `json:"session"`
	Type    string `json:"type"`
}

// timeForm is the fixed-width form of time stamps: UTC, milliseconds.
const timeForm = "2006-01-02T15:04:05.000Z"

// MarshalJSON writes the header's members and then the body's, as one object.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.Body == nil {
		return nil, fmt.Errorf("event %d has no body", e.Seq)
	}
	head, err := json.Marshal(header{Version, e.Seq, e.Time.UTC().Format(timeForm), e.Session, e.Body.Type()})
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(e.Body)
	if err != nil {
		return nil, err
	}
	if len(body) > 2 {
		head = append(append(head[:len(head)-1], ','), body[1:]...)
	}
	return head, nil
}

// UnmarshalJSON reads what MarshalJSON writes. An unknown type or version is
// an error: a log that we do not understand must not be half read.
func (e *Event) UnmarshalJSON(b []byte) error {
	h, err := readHeader(b)
	if err != nil {
		return err
	}
	if h.V != Version {
		return fmt.Errorf("event %d has version %d: this program reads version %d; use a newer one", h.Seq, h.V, Version)
	}
	ts, err := time.Parse(timeForm, h.TS)
	if err != nil {
		return fmt.Errorf("event %d: time stamp: %w", h.Seq, err)
	}
	read, ok := readers()[h.Type]
	if !ok {
		return fmt.Errorf("event %d: unknown type %q: written by a newer version?", h.Seq, h.Type)
	}
	body, err := read(b)
	if err != nil {
		return fmt.Errorf("event %d: %w", h.Seq, err)
	}
	*e = Event{Seq: h.Seq, Time: ts, Session: h.Session, Body: body}
	return nil
}
