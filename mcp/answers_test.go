package mcp

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestAnswersThatCannotBeRead: the library drops what it cannot read, and the
// call would wait for its deadline.
func TestAnswersThatCannotBeRead(t *testing.T) {
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"error":{"code":1e300,"message":"x"}}`:   "cannot be read",
		`{"jsonrpc":"2.0","id":7,"error":{"code":"1","message":"x"}}`:     "cannot be read",
		`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":["x"]}}`:     "cannot be read",
		`{"jsonrpc":"2.0","id":"a\"b"}`:                                   "neither a result nor an error",
		`{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no"}}`: "",
		`{"jsonrpc":"2.0","id":7,"result":null}`:                          "",
		`{"jsonrpc":"2.0","id":7,"method":"roots/list"}`:                  "",
		`{"jsonrpc":"2.0","id":7,"method":"ping","error":{"code":"odd"}}`: "",
		`{"jsonrpc":"2.0","id":7,"error":"boom"}`:                         "",
		`{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":{}}}`:        "cannot be read",
	} {
		var h head
		if err := json.Unmarshal([]byte(line), &h); err != nil {
			t.Fatal(err)
		}
		got := h.readable([]byte(line))
		var answer struct {
			ID    json.RawMessage
			Error *struct {
				Code    int
				Message string
			}
		}
		switch {
		case want == "" && string(got) != line:
			t.Errorf("%s became %s", line, got)
		case want == "":
		case json.Unmarshal(got, &answer) != nil || string(answer.ID) != string(h.ID) || answer.Error == nil || !strings.Contains(answer.Error.Message, want):
			t.Errorf("%s became %s", line, got)
		}
	}
}

func TestResultsThatAreNone(t *testing.T) {
	for _, raw := range []string{`null`, `[1]`, `"x"`, `7`, ``, `{"content":"x"}`} {
		if r, err := decodeResult(json.RawMessage(raw)); err == nil || strings.Contains(err.Error(), "struct") {
			t.Errorf("%s: %+v, %v", raw, r, err)
		}
	}
	for _, raw := range []string{`{}`, `{"content":null}`, `{"content":[]}`} {
		if r, err := decodeResult(json.RawMessage(raw)); err != nil || r.Text != "" || r.Failed {
			t.Errorf("%s: %+v, %v", raw, r, err)
		}
	}
}
