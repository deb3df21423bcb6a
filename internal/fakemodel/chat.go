package fakemodel

import (
	"encoding/json"

	"github.com/tera-pilot/tera-pilot/internal/scenario"
)

type object = map[string]any

// chat is OpenAI-compatible chat completions.
type chat struct{}

func (chat) read(body []byte) (asked, error) {
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
		var text string
		if m.Role == "assistant" {
			a.results = nil
		}
		if json.Unmarshal(m.Content, &text) != nil {
			continue
		}
		if r, ok := resultOf(text); m.Role == "tool" || m.Role == "user" && ok {
			a.results = append(a.results, r)
		}
	}
	return a, nil
}

func (chat) write(t turn, stream bool) (string, [][]byte) {
	usage := object{"prompt_tokens": t.input, "completion_tokens": t.output, "total_tokens": t.input + t.output}
	finish := "stop"
	if len(t.step.Calls) > 0 {
		finish = "tool_calls"
	}
	if !stream {
		message := object{"role": "assistant", "content": t.step.Say, "tool_calls": chatCalls(t.step.Calls)}
		if t.step.Think != "" {
			message["reasoning_content"] = t.step.Think
		}
		choice := object{"index": 0, "message": message, "finish_reason": finish}
		return "application/json", [][]byte{marshal(object{"id": "s", "object": "chat.completion", "model": Name, "choices": []any{choice}, "usage": usage})}
	}
	var frames [][]byte
	delta := func(d object, finish any) {
		frames = append(frames, sse("", object{"id": "s", "object": "chat.completion.chunk", "model": Name,
			"choices": []any{object{"index": 0, "delta": d, "finish_reason": finish}}}))
	}
	delta(object{"role": "assistant", "content": ""}, nil)
	if t.step.Think != "" {
		for _, p := range pieces(t.step.Think, t.step.Shape.Chunk) {
			delta(object{"reasoning_content": p}, nil)
		}
	}
	if t.step.Say != "" {
		for _, p := range pieces(t.step.Say, t.step.Shape.Chunk) {
			delta(object{"content": p}, nil)
		}
	}
	for i, c := range t.step.Calls {
		head := object{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Tool, "arguments": ""}}
		delta(object{"tool_calls": []any{head}}, nil)
		for _, p := range pieces(string(c.Args), t.step.Shape.Chunk) {
			delta(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
	delta(object{}, finish)
	frames = append(frames, sse("", object{"id": "s", "object": "chat.completion.chunk", "model": Name, "choices": []any{}, "usage": usage}))
	return "text/event-stream", append(frames, []byte("data: [DONE]\n\n"))
}

func chatCalls(calls []scenario.Call) []any {
	var out []any
	for _, c := range calls {
		out = append(out, object{"id": c.ID, "type": "function", "function": object{"name": c.Tool, "arguments": string(c.Args)}})
	}
	return out
}

// ollama is Ollama's native chat.
type ollama struct{}

func (ollama) read(body []byte) (asked, error) {
	a, err := chat{}.read(body)
	var req struct {
		Stream *bool `json:"stream"`
	}
	if json.Unmarshal(body, &req) == nil {
		a.stream = req.Stream == nil || *req.Stream
	}
	return a, err
}

func (ollama) write(t turn, stream bool) (string, [][]byte) {
	var calls []any
	for _, c := range t.step.Calls {
		calls = append(calls, object{"function": object{"name": c.Tool, "arguments": c.Args}})
	}
	end := object{"model": Name, "done": true, "done_reason": "stop", "prompt_eval_count": t.input, "eval_count": t.output}
	message := object{"role": "assistant", "content": t.step.Say}
	if t.step.Think != "" {
		message["thinking"] = t.step.Think
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	if !stream {
		end["message"] = message
		return "application/json", [][]byte{marshal(end)}
	}
	var frames [][]byte
	line := func(m object) {
		m["role"] = "assistant"
		frames = append(frames, append(marshal(object{"model": Name, "message": m, "done": false}), '\n'))
	}
	if t.step.Think != "" {
		for _, p := range pieces(t.step.Think, t.step.Shape.Chunk) {
			line(object{"content": "", "thinking": p})
		}
	}
	for _, p := range pieces(t.step.Say, t.step.Shape.Chunk) {
		line(object{"content": p})
	}
	for _, c := range calls {
		line(object{"content": "", "tool_calls": []any{c}})
	}
	end["message"] = object{"role": "assistant", "content": ""}
	return "application/x-ndjson", append(frames, append(marshal(end), '\n'))
}
