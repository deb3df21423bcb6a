package tool

import (
	"fmt"
	"strings"
)

// An edit is what came of replacing text by text.
type edit struct {
	text   string
	level  level
	places int
}

// maxPlaces is how many places an error about too many of them names.
const maxPlaces = 10

// replaceText replaces old by new in a text: in the one place where it stands,
// or in all. Bytes outside of what differs between old and new stay as they
// are, and new lines get the line ends of their surroundings. The error says
// what is there instead.
func replaceText(s, old, new string, all bool) (edit, error) {
	for _, l := range levels {
		view := look(s, l)
		hits := locate(view, old, new, l, all)
		if len(hits) == 0 {
			continue
		}
		if len(hits) > 1 && !all {
			return edit{}, ambiguous(view, hits, l)
		}
		p := splicer{view: view}
		for _, h := range hits {
			if l == exact && strings.Contains(old+new, "\r") {
				p.verbatim(h.from, h.to, h.new)
			} else {
				p.replace(h, l)
			}
		}
		return edit{p.rest(), l, len(hits)}, nil
	}
	return edit{}, notFound(s, old, new)
}

func ambiguous(view lens, hits []hit, l level) error {
	var at []string
	for i, h := range hits {
		if i == maxPlaces {
			at = append(at, "…")
			break
		}
		at = append(at, fmt.Sprint(lineOf(view.text, view.start(h.from))))
	}
	how := ""
	if l > exact {
		how = " " + l.String()
	}
	return &ArgumentError{fmt.Sprintf(
		"old_str stands in %d places%s, at lines %s: add lines around it until it fits one place, or set replace_all",
		len(hits), how, strings.Join(at, ", "))}
}

func lineOf(s string, offset int) int { return strings.Count(s[:offset], "\n") + 1 }

func notFound(s, old, new string) error {
	var b strings.Builder
	b.WriteString("old_str is not in the file")
	switch {
	case numbered(old):
		b.WriteString(": it seems to hold line numbers of read_file's output; leave them out")
	case strings.TrimSpace(new) != "" && strings.Count(s, new) == 1:
		fmt.Fprintf(&b, ", but new_str is, at line %d: the edit may have been made already", lineOf(s, strings.Index(s, new)))
	}
	region := nearest(s, old)
	if region == "" {
		return &ArgumentError{b.String() + ", and no line of it is: read the file"}
	}
	return &QuoteError{&ArgumentError{b.String() + ". The most similar lines are:\n" + region}}
}

// numbered says that each line begins with a number and a tab, as read_file
// writes them.
func numbered(s string) bool {
	for _, line := range splitLines(s) {
		number, _, found := strings.Cut(strings.TrimLeft(line, " "), "\t")
		if !found || number == "" || strings.Trim(number, "0123456789") != "" {
			return false
		}
	}
	return s != ""
}
