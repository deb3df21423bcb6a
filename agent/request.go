package agent

import (
	"encoding/json"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// request makes what is sent to the model of a state. It depends on the state
// alone, and the request of a later state begins with the same messages, as
// long as no results were masked and nothing was summed up in between: a
// provider's prompt cache holds.
func request(s session.State, tools *tool.Registry, small bool, overlay string, see sight) (model.Request, error) {
	req := model.Request{Model: s.Model, System: systemText(small, overlay), Tools: toolSpecs(tools, small), Effort: effort(s.Thought)}
	lead := s.Facts + s.NotesFirst
	if s.Compaction != nil {
		lead += s.Compaction.Summary
	}
	sent := ordered(s.Sent())
	if lead != "" && (len(sent) == 0 || sent[0].Reply != nil || sent[0].Call != nil) {
		req.Messages, lead = append(req.Messages, model.UserText(lead)), ""
	}
	var held []model.Message
	for i, m := range sent {
		msg, err := message(m, see)
		if err != nil {
			return model.Request{}, fmt.Errorf("message %d of the session: %w", i+1, err)
		}
		if i == 0 && lead != "" {
			msg.Parts = append([]model.Part{{Kind: model.PartText, Text: lead}}, msg.Parts...)
		}
		if m.Call == nil || m.Loose {
			req.Messages, held = append(req.Messages, held...), nil
		}
		msg, held = picturesAside(msg, held)
		req.Messages = append(req.Messages, msg)
	}
	req.Messages = append(req.Messages, held...)
	return req, nil
}

// picturesAside takes the pictures out of a result: they follow in one message of their
// own behind all results of a reply, since most protocols want those together
// and as text.
func picturesAside(msg model.Message, held []model.Message) (model.Message, []model.Message) {
	if msg.Role != model.RoleTool || len(msg.Parts) < 2 {
		return msg, held
	}
	if len(held) == 0 {
		held = []model.Message{model.UserText("[the pictures of the results above, in their order]")}
	}
	held[0].Parts = append(held[0].Parts, msg.Parts[1:]...)
	msg.Parts = msg.Parts[:1]
	return msg, held
}

// ordered puts what came between a call and its result behind the results:
// every protocol wants them right after their calls.
func ordered(m []session.Message) []session.Message {
	out, held, open := make([]session.Message, 0, len(m)), []session.Message(nil), 0
	for _, x := range m {
		switch {
		case x.Reply != nil:
			out = append(append(out, held...), x)
			held, open = nil, len(x.Reply.Calls)
		case x.Call != nil && !x.Loose:
			out = append(out, x)
			if open--; open <= 0 {
				out, held = append(out, held...), nil
			}
		case open > 0:
			held = append(held, x)
		default:
			out = append(out, x)
		}
	}
	return append(out, held...)
}

// A sight gives the bytes of a picture; nil for a model that takes none.
type sight func(sha256 string) ([]byte, error)

// shown puts pictures behind a result, or says that they cannot be shown.
func (see sight) shown(msg model.Message, refs []event.ImageRef) model.Message {
	for _, ref := range refs {
		why := "this model takes no pictures"
		if see != nil {
			data, err := see(ref.SHA256)
			if err == nil {
				msg.Parts = append(msg.Parts, model.Part{Kind: model.PartImage, Image: &model.Image{MediaType: ref.MediaType, Data: data}})
				continue
			}
			why = "it is not kept any more"
		}
		msg.Parts[0].Text += "\n[the picture is not shown: " + why + "]"
	}
	return msg
}

func message(m session.Message, see sight) (model.Message, error) {
	switch {
	case m.Reply != nil:
		return replyMessage(m.Reply)
	case m.Call != nil:
		text := frame(*m.Call)
		if m.Masked > 0 {
			what := fmt.Sprintf("%d bytes", m.Masked)
			if n := len(m.Call.Images); n > 0 {
				what += fmt.Sprintf(" and %d pictures", n)
			}
			text += fmt.Sprintf("\n[%s: %s that are not shown any more; read_file %s shows the text, or call the tool again]", visible.Strict(clip(m.Call.Title, 200)), what, outName(m.Call.Call))
		}
		if m.Loose {
			return model.UserText("[a file that the person named]\n" + text), nil
		}
		failed := m.Call.Status != tool.OK.String() && m.Call.Status != tool.Running.String()
		answer := model.ToolResult(m.Call.Call, m.Call.Tool, text, failed)
		if m.Masked > 0 {
			return answer, nil
		}
		return see.shown(answer, m.Call.Images), nil
	case m.Note != "":
		return model.UserText(m.Note), nil
	default:
		return see.shown(model.UserText(m.User+frameNotes(m.Notes)), m.Images), nil
	}
}

// clip is the beginning of a text.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return cutBefore(s[:most]) + " .."
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
		out = append(out, model.ToolSpec{Name: spec.Name, Description: spec.Description, Schema: spec.Schema, Aliases: spec.Aliases, Renamed: spec.Renamed, Foreign: spec.Foreign})
	}
	return out
}
