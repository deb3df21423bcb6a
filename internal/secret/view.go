package secret

import (
	"bytes"
	"slices"
	"strings"
)

// A view is a text decoded in one way, with the place of each byte in the text
// that it was made from.
type view struct {
	text    []byte
	from    []int32 // where each byte begins, and the end; nil: as it stands
	to      []int32 // where each byte ends
	open    int     // where the text ends, because it ends inside an escape; else the end of the source
	encoded bool    // only base64 and hex are looked for
}

// views are the ways in which a value may be spelled in b. A view that reads
// like another one is left out.
func views(b []byte, final bool) []view {
	raw := view{text: b, open: len(b)}
	out := []view{raw}
	if bytes.IndexByte(b, '%') >= 0 {
		out = append(out, raw.decoded("%", percent, final))
	}
	broken := []view{raw}
	if bytes.IndexByte(b, '\\') >= 0 {
		once := raw.decoded(`\`, backslash, final)
		out = append(out, once)
		broken = append(broken, once)
		if bytes.IndexByte(once.text, '\\') >= 0 { // JSON within JSON
			out = append(out, once.decoded(`\`, backslash, final))
		}
	}
	for _, v := range broken {
		if bytes.ContainsAny(v.text, "\r\n") {
			joined := v.decoded("\r\n", unbroken, final)
			joined.encoded = true
			out = append(out, joined)
		}
	}
	return out
}

// at is where byte i begins in the source.
func (v *view) at(i int) int {
	if v.from == nil {
		return i
	}
	return int(v.from[i])
}

// end is where byte i ends in the source. What was left out behind it does not
// belong to it.
func (v *view) end(i int) int {
	if v.to == nil {
		return i + 1
	}
	return int(v.to[i])
}

// boundary is the last place at or before cut at which no escape of the view is
// cut in two.
func (v *view) boundary(cut int) int {
	if v.from == nil {
		return cut
	}
	i, found := slices.BinarySearch(v.from, int32(cut))
	if found {
		return cut
	}
	if i == 0 {
		return 0
	}
	return int(v.from[i-1])
}

// decoded makes a view with the help of one, which says how the escape that b
// begins with reads, and how long it is: 0 when it may go on behind the end.
// There the view ends, unless that is final. Escapes begin with one of starts.
func (v *view) decoded(starts string, one func(b []byte) (out []byte, n int), final bool) view {
	n := len(v.text)
	out := view{text: make([]byte, 0, n), from: make([]int32, 0, n+1), to: make([]int32, 0, n), open: v.open}
	for i := 0; i < n; {
		next := bytes.IndexAny(v.text[i:], starts)
		if next < 0 {
			next = n - i
		}
		out.copy(v, i, i+next)
		if i += next; i == n {
			break
		}
		dec, used := one(v.text[i:])
		if used == 0 && !final {
			out.open = v.at(i)
			break
		}
		if used == 0 {
			dec, used = v.text[i:i+1], 1
		}
		for range dec {
			out.from = append(out.from, int32(v.at(i)))
			out.to = append(out.to, int32(v.end(i+used-1)))
		}
		out.text = append(out.text, dec...)
		i += used
	}
	out.from = append(out.from, int32(out.open))
	return out
}

// copy takes the bytes from i to j as they are.
func (v *view) copy(src *view, i, j int) {
	v.text = append(v.text, src.text[i:j]...)
	if src.from != nil {
		v.from = append(v.from, src.from[i:j]...)
		v.to = append(v.to, src.to[i:j]...)
		return
	}
	for ; i < j; i++ {
		v.from = append(v.from, int32(i))
		v.to = append(v.to, int32(i+1))
	}
}

// percent reads %41 as A.
func percent(b []byte) ([]byte, int) {
	n, ok, more := digits(b[1:], 2)
	switch {
	case more:
		return nil, 0
	case ok:
		return []byte{byte(n)}, 3
	default:
		return b[:1], 1
	}
}

// digits reads hex digits; more when the text ends before they do.
func digits(b []byte, count int) (n int, ok, more bool) {
	for i := range count {
		if i == len(b) {
			return 0, false, true
		}
		d := strings.IndexByte("0123456789abcdef", b[i]|0x20)
		if d < 0 {
			return 0, false, false
		}
		n = n<<4 | d
	}
	return n, true, false
}

// backslash reads the escapes of JSON, and \xNN of C and Go.
func backslash(b []byte) ([]byte, int) {
	if len(b) == 1 {
		return nil, 0
	}
	if i := strings.IndexByte("nrtbf", b[1]); i >= 0 {
		return []byte{"\n\r\t\b\f"[i]}, 2
	}
	width := 0
	switch b[1] {
	case '"', '\\', '/', '\'':
		return b[1:2], 2
	case 'u':
		width = 4
	case 'x':
		width = 2
	default:
		return b[:1], 1
	}
	n, ok, more := digits(b[2:], width)
	switch {
	case more:
		return nil, 0
	case !ok:
		return b[:1], 1
	case width == 2:
		return []byte{byte(n)}, 4
	default:
		return []byte(string(rune(n))), 6
	}
}

// unbroken leaves out line breaks.
func unbroken([]byte) ([]byte, int) { return nil, 1 }
