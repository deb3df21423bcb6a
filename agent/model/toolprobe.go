package model

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
)

// A ToolMode says how a model calls tools.
type ToolMode string

// Modes of calling tools.
const (
	ToolsNative ToolMode = "native" // as the protocol has it
	ToolsText   ToolMode = "text"   // as text, which R6 recovers
	ToolsNone   ToolMode = "none"   // not at all: they are described all the same, and the person is told
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

// Probed is a client of a local server that asks each model once how it calls
// tools, before the first request that offers any.
type Probed struct {
	*Client
	keep func(model string, m ToolMode) error // remembers the answer; nil: nobody does

	turn  chan struct{} // holds one: it is asked once, and whoever waits can give up; of what follows
	known map[string]ToolMode
}

// NewProbed makes one. known are the answers of earlier starts, by model.
func NewProbed(c *Client, known map[string]ToolMode, keep func(model string, m ToolMode) error) *Probed {
	p := &Probed{Client: c, keep: keep, turn: make(chan struct{}, 1), known: map[string]ToolMode{}}
	maps.Copy(p.known, known)
	return p
}

// Complete implements Provider. What was found is a warning of the reply.
func (p *Probed) Complete(ctx context.Context, req Request, onDelta func(Delta)) (Reply, error) {
	if len(req.Tools) == 0 || req.Model == "" {
		return p.Client.Complete(ctx, req, onDelta)
	}
	mode, err := p.mode(ctx, req.Model, onDelta)
	if err != nil {
		return failedReply(p.ID(), asError(err)), err
	}
	p.setTools(req.Model, mode)
	if mode == ToolsNone && onDelta != nil {
		onDelta(Delta{Kind: DeltaWarning, Text: WarnNoTools})
	}
	reply, err := p.Client.Complete(ctx, req, onDelta)
	if mode == ToolsNone {
		reply.Warnings = append(reply.Warnings, WarnNoTools)
	}
	return reply, err
}

// mode asks the model, unless it is known. A server that cannot be reached at
// all is an error, as it would be for the request itself; where it fails at
// this one question, the tools are offered as the protocol has it.
func (p *Probed) mode(ctx context.Context, model string, onDelta func(Delta)) (ToolMode, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if m := p.known[model]; m != "" {
		return m, nil
	}
	if onDelta != nil {
		onDelta(Delta{Kind: DeltaWarning, Text: WarnProbing})
	}
	m, err := ProbeTools(ctx, p.Client, model)
	if err != nil {
		var e *Error
		if ctx.Err() != nil || errors.As(err, &e) && (e.Class == ClassNetwork || e.Class == ClassAuth || e.Class == ClassModelNotFound || e.Class == ClassModelLoading) {
			return "", err
		}
		m = ToolsNative
		p.known[model] = m
		return m, nil // not kept: the next start asks again
	}
	p.known[model] = m
	if p.keep != nil {
		if err := p.keep(model, m); err != nil && onDelta != nil {
			onDelta(Delta{Kind: DeltaWarning, Text: WarnNotKept})
		}
	}
	return m, nil
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
