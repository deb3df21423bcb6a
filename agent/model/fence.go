package model

import "strings"

// A fence is the state of code fences in Markdown, line by line. Where it is
// not sure it takes text for code, since a call in code is none.
type fence struct {
	mark   byte // of the fence that is open, 0: none is
	length int  // of its mark
	indent int
}

// open says that the next line is code, or closes it.
func (f *fence) open() bool { return f.mark != 0 }

// line takes the next line, without its line feed, and says whether it opens or
// closes a fence. What closes one is the same mark, as long as the one that
// opened it or longer, with nothing behind it.
func (f *fence) line(text string) (border bool) {
	body := strings.TrimLeft(text, " \t")
	if !f.open() {
		body = unlisted(body)
	}
	indent := len(text) - len(body)
	mark, length := fenceMark(body)
	rest := body[length:]
	switch {
	case mark == 0, mark == '`' && strings.Contains(rest, "`"):
		return false
	case !f.open():
		*f = fence{mark, length, indent}
		return true
	case mark != f.mark, length < f.length, indent > f.indent+3, strings.TrimRight(rest, " \t\r") != "":
		return false
	}
	*f = fence{}
	return true
}

// fenceMark gives the mark that text begins with, and its length.
func fenceMark(text string) (mark byte, length int) {
	if !strings.HasPrefix(text, "```") && !strings.HasPrefix(text, "~~~") {
		return 0, 0
	}
	return text[0], len(text) - len(strings.TrimLeft(text, text[:1]))
}

// unlisted takes the marks of quotations and list items off the start of a line.
func unlisted(line string) string {
	for {
		rest := strings.TrimLeft(line, " \t")
		if item, ok := cutItem(rest); ok {
			line = item
			continue
		}
		return rest
	}
}

func cutItem(line string) (rest string, ok bool) {
	if rest, ok := strings.CutPrefix(line, ">"); ok {
		return rest, true
	}
	number := strings.TrimLeft(line, "0123456789")
	switch {
	case number == "":
		return line, false
	case number == line && strings.IndexByte("-*+", line[0]) < 0, number != line && number[0] != '.' && number[0] != ')':
		return line, false
	}
	return number[1:], strings.HasPrefix(number[1:], " ") || strings.HasPrefix(number[1:], "\t")
}
