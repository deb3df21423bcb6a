package model

import (
	"encoding/json"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/model/wire"
)

// ollama is Ollama's native chat. Its OpenAI-compatible one takes no num_ctx,
// and then cuts prompts in silence.
type ollama struct{}

func (ollama) decoder() decoder { return &ollamaDecoder{} }

type ollamaDecoder struct{}

type ollamaChunk struct {
	Model   wire.Text `json:"model"`
	Message struct {
		Content  wire.Text `json:"content"`
		Thinking wire.Text `json:"thinking"`
		Calls    []struct {
			ID       wire.Text `json:"id"`
			Function struct {
				Name      wire.Text       `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"message"`
	Done       bool            `json:"done"`
	DoneReason wire.Text       `json:"done_reason"`
	Prompt     optional        `json:"prompt_eval_count"`
	Answer     optional        `json:"eval_count"`
	Error      json.RawMessage `json:"error"`
}

func (d *ollamaDecoder) event(e wire.Event, emit func(Delta)) error {
	if text := strings.TrimSpace(string(e.Data)); text == "" || text == "[DONE]" {
		return nil
	}
	var c ollamaChunk
	if err := unmarshal(e.Data, &c); err != nil {
		return err
	}
	if present(c.Error) {
		return reported(c.Error)
	}
	if c.Model != "" {
		emit(Delta{Kind: deltaModel, Text: string(c.Model)})
	}
	if c.Message.Thinking != "" {
		emit(Delta{Kind: DeltaReasoning, Text: string(c.Message.Thinking)})
	}
	if c.Message.Content != "" {
		emit(Delta{Kind: DeltaText, Text: string(c.Message.Content)})
	}
	for _, call := range c.Message.Calls {
		args := string(call.Function.Arguments)
		if !present(call.Function.Arguments) {
			args = "{}" // no arguments, as this protocol writes them
		}
		emit(Delta{Kind: DeltaCall, Call: &CallPart{ID: string(call.ID), Name: string(call.Function.Name), Args: args, New: true}})
	}
	if !c.Done {
		return nil
	}
	if c.Prompt != nil || c.Answer != nil {
		emit(Delta{Kind: DeltaUsage, Usage: &Usage{Input: value(c.Prompt), Output: value(c.Answer)}})
	}
	defer emit(Delta{Kind: deltaEnd})
	if c.DoneReason == "" {
		return nil
	}
	return finish(string(c.DoneReason), emit)
}
