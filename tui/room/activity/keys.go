package activity

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Searched says that a search is being written.
func (r *Room) Searched() bool { return r.filter.finding && r.filter.find != "" }

// Key handles a key by its name, and by the text that it types.
func (r *Room) Key(name, text string) Wants {
	r.note = ""
	switch {
	case r.filter.finding:
		return r.findKey(name, text)
	case r.open.seq != 0 || r.open.lines != nil:
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
		r.choose(len(r.log.entries))
	case "end":
		r.chosen = 0
	case "/":
		r.filter.finding = true
	case "c":
		r.filter.category, r.chosen = r.following(r.filter.category, func(e Entry) string { return e.Category }), 0
	case "s":
		r.filter.status, r.chosen = r.following(r.filter.status, func(e Entry) string { return e.Status }), 0
	case "t":
		r.filter.everything, r.chosen = !r.filter.everything, 0
	case "v":
		if !r.check.running {
			r.check.running = true
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
			r.open.why = name == "w"
			r.open.seq = list[len(list)-1-r.chosen].Seq
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
		r.open.top--
	case "down", "j":
		r.open.top++
	case "pgup":
		r.open.top -= max(1, r.page-1)
	case "pgdown":
		r.open.top += max(1, r.page-1)
	case "home":
		r.open.top = 0
	case "end":
		r.open.top = 1 << 20
	case "ctrl+g":
		return Close
	case "w":
		r.open.why, r.open.top = !r.open.why, 0
	case "y":
		return Copy
	default:
		r.open = record{}
	}
	return Nothing
}

// maxFind is how long the text to look for may be, in bytes.
const maxFind = 200

func (r *Room) findKey(name, text string) Wants {
	switch {
	case name == "enter":
		r.filter.finding = false
	case name == "esc":
		r.filter.finding, r.filter.find = false, ""
	case name == "ctrl+g":
		return Close
	case name == "backspace":
		_, n := utf8.DecodeLastRuneInString(r.filter.find)
		r.filter.find = r.filter.find[:len(r.filter.find)-n]
	case name == "ctrl+u":
		r.filter.find = ""
	case text != "" && len(r.filter.find)+len(text) <= maxFind:
		r.filter.find += text
	}
	r.chosen = 0
	return Nothing
}

// Paste takes pasted text into what is looked for, its first line.
func (r *Room) Paste(text string) {
	if line, _, _ := strings.Cut(text, "\n"); r.filter.finding && len(r.filter.find)+len(line) <= maxFind {
		r.filter.find, r.chosen = r.filter.find+line, 0
	}
}

// following is the next value that some entry has, "" after the last.
func (r *Room) following(now string, of func(Entry) string) string {
	var all []string
	for _, e := range r.log.entries {
		if v := of(e); v != "" && (r.filter.everything || e.Mine) && !slices.Contains(all, v) {
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
func (f *filter) shows(e Entry) bool {
	return (f.everything || e.Mine) && (f.category == "" || f.category == e.Category) && (f.status == "" || f.status == e.Status) &&
		(f.find == "" || contains(f.find, e.Title, e.What, e.Reason, e.By, e.Decision, e.Diff))
}

func contains(find string, in ...string) bool {
	find = strings.ToLower(find)
	return slices.ContainsFunc(in, func(s string) bool { return strings.Contains(strings.ToLower(s), find) })
}

// shown are the entries that pass the filters, oldest first.
func (r *Room) shown() []Entry {
	var out []Entry
	for _, e := range r.log.entries {
		if r.filter.shows(e) {
			out = append(out, e)
		}
	}
	return out
}
