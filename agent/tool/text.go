package tool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// An encoding is how a text file's bytes stand for characters.
type encoding uint8

const (
	unknownEncoding encoding = iota
	plainUTF8
	utf8BOM // with the mark EF BB BF
	utf16LE // with the mark FF FE
	utf16BE // with the mark FE FF
)

var encodingNames = [...]string{
	unknownEncoding: "unknown", plainUTF8: "UTF-8", utf8BOM: "UTF-8 with byte order mark",
	utf16LE: "UTF-16 little endian with byte order mark", utf16BE: "UTF-16 big endian with byte order mark",
}

func (e encoding) String() string { return encodingNames[e] }

var marks = [...]string{plainUTF8: "", utf8BOM: "\xEF\xBB\xBF", utf16LE: "\xFF\xFE", utf16BE: "\xFE\xFF"}

// A text is the content of a text file, without its byte order mark. encode of
// the same characters gives the same bytes again.
type text struct {
	s   string
	enc encoding
}

// errBinary says that content is no text at all.
var errBinary = errors.New("it is a binary file")

// A decodeError says where bytes stop being text in any encoding we write back
// unchanged.
type decodeError struct{ offset int }

func (e *decodeError) Error() string {
	return fmt.Sprintf("it is not valid UTF-8 (nor UTF-16 with a byte order mark) at byte %d", e.offset)
}

// decodeText reads content as text, or says why it cannot be: errBinary or a
// *decodeError.
func decodeText(data []byte) (text, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xFF\xFE\x00\x00")): // UTF-32
		return text{}, errBinary
	case bytes.HasPrefix(data, []byte(marks[utf16LE])):
		return decodeUTF16(data[2:], binary.LittleEndian, utf16LE)
	case bytes.HasPrefix(data, []byte(marks[utf16BE])):
		return decodeUTF16(data[2:], binary.BigEndian, utf16BE)
	}
	t := text{enc: plainUTF8}
	body := data
	if rest, ok := bytes.CutPrefix(data, []byte(marks[utf8BOM])); ok {
		t.enc, body = utf8BOM, rest
	}
	if bytes.IndexByte(body, 0) >= 0 {
		return text{}, errBinary
	}
	if i := firstInvalid(body); i >= 0 {
		return text{}, &decodeError{len(data) - len(body) + i}
	}
	t.s = string(body)
	return t, nil
}

func firstInvalid(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return -1
}

func decodeUTF16(b []byte, order binary.ByteOrder, enc encoding) (text, error) {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	if slices.Contains(units, 0) {
		return text{}, errBinary
	}
	t := text{string(utf16.Decode(units)), enc}
	if again := t.encode(t.s)[2:]; len(b)%2 != 0 || !bytes.Equal(again, b) {
		return text{}, &decodeError{2 + differsAt(again, b)}
	}
	return t, nil
}

func differsAt(a, b []byte) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}

// encode writes characters in t's encoding, with its byte order mark.
func (t text) encode(s string) []byte {
	switch t.enc {
	case utf16LE, utf16BE:
		var order binary.AppendByteOrder = binary.LittleEndian
		if t.enc == utf16BE {
			order = binary.BigEndian
		}
		out := []byte(marks[t.enc])
		for _, u := range utf16.Encode([]rune(s)) {
			out = order.AppendUint16(out, u)
		}
		return out
	default:
		return append([]byte(marks[t.enc]), s...)
	}
}

// lineEnds describes the ends of a text's lines.
func lineEnds(s string) string {
	crlf := strings.Count(s, "\r\n")
	lf := strings.Count(s, "\n") - crlf
	switch {
	case crlf == 0 && lf == 0:
		return "none"
	case crlf == 0:
		return "LF"
	case lf == 0:
		return "CRLF"
	default:
		return fmt.Sprintf("mixed (%d CRLF, %d LF)", crlf, lf)
	}
}

// splitLines cuts a text behind each line feed; a last line without one is
// kept, and an empty text has no lines.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// bare is a line without its end.
func bare(line string) string {
	if body, ended := strings.CutSuffix(line, "\n"); ended {
		return strings.TrimSuffix(body, "\r")
	}
	return line
}

// clip cuts a line to most bytes, at the border of a character, with a mark
// that says how much is missing.
func clip(line string, most int) string {
	if len(line) <= most {
		return line
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(line[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… [%d more bytes in this line]", line[:cut], len(line)-cut)
}

// size writes a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	default:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
}

// count writes a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
