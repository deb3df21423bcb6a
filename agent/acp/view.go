package acp

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// Bounds of what is shown of one call, in bytes.
const (
	maxDiff   = 1 << 20
	maxRaw    = 64 << 10
	maxShown  = 64 << 10
	maxTail   = 8 << 10
	tailEvery = 500 * time.Millisecond
)

// A folder is a workspace under its two names: without links, and as the
// client wrote it. A client knows its files by the second.
type folder struct{ real, asked string }

// name is a path as the client knows it.
func (f folder) name(abs string) string {
	if rest, ok := strings.CutPrefix(abs, f.real+"/"); ok && f.asked != "" {
		return filepath.Join(f.asked, rest)
	}
	return abs
}

// A view turns events into updates. It belongs to one goroutine.
type view struct {
	send   func(update any)
	folder folder
	window int64

	text, thought stream
	args          map[string]json.RawMessage   // of the calls of the last reply
	previews      map[string]event.CallPreview // of calls that are about to start
	calls         map[string]toolCall          // that have no result yet, as they were shown
	tail          string                       // of the running command's output
	shown         time.Time                    // when it was
	stop          string                       // how the last reply ended
}

func newView(send func(any), f folder, window int64) *view {
	return &view{
		send: send, folder: f, window: window,
		text: stream{kind: "agent_message_chunk"}, thought: stream{kind: "agent_thought_chunk"},
		args: map[string]json.RawMessage{}, previews: map[string]event.CallPreview{}, calls: map[string]toolCall{},
	}
}

// A stream is one message on its way.
type stream struct {
	kind string
	id   string // "": none has begun
	raw  string
	sent int // bytes of raw
}

// take shows one event.
func (v *view) take(body event.Body) {
	switch b := body.(type) {
	case event.TextDelta:
		v.text.raw += b.Text
		v.flow(&v.text, false)
	case event.ReasoningDelta:
		v.thought.raw += b.Text
		v.flow(&v.thought, false)
	case event.Reply:
		v.reply(b)
	case event.CallPreview:
		v.previews[b.Call] = b
	case event.CallStarted:
		v.started(b)
	case event.OutputDelta:
		v.output(b)
	case event.CallDecided:
		if b.Decision == "allowed" || b.Decision == "approved" {
			v.send(toolCall{Update: "tool_call_update", ToolCallID: b.Call, Status: "in_progress"})
		}
	case event.CallResult:
		v.result(b)
	case event.JobChanged:
		if b.Status != "running" {
			v.send(toolCall{Update: "tool_call_update", ToolCallID: b.Call, Status: statusOf(b.Status)})
		}
	case event.TodoChanged:
		v.plan(b)
	case event.Notice:
		v.notice(b)
	case event.Renamed:
		v.title(b.Title)
	}
}

// flow sends what has come of a message, whole characters only.
func (v *view) flow(s *stream, all bool) {
	end := len(s.raw)
	for i := 1; !all && i < utf8.UTFMax && i <= end-s.sent; i++ {
		if b := s.raw[end-i]; utf8.RuneStart(b) {
			if !utf8.FullRuneInString(s.raw[end-i:]) {
				end -= i
			}
			break
		}
	}
	if s.id == "" { // white space begins no message
		s.sent = end - len(strings.TrimLeftFunc(s.raw[:end], unicode.IsSpace))
	}
	if s.sent >= end {
		return
	}
	if s.id == "" {
		s.id = rand.Text()
	}
	v.send(chunk{s.kind, textBlock{"text", visible.Prose(s.raw[s.sent:end])}, s.id})
	s.sent = end
}

// finish ends a message with its whole text, which has no white space at its
// ends. What was sent and is not the beginning of it stays a message of its own.
func (v *view) finish(s *stream, whole string) {
	begun := strings.TrimLeftFunc(s.raw, unicode.IsSpace)
	switch {
	case strings.HasPrefix(whole, begun):
		whole = s.raw[:len(s.raw)-len(begun)] + whole
	case whole == strings.TrimSpace(begun):
		whole = s.raw
	default:
		*s = stream{kind: s.kind}
	}
	s.raw = whole
	v.flow(s, true)
	*s = stream{kind: s.kind}
}

func (v *view) reply(r event.Reply) {
	v.finish(&v.thought, r.Reasoning)
	v.finish(&v.text, r.Text)
	v.stop = r.Stop
	clear(v.args)
	for _, c := range r.Calls {
		if len(c.Args) <= maxRaw && json.Valid(c.Args) {
			v.args[c.ID] = c.Args
		}
	}
	if used := r.Usage.Input + r.Usage.CacheRead + r.Usage.CacheWrite + r.Usage.Output; v.window > 0 && used > 0 {
		u := usageUpdate{Update: "usage_update", Used: used, Size: v.window}
		if c := r.Usage.Cost; c != nil {
			u.Cost = &cost{float64(*c) / 1e6, "USD"}
		}
		v.send(u)
	}
}

// say sends words of our own as a message.
func (v *view) say(text string) { v.finish(&v.text, text) }

