package fit

import (
	"slices"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
)

// Shares of the window, in percent.
const (
	MaskAt         = 60 // masking begins
	CompactAt      = 85 // compaction begins
	CompactSmallAt = 75 // … for a small window, where an answer needs more of it
	keepResults    = 25 // of the newest results are never masked
	leastFreed     = 15 // a batch frees at least so much: each one costs the cache once
	keepReplies    = 10 // results of so many last answers are never masked
)

// Over says that tokens are at least percent of a window.
func Over(tokens, window, percent int64) bool { return tokens*100 >= window*percent }

// Mask chooses the results that are no longer sent, in one batch; none when
// too little would be gained. What the person said or answered, tasks,
// refusals, results that the model has not answered yet and the last read of
// a file that was edited are never among them. size estimates a message; freed
// is in tokens of k.
func Mask(sent []session.Message, k Known, window int64, size func(session.Message) int64) (calls []string, freed int64) {
	held := lastReads(sent)
	kept, replies := int64(0), 0
	for i := len(sent) - 1; i >= 0; i-- {
		m := sent[i]
		if m.Reply != nil {
			replies++
		}
		if m.Call == nil {
			continue
		}
		tokens := k.Tokens(size(m))
		young := replies == 0 || replies < keepReplies && !Over(kept, window, keepResults)
		kept += tokens
		if young || held[m.Call.Call] || !maskable(m) {
			continue
		}
		calls = append(calls, m.Call.Call)
		freed += tokens
	}
	if !Over(freed, window, leastFreed) {
		return nil, 0
	}
	slices.Reverse(calls)
	return calls, freed
}

// shortBody is a body that its mark would not be shorter than.
const shortBody = 200

func maskable(m session.Message) bool {
	r := m.Call
	switch {
	case m.Masked > 0, r.Body == "", len(r.Body) < shortBody && len(r.Images) == 0, r.Tool == "ask_user", r.Tool == "todo", refused(*r):
		return false
	}
	return true
}

// refused says that a call was decided against.
func refused(r event.CallResult) bool {
	return r.Status == "rejected" || r.Status == "blocked" || r.Decision == "denied" || r.Decision == "blocked"
}

// lastReads are the calls that last showed a file that was edited.
func lastReads(sent []session.Message) map[string]bool {
	edited, last := map[string]bool{}, map[string]string{}
	for _, m := range sent {
		if m.Call == nil {
			continue
		}
		for _, f := range m.Call.Files {
			if len(m.Call.Changes) > 0 {
				edited[f.Path] = true
			} else {
				last[f.Path] = m.Call.Call
			}
		}
	}
	out := map[string]bool{}
	for path, call := range last {
		if edited[path] {
			out[call] = true
		}
	}
	return out
}
