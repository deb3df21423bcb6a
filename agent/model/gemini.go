package model

import (
	"encoding/json"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/model/wire"
)

// opaqueThought is the signature of the part before it.
const opaqueThought = "gemini.thought_signature"

// gemini is Google's generateContent.
type gemini struct{}

func (gemini) decoder() decoder { return &geminiDecoder{} }

type geminiDecoder struct{}

type geminiChunk struct {
	Candidates []struct {
		Index   count `json:"index"`
		Content struct {
			Parts []geminiPart `json:"parts"`
		} `json:"content"`
		Finish wire.Text `json:"finishReason"`
	} `json:"candidates"`
	Feedback struct {
		Block wire.Text `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *struct {
		Prompt   optional `json:"promptTokenCount"`
		Cached   optional `json:"cachedContentTokenCount"`
		Answer   optional `json:"candidatesTokenCount"`
		Thoughts optional `json:"thoughtsTokenCount"`
		ToolUse  optional `json:"toolUsePromptTokenCount"`
	} `json:"usageMetadata"`
	Model wire.Text       `json:"modelVersion"`
	Error json.RawMessage `json:"error"`
}

type geminiPart struct {
	Text      *wire.Text `json:"text"`
	Thought   bool       `json:"thought"`
	Signature wire.Text  `json:"thoughtSignature"`
	Call      *struct {
		ID   wire.Text       `json:"id"`
		Name wire.Text       `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
}

func (d *geminiDecoder) event(e wire.Event, emit func(Delta)) error {
	switch strings.TrimSpace(string(e.Data)) {
	case "":
		return nil
	case "[DONE]":
		emit(Delta{Kind: deltaEnd})
		return nil
	}
	var c geminiChunk
	if err := unmarshal(e.Data, &c); err != nil {
		return err
	}
	if present(c.Error) {
		return reported(c.Error)
	}
	if c.Model != "" {
		emit(Delta{Kind: deltaModel, Text: string(c.Model)})
	}
	if u := c.Usage; u != nil {
		out := &Usage{CacheRead: value(u.Cached), Output: value(u.Answer) + value(u.Thoughts), Reasoning: value(u.Thoughts)}
		out.Input = max(0, value(u.Prompt)+value(u.ToolUse)-out.CacheRead)
		emit(Delta{Kind: DeltaUsage, Usage: out})
	}
	if c.Feedback.Block != "" {
		emit(Delta{Kind: DeltaStop, Stop: StopFilter})
	}
	for _, candidate := range c.Candidates {
		if candidate.Index != 0 {
			continue
		}
		for _, part := range candidate.Content.Parts {
			part.emit(emit)
		}
		if candidate.Finish != "" && candidate.Finish != "FINISH_REASON_UNSPECIFIED" {
			if err := finish(string(candidate.Finish), emit); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p geminiPart) emit(emit func(Delta)) {
	switch {
	case p.Call != nil:
		args := string(p.Call.Args)
		if !present(p.Call.Args) {
			args = "{}" // no arguments, as this protocol writes them
		}
		emit(Delta{Kind: DeltaCall, Call: &CallPart{ID: string(p.Call.ID), Name: string(p.Call.Name), Args: args, New: true}})
	case p.Text != nil && p.Thought:
		emit(Delta{Kind: DeltaReasoning, Text: string(*p.Text)})
	case p.Text != nil:
		emit(Delta{Kind: DeltaText, Text: string(*p.Text)})
	case p.Signature == "":
		emit(Delta{Kind: DeltaWarning, Text: WarnUnsupportedPart})
	}
	if p.Signature != "" {
		emit(Delta{Kind: DeltaOpaque, Opaque: &Opaque{Kind: opaqueThought, Value: string(p.Signature)}})
	}
}
