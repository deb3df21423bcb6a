package model

import (
	"encoding/json"
	"fmt"
	"strings"
)

// describeTools gives the form of a request for a model that takes no tools:
// they are described in the system prompt, calls and results of earlier turns
// become text. The calls that the model then writes are recovered by R6.
func describeTools(req Request) Request {
	var b strings.Builder
	b.WriteString(req.System)
	if len(req.Tools) > 0 {
		b.WriteString("\n\nYou can call these tools. To call one, end your reply with exactly this, and nothing after it:\n" +
			"<tool_call>\n{\"name\": NAME, \"arguments\": {…}}\n</tool_call>\n" +
			"The result comes in the next message.\n")
		for _, t := range req.Tools {
			fmt.Fprintf(&b, "\n- %s: %s\n  arguments: %s\n", t.Name, t.Description, compact(t.Schema))
		}
	}
	req.System = strings.TrimLeft(b.String(), "\n")
	req.Tools = nil
	messages := make([]Message, 0, len(req.Messages))
	for _, m := range req.Messages {
		messages = append(messages, describeMessage(m))
	}
	req.Messages = messages
	return req
}

// describeMessage writes the calls and results of a message as text.
func describeMessage(m Message) Message {
	out := Message{Role: m.Role}
	if m.Role == RoleTool {
		out.Role = RoleUser
	}
	for _, p := range m.Parts {
		switch p.Kind {
		case PartCall:
			call, err := json.Marshal(struct {
				Name string          `json:"name"`
				Args json.RawMessage `json:"arguments"`
			}{p.Name, argsOrEmpty(p.Args)})
			if err != nil {
				call = []byte("{}") // arguments of ours always encode
			}
			p = Part{Kind: PartText, Text: "<tool_call>\n" + string(call) + "\n</tool_call>"}
		case PartResult:
			p = Part{Kind: PartText, Text: fmt.Sprintf("Result of %s:\n%s", p.Name, p.Text)}
		}
		out.Parts = append(out.Parts, p)
	}
	return out
}

func argsOrEmpty(args json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return json.RawMessage("{}")
	}
	return args
}

// wantsFolding says whether a refusal comes from a template that takes no
// system role, or no two messages of one role in a row.
func wantsFolding(message string) bool {
	m := strings.ToLower(message)
	for _, words := range []string{"roles must alternate", "must alternate between", "system role not supported", "system message must", "does not support system", "only user and assistant roles", "unexpected role", "consecutive"} {
		if strings.Contains(m, words) {
			return true
		}
	}
	return false
}
