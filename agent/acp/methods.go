package acp

import (
	"crypto/rand"
	"encoding/json"

	"github.com/tera-pilot/tera-pilot/agent/acp/wire"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// prompt implements session/prompt. It is answered when the turn ends.
func (s *server) prompt(r *wire.Request, p params) error {
	blocks, err := p.list("prompt", true)
	if text, ok := stringOf(p["prompt"]); ok && r.Method == "prompt/send" { // as the original has it
		block, _ := json.Marshal(textBlock{"text", text})
		blocks, err = []json.RawMessage{block}, nil
	}
	if _, idErr := p.text("sessionId"); idErr != nil {
		err = idErr
	}
	if err != nil {
		return err
	}
	open, err := s.find(p)
	if err != nil {
		return err
	}
	if open.busy("") {
		return &failure{wire.CodeRequest, "a turn is under way in this session: wait for its end, or cancel it"}
	}
	text, err := readPrompt(blocks, rand.Text(), s.images)
	if err != nil {
		return err
	}
	if c, ok := typed(text); ok {
		return open.do(r, c)
	}
	return open.submit(r, text)
}

// cancelled implements session/cancel where it comes as a request.
func (s *server) cancelled(r *wire.Request, p params) error {
	open, err := s.find(p)
	if err != nil {
		return err
	}
	s.stop(open)
	r.Reply(struct{}{})
	return nil
}

// setMode implements session/set_mode.
func (s *server) setMode(r *wire.Request, p params) error {
	mode, err := p.text("modeId")
	if err != nil {
		return err
	}
	open, err := s.find(p)
	if err == nil {
		err = open.setMode(mode, "modeId")
	}
	if err != nil {
		return err
	}
	r.Reply(struct{}{})
	return nil
}

// setConfigOption implements session/set_config_option.
func (s *server) setConfigOption(r *wire.Request, p params) error {
	id, err := p.text("configId")
	if err != nil {
		return err
	}
	value, err := p.text("value")
	if err != nil {
		return err
	}
	open, err := s.find(p)
	if err != nil {
		return err
	}
	switch id {
	case optionMode:
		err = open.setMode(value, "value")
	case optionModel:
		err = open.setModel(value)
	case optionThought:
		err = open.setThought(value)
	default:
		err = &paramError{"configId", "no such option"}
	}
	if err != nil {
		return err
	}
	open.mu.Lock()
	options := open.configOptions()
	open.mu.Unlock()
	r.Reply(map[string]any{"configOptions": options})
	return nil
}

// info implements session/info of the original.
func (s *server) info(r *wire.Request, p params) error {
	open, err := s.find(p)
	if err != nil {
		return err
	}
	state, err := open.opened.State()
	if err != nil {
		return err
	}
	open.mu.Lock()
	mode, model := open.mode, open.model
	open.mu.Unlock()
	r.Reply(map[string]any{
		"sessionId": open.id, "cwd": open.opened.Root, "title": visible.Strict(state.Title), "turns": state.Turn, "mode": mode, "model": model,
	})
	return nil
}
