package undo

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// Type is the kind of thing at a path. The zero value is nothing at all.
type Type string

// Types of things.
const (
	None    Type = ""
	File    Type = "file"
	Folder  Type = "folder"
	Link    Type = "link"
	Special Type = "special"
)

// Entry is what stands at a path.
type Entry struct {
	Type   Type   `json:"t,omitempty"`
	Mode   uint32 `json:"m,omitempty"` // permission bits of a file or folder
	Size   int64  `json:"n,omitempty"` // of a file
	SHA256 string `json:"h,omitempty"` // of a file's content; "" when it is not known
	Text   name   `json:"l,omitempty"` // of a link
	Left   string `json:"x,omitempty"` // why the content is not kept
}

// same says that two entries are one state of a path.
func same(a, b Entry) bool {
	return a.Type == b.Type && a.Mode == b.Mode && sameContent(a, b)
}

// sameContent leaves the mode out.
func sameContent(a, b Entry) bool {
	return a.Type == b.Type && a.SHA256 == b.SHA256 && a.Text == b.Text
}

// Change is what a call did to one path.
type Change struct {
	Path   name     `json:"p"`
	Before Entry    `json:"b"`
	After  Entry    `json:"a"`
	Of     []string `json:"of,omitempty"`     // of an undo: the calls whose changes this takes back
	Unsure bool     `json:"unsure,omitempty"` // the program died in the call: whose change it is, nobody knows
}

// Keeps says that the change is none: the person chose to keep what was there.
func (c Change) Keeps() bool { return len(c.Of) > 0 && same(c.Before, c.After) }

// Word is the change in the words of event.Change, or "kept".
func (c Change) Word() string {
	switch {
	case c.Keeps():
		return "kept"
	case c.Before.Type == None && c.After.Type == Folder:
		return "mkdir"
	case c.Before.Type == None:
		return "created"
	case c.After.Type == None:
		return "deleted"
	case sameContent(c.Before, c.After):
		return "chmod"
	default:
		return "written"
	}
}

// A name is a file name in JSON: one that is not UTF-8 stands in hex behind a
// NUL, which no name holds.
type name string

// MarshalText implements encoding.TextMarshaler.
func (n name) MarshalText() ([]byte, error) {
	if utf8.ValidString(string(n)) {
		return []byte(n), nil
	}
	return []byte("\x00" + hex.EncodeToString([]byte(n))), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *name) UnmarshalText(b []byte) error {
	rest, raw := strings.CutPrefix(string(b), "\x00")
	if !raw {
		*n = name(b)
		return nil
	}
	text, err := hex.DecodeString(rest)
	*n = name(text)
	return err
}

// NewChange is a change of a path.
func NewChange(path string, before, after Entry) Change {
	return Change{Path: name(path), Before: before, After: after}
}

// LinkEntry is a symbolic link with its text.
func LinkEntry(text string) Entry { return Entry{Type: Link, Text: name(text)} }

// Reached says that a planned change is to be seen in what is there now.
func Reached(c Change, now Entry) bool {
	return same(now, c.After) && !same(now, c.Before) || sameContent(now, c.After) && !sameContent(now, c.Before)
}
