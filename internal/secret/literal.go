package secret

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"sort"
	"strings"
)

// literals finds registered values by their text, in clear and encoded.
type literals struct {
	all     patterns // for text as it stands
	encoded patterns // base64 and hex: also for text whose line breaks were taken out
}

func newLiterals(values []string) *literals {
	var all, encoded []pattern
	for _, v := range values {
		all = append(all, pattern{v, v})
		if strings.Contains(v, " ") { // as in a query
			all = append(all, pattern{strings.ReplaceAll(v, " ", "+"), v})
		}
		for _, form := range encodings(v) {
			encoded = append(encoded, pattern{form, v})
		}
	}
	return &literals{newPatterns(append(all, encoded...)), newPatterns(encoded)}
}

// encodings are the texts in which v shows when it is encoded as a part of
// something larger: hex, and base64 at the three places where it can begin
// within a group of three bytes. Of base64 only the characters that v alone
// determines are given.
func encodings(v string) []string {
	out := []string{hex.EncodeToString([]byte(v)), strings.ToUpper(hex.EncodeToString([]byte(v)))}
	for before := range 3 {
		bits := 8 * before
		from, to := (bits+5)/6, (bits+8*len(v))/6
		padded := make([]byte, before+len(v)+2)
		copy(padded[before:], v)
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if form := enc.EncodeToString(padded)[from:to]; len(form) >= shortest && !slices.Contains(out, form) {
				out = append(out, form)
			}
		}
	}
	return out
}

// A pattern is a text, and the secret that it shows.
type pattern struct{ text, secret string }

// patterns finds any of many texts.
type patterns struct {
	sorted []pattern // by text
	begin  map[uint32][]pattern
	filter [1 << 10]uint64 // a bit for each begin, hashed: most places fail here
	most   int             // longest text
}

func newPatterns(list []pattern) patterns {
	p := patterns{begin: map[uint32][]pattern{}}
	sort.Slice(list, func(i, j int) bool { return list[i].text < list[j].text })
	p.sorted = list
	for _, x := range list {
		k := first4(x.text)
		p.begin[k] = append(p.begin[k], x)
		h := hash4(k)
		p.filter[h>>6] |= 1 << (h & 63)
		p.most = max(p.most, len(x.text))
	}
	for k := range p.begin { // the longest first
		sort.SliceStable(p.begin[k], func(i, j int) bool { return len(p.begin[k][i].text) > len(p.begin[k][j].text) })
	}
	return p
}

func first4[T string | []byte](s T) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func hash4(k uint32) uint32 { return (k * 2654435761) >> 16 }

// at gives the longest pattern that b[i:] begins with.
func (p *patterns) at(b []byte, i int) (pattern, bool) {
	if len(b)-i < shortest {
		return pattern{}, false
	}
	k := first4(b[i:])
	if h := hash4(k); p.filter[h>>6]&(1<<(h&63)) == 0 {
		return pattern{}, false
	}
	for _, x := range p.begin[k] {
		if len(x.text) <= len(b)-i && string(b[i:i+len(x.text)]) == x.text {
			return x, true
		}
	}
	return pattern{}, false
}

// partial is the first place from which on b, up to its end, may be the
// beginning of a pattern. It is len(b) when there is none.
func (p *patterns) partial(b []byte) int {
	for i := max(0, len(b)-p.most); i < len(b); i++ {
		tail := b[i:]
		j := sort.Search(len(p.sorted), func(j int) bool { return p.sorted[j].text > string(tail) })
		if j == len(p.sorted) {
			continue
		}
		if text := p.sorted[j].text; len(text) > len(tail) && text[:len(tail)] == string(tail) {
			return i
		}
	}
	return len(b)
}
