package event

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseUndo reads what a person types behind /undo: nothing, "all", "turn N",
// "call ID", "down ID", a path, "keep PATH" or "old PATH" for one in conflict,
// or "try" before any of them.
func ParseUndo(text string) (Undo, error) {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text+" ", "try "); ok {
		u, err := ParseUndo(rest)
		u.Dry = true
		return u, err
	}
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case text == "":
		return Undo{}, nil
	case text == "all":
		return Undo{All: true}, nil
	case word == "turn" && rest != "":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 {
			return Undo{}, fmt.Errorf("%q is no number of a turn", rest)
		}
		return Undo{Turn: n}, nil
	case (word == "call" || word == "redo") && rest != "":
		return Undo{Call: rest}, nil
	case word == "down" && rest != "":
		return Undo{Call: rest, Down: true}, nil
	case (word == ResolveKeep || word == ResolveOld) && rest != "":
		return Undo{Path: rest, Resolve: []Resolution{{Path: rest, How: word}}}, nil
	case word == "path" && rest != "":
		return Undo{Path: rest}, nil
	}
	return Undo{Path: text}, nil
}

// UndoPoints answers ListUndo: the calls of this session that changed files,
// the newest first.
type UndoPoints struct {
	Points []UndoPoint `json:"points"`
}

// UndoPoint is one call that changed files, with what stands in the way of
// taking it back now.
type UndoPoint struct {
	Call      string     `json:"call"`
	Turn      int        `json:"turn"`
	Tool      string     `json:"tool"`
	Title     string     `json:"title"`
	Time      time.Time  `json:"time"`
	Files     []UndoFile `json:"files,omitempty"`
	Uncovered []string   `json:"uncovered,omitempty"` // what it changed or may have changed and cannot be put back, one line each
	Of        []string   `json:"of,omitempty"`        // it is an undo itself: of these calls; undoing it is a redo
	Undone    bool       `json:"undone,omitempty"`    // all that could be taken back has been
}

// UndoFile is one path of an UndoPoint or of an UndoPlan.
type UndoFile struct {
	Path     string `json:"path"`
	Change   string `json:"change"`             // created, written, deleted, chmod, mkdir, kept: what was done, or, in a plan, is to be done
	Undone   bool   `json:"undone,omitempty"`   // this path has been taken back
	Merged   bool   `json:"merged,omitempty"`   // in a plan: later changes of others stay in it
	Conflict string `json:"conflict,omitempty"` // why it is left as it is; "" when it is clean
}

// UndoPlan answers an Undo with Dry: what it would do. Lines is the whole
// diff, laid out as in a question.
type UndoPlan struct {
	Of        []string   `json:"of"` // calls
	Files     []UndoFile `json:"files,omitempty"`
	Uncovered []string   `json:"uncovered,omitempty"`
	Lines     []Line     `json:"lines,omitempty"`
	Problem   string     `json:"problem,omitempty"` // why there is nothing to undo

	Conflicts []UndoConflict `json:"conflicts,omitempty"` // the first MaxConflicts of those in Files, with their three sides
}

// MaxConflicts is how many conflicts of a plan are laid out.
const MaxConflicts = 50

// UndoConflict is a path that an undo leaves as it is, for the person to
// resolve. Lines lay the three sides out: what the undo would put back, what
// the agent wrote, and what is there now.
type UndoConflict struct {
	Path  string   `json:"path"`
	Why   string   `json:"why"`
	Now   string   `json:"now"` // stands for what is there, whole
	Can   []string `json:"can"` // ResolveKeep, ResolveOld, ResolveText
	Lines []Line   `json:"lines"`

	// Merged is what an editor would open, with ResolveText in Can: all three
	// sides in one, with marks where they do not fit together. For front ends
	// in this process only.
	Merged []byte `json:"-"`
}
