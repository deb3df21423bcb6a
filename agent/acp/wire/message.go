package wire

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tera-pilot/tera-pilot/internal/strictjson"
)

// An Error is the error of an answer (JSON-RPC 2.0, section 5.1).
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// Codes of errors: those of JSON-RPC, and those that ACP adds.
const (
	CodeParse      = -32700
	CodeRequest    = -32600
	CodeMethod     = -32601
	CodeParams     = -32602
	CodeInternal   = -32603
	CodeCancelled  = -32800
	CodeNoResource = -32002
)

// kind is what a message is. The zero kind is none.
type kind uint8

const (
	noMessage kind = iota
	request
	notification
	response
)

// A message is one decoded line.
type message struct {
	kind   kind
	id     json.RawMessage // as it was written; nil for a notification
	method string
	params json.RawMessage
	result json.RawMessage
	err    *Error // of a response
}

// maxID is the longest id that is echoed, in bytes.
const maxID = 1 << 10

// decode reads one line. With an error, the id of the message stands in it
// where it has a valid one.
func decode(line []byte) (message, *Error) {
	if !json.Valid(line) {
		return message{}, &Error{CodeParse, "the line is not JSON"}
	}
	members, err := strictjson.Object(line)
	if err != nil {
		return message{}, &Error{CodeRequest, "the message is not one JSON object with distinct members"}
	}
	m := message{params: members["params"], result: members["result"]}
	id, hasID := members["id"]
	if hasID && !validID(id) {
		return message{}, &Error{CodeRequest, "id: a string or a whole number is needed"}
	}
	m.id = id
	if string(members["jsonrpc"]) != `"2.0"` {
		return m, &Error{CodeRequest, `jsonrpc: "2.0" is needed`}
	}
	method, named := members["method"]
	if !named {
		return m.asResponse(members, hasID)
	}
	if method[0] != '"' || json.Unmarshal(method, &m.method) != nil || m.method == "" {
		return m, &Error{CodeRequest, "method: a string is needed"}
	}
	if m.kind = notification; hasID {
		m.kind = request
	}
	return m, nil
}

// asResponse reads an answer. One that has both a result and an error, or
// neither, is an answer that failed.
func (m message) asResponse(members map[string]json.RawMessage, hasID bool) (message, *Error) {
	if !hasID {
		return m, &Error{CodeRequest, "method: a string is needed"}
	}
	m.kind = response
	raw, failed := members["error"]
	switch {
	case failed && m.result != nil, !failed && m.result == nil:
		m.result, m.err = nil, &Error{CodeInternal, "the answer has not one of result and error"}
	case failed:
		m.err = &Error{CodeInternal, "the answer is an error"}
		if e, err := strictjson.Object(raw); err == nil {
			if code := 0; json.Unmarshal(e["code"], &code) == nil {
				m.err.Code = code
			}
		}
	}
	return m, nil
}

// validID says that an id is one that can be echoed: a string or an integer.
func validID(id json.RawMessage) bool {
	if len(id) == 0 || len(id) > maxID {
		return false
	}
	return id[0] == '"' || bytes.IndexFunc(id, func(r rune) bool { return r != '-' && (r < '0' || r > '9') }) < 0
}
