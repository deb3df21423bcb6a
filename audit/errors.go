package audit

import (
	"errors"
	"fmt"
)

// ErrNoLog says that the state folder holds no log yet.
var ErrNoLog = errors.New("there is no audit log yet: it begins with the first session")

// ErrSettled says that an intent has its outcome already.
var ErrSettled = errors.New("the intent already has its outcome")

// ErrClosed says that the session or the log was closed before the call.
var ErrClosed = errors.New("the audit session is closed")

// ErrFull says that the disk is full. Nothing was written and nothing is
// damaged: after space has been freed the same call can succeed.
var ErrFull = errors.New("the disk is full, so the intent cannot be recorded; free some space and try again")

// A StoppedError says that a write or a sync failed and that the log takes no
// more records in this process. No effect may happen any more.
type StoppedError struct{ Cause error }

func (e *StoppedError) Error() string {
	return "the audit log has stopped, so nothing more is done: " + e.Cause.Error()
}

func (e *StoppedError) Unwrap() error { return e.Cause }

// An UnsafeError refuses a file or folder that somebody else could change.
type UnsafeError struct{ Path, Why, Mend string }

func (e *UnsafeError) Error() string { return e.Path + " " + e.Why + "; " + e.Mend }

// A KeyError says that the keys and the log do not belong together.
type KeyError struct{ What, Mend string }

func (e *KeyError) Error() string { return e.What + "; " + e.Mend }

// A DamagedError says that the log on disk cannot be continued.
type DamagedError struct {
	Seq    int64 // first record that is wrong, or missing
	Reason string
}

func (e *DamagedError) Error() string {
	return "the audit log cannot be continued: " + e.Reason +
		"; `tera-pilot audit verify` says more; restore it from a backup, or set it aside and start a new one with `tera-pilot audit key rotate --new-root`"
}

// endCutOff says that a log has fewer records than its head file vouches for.
func endCutOff(has, stated int64) error {
	return &DamagedError{has, fmt.Sprintf("its end was cut off: the head file states %d records, and the log has %d", stated, has)}
}
