package agent

import (
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// startedEvent says what a call would do.
func startedEvent(p proposal) event.CallStarted {
	e := event.CallStarted{Call: p.call.ID, Tool: p.set.Tool, Title: p.set.Title, Digest: p.digest.String(), Intent: p.aid}
	for _, x := range p.set.Effects {
		e.Effects = append(e.Effects, describe(x))
	}
	return e
}

// startedEvents say what a call would do.
func (d *Dispatcher) startedEvents(p proposal) []event.Body {
	started := startedEvent(p)
	if !d.preview {
		return []event.Body{started}
	}
	return []event.Body{previewEvent(p), started}
}

// previewEvent shows the files of a call with their whole text.
func previewEvent(p proposal) event.CallPreview {
	out := event.CallPreview{Call: p.call.ID}
	for _, e := range p.set.Effects {
		if e.Path == nil || e.Path.Virtual {
			continue
		}
		f := event.FilePreview{Path: e.Path.Abs, Change: e.Kind.ChangesFiles()}
		if e.Path.Exists && e.Path.SHA256 != "" {
			f.Before = wholeText(e.Path.Before)
		}
		if e.After != nil && (f.Before != nil || !e.Path.Exists) {
			f.After = wholeText(e.After.Data)
		}
		out.Files = append(out.Files, f)
	}
	return out
}

// wholeText is content that can be shown as text, nil for other content.
func wholeText(b []byte) *string {
	if !isText(b) || !utf8.Valid(b) {
		return nil
	}
	s := string(b)
	return &s
}

func (d *Dispatcher) decidedEvent(p proposal, v verdict) event.CallDecided {
	e := event.CallDecided{Call: p.call.ID, Decision: string(v.decision), By: string(v.by), Reason: v.reason}
	if r := p.decision.Rule; r.ID != "" {
		e.Rule = r.ID
	}
	if !v.permits() {
		e.Allow = gate.WouldAllow(p.input, p.decision)
	}
	return e
}

func todoEvent(items []tool.TodoItem) event.TodoChanged {
	out := event.TodoChanged{}
	for _, i := range items {
		out.Items = append(out.Items, event.TodoItem{Text: i.Text, Status: i.Status})
	}
	return out
}
