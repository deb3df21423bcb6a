package visible

import (
	"unicode"

	"golang.org/x/text/width"
)

// class says how a rune is shown.
type class uint8

const (
	hidden class = iota // as an escape: what is not known to be visible is not
	base                // as itself
	mark                // as itself, on a base that carries fewer than maxMarks
	space               // the plain space, which carries no marks
)

// maxMarks is how many combining marks one base may carry. Two are enough for
// every living script's ordinary text; a pile hides its base.
const maxMarks = 2

func classOf(r rune) class {
	switch {
	case r == ' ':
		return space
	case r < 0x7f:
		if r < ' ' {
			return hidden
		}
		return base
	case !unicode.IsPrint(r), unicode.Is(blank, r), unicode.Is(unicode.Variation_Selector, r):
		return hidden
	case unicode.Is(unicode.M, r), unicode.Is(jamo, r):
		return mark
	default:
		return base
	}
}

// Hidden says that r is never shown as itself.
func Hidden(r rune) bool { return classOf(r) == hidden }

// blank holds printable code points, by Unicode's categories, that show
// nothing, or that join with a neighbour into one picture.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x034f, 0x034f, 1}, // combining grapheme joiner
		{0x115f, 0x1160, 1}, // Hangul fillers
		{0x17b4, 0x17b5, 1}, // Khmer inherent vowels
		{0x2800, 0x2800, 1}, // braille blank
		{0x3164, 0x3164, 1}, // Hangul filler
		{0xffa0, 0xffa0, 1}, // halfwidth Hangul filler
		{0xfffc, 0xfffc, 1}, // object replacement
	},
	R32: []unicode.Range32{
		{0x13441, 0x13442, 1}, // Egyptian blanks
		{0x16fe4, 0x16fe4, 1}, // Khitan filler
		{0x1d159, 0x1d159, 1}, // musical null notehead
		{0x1f1e6, 0x1f1ff, 1}, // regional indicators
		{0x1f3fb, 0x1f3ff, 1}, // emoji modifiers
	},
}

// jamo holds the vowels and finals that terminals draw onto the letter before.
var jamo = &unicode.RangeTable{
	R16: []unicode.Range16{{0x1161, 0x11ff, 1}, {0xd7b0, 0xd7ff, 1}},
}

// bracket holds what could be taken for the bracket that opens an escape.
func bracket(r rune) bool {
	switch r {
	case '<', 0x02c2, 0x1438, 0x2039, 0x2329, 0x276c, 0x276e, 0x2770, 0x27e8, 0x29fc, 0x3008, 0xfe64, 0xff1c:
		return true
	default:
		return false
	}
}

// columns is how many cells a shown rune takes; only tab stops need it.
func columns(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}
