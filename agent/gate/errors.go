package gate

import "errors"

// ErrNotReplayable says that something a decision depended on is gone, so that
// nobody can say what the answer was.
var ErrNotReplayable = errors.New("not replayable: the rules that were in force are gone")
