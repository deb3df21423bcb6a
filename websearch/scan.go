package websearch

import (
	"fmt"
	"math"
	"net/url"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// Bounds of what looks like data rather than an address. A SHA-256 in hex has
// 64 characters and is common in paths; a value of a query has rarely over 40.
const (
	longQuery = 40
	longPath  = 64
	longLabel = 32
	longHost  = 100
	dense     = 3.5 // bits a character: hex comes to 4 at most, English words to about 3
)

// Scan says what in a URL, or in the words of a search, looks like a secret or
// like data that is carried out in it. It needs no look-up, since a look-up
// already tells the name. known holds the secrets of this session; nil has none.
func Scan(text string, known *secret.Redactor) []string {
	var out []string
	for _, form := range forms(text) {
		for _, m := range find(known, form) {
			out = append(out, "it holds something that looks like a secret ("+m+")")
		}
		if len(out) > 0 {
			return out[:1]
		}
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return nil
	}
	return append(scanHost(u.Hostname()), scanParts(u)...)
}

// scan is Scan, and what a request says in two parts, or together with what
// left before it.
func (w *Web) scan(text string) []string {
	out := Scan(text, w.o.Secrets)
	if len(out) == 0 && w.o.Secrets.Completes(text) {
		out = []string{"in two parts, or together with what was sent before, it holds something that looks like a secret"}
	}
	return out
}

func find(known *secret.Redactor, text string) []string {
	if known == nil {
		known = secret.New()
	}
	var kinds []string
	for _, m := range known.Find(text) {
		kinds = append(kinds, m.Kind)
	}
	return kinds
}

// forms are the spellings under which a secret could stand in text, and the
// text without the dots of its host name, which could cut one in pieces.
func forms(text string) []string {
	out := secret.Forms(text)
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		out = append(out, strings.ReplaceAll(u.Hostname(), ".", ""))
	}
	return out
}

func scanHost(host string) []string {
	if len(host) > longHost {
		return []string{fmt.Sprintf("the host name has %d characters: names that long carry data", len(host))}
	}
	coded := 0 // characters of all labels that are no words: data is cut to fit them
	for _, label := range strings.Split(host, ".") {
		if len(label) > longLabel && packed(label) {
			return []string{fmt.Sprintf("a label of the host name has %d characters that look like data", len(label))}
		}
		if mixed(label) {
			coded += len(label)
		}
	}
	if coded > longLabel {
		return []string{fmt.Sprintf("the labels of the host name have %d characters that look like data", coded)}
	}
	return nil
}

func scanParts(u *url.URL) []string {
	for name, values := range u.Query() {
		for _, v := range append(values, name) {
			if len(v) > longQuery && packed(v) && !strings.Contains(v, " ") {
				return []string{fmt.Sprintf("a value of the query has %d characters that look like data", len(v))}
			}
		}
	}
	for _, part := range strings.Split(u.Path, "/") {
		if len(part) > longPath && packed(part) && !wordy(part) {
			return []string{fmt.Sprintf("a part of the path has %d characters that look like data", len(part))}
		}
	}
	return nil
}

// packed says that a long text is too dense for words, or mixes letters and
// digits as no word does: the hex digits of a text are not dense.
func packed(s string) bool { return bits(s) >= dense || mixed(s) }

// mixed says that s is letters and digits alone, with a digit in eight
// characters or more, and long enough to carry something.
func mixed(s string) bool {
	digits := 0
	for i := range len(s) {
		switch c := s[i] | 0x20; {
		case s[i] >= '0' && s[i] <= '9':
			digits++
		case c < 'a' || c > 'z':
			return false
		}
	}
	return len(s) >= 8 && digits*8 >= len(s)
}

// wordy says that a part of a path is made of words, as titles in addresses are.
func wordy(s string) bool {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == '+' || r == ' ' })
	short := 0
	for _, w := range words {
		if len(w) <= 20 {
			short++
		}
	}
	return len(words) >= 4 && short == len(words)
}

// bits is the Shannon entropy of s in bits a byte.
func bits(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
