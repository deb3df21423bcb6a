// Package locale says in which locales a text is what it looks like.
//
// It is one rule for two rooms: the command policy reads a command as ASCII and
// UTF-8, and the sandbox lets through only locales in which shells and programs
// read it so too.
package locale

import (
	"regexp"
	"sync"
)

// Plain says that in a locale every byte below 0x80 is the character that it is
// in ASCII. In others (GBK, Big5, Shift JIS) a backslash or a quote can be half
// of a letter. No value is the C locale; what is not known is not plain.
func Plain(value string) bool { return plain().MatchString(value) }

var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(C|POSIX|[A-Za-z_]*\.(UTF-8|utf-?8))?(@[a-z]+)?$`) })
