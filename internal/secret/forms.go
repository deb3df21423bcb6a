package secret

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
)

// Forms are the spellings under which a secret could stand in a text that
// leaves the machine: as it is, with percent escapes decoded once and twice,
// and with each part that is base64 or hex decoded. It is for the scan before
// something leaves, and no proof that nothing is hidden.
func Forms(text string) []string {
	out := []string{text}
	for s, n := text, 0; n < 2; n++ {
		plain, err := url.QueryUnescape(s)
		if err != nil || plain == s {
			break
		}
		out, s = append(out, plain), plain
	}
	for _, form := range out {
		for _, part := range strings.FieldsFunc(form, func(r rune) bool { return strings.ContainsRune("/?&=.:#,;\"'()[]{} \t\r\n", r) }) {
			if plain := decoded(part); plain != "" {
				out = append(out, plain)
			}
		}
	}
	return out
}

// decoded is what a word of base64 or hex says, "" for any other.
func decoded(s string) string {
	if len(s) < 12 {
		return ""
	}
	if b, err := hex.DecodeString(s); err == nil {
		return string(b)
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if b, err := enc.DecodeString(strings.TrimRight(s, "=")); err == nil {
			return string(b)
		}
	}
	return ""
}
