package model

import (
	"encoding/json"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/model/wire"
)

// Kinds of opaque blocks of Anthropic's.
const (
	opaqueSignature = "anthropic.signature"         // of the reasoning before it
	opaqueRedacted  = "anthropic.redacted_thinking" // reasoning that only the server reads
)

// anthropic is the Messages protocol.
type anthropic struct{}

func (anthropic) decoder() decoder { return &anthropicDecoder{blocks: map[int]*anthropicBlock{}} }

type anthropicDecoder struct {
	blocks map[int]*anthropicBlock
	usage  Usage
}

type anthropicBlock struct {
	Type      string          `json:"type"`
	ID        wire.Text       `json:"id"`
	Name      wire.Text       `json:"name"`
	Text      wire.Text       `json:"text"`
	Thinking  wire.Text       `json:"thinking"`
	Signature wire.Text       `json:"signature"`
	Data      wire.Text       `json:"data"`
	Input     json.RawMessage `json:"input"`

	pieces bool // arguments came in pieces
}

type anthropicUsage struct {
	Input      optional `json:"input_tokens"`
	CacheRead  optional `json:"cache_read_input_tokens"`
	CacheWrite optional `json:"cache_creation_input_tokens"`
	Output     optional `json:"output_tokens"`
}

type anthropicMessage struct {
	Model   wire.Text         `json:"model"`
	Content []*anthropicBlock `json:"content"`
	Stop    wire.Text         `json:"stop_reason"`
	Usage   *anthropicUsage   `json:"usage"`
}

type anthropicEvent struct {
	anthropicMessage
	Type    string            `json:"type"`
	Index   count             `json:"index"`
	Message *anthropicMessage `json:"message"`
	Block   *anthropicBlock   `json:"content_block"`
	Error   json.RawMessage   `json:"error"`
	Delta   struct {
		Type      string    `json:"type"`
		Text      wire.Text `json:"text"`
		Thinking  wire.Text `json:"thinking"`
		Signature wire.Text `json:"signature"`
		Partial   wire.Text `json:"partial_json"`
		Stop      wire.Text `json:"stop_reason"`
	} `json:"delta"`
}

func (d *anthropicDecoder) event(e wire.Event, emit func(Delta)) error {
	if len(strings.TrimSpace(string(e.Data))) == 0 {
		return nil
	}
	var m anthropicEvent
	if e.Name == "error" {
		return reported(e.Data)
	}
	if err := unmarshal(e.Data, &m); err != nil {
		return err
	}
	if m.Type == "" {
		m.Type = e.Name
	}
	if m.Type == "error" || present(m.Error) {
		return reported(e.Data)
	}
	switch m.Type {
	case "message_start":
		if m.Message != nil {
			return d.begin(m.Message, emit)
		}
	case "content_block_start":
		if m.Block != nil {
			d.start(int(m.Index), m.Block, emit)
		}
	case "content_block_delta":
		d.delta(int(m.Index), &m, emit)
	case "content_block_stop":
		d.stop(int(m.Index), emit)
	case "message_delta":
		d.count(m.Usage, emit)
		if m.Delta.Stop != "" {
			return finish(string(m.Delta.Stop), emit)
		}
	case "message_stop":
		emit(Delta{Kind: deltaEnd})
	case "message":
		return d.whole(&m.anthropicMessage, emit)
	}
	return nil
}

func (d *anthropicDecoder) begin(m *anthropicMessage, emit func(Delta)) error {
	if m.Model != "" {
		emit(Delta{Kind: deltaModel, Text: string(m.Model)})
	}
	d.count(m.Usage, emit)
	return nil
}

// count takes what a usage object says over what earlier ones said: counts are
// cumulative.
func (d *anthropicDecoder) count(u *anthropicUsage, emit func(Delta)) {
	if u == nil {
		return
	}
	set(&d.usage.Input, u.Input)
	set(&d.usage.CacheRead, u.CacheRead)
	set(&d.usage.CacheWrite, u.CacheWrite)
	set(&d.usage.Output, u.Output)
	now := d.usage
	emit(Delta{Kind: DeltaUsage, Usage: &now})
}

func (d *anthropicDecoder) start(index int, b *anthropicBlock, emit func(Delta)) {
	d.blocks[index] = b
	switch b.Type {
	case "text":
		emit(Delta{Kind: DeltaText, Text: string(b.Text)})
	case "thinking":
		emit(Delta{Kind: DeltaReasoning, Text: string(b.Thinking)})
	case "tool_use":
		emit(Delta{Kind: DeltaCall, Call: &CallPart{Index: &index, ID: string(b.ID), Name: string(b.Name)}})
	case "redacted_thinking":
	default:
		emit(Delta{Kind: DeltaWarning, Text: WarnUnsupportedPart})
	}
}

func (d *anthropicDecoder) delta(index int, m *anthropicEvent, emit func(Delta)) {
	b := d.blocks[index]
	switch m.Delta.Type {
	case "text_delta":
		emit(Delta{Kind: DeltaText, Text: string(m.Delta.Text)})
	case "thinking_delta":
		emit(Delta{Kind: DeltaReasoning, Text: string(m.Delta.Thinking)})
	case "signature_delta":
		if b != nil {
			b.Signature += m.Delta.Signature
		}
	case "input_json_delta":
		if b != nil && b.Type == "tool_use" && m.Delta.Partial != "" {
			b.pieces = true
			emit(Delta{Kind: DeltaCall, Call: &CallPart{Index: &index, Args: string(m.Delta.Partial)}})
		}
	}
}

// stop ends a block: signatures are whole now, and a call without pieces has
// the input that it began with.
func (d *anthropicDecoder) stop(index int, emit func(Delta)) {
	b := d.blocks[index]
	if b == nil {
		return
	}
	delete(d.blocks, index)
	switch {
	case b.Type == "thinking" && b.Signature != "":
		emit(Delta{Kind: DeltaOpaque, Opaque: &Opaque{Kind: opaqueSignature, Value: string(b.Signature)}})
	case b.Type == "redacted_thinking":
		emit(Delta{Kind: DeltaOpaque, Opaque: &Opaque{Kind: opaqueRedacted, Value: string(b.Data)}})
	case b.Type == "tool_use" && !b.pieces:
		args := string(b.Input)
		if !present(b.Input) {
			args = "{}" // no arguments, as this protocol writes them
		}
		emit(Delta{Kind: DeltaCall, Call: &CallPart{Index: &index, Args: args}})
	}
}

// whole reads a reply that was not streamed.
func (d *anthropicDecoder) whole(m *anthropicMessage, emit func(Delta)) error {
	for i, b := range m.Content {
		if b != nil {
			d.start(i, b, emit)
			d.stop(i, emit)
		}
	}
	if err := d.begin(m, emit); err != nil {
		return err
	}
	emit(Delta{Kind: deltaEnd})
	if m.Stop == "" {
		return nil
	}
	return finish(string(m.Stop), emit)
}
