package model

import (
	"encoding/json"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/model/wire"
)

// opaqueReasoning is the encrypted reasoning of one item.
const opaqueReasoning = "openai.reasoning"

// responses is OpenAI's Responses protocol.
type responses struct{}

func (responses) decoder() decoder {
	return &responsesDecoder{items: map[string]int{}, begun: map[int]bool{}, done: map[int]bool{}, said: map[int]bool{}}
}

type responsesDecoder struct {
	items map[string]int // item id to output index
	begun map[int]bool   // calls that were announced
	done  map[int]bool   // items that were given whole
	said  map[int]bool   // items whose text or reasoning came in deltas
	part  bool           // a part of the reasoning ended: the next begins a paragraph
}

type responsesEvent struct {
	responsesBody
	Type      string          `json:"type"`
	Response  *responsesBody  `json:"response"`
	Item      *responsesItem  `json:"item"`
	ItemID    string          `json:"item_id"`
	Index     *count          `json:"output_index"`
	Delta     wire.Text       `json:"delta"`
	Arguments json.RawMessage `json:"arguments"`
}

type responsesBody struct {
	Object     string           `json:"object"`
	Model      wire.Text        `json:"model"`
	Status     string           `json:"status"`
	Output     []*responsesItem `json:"output"`
	Error      json.RawMessage  `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage *responsesUsage `json:"usage"`
}

type responsesItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	CallID    wire.Text       `json:"call_id"`
	Name      wire.Text       `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Encrypted wire.Text       `json:"encrypted_content"`
	Content   []responsesPart `json:"content"`
	Summary   []responsesPart `json:"summary"`
}

type responsesPart struct {
	Type    string    `json:"type"`
	Text    wire.Text `json:"text"`
	Refusal wire.Text `json:"refusal"`
}

