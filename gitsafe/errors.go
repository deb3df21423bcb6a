package gitsafe

import "fmt"

// A RefusedError says why an operation was not started. Nothing has changed.
type RefusedError struct {
	Why  string // what is wrong, one line
	Hint string // what can be done, one line; may be empty
}

func (e *RefusedError) Error() string {
	if e.Hint == "" {
		return e.Why
	}
	return e.Why + "; " + e.Hint
}

func refuse(hint, format string, args ...any) error {
	return &RefusedError{Why: fmt.Sprintf(format, args...), Hint: hint}
}

// A NotRepositoryError says that no working tree holds Dir.
type NotRepositoryError struct{ Dir string }

func (e *NotRepositoryError) Error() string {
	return fmt.Sprintf("not a git repository: neither %s nor a folder above it holds .git", e.Dir)
}

// A ChangedError says that the repository is no longer what the plan showed.
// Nothing was run; plan and ask again.
type ChangedError struct{ What string }

func (e *ChangedError) Error() string {
	return e.What + " changed since it was planned; nothing was run, plan again"
}
