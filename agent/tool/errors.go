package tool

import (
	"errors"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// ErrStop ends a walk early; Walk then returns nil.
var ErrStop = errors.New("stop the walk")

// ErrSkip, returned for a folder, leaves out what is in it.
var ErrSkip = errors.New("skip this folder")

// ErrNobody says that there is nobody who could answer.
var ErrNobody = errors.New("nobody can answer: decide from what you know, or end the turn and say what is missing")

// A NotGrantedError says that a tool asked Env for an effect that its grant
// does not cover. It is a fault of the tool, and nothing was done.
type NotGrantedError struct{ What string }

func (e *NotGrantedError) Error() string {
	return fmt.Sprintf("%s is not covered by the grant of this call; nothing was done", e.What)
}

// A ChangedError says that the world is not as it was planned. Nothing was
// done; the call is decided about anew.
type ChangedError struct{ What string }

func (e *ChangedError) Error() string {
	return e.What + " changed since it was looked at; nothing was done: look again and repeat the call"
}

// A QuoteError is an error whose text holds a part of a file: what the file says
// is not our own word.
type QuoteError struct{ Err error }

func (e *QuoteError) Error() string { return e.Err.Error() }

func (e *QuoteError) Unwrap() error { return e.Err }

// An OutsideError says that a call would change what lies outside the
// workspace. No rule lifts that.
type OutsideError struct{ Name string }

func (e *OutsideError) Error() string {
	return e.Name + " is outside the workspace: file tools change nothing there"
}

// Unwrap says that it is a mistake in the arguments as well.
func (e *OutsideError) Unwrap() error { return &ArgumentError{e.Error()} }

// A RefusedError says that what a call was to do is done for nobody: an address
// that is not fetched, a git call that is not on the table, a name in our own
// state. Err says why.
type RefusedError struct{ Err error }

func (e *RefusedError) Error() string { return e.Err.Error() }

func (e *RefusedError) Unwrap() error { return e.Err }

// An ArgumentError says what is wrong with a call, in words for the model.
type ArgumentError struct{ What string }

func (e *ArgumentError) Error() string { return e.What }

// A PartialError says that one act of a row failed, and that some of those
// before it stay done, because they could not be taken back.
type PartialError struct {
	Err  error // why the row ended
	Left []Remains
}

// Remains is an act that could not be taken back.
type Remains struct {
	Effect effect.Effect
	Post   effect.Path // what it left
	Why    error
}

func (e *PartialError) Error() string {
	return fmt.Sprintf("%v; %s could not be taken back", e.Err, count(len(e.Left), "change before it", "changes before it"))
}

func (e *PartialError) Unwrap() error { return e.Err }
