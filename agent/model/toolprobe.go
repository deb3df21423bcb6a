package model

import (
	"context"
	"encoding/json"
	"errors"
)

// A ToolMode says how a model calls tools.
type ToolMode string

// Modes of calling tools.
const (
	ToolsNative ToolMode = "native" // as the protocol has it
	ToolsText   ToolMode = "text"   // as text, which R6 recovers
	ToolsNone   ToolMode = "none"   // not at all
)

// ProbeTools finds out how a model calls tools, with one small request that
// holds nothing of the user's. Ask when the user chooses the model, and keep
// the answer.
func ProbeTools(ctx context.Context, p Provider, model string) (ToolMode, error) {
	zero := 0.0
	reply, err := p.Complete(ctx, Request{
		Model:       model,
		System:      "You test a tool. Call it at once, and write nothing else.",
		Messages:    []Message{UserText(`Call echo_check with text set to "ok".`)},
		MaxTokens:   512,
		Temperature: &zero,
		Tools: []ToolSpec{{
			Name: "echo_check", Description: "Gives its text back.",
			Schema: json.RawMessage(`{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}`),
		}},
	}, nil)
	if err != nil {
		var e *Error
		if errors.As(err, &e) && e.Class == ClassToolsUnsupported {
			return ToolsNone, nil
		}
		return "", err
	}
	for _, c := range reply.Calls {
		if c.Status != CallOK {
			continue
		}
		if c.Origin == OriginNative {
			return ToolsNative, nil
		}
		return ToolsText, nil
	}
	return ToolsNone, nil
}

// DefaultNumCtx is the window to ask Ollama for: the model's own, and at most
// 32k, since its default of 4k cuts prompts in silence.
func DefaultNumCtx(modelMax int64) int64 {
	const most = 32 << 10
	if modelMax <= 0 {
		return 8 << 10
	}
	return min(modelMax, most)
}
