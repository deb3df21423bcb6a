package activity

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Finding says that text is being written: keys are letters then.
func (r *Room) Finding() bool { return r.finding }

// Searched says that a search is being written.
func (r *Room) Searched() bool { return r.finding && r.find != "" }

// Key handles a key by its name, and by the text that it types.
func (r *Room) Key(name, text string) Wants {
	r.note = ""
	switch {
	case r.finding:
		return r.findKey(name, text)
	case r.recordOf != 0 || r.record != nil:
		return r.recordKey(name)
	}
	switch name {
	case "esc", "q", "ctrl+g":
		return Close
	case "up", "k":
		r.choose(1)
	case "down", "j":
		r.choose(-1)
	case "pgup":
		r.choose(max(1, r.page-1))
	case "pgdown":
		r.choose(-max(1, r.page-1))
	case "home":
		r.choose(len(r.entries))
	case "end":
		r.chosen = 0
	case "/":
		r.finding = true
	case "c":
		r.category, r.chosen = r.following(r.category, func(e Entry) string { return e.Category }), 0
	case "s":
		r.status, r.chosen = r.following(r.status, func(e Entry) string { return e.Status }), 0
	case "t":
		r.everything, r.chosen = !r.everything, 0
	case "v":
		if !r.checking {
			r.checking = true
			return Verify
		}
	case "x":
		if !r.exporting {
			r.exporting = true
			return Export
		}
	case "y":
		if r.ID() != "" {
			return Copy
		}
	case "enter", "w":
		if list := r.shown(); r.chosen < len(list) {
			r.why = name == "w"
			r.recordOf = list[len(list)-1-r.chosen].Seq
			return Record
		}
	}
	return Nothing
}

// choose moves to older entries, to newer ones when negative.
func (r *Room) choose(n int) {
	r.chosen = max(0, min(r.chosen+n, len(r.shown())-1))
}

func (r *Room) recordKey(name string) Wants {
	switch name {
	case "up", "k":
		r.recordTop--
	case "down", "j":
		r.recordTop++
	case "pgup":
		r.recordTop -= max(1, r.page-1)
	case "pgdown":
		r.recordTop += max(1, r.page-1)
	case "home":
		r.recordTop = 0
	case "end":
		r.recordTop = 1 << 20
	case "ctrl+g":
		return Close
	case "w":
		r.why, r.recordTop = !r.why, 0
	case "y":
		return Copy
	default:
		r.record, r.recordOf = nil, 0
	}
	return Nothing
}

// maxFind is how long the text to look for may be, in bytes.
const maxFind = 200

func (r *Room) findKey(name, text string) Wants {
	switch {
	case name == "enter":
		r.finding = false
	case name == "esc":
		r.finding, r.find = false, ""
	case name == "ctrl+g":
		return Close
	case name == "backspace":
		_, n := utf8.DecodeLastRuneInString(r.find)
		r.find = r.find[:len(r.find)-n]
	case name == "ctrl+u":
		r.find = ""
	case text != "" && len(r.find)+len(text) <= maxFind:
		r.find += text
	}
	r.chosen = 0
	return Nothing
}

// Paste takes pasted text into what is looked for, its first line.
func (r *Room) Paste(text string) {
	if line, _, _ := strings.Cut(text, "\n"); r.finding && len(r.find)+len(line) <= maxFind {
		r.find, r.chosen = r.find+line, 0
	}
}

// following is the next value that some entry has, "" after the last.
func (r *Room) following(now string, of func(Entry) string) string {
	var all []string
	for _, e := range r.entries {
		if v := of(e); v != "" && (r.everything || e.Mine) && !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	slices.Sort(all)
	i, found := slices.BinarySearch(all, now)
	if found {
		i++
	}
	if i >= len(all) {
		return ""
	}
	return all[i]
}

// shows says that an entry passes the filters.
func (r *Room) shows(e Entry) bool {
	return (r.everything || e.Mine) && (r.category == "" || r.category == e.Category) && (r.status == "" || r.status == e.Status) &&
		(r.find == "" || contains(r.find, e.Title, e.What, e.Reason, e.By, e.Decision, e.Diff))
}

func contains(find string, in ...string) bool {
	find = strings.ToLower(find)
	return slices.ContainsFunc(in, func(s string) bool { return strings.Contains(strings.ToLower(s), find) })
}

// shown are the entries that pass the filters, oldest first.
func (r *Room) shown() []Entry {
	var out []Entry
	for _, e := range r.entries {
		if r.shows(e) {
			out = append(out, e)
		}
	}
	return out
}
