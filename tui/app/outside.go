package app

import (
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// An answer is what came back from outside the loop: what is to be done with it.
type answer func(*Model) tea.Cmd

// apart calls a function off the loop, which may block, and hands what it gives
// to take on the loop. A panic in it ends the program in order. Nobody waits for
// its end: when the program ends first, what it gives is dropped.
func apart[T any](f func() (T, error), take func(*Model, T, error) tea.Cmd) tea.Cmd {
	return func() (msg tea.Msg) {
		defer Recover(func(err error) { msg = Lost{err} })
		got, err := f()
		return answer(func(m *Model) tea.Cmd { return take(m, got, err) })
	}
}

// query asks the desk. Why it cannot tell is said; take then gets the zero T.
func query[T any](what string, f func() (T, error), take func(*Model, T, error) tea.Cmd) tea.Cmd {
	return apart(f, func(m *Model, got T, err error) tea.Cmd {
		if err != nil {
			m.warn(fmt.Sprintf("%s: %v", what, err), "")
		}
		return take(m, got, err)
	})
}

// act has something done. That it was not is said; done, which may be nil, is
// called when it was.
func act(f func() error, done func(*Model) tea.Cmd) tea.Cmd {
	return apart(func() (struct{}, error) { return struct{}{}, f() }, func(m *Model, _ struct{}, err error) tea.Cmd {
		switch {
		case err != nil:
			m.warn("not done: "+err.Error(), "")
		case done != nil:
			return done(m)
		}
		return nil
	})
}

// Recover is to be deferred: it hands a panic on as an error, so that the
// program can end in order, with the terminal as it was before.
func Recover(told func(error)) {
	if v := recover(); v != nil {
		told(panicked(v))
	}
}

// A PanicError is a bug of ours: what Update or View panicked with.
type PanicError struct {
	Value string // made visible
	Stack string
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("the terminal front end failed: %s; this is a bug, please report it", e.Value)
}

func panicked(v any) *PanicError {
	return &PanicError{Value: visible.Strict(fmt.Sprint(v)), Stack: string(debug.Stack())}
}
