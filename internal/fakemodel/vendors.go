package fakemodel

import (
	"encoding/json"

	"github.com/tera-pilot/tera-pilot/internal/scenario"
)

// responses is OpenAI's Responses protocol.
type responses struct{}

func (responses) read(body []byte) (asked, error) {
	var req struct {
		Stream bool `json:"stream"`
		Input  []struct {
			Type   string          `json:"type"`
			Role   string          `json:"role"`
			Output json.RawMessage `json:"output"`
		} `json:"input"`
	}
	if json.Unmarshal(body, &req) != nil || req.Input == nil {
		return asked{}, errNoJSON
	}
	a := asked{stream: req.Stream}
	for _, item := range req.Input {
		var text string
		switch {
		case item.Type == "function_call", item.Role == "assistant":
			a.results = nil
		case item.Type == "function_call_output" && json.Unmarshal(item.Output, &text) == nil:
			a.results = append(a.results, scenario.ParseResult(text))
		}
	}
	return a, nil
}

func (responses) write(t turn, stream bool) (string, [][]byte) {
	var output []any
	var frames [][]byte
	event := func(kind string, o object) {
		o["type"] = kind
		frames = append(frames, sse(kind, o))
	}
	event("response.created", object{"response": object{"id": "s", "model": Name, "status": "in_progress"}})
	item := func(done object, deltas func(i int)) {
		i := len(output)
		output = append(output, done)
		deltas(i)
		event("response.output_item.done", object{"output_index": i, "item": done})
	}
	if t.step.Think != "" {
		item(object{"type": "reasoning", "id": "rs", "summary": []any{object{"type": "summary_text", "text": t.step.Think}}}, func(i int) {
			for _, p := range pieces(t.step.Think, t.step.Shape.Chunk) {
				event("response.reasoning_summary_text.delta", object{"output_index": i, "delta": p})
			}
		})
	}
	if t.step.Say != "" {
		item(object{"type": "message", "id": "m", "role": "assistant", "content": []any{object{"type": "output_text", "text": t.step.Say}}}, func(i int) {
			for _, p := range pieces(t.step.Say, t.step.Shape.Chunk) {
				event("response.output_text.delta", object{"output_index": i, "delta": p})
			}
		})
	}
	for _, c := range t.step.Calls {
		call := object{"type": "function_call", "id": "fc_" + c.ID, "call_id": c.ID, "name": c.Tool, "arguments": string(c.Args)}
		item(call, func(i int) {
			event("response.output_item.added", object{"output_index": i, "item": object{"type": "function_call", "id": "fc_" + c.ID, "call_id": c.ID, "name": c.Tool, "arguments": ""}})
			for _, p := range pieces(string(c.Args), t.step.Shape.Chunk) {
				event("response.function_call_arguments.delta", object{"output_index": i, "delta": p})
			}
		})
	}
	whole := object{"id": "s", "object": "response", "model": Name, "status": "completed", "output": output,
		"usage": object{"input_tokens": t.input, "output_tokens": t.output}}
	if !stream {
		return "application/json", [][]byte{marshal(whole)}
	}
	event("response.completed", object{"response": whole})
	return "text/event-stream", frames
}

// anthropic is the Messages protocol.
type anthropic struct{}

