package model

import (
	"encoding/json"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/model/wire"
)

// opaqueDetails are the reasoning_details of a gateway, as a JSON list.
const opaqueDetails = "openai-chat.reasoning_details"

// chat is OpenAI's chat completions, as OpenAI, gateways and local servers
// speak it: with the mistakes that R1, R2 and R4 list.
type chat struct{}

func (chat) decoder() decoder { return &chatDecoder{} }

type chatDecoder struct {
	spoke   bool // a delta had content: a whole message after it is a repetition
	details []json.RawMessage
	signed  bool // some of the details hold what must be sent back
}

type chatChunk struct {
	Model   wire.Text       `json:"model"`
	Object  wire.Text       `json:"object"`
	Error   json.RawMessage `json:"error"`
	Choices []chatChoice    `json:"choices"`
	Usage   *chatUsage      `json:"usage"`
	Groq    struct {
		Usage *chatUsage      `json:"usage"`
		Error json.RawMessage `json:"error"`
	} `json:"x_groq"`
}

type chatChoice struct {
	Index   count           `json:"index"`
	Delta   *chatMessage    `json:"delta"`
	Message *chatMessage    `json:"message"`
	Finish  wire.Text       `json:"finish_reason"`
	Error   json.RawMessage `json:"error"`
	Usage   *chatUsage      `json:"usage"`
}

type chatMessage struct {
	Content          json.RawMessage   `json:"content"`
	ReasoningContent wire.Text         `json:"reasoning_content"`
	Reasoning        json.RawMessage   `json:"reasoning"`
	Details          []json.RawMessage `json:"reasoning_details"`
	Refusal          wire.Text         `json:"refusal"`
	Calls            []chatCall        `json:"tool_calls"`
	Function         *chatFunction     `json:"function_call"` // before tool_calls
}

