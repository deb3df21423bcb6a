package commandpolicy

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxBadBytes bounds the list that people are shown; one is enough to ask.
const maxBadBytes = 64

// badBytes lists the characters that a reader cannot see, or that our parser
// and bash read differently. It looks at the bytes, before any parsing.
func badBytes(text string) []BadByte {
	var bad []BadByte
	for i := 0; i < len(text) && len(bad) < maxBadBytes; {
		if c := text[i]; c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if what := badRune(r, n); what != "" {
			bad = append(bad, BadByte{Offset: i, Rune: r, What: what})
		}
		i += n
	}
	return bad
}

// badRune says what is wrong with a character outside printable ASCII.
func badRune(r rune, size int) string {
	switch {
	case r == utf8.RuneError && size <= 1:
		return "byte that is not UTF-8"
	case r == 0:
		return "NUL"
	case r == '\r':
		return "carriage return"
	case unicode.Is(unicode.Cc, r):
		return "control character"
	case unicode.Is(unicode.Bidi_Control, r):
		return "bidirectional control"
	case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return "invisible character"
	case unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp):
		return "space that is no space to the shell"
	case unicode.In(r, unicode.Co, unicode.Cs), !unicode.IsGraphic(r):
		return "character without a shape"
	}
	return ""
}

// String is for people: `NUL at byte 7`.
func (b BadByte) String() string {
	return fmt.Sprintf("%s U+%04X at byte %d", b.What, b.Rune, b.Offset)
}

// asBash rewrites the two bytes that the parser treats otherwise than bash:
// bash drops NUL, and keeps a carriage return inside the word. The stand-in is
// a private character, which no file name of the lists in this package holds.
func asBash(text string) string {
	if !strings.ContainsAny(text, "\x00\r") {
		return text
	}
	return strings.NewReplacer("\x00", "", "\r", "\uf8ff").Replace(text)
}
