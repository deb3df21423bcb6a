package fit

import "github.com/tera-pilot/tera-pilot/agent/session"

// Cut says how many of the messages are summed up: all but the newest ones,
// which have keep tokens of k at most. It never parts a call from its result.
// 0 says that there is nothing to gain.
func Cut(sent []session.Message, k Known, keep int64, size func(session.Message) int64) int {
	total, best := int64(0), len(sent)
	for i := len(sent) - 1; i >= 0; i-- {
		if total += k.Tokens(size(sent[i])); total > keep {
			break
		}
		if begins(sent, i) {
			best = i
		}
	}
	if best == 1 && sent[0].User != "" { // one message of the person stands there word for word anyway
		return 0
	}
	return best
}

// begins says that message i can be the first behind a summary: the results of
// all calls before it stand before it.
func begins(sent []session.Message, i int) bool {
	if sent[i].Call != nil && !sent[i].Loose {
		return false
	}
	for j := i - 1; j >= 0; j-- {
		if r := sent[j].Reply; r != nil {
			open := map[string]bool{}
			for _, c := range r.Calls {
				open[c.ID] = true
			}
			for _, m := range sent[j+1 : i] {
				if m.Call != nil {
					delete(open, m.Call.Call)
				}
			}
			return len(open) == 0
		}
	}
	return true
}