type chatCall struct {
	Index    *count       `json:"index"`
	ID       wire.Text    `json:"id"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      wire.Text       `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type chatUsage struct {
	Prompt     optional `json:"prompt_tokens"`
	Completion optional `json:"completion_tokens"`
	Total      optional `json:"total_tokens"`
	Cached     optional `json:"cached_tokens"`           // Moonshot
	CacheHit   optional `json:"prompt_cache_hit_tokens"` // DeepSeek
	PromptHas  struct {
		Cached  optional `json:"cached_tokens"`
		Written optional `json:"cache_write_tokens"` // OpenRouter
	} `json:"prompt_tokens_details"`
	CompletionHas struct {
		Reasoning optional `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// usage by R16. Where the total shows that reasoning was not counted into the
// completion, it is added.
func (u *chatUsage) usage() *Usage {
	cached := max(value(u.PromptHas.Cached), value(u.Cached), value(u.CacheHit))
	out := Usage{
		CacheRead: cached, CacheWrite: value(u.PromptHas.Written),
		Output: value(u.Completion), Reasoning: value(u.CompletionHas.Reasoning),
	}
	out.Input = max(0, value(u.Prompt)-out.CacheRead-out.CacheWrite)
	if out.Reasoning > 0 && value(u.Prompt)+out.Output+out.Reasoning == value(u.Total) {
		out.Output += out.Reasoning
	}
	return &out
}

func (d *chatDecoder) event(e wire.Event, emit func(Delta)) error {
	data := strings.TrimSpace(string(e.Data))
	switch {
	case data == "":
		return nil
	case data == "[DONE]":
		emit(Delta{Kind: deltaEnd})
		return nil
	case e.Name == "error":
		return reported(e.Data)
	}
	var c chatChunk
	if err := unmarshal(e.Data, &c); err != nil {
		return err
	}
	for _, raw := range []json.RawMessage{c.Error, c.Groq.Error} {
		if present(raw) {
			return reported(raw)
		}
	}
	if c.Object == "error" {
		return reported(e.Data)
	}
	if c.Model != "" {
		emit(Delta{Kind: deltaModel, Text: string(c.Model)})
	}
	for _, choice := range c.Choices {
		if choice.Index == 0 {
			if err := d.choice(choice, emit); err != nil {
				return err
			}
		}
	}
	usages := []*chatUsage{c.Groq.Usage, c.Usage}
	for _, choice := range c.Choices {
		usages = append(usages, choice.Usage) // Moonshot
	}
	for _, u := range usages {
		if u != nil && (u.Prompt != nil || u.Completion != nil) {
			emit(Delta{Kind: DeltaUsage, Usage: u.usage()})
		}
	}
	return nil
}

func (d *chatDecoder) choice(c chatChoice, emit func(Delta)) error {
	if present(c.Error) {
		return reported(c.Error)
	}
	message := c.Delta
	if message == nil || !d.spoke && message.empty() && c.Message != nil {
		message = c.Message
	}
	if message != nil && (message == c.Delta || !d.spoke) {
		if err := d.message(message, emit); err != nil {
			return err
		}
	}
	if c.Finish != "" {
		return d.finish(string(c.Finish), emit)
	}
	return nil
}

func (m *chatMessage) empty() bool {
	return !present(m.Content) && len(m.Calls) == 0 && m.Function == nil
}

func (d *chatDecoder) message(m *chatMessage, emit func(Delta)) error {
	d.reasoning(m, emit)
	text, thought := contentText(m.Content)
	d.emit(DeltaReasoning, thought, emit)
	d.emit(DeltaText, text, emit)
	if m.Refusal != "" {
		emit(Delta{Kind: DeltaWarning, Text: WarnRefusal})
		d.emit(DeltaText, string(m.Refusal), emit)
	}
	calls := m.Calls
	if m.Function != nil {
		zero := count(0)
		calls = append(calls, chatCall{Index: &zero, Function: *m.Function})
	}
	for _, c := range calls {
		if err := d.call(c, emit); err != nil {
			return err
		}
	}
	return nil
}

func (d *chatDecoder) emit(kind DeltaKind, text string, emit func(Delta)) {
	if text != "" {
		d.spoke = true
		emit(Delta{Kind: kind, Text: text})
	}
}

// reasoning reads the fields in which servers put it; some send the same text
// in two of them.
func (d *chatDecoder) reasoning(m *chatMessage, emit func(Delta)) {
	text := string(m.ReasoningContent)
	if text == "" {
		text, _ = contentText(m.Reasoning)
	}
	var fromDetails strings.Builder
	for _, raw := range m.Details {
		var detail struct {
			Text      wire.Text `json:"text"`
			Summary   wire.Text `json:"summary"`
			Signature wire.Text `json:"signature"`
			Data      wire.Text `json:"data"`
		}
		if json.Unmarshal(raw, &detail) != nil {
			continue
		}
		fromDetails.WriteString(string(detail.Text + detail.Summary))
		d.details = append(d.details, raw)
		d.signed = d.signed || detail.Signature != "" || detail.Data != ""
	}
	if text == "" {
		text = fromDetails.String()
	}
	d.emit(DeltaReasoning, text, emit)
}

// finish ends the message: details of reasoning that something signed go back
// as a whole.
func (d *chatDecoder) finish(reason string, emit func(Delta)) error {
	if d.signed {
		whole, err := json.Marshal(d.details)
		if err != nil {
			return err
		}
		emit(Delta{Kind: DeltaOpaque, Opaque: &Opaque{Kind: opaqueDetails, Value: string(whole)}})
		d.signed = false
	}
	return finish(reason, emit)
}

func (d *chatDecoder) call(c chatCall, emit func(Delta)) error {
	args, object, err := argsPart(c.Function.Arguments, true)
	if err != nil {
		return err
	}
	d.spoke = true
	part := &CallPart{ID: string(c.ID), Name: string(c.Function.Name), Args: args, Object: object}
	if c.Index != nil {
		i := int(*c.Index)
		part.Index = &i
	}
	emit(Delta{Kind: DeltaCall, Call: part})
	return nil
}

// contentText reads content that is text, or a list of parts of which some are
// reasoning.
func contentText(raw json.RawMessage) (text, thought string) {
	var t wire.Text
	if !present(raw) {
		return "", ""
	}
	if json.Unmarshal(raw, &t) == nil {
		return string(t), ""
	}
	var parts []struct {
		Type     string          `json:"type"`
		Text     wire.Text       `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", ""
	}
	for _, p := range parts {
		switch p.Type {
		case "thinking", "reasoning":
			inner, _ := contentText(p.Thinking)
			thought += string(p.Text) + inner
		default:
			text += string(p.Text)
		}
	}
	return text, thought
}

// finish reads a finish reason of any protocol, in any case (R9).
func finish(reason string, emit func(Delta)) error {
	switch strings.ToLower(reason) {
	case "stop", "end_turn", "stop_sequence", "completed", "complete", "eos", "eos_token", "pause_turn", "load", "unload":
		emit(Delta{Kind: DeltaStop, Stop: StopEnd})
	case "tool_calls", "tool_use", "function_call", "tool_call":
		emit(Delta{Kind: DeltaStop, Stop: StopToolCalls})
	case "length", "max_tokens", "max_output_tokens", "model_context_window_exceeded", "model_length":
		emit(Delta{Kind: DeltaStop, Stop: StopLength})
	case "content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii", "language",
		"image_safety", "image_prohibited_content", "image_recitation", "sensitive":
		emit(Delta{Kind: DeltaStop, Stop: StopFilter})
	case "insufficient_system_resource":
		return readComplaint(0, []byte(`"`+reason+`"`)).toError()
	case "error", "abort", "cancelled", "failed", "network_error", "malformed_function_call", "unexpected_tool_call",
		"malformed_response", "missing_thought_signature", "too_many_tool_calls":
		return &Error{Class: ClassServer, Message: "the server ended the reply: " + printable(reason), Retryable: true, Hint: hints[ClassServer]}
	default:
		emit(Delta{Kind: DeltaWarning, Text: WarnUnknownFinish})
		emit(Delta{Kind: DeltaStop, Stop: StopEnd})
	}
	return nil
}
