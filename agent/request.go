package agent

import (
	"encoding/json"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// request makes what is sent to the model of a state. It depends on the state
// alone, and the request of a later state begins with the same messages: a
// provider's prompt cache holds.
func request(s session.State, tools *tool.Registry, small bool) (model.Request, error) {
	req := model.Request{Model: s.Model, System: systemText(small), Tools: toolSpecs(tools, small)}
	for i, m := range s.Messages {
		msg, err := message(m)
		if err != nil {
			return model.Request{}, fmt.Errorf("message %d of the session: %w", i+1, err)
		}
		if i == 0 && s.Facts != "" {
			msg.Parts = append([]model.Part{{Kind: model.PartText, Text: s.Facts}}, msg.Parts...)
		}
		req.Messages = append(req.Messages, msg)
	}
	return req, nil
}

func message(m session.Message) (model.Message, error) {
	switch {
	case m.Reply != nil:
		return replyMessage(m.Reply)
	case m.Call != nil:
		failed := m.Call.Status != tool.OK.String() && m.Call.Status != tool.Running.String()
		return model.ToolResult(m.Call.Call, m.Call.Tool, frame(*m.Call), failed), nil
	default:
		return model.UserText(m.User), nil
	}
}

// replyMessage is the model's own message as its provider layer made it.
func replyMessage(r *event.Reply) (model.Message, error) {
	var parts []model.Part
	if len(r.Parts) > 0 {
		if err := json.Unmarshal(r.Parts, &parts); err != nil {
			return model.Message{}, err
		}
	}
	return model.Reply{Parts: parts}.Message(), nil
}

// toolSpecs offers the tools, by name.
func toolSpecs(tools *tool.Registry, small bool) []model.ToolSpec {
	var out []model.ToolSpec
	for _, t := range tools.All() {
		spec := t.Spec()
		if small && !spec.Small {
			continue
		}
		out = append(out, model.ToolSpec{Name: spec.Name, Description: spec.Description, Schema: spec.Schema, Aliases: spec.Aliases})
	}
	return out
}
