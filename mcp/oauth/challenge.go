package oauth

import (
	"regexp"
	"strings"
	"sync"
)

// A challenge is what a WWW-Authenticate header says about bearer tokens.
type challenge struct {
	metadata string // resource_metadata
	scope    string
	code     string // error
}

// readChallenge reads the first Bearer challenge of the headers (RFC 9110,
// 11.6.1; RFC 6750, 3). What is not of the form is read past.
func readChallenge(headers []string) challenge {
	for _, h := range headers {
		for rest := h; rest != ""; {
			i := strings.Index(strings.ToLower(rest), "bearer")
			if i < 0 {
				break
			}
			begins := i == 0 || strings.ContainsRune(" \t,", rune(rest[i-1]))
			rest = rest[i+len("bearer"):]
			if begins && (rest == "" || rest[0] == ' ') {
				return challengeOf(rest)
			}
		}
	}
	return challenge{}
}

func challengeOf(params string) challenge {
	var c challenge
	for params = strings.TrimSpace(params); params != ""; {
		name, rest, ok := strings.Cut(params, "=")
		if !ok || strings.ContainsAny(strings.TrimSpace(name), " \t") {
			break // the next scheme
		}
		value, left := paramValue(strings.TrimLeft(rest, " \t"))
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "resource_metadata":
			c.metadata = value
		case "scope":
			c.scope = value
		case "error":
			c.code = value
		}
		params = strings.TrimLeft(left, " \t,")
	}
	return c
}

// paramValue is a token or a quoted text, and what stands behind it.
func paramValue(s string) (value, rest string) {
	if s == "" || s[0] != '"' {
		end := strings.IndexAny(s, ", \t")
		if end < 0 {
			end = len(s)
		}
		return s[:end], s[end:]
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return "", ""
}

// scopeForm is narrower than RFC 6749, 3.3: scopes are shown in a command that a
// person may paste, so no shell reads more in one than itself.
var scopeForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.:/@+=][A-Za-z0-9_.:/@+=-]{0,199}$`) })

// maxScopes is how many scopes are asked for.
const maxScopes = 100

// scopes are the words of a scope parameter; those of another form are left out.
func scopes(text string) []string {
	var out []string
	for _, w := range strings.Fields(text) {
		if scopeForm().MatchString(w) && len(out) < maxScopes {
			out = append(out, w)
		}
	}
	return out
}
