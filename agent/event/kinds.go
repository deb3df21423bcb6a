package event

import (
	"encoding/json"
	"sync"
)

// A kind is one type of body, and how it is read.
type kind struct {
	zero Body
	read func([]byte) (Body, error)
}

// kindOf is the kind of the bodies of type T.
func kindOf[T Body]() kind {
	var zero T
	return kind{zero, func(b []byte) (Body, error) {
		var body T
		err := json.Unmarshal(b, &body)
		return body, err
	}}
}

// kinds are all the types of bodies.
func kinds() []kind {
	return []kind{
		// session.go
		kindOf[Opened](), kindOf[Closed](), kindOf[Renamed](), kindOf[Archived](), kindOf[Notice](), kindOf[AuditHead](),
		kindOf[LevelChanged](), kindOf[ModelChanged](), kindOf[ThoughtChanged](), kindOf[WindowChanged](), kindOf[PolicyChanged](), kindOf[Offered](),
		// turn.go
		kindOf[TurnStarted](), kindOf[TurnEnded](), kindOf[TextDelta](), kindOf[ReasoningDelta](), kindOf[Reply](),
		kindOf[Interjected](), kindOf[Nudged](), kindOf[TodoChanged](), kindOf[Working](), kindOf[Queued](), kindOf[Spent](),
		// call.go
		kindOf[CallStarted](), kindOf[CallPreview](), kindOf[CallDecided](), kindOf[OutputDelta](), kindOf[CallResult](), kindOf[Recovered](),
		kindOf[QuestionOpened](), kindOf[QuestionClosed](), kindOf[JobChanged](), kindOf[Egress](), kindOf[Refused](),
		// context.go
		kindOf[Instructed](), kindOf[Tainted](), kindOf[Masked](), kindOf[Compacted](), kindOf[Uncompacted](),
		// undo.go
		kindOf[UndoPoints](), kindOf[UndoPlan](),
	}
}

// readers read a body by its word.
var readers = sync.OnceValue(func() map[string]func([]byte) (Body, error) {
	m := map[string]func([]byte) (Body, error){}
	for _, k := range kinds() {
		m[k.zero.Type()] = k.read
	}
	return m
})

// Bodies are the zero values of all types of bodies, for whoever has to know
// that it knows each of them.
func Bodies() []Body {
	var all []Body
	for _, k := range kinds() {
		all = append(all, k.zero)
	}
	return all
}

// Transient says that the event is not stored.
func (e Event) Transient() bool {
	switch e.Body.(type) {
	case TextDelta, ReasoningDelta, OutputDelta, CallPreview, AuditHead, Working, Queued, UndoPoints, UndoPlan, Offered:
		return true
	default:
		return false
	}
}

// The words of the bodies in the log.
func (Opened) Type() string         { return "session.opened" }
func (TurnStarted) Type() string    { return "turn.started" }
func (TurnEnded) Type() string      { return "turn.ended" }
func (TextDelta) Type() string      { return "reply.delta" }
func (ReasoningDelta) Type() string { return "reasoning.delta" }
func (Reply) Type() string          { return "reply" }
func (CallStarted) Type() string    { return "call.started" }
func (CallPreview) Type() string    { return "call.preview" }
func (CallDecided) Type() string    { return "call.decided" }
func (OutputDelta) Type() string    { return "output.delta" }
func (CallResult) Type() string     { return "call.result" }
func (QuestionOpened) Type() string { return "question.opened" }
func (QuestionClosed) Type() string { return "question.closed" }
func (LevelChanged) Type() string   { return "level.changed" }
func (ModelChanged) Type() string   { return "model.changed" }
func (TodoChanged) Type() string    { return "todo.changed" }
func (Notice) Type() string         { return "notice" }
func (Recovered) Type() string      { return "recovered" }
func (Tainted) Type() string        { return "tainted" }
func (Renamed) Type() string        { return "renamed" }
func (Interjected) Type() string    { return "turn.interjected" }
func (WindowChanged) Type() string  { return "window.changed" }
func (PolicyChanged) Type() string  { return "policy.changed" }
func (ThoughtChanged) Type() string { return "thought.changed" }
func (Masked) Type() string         { return "context.masked" }
func (Compacted) Type() string      { return "context.compacted" }
func (Uncompacted) Type() string    { return "context.uncompacted" }
func (Nudged) Type() string         { return "turn.nudged" }
func (Instructed) Type() string     { return "session.instructed" }
func (Offered) Type() string        { return "offered" }
func (JobChanged) Type() string     { return "job.changed" }
func (Egress) Type() string         { return "egress" }
func (Spent) Type() string          { return "spent" }
func (Refused) Type() string        { return "subagent.refused" }
func (Closed) Type() string         { return "session.closed" }
func (Archived) Type() string       { return "session.archived" }
func (UndoPoints) Type() string     { return "undo.points" }
func (UndoPlan) Type() string       { return "undo.plan" }
func (AuditHead) Type() string      { return "audit.head" }
func (Working) Type() string        { return "working" }
func (Queued) Type() string         { return "queued" }
