package guide

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// A HiddenError says that a text holds what its reader would not see.
type HiddenError struct {
	Name  string
	Line  int
	Rune  rune
	Count int
}

func (e *HiddenError) Error() string {
	return fmt.Sprintf("%s holds %d characters that are not shown (the first is U+%04X in line %d), so that you and the model would read different texts: it is not loaded; remove them", visible.Strict(e.Name), e.Count, e.Rune, e.Line)
}

// Clean gives a file's text, if all of it can be seen.
func Clean(name string, data []byte) (string, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return "", fmt.Errorf("%s is no UTF-8 text: it is not loaded", visible.Strict(name))
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	bad := HiddenError{Name: name}
	line, before := 1, rune('\n')
	for _, r := range text {
		if !shown(before, r) {
			if bad.Count++; bad.Count == 1 {
				bad.Line, bad.Rune = line, r
			}
		}
		if r == '\n' {
			line++
		}
		before = r
	}
	if bad.Count > 0 {
		return "", &bad
	}
	return text, nil
}

// shown says that a reader sees r behind the rune before it. The joiners of
// pictures count only behind a picture, one at a time: in a row they could
// spell something.
func shown(before, r rune) bool {
	switch {
	case r == '\n', r == '\t': // a \r without its \n lets a terminal write over the line
		return true
	case r == 0xa0, r == 0x202f, r == 0x3000: // blanks of a visible width
		return true
	case r == 0xfe0f:
		return picture(before) || strings.ContainsRune("#*0123456789©®", before)
	case r == 0x200d:
		return picture(before) || before == 0xfe0f || before >= 0x1f3fb && before <= 0x1f3ff
	case r >= 0x1f3fb && r <= 0x1f3ff: // tones of skin
		return picture(before)
	case r >= 0x1f1e6 && r <= 0x1f1ff: // letters of flags
		return true
	}
	return !visible.Hidden(r)
}

func picture(r rune) bool {
	return r >= 0x203c && r <= 0x2bff && !visible.Hidden(r) || r >= 0x3030 && r <= 0x3299 || r >= 0x1f000 && r <= 0x1faff
}

// cut is the beginning of a text, to its last line end.
func cut(s string, most int) (string, bool) {
	if len(s) <= most {
		return s, false
	}
	s = s[:most]
	if i := strings.LastIndexByte(s, '\n'); i > 0 {
		return s[:i+1], true
	}
	return strings.ToValidUTF8(s, ""), true
}

// oneLine is a text on one line, made visible and short.
func oneLine(s string, most int) string {
	s = visible.Strict(strings.Join(strings.Fields(s), " "))
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + " .."
	}
	return s
}

// header splits a file into the fields between its first --- lines and the
// rest. Fields are one line each, NAME: VALUE.
func header(text string) (fields map[string]string, body string) {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return nil, text
	}
	head, body, ok := strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		return nil, text
	}
	fields = map[string]string{}
	for line := range strings.Lines(head) {
		name, value, ok := strings.Cut(line, ":")
		if ok {
			fields[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return fields, body
}
