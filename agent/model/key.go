package model

import (
	"log/slog"
	"strings"
)

// A Key is a provider's secret. It prints as a mark, whatever prints it.
type Key struct{ secret string }

// NewKey holds secret, without white space around it.
func NewKey(secret string) Key { return Key{strings.TrimSpace(secret)} }

// IsZero says that there is no key.
func (k Key) IsZero() bool { return k.secret == "" }

const keyMark = "[key]"

// String gives a mark, never the key.
func (k Key) String() string {
	if k.IsZero() {
		return ""
	}
	return keyMark
}

// GoString gives a mark, never the key.
func (k Key) GoString() string { return k.String() }

// LogValue gives a mark, never the key.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalText gives a mark, never the key.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
