package secret

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
)

// longestHeld is how much of one secret is held back before it is decided.
const longestHeld = 64 << 10

// A verdict says whether a shape stands at a place.
type verdict uint8

const (
	no   verdict = iota
	yes          // it does
	more         // it may: the text ends too early to tell
	long         // it does, and goes on behind what is held
)

// A shape is a kind of secret that can be told by its looks: a prefix, and a
// body of certain characters.
type shape struct {
	name     string
	prefix   string // in lower case when fold
	fold     bool   // upper and lower case are the same in the prefix
	anywhere bool   // the prefix may stand within a word
	body     func(byte) bool
	min, max int                    // length of the body; max 0: any
	ok       func(body []byte) bool // more to ask of the body, if not nil
	own      func(s *shape, b []byte, i int, final bool) (start, end int, v verdict)
}

func token(c byte) bool  { return alnum(c) || c == '_' || c == '-' }
func dotted(c byte) bool { return token(c) || c == '.' }
func base(c byte) bool   { return alnum(c) || c == '+' || c == '/' || c == '=' }
func header(c byte) bool {
	return dotted(c) || c == '~' || c == '+' || c == '/' || c == '='
}

func alnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || digit(c)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
func upper(c byte) bool { return c >= 'A' && c <= 'Z' || digit(c) }
func lowerHex(c byte) bool {
	return c >= 'a' && c <= 'f' || digit(c)
}

func hasDigit(b []byte) bool { return bytes.ContainsAny(b, "0123456789") }

// at looks for the shape at b[i:], where its prefix stands.
func (s *shape) at(b []byte, i int, final bool) (start, end int, v verdict) {
	if s.own != nil {
		return s.own(s, b, i, final)
	}
	_, end, v = s.run(b, i+len(s.prefix), final)
	return i, end, v
}

// run takes the body from a place on.
func (s *shape) run(b []byte, from int, final bool) (start, end int, v verdict) {
	end = from
	for end < len(b) && s.body(b[end]) && end-from < longestHeld {
		end++
	}
	n := end - from
	switch {
	case end == len(b) && !final && n < longestHeld:
		return from, end, more
	case n < s.min || s.max > 0 && n > s.max:
		return from, end, no
	case s.ok != nil && !s.ok(b[from:end]):
		return from, end, no
	case n == longestHeld:
		return from, end, long
	default:
		return from, end, yes
	}
}

// behindPrefix masks the body and leaves the prefix.
func behindPrefix(s *shape, b []byte, i int, final bool) (start, end int, v verdict) {
	return s.run(b, i+len(s.prefix), final)
}

// assigned masks a value behind a name, as in settings, headers and JSON.
func assigned(s *shape, b []byte, i int, final bool) (start, end int, v verdict) {
	from := i + len(s.prefix)
	const between = 8
	for from < len(b) && from < i+len(s.prefix)+between && strings.IndexByte(" \t\"'`\\:=>", b[from]) >= 0 {
		from++
	}
	if from == len(b) && !final {
		return i, from, more
	}
	if from == i+len(s.prefix) {
		return i, from, no
	}
	return s.run(b, from, final)
}

// userinfo masks the password of a URL.
func userinfo(s *shape, b []byte, i int, final bool) (start, end int, v verdict) {
	from := i + len(s.prefix)
	const longest = 1 << 10
	end = from
	for end < len(b) && end-from < longest && b[end] > ' ' && strings.IndexByte("/\"'`<>\\", b[end]) < 0 {
		end++
	}
	if end == len(b) && !final && end-from < longest {
		return i, end, more
	}
	at := bytes.LastIndexByte(b[from:end], '@')
	colon := bytes.IndexByte(b[from:end], ':')
	if colon < 0 || at < colon {
		return i, end, no
	}
	password := b[from+colon+1 : from+at]
	if len(password) == 0 || strings.IndexByte("${<[", password[0]) >= 0 || len(bytes.Trim(password, "*xX.")) == 0 {
		return i, end, no
	}
	return from + colon + 1, from + at, yes
}

// pemByte is what stands in a PEM block, also when it is a string of a
// programming language or part of a settings file.
func pemByte(c byte) bool {
	return base(c) || strings.IndexByte(" \t\r\n\\:,.-()\"'|#%>_", c) >= 0
}

// pem masks a private key up to its end line or, where that is missing, as far
// as it can be one.
func pem(s *shape, b []byte, i int, final bool) (start, end int, v verdict) {
	label := b[i+len(s.prefix):]
	stop := bytes.Index(label[:min(len(label), 64)], []byte("-----"))
	if stop < 0 {
		if len(label) < 64 && !final {
			return i, i, more
		}
		return i, i, no
	}
	if !bytes.Contains(label[:stop], []byte("PRIVATE KEY")) {
		return i, i, no
	}
	from := i + len(s.prefix) + stop + 5
	end = from
	for end < len(b) && pemByte(b[end]) && end-i < longestHeld {
		end++
	}
	if last := bytes.Index(b[from:end], []byte("-----END ")); last >= 0 {
		if tail := bytes.Index(b[from+last+9:end], []byte("-----")); tail >= 0 {
			return i, from + last + 9 + tail + 5, yes
		}
	}
	switch {
	case end-i >= longestHeld:
		return i, end, long
	case end == len(b) && !final:
		return i, end, more
	case end-from < 64:
		return i, end, no
	default:
		return i, end, yes
	}
}

func jwt(body []byte) bool {
	parts := bytes.Split(body, []byte{'.'})
	return len(parts) >= 3 && len(parts[0]) >= 8 && len(parts[1]) >= 8
}

func basic(body []byte) bool {
	plain, err := base64.StdEncoding.DecodeString(string(body))
	return err == nil && bytes.IndexByte(plain, ':') > 0 && !slices.ContainsFunc(plain, func(c byte) bool { return c < ' ' })
}

func telegram(body []byte) bool {
	id, key, ok := bytes.Cut(body, []byte{':'})
	return ok && len(id) >= 8 && len(id) <= 10 && len(key) >= 35 && !slices.ContainsFunc(id, func(c byte) bool { return !digit(c) })
}

// context is how many bytes before a place decide whether a word begins there.
const context = 6

// wordBegins reports whether a word can begin at b[i:]: not behind a letter,
// digit, _ or -, unless that is the end of an escape.
func wordBegins(b []byte, i int) bool {
	if i == 0 || !token(b[i-1]) {
		return true
	}
	if i >= 2 && b[i-2] == '\\' {
		return true
	}
	if i >= 3 && b[i-3] == '%' {
		_, ok, _ := digits(b[i-2:i], 2)
		return ok
	}
	if i >= 6 && b[i-6] == '\\' && b[i-5] == 'u' {
		_, ok, _ := digits(b[i-4:i], 4)
		return ok
	}
	return i >= 4 && b[i-4] == '\\' && b[i-3] == 'x'
}

// begins compares b[i:] with the prefix: all of it, or its beginning up to the
// end of b.
func (s *shape) begins(b []byte, i int) (whole, partly bool) {
	rest := b[i:]
	n := min(len(rest), len(s.prefix))
	for j := range n {
		c := rest[j]
		if s.fold && c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != s.prefix[j] {
			return false, false
		}
	}
	return n == len(s.prefix), n < len(s.prefix)
}
