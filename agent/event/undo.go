package event

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseUndo reads what a person types behind /undo: nothing, "all", "turn N",
// "call ID", "down ID", a path, or "try" before any of them.
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
	case word == "path" && rest != "":
		return Undo{Path: rest}, nil
	}
	return Undo{Path: text}, nil
}