func (v *view) notice(n event.Notice) {
	if n.Key == "retry" { // the answer begins again
		v.text, v.thought = stream{kind: v.text.kind}, stream{kind: v.thought.kind}
	}
	if n.Text != "" && n.Severity != "info" {
		v.send(chunk{v.thought.kind, textBlock{"text", "tera-pilot: " + visible.Prose(strings.TrimSpace(n.Text+"  "+n.Hint))}, rand.Text()})
	}
}

// started shows a call before anything is decided. One that was planned again
// is shown again.
func (v *view) started(s event.CallStarted) {
	p := v.previews[s.Call]
	delete(v.previews, s.Call)
	_, again := v.calls[s.Call]
	t := toolCall{
		Update: "tool_call", ToolCallID: s.Call, Title: visible.Strict(cmp.Or(s.Title, s.Tool)), Kind: kindOf(s.Effects), Status: "pending",
		RawInput: v.args[s.Call],
	}
	if again {
		t.Update = "tool_call_update"
	}
	for _, f := range p.Files {
		path := v.folder.name(f.Path)
		t.Locations = append(t.Locations, location{path})
		if f.After == nil {
			continue
		}
		if before := f.Before; len(*f.After) <= maxDiff && (before == nil || len(*before) <= maxDiff) {
			t.Content = append(t.Content, callContent{Type: "diff", Path: path, OldText: before, NewText: f.After})
		}
	}
	v.calls[s.Call], v.tail, v.shown = t, "", time.Time{}
	v.send(t)
}

// output shows the end of what a running command has said so far.
func (v *view) output(o event.OutputDelta) {
	v.tail += o.Text
	if over := len(v.tail) - maxTail; over > 0 {
		v.tail = strings.ToValidUTF8(v.tail[over:], "")
	}
	if now := time.Now(); now.Sub(v.shown) >= tailEvery {
		v.shown = now
		v.send(toolCall{Update: "tool_call_update", ToolCallID: o.Call, Status: "in_progress", Content: fenced(v.tail)})
	}
}

// result shows how a call ended. A call that changed files keeps its diff.
func (v *view) result(r event.CallResult) {
	t := toolCall{Update: "tool_call_update", ToolCallID: r.Call, Title: visible.Strict(r.Title), Status: statusOf(r.Status), Content: fenced(bounded(r.Body))}
	was, ok := v.calls[r.Call]
	if !ok { // it never came to a decision
		t.Update, t.Kind, t.RawInput = "tool_call", "other", v.args[r.Call]
	}
	if t.Status == "completed" && hasDiff(was.Content) {
		t.Content = nil
	}
	if t.Locations == nil && was.Locations == nil {
		t.Locations = v.places(r)
	}
	raw := map[string]any{"status": r.Status, "decision": r.Decision}
	if r.Exit != nil {
		raw["exit"] = *r.Exit
	}
	t.RawOutput = raw
	delete(v.calls, r.Call)
	v.send(t)
}

func (v *view) places(r event.CallResult) []location {
	var out []location
	for _, c := range r.Changes {
		path := cmp.Or(c.To, c.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(v.folder.real, path)
		}
		out = append(out, location{v.folder.name(path)})
	}
	return out
}

func (v *view) plan(t event.TodoChanged) {
	p := plan{Update: "plan", Entries: []planEntry{}}
	for _, item := range t.Items {
		status := map[string]string{"active": "in_progress", "done": "completed"}[item.Status]
		p.Entries = append(p.Entries, planEntry{visible.Strict(item.Text), "medium", cmp.Or(status, "pending")})
	}
	v.send(p)
}

func (v *view) title(title string) {
	v.send(map[string]any{"sessionUpdate": "session_info_update", "title": visible.Strict(title)})
}

// statusOf is a result's status in the words of the protocol, which has none
// for what was cancelled.
func statusOf(status string) string {
	switch status {
	case "ok":
		return "completed"
	case "running":
		return "in_progress"
	default:
		return "failed"
	}
}

// kinds are the kinds of a call by the first word of an effect's line, the
// weightiest first.
var kinds = []struct{ word, kind string }{
	{"run", "execute"}, {"start", "execute"}, {"spawn", "execute"}, {"git", "execute"},
	{"delete", "delete"}, {"rename", "move"},
	{"write", "edit"}, {"create", "edit"}, {"memory", "edit"}, {"mkdir", "edit"}, {"chmod", "edit"},
	{"fetch", "fetch"}, {"search", "fetch"}, {"mcp", "other"},
	{"walk", "search"}, {"read", "read"},
}

// kindOf is the protocol's kind of a call with such effects.
func kindOf(effects []string) string {
	for _, k := range kinds {
		for _, e := range effects {
			if word, _, _ := strings.Cut(e, " "); word == k.word {
				return k.kind
			}
		}
	}
	if len(effects) == 0 {
		return "think"
	}
	return "other"
}

func hasDiff(content []callContent) bool {
	for _, c := range content {
		if c.Type == "diff" {
			return true
		}
	}
	return false
}

// fenced is text that nobody renders: a fence is longer than any run of its
// character within.
func fenced(text string) []callContent {
	if text == "" {
		return nil
	}
	text = visible.Prose(text)
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return []callContent{{Type: "content", Content: &textBlock{"text", fence + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence}}}
}

func bounded(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "\n… cut here; the session has it all"
}