func (anthropic) read(body []byte) (asked, error) {
	var req struct {
		Stream   bool `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if json.Unmarshal(body, &req) != nil || req.Messages == nil {
		return asked{}, errNoJSON
	}
	a := asked{stream: req.Stream}
	for _, m := range req.Messages {
		if m.Role == "assistant" {
			a.results = nil
			continue
		}
		var blocks []struct {
			Type    string `json:"type"`
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		}
		if json.Unmarshal(m.Content, &blocks) != nil {
			continue
		}
		for _, b := range blocks {
			if b.Type != "tool_result" {
				continue
			}
			text := ""
			for _, c := range b.Content {
				text += c.Text
			}
			a.results = append(a.results, scenario.ParseResult(text))
		}
	}
	return a, nil
}

func (anthropic) write(t turn, stream bool) (string, [][]byte) {
	stop := "end_turn"
	if len(t.step.Calls) > 0 {
		stop = "tool_use"
	}
	var content []any
	frames := [][]byte{sse("message_start", object{"type": "message_start", "message": object{"id": "s", "type": "message", "role": "assistant", "model": Name,
		"content": []any{}, "usage": object{"input_tokens": t.input, "output_tokens": 1}}})}
	block := func(whole, start object, delta string, member string, text string) {
		i := len(content)
		content = append(content, whole)
		frames = append(frames, sse("content_block_start", object{"type": "content_block_start", "index": i, "content_block": start}))
		for _, p := range pieces(text, t.step.Shape.Chunk) {
			frames = append(frames, sse("content_block_delta", object{"type": "content_block_delta", "index": i, "delta": object{"type": delta, member: p}}))
		}
		frames = append(frames, sse("content_block_stop", object{"type": "content_block_stop", "index": i}))
	}
	if s := t.step.Think; s != "" {
		block(object{"type": "thinking", "thinking": s}, object{"type": "thinking", "thinking": ""}, "thinking_delta", "thinking", s)
	}
	if s := t.step.Say; s != "" {
		block(object{"type": "text", "text": s}, object{"type": "text", "text": ""}, "text_delta", "text", s)
	}
	for _, c := range t.step.Calls {
		block(object{"type": "tool_use", "id": c.ID, "name": c.Tool, "input": c.Args},
			object{"type": "tool_use", "id": c.ID, "name": c.Tool, "input": object{}}, "input_json_delta", "partial_json", string(c.Args))
	}
	usage := object{"input_tokens": t.input, "output_tokens": t.output}
	if !stream {
		return "application/json", [][]byte{marshal(object{"id": "s", "type": "message", "role": "assistant", "model": Name, "content": content, "stop_reason": stop, "usage": usage})}
	}
	frames = append(frames,
		sse("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop}, "usage": object{"output_tokens": t.output}}),
		sse("message_stop", object{"type": "message_stop"}))
	return "text/event-stream", frames
}

// gemini is generateContent.
type gemini struct{}

func (gemini) read(body []byte) (asked, error) {
	var req struct {
		Contents []struct {
			Role  string `json:"role"`
			Parts []struct {
				Response *struct {
					Response map[string]string `json:"response"`
				} `json:"functionResponse"`
			} `json:"parts"`
		} `json:"contents"`
	}
	if json.Unmarshal(body, &req) != nil || req.Contents == nil {
		return asked{}, errNoJSON
	}
	var a asked
	for _, c := range req.Contents {
		if c.Role == "model" {
			a.results = nil
		}
		for _, p := range c.Parts {
			if p.Response != nil {
				a.results = append(a.results, scenario.ParseResult(p.Response.Response["result"]+p.Response.Response["error"]))
			}
		}
	}
	return a, nil
}

func (gemini) write(t turn, stream bool) (string, [][]byte) {
	var parts []any
	add := func(p object) { parts = append(parts, p) }
	if t.step.Think != "" {
		for _, p := range pieces(t.step.Think, t.step.Shape.Chunk) {
			add(object{"text": p, "thought": true})
		}
	}
	for _, p := range pieces(t.step.Say, t.step.Shape.Chunk) {
		add(object{"text": p})
	}
	for _, c := range t.step.Calls {
		add(object{"functionCall": object{"name": c.Tool, "args": c.Args}})
	}
	chunk := func(parts []any, last bool) object {
		candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
		out := object{"candidates": []any{candidate}, "modelVersion": Name}
		if last {
			candidate["finishReason"] = "STOP"
			out["usageMetadata"] = object{"promptTokenCount": t.input, "candidatesTokenCount": t.output}
		}
		return out
	}
	if !stream {
		return "application/json", [][]byte{marshal(chunk(parts, true))}
	}
	var frames [][]byte
	for i, p := range parts {
		frames = append(frames, sse("", chunk([]any{p}, i == len(parts)-1)))
	}
	return "text/event-stream", frames
}
