package gitsafe

import (
	"fmt"

	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// A RefusedError says why an operation was not started. Nothing has changed.
// Its text is one line, made visible: names and words in it are the repository's.
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
	return &RefusedError{Why: visible.Strict(fmt.Sprintf(format, args...)), Hint: visible.Strict(hint)}
}

// A NotRepositoryError says that no working tree holds Dir.
type NotRepositoryError struct{ Dir string }

func (e *NotRepositoryError) Error() string {
	return fmt.Sprintf("not a git repository: neither %s nor a folder above it holds .git", visible.Strict(e.Dir))
}

// A ChangedError says that the repository is no longer what the plan showed.
// Nothing was run; plan and ask again.
type ChangedError struct{ What string }

func (e *ChangedError) Error() string {
	return e.What + " changed since it was planned; nothing was run, plan again"
}