type responsesUsage struct {
	Input    optional `json:"input_tokens"`
	Output   optional `json:"output_tokens"`
	InputHas struct {
		Cached optional `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	OutputHas struct {
		Reasoning optional `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

func (d *responsesDecoder) event(e wire.Event, emit func(Delta)) error {
	switch strings.TrimSpace(string(e.Data)) {
	case "":
		return nil
	case "[DONE]":
		emit(Delta{Kind: deltaEnd})
		return nil
	}
	var m responsesEvent
	if err := unmarshal(e.Data, &m); err != nil {
		if e.Name == "error" {
			return reported(e.Data)
		}
		return err
	}
	if m.Type == "" {
		m.Type = e.Name
	}
	switch m.Type {
	case "error":
		return reported(e.Data)
	case "response.created", "response.in_progress":
		if m.Response != nil && m.Response.Model != "" {
			emit(Delta{Kind: deltaModel, Text: string(m.Response.Model)})
		}
		return nil
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		if m.Response != nil {
			return d.end(m.Response, strings.TrimPrefix(m.Type, "response."), emit)
		}
	case "":
		if m.Object == "response" || present(m.Error) {
			return d.end(&m.responsesBody, m.Status, emit)
		}
	}
	return d.item(&m, emit)
}

// index gives the number of the item that an event is about.
func (d *responsesDecoder) index(m *responsesEvent) int {
	id := m.ItemID
	if m.Item != nil && id == "" {
		id = m.Item.ID
	}
	if m.Index != nil {
		if id != "" {
			d.items[id] = int(*m.Index)
		}
		return int(*m.Index)
	}
	i, ok := d.items[id]
	if !ok {
		i = 1<<20 + len(d.items)
		d.items[id] = i
	}
	return i
}

func (d *responsesDecoder) item(m *responsesEvent, emit func(Delta)) error {
	i := d.index(m)
	switch m.Type {
	case "response.output_text.delta":
		d.said[i] = true
		emit(Delta{Kind: DeltaText, Text: string(m.Delta)})
	case "response.refusal.delta":
		d.said[i] = true
		emit(Delta{Kind: DeltaWarning, Text: WarnRefusal})
		emit(Delta{Kind: DeltaText, Text: string(m.Delta)})
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta", "response.reasoning_summary.delta":
		d.thought(i, string(m.Delta), emit)
	case "response.reasoning_summary_part.done":
		d.part = d.said[i]
	case "response.output_item.added":
		if m.Item != nil && m.Item.Type == "function_call" {
			d.begun[i] = true
			emit(Delta{Kind: DeltaCall, Call: &CallPart{Index: &i, ID: string(m.Item.CallID), Name: string(m.Item.Name)}})
		}
	case "response.function_call_arguments.delta":
		emit(Delta{Kind: DeltaCall, Call: &CallPart{Index: &i, Args: string(m.Delta)}})
	case "response.function_call_arguments.done":
		return d.arguments(i, m.Arguments, "", "", emit)
	case "response.output_item.done":
		if m.Item != nil {
			return d.whole(i, m.Item, emit)
		}
	}
	return nil
}

// thought gives reasoning; parts of it are paragraphs.
func (d *responsesDecoder) thought(i int, text string, emit func(Delta)) {
	if d.part {
		text = "\n\n" + text
		d.part = false
	}
	d.said[i] = true
	emit(Delta{Kind: DeltaReasoning, Text: text})
}

func (item *responsesItem) callID() string {
	if item.CallID != "" {
		return string(item.CallID)
	}
	return item.ID
}

// arguments sets the whole arguments of a call: what is announced as done
// counts more than the pieces before.
func (d *responsesDecoder) arguments(i int, raw json.RawMessage, id, name string, emit func(Delta)) error {
	args, object, err := argsPart(raw, true)
	if err != nil {
		return err
	}
	emit(Delta{Kind: DeltaCall, Call: &CallPart{Index: &i, ID: id, Name: name, Args: args, Whole: present(raw), Object: object}})
	return nil
}

// whole reads a finished item, as far as its deltas have not told it yet.
func (d *responsesDecoder) whole(i int, item *responsesItem, emit func(Delta)) error {
	if d.done[i] {
		return nil
	}
	d.done[i] = true
	switch item.Type {
	case "function_call":
		name := string(item.Name)
		if d.begun[i] {
			name = "" // it continues the call that was announced
		}
		return d.arguments(i, item.Arguments, item.callID(), name, emit)
	case "message":
		for _, p := range item.Content {
			if !d.said[i] {
				emit(Delta{Kind: DeltaText, Text: string(p.Text + p.Refusal)})
			}
			if p.Type == "refusal" {
				emit(Delta{Kind: DeltaWarning, Text: WarnRefusal})
			}
		}
	case "reasoning":
		said := d.said[i]
		for n, p := range append(item.Summary, item.Content...) {
			d.part = n > 0
			if !said {
				d.thought(i, string(p.Text), emit)
			}
		}
		d.part = false
		if item.Encrypted != "" {
			emit(Delta{Kind: DeltaOpaque, Opaque: &Opaque{Kind: opaqueReasoning, ID: item.ID, Value: string(item.Encrypted)}})
		}
	default:
		emit(Delta{Kind: DeltaWarning, Text: WarnUnsupportedPart})
	}
	return nil
}

// end reads the response object that ends a stream, or is the whole reply.
// What it holds counts where no event told it before.
func (d *responsesDecoder) end(r *responsesBody, status string, emit func(Delta)) error {
	if status == "failed" || present(r.Error) {
		if present(r.Error) {
			return reported(r.Error)
		}
		return finish("failed", emit)
	}
	for i, item := range r.Output {
		if item == nil {
			continue
		}
		if known, ok := d.items[item.ID]; ok && item.ID != "" {
			i = known
		}
		if err := d.whole(i, item, emit); err != nil {
			return err
		}
	}
	if r.Model != "" {
		emit(Delta{Kind: deltaModel, Text: string(r.Model)})
	}
	if u := r.Usage; u != nil {
		out := &Usage{CacheRead: value(u.InputHas.Cached), Output: value(u.Output), Reasoning: value(u.OutputHas.Reasoning)}
		out.Input = max(0, value(u.Input)-out.CacheRead)
		emit(Delta{Kind: DeltaUsage, Usage: out})
	}
	defer emit(Delta{Kind: deltaEnd})
	if status == "incomplete" {
		if r.Incomplete.Reason == "content_filter" {
			return finish("content_filter", emit)
		}
		return finish("length", emit)
	}
	return finish(status, emit)
}
