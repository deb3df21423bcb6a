package acp

import (
	"slices"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// Launch is what the person who started the agent allowed.
type Launch struct {
	NewFiles bool // the level new_files_only
	OptOut   bool // --no-confirm
}

// Modes, by the ids that clients see.
const (
	modePlan      = "plan"
	modeAsk       = "ask"
	modeNewFiles  = "auto-new-files"
	modeNoConfirm = "no-confirm"
)

// modes lists those that a client may choose from. There is none that acts
// unasked under another name.
func (l Launch) modes() []modeInfo {
	out := []modeInfo{
		{modePlan, "Plan (read only)", "Reads, and commands proven to read only; everything else is denied without a question"},
		{modeAsk, "Ask", "Asks before every change and every command"},
	}
	if l.NewFiles || l.OptOut {
		out = append(out, modeInfo{modeNewFiles, "Auto: new files", "Makes new files in the workspace unasked; asks about all else"})
	}
	if l.OptOut {
		out = append(out, modeInfo{modeNoConfirm, "No confirm", "Acts unasked inside the sandbox; what a rule denies stays denied"})
	}
	return out
}

// first is the mode of a new session.
func (l Launch) first() string {
	switch {
	case l.OptOut:
		return modeNoConfirm
	case l.NewFiles:
		return modeNewFiles
	default:
		return modeAsk
	}
}

// command is what sets a mode. ok is false for one that is not listed.
func (l Launch) command(mode string) (c event.SetLevel, ok bool) {
	if !slices.ContainsFunc(l.modes(), func(m modeInfo) bool { return m.ID == mode }) {
		return event.SetLevel{}, false
	}
	switch mode {
	case modePlan:
		return event.SetLevel{Level: "always_ask", Plan: true}, true
	case modeNewFiles:
		return event.SetLevel{Level: "new_files_only"}, true
	case modeNoConfirm:
		return event.SetLevel{Level: "never_ask"}, true
	default:
		return event.SetLevel{Level: "always_ask"}, true
	}
}

// modeOf is the mode of a level in force.
func modeOf(level string) string {
	switch level {
	case "plan":
		return modePlan
	case "new_files_only":
		return modeNewFiles
	case "never_ask":
		return modeNoConfirm
	default:
		return modeAsk
	}
}

// Ids of the configuration options.
const (
	optionMode    = "mode"
	optionModel   = "model"
	optionThought = "thought"
)

// thoughts are the levels of thought by the ids that clients see; the
// session's own words stand beside them.
var thoughts = []struct{ id, word, name string }{
	{"default", "", "As the model does by itself"}, {"off", "off", "Off"}, {"low", "low", "Low"}, {"medium", "medium", "Medium"}, {"high", "high", "High"},
}

// configOptions are mode, model and thought as the protocol's newer way has them.
func (s *session) configOptions() []configOption {
	mode := configOption{ID: optionMode, Name: "Mode", Category: "mode", Type: "select", CurrentValue: s.mode}
	for _, m := range s.server.o.Launch.modes() {
		mode.Options = append(mode.Options, configValue{m.ID, m.Name, m.Description})
	}
	if s.model == "" {
		return []configOption{mode}
	}
	model := configOption{ID: optionModel, Name: "Model", Category: "model", Type: "select", CurrentValue: s.model}
	for _, name := range s.models() {
		model.Options = append(model.Options, configValue{Value: name, Name: visible.Strict(name)})
	}
	thought := configOption{ID: optionThought, Name: "Thought", Category: "thought_level", Type: "select"}
	for _, t := range thoughts {
		thought.Options = append(thought.Options, configValue{Value: t.id, Name: t.name})
		if t.word == s.thought {
			thought.CurrentValue = t.id
		}
	}
	return []configOption{mode, model, thought}
}

// models are the names that can be chosen, the one in use among them.
func (s *session) models() []string {
	if slices.Contains(s.opened.Models, s.model) {
		return s.opened.Models
	}
	return append([]string{s.model}, s.opened.Models...)
}

func (s *session) result() sessionResult {
	return sessionResult{
		Modes:         modeState{CurrentModeID: s.mode, AvailableModes: s.server.o.Launch.modes()},
		ConfigOptions: s.configOptions(),
	}
}
