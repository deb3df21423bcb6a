package mcp

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// variable is ${NAME} or ${NAME:-default}.
var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`) })

// Variables lists the names that an entry takes from the environment.
func (e Entry) Variables() []string {
	var out []string
	_, _ = e.Expand(func(name string) (string, bool) { // the answer does not matter: every name is heard
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
		return "", true
	})
	slices.Sort(out)
	return out
}

// Expand replaces ${NAME} in command, environment, address and headers. A
// variable that is not set and has no default is an error, and never the empty
// text. Nothing is a shell.
func (e Entry) Expand(look func(name string) (string, bool)) (Entry, error) {
	var missing []string
	one := func(s string) string {
		return variable().ReplaceAllStringFunc(s, func(m string) string {
			parts := variable().FindStringSubmatch(m)
			if v, ok := look(parts[1]); ok {
				return v
			}
			if parts[2] == "" {
				missing = append(missing, parts[1])
			}
			return parts[3]
		})
	}
	out := e
	out.Command, out.written = nil, &e
	for _, word := range e.Command {
		out.Command = append(out.Command, one(word))
	}
	many := func(m map[string]string) map[string]string {
		if m == nil {
			return nil
		}
		to := make(map[string]string, len(m))
		for k, v := range m {
			to[k] = one(v)
		}
		return to
	}
	out.Env, out.Headers, out.URL, out.Cwd = many(e.Env), many(e.Headers), one(e.URL), one(e.Cwd)
	out.Login.ClientID, out.Login.ClientSecret, out.Login.Issuer = one(e.Login.ClientID), one(e.Login.ClientSecret), one(e.Login.Issuer)
	if len(missing) > 0 {
		slices.Sort(missing)
		return e, fmt.Errorf("the environment has no %s: set it, or write ${NAME:-default}", strings.Join(slices.Compact(missing), ", "))
	}
	if out.URL != "" {
		if err := checkURL(out.URL); err != nil {
			return e, err
		}
	}
	if out.Cwd != "" && !filepath.IsAbs(out.Cwd) {
		return e, fmt.Errorf("cwd %q must be absolute", out.Cwd)
	}
	return out, out.plain()
}

// plain refuses what no process or request can be given as it is written: names
// with other characters, and values with line breaks or NUL.
func (e Entry) plain() error {
	for _, m := range []map[string]string{e.Env, e.Headers} {
		for name, value := range m {
			if !envName().MatchString(name) {
				return fmt.Errorf("%q is no name of a variable or header", name)
			}
			if strings.ContainsAny(value, "\x00\r\n") {
				return fmt.Errorf("the value of %s holds a line break or NUL", name)
			}
		}
	}
	for _, word := range append(slices.Clone(e.Command), e.Cwd) {
		if strings.ContainsRune(word, 0) {
			return errors.New("the command holds NUL")
		}
	}
	return nil
}
