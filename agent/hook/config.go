package hook

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// An Event is a moment at which hooks run.
type Event string

// The events.
const (
	BeforeCall Event = "before_call" // a call was planned, and nothing was decided yet
	AfterCall  Event = "after_call"  // a call ran
	TurnStart  Event = "turn_start"  // the person sent a message
	TurnEnd    Event = "turn_end"    // the turn is over
)

var events = []Event{BeforeCall, AfterCall, TurnStart, TurnEnd}

// A Hook is one program and when it runs.
type Hook struct {
	Name     string
	From     string // the file that names it
	Line     int    // in that file
	Project  bool   // of a repository, and trusted by content
	Events   []Event
	Tools    []string // names of tools; empty is every tool. For before_call and after_call
	Language string   // bash, python or node
	Text     string   // what runs
	Source   string   // the file that the text stood in; "" when it stands in From
	Timeout  time.Duration
}

// Hash identifies what runs: the language and the text.
func (h Hook) Hash() string {
	sum := sha256.Sum256([]byte(h.Language + "\x00" + h.Text))
	return hex.EncodeToString(sum[:])
}

// Wants says whether the hook runs at an event about a tool ("" for none).
func (h Hook) Wants(e Event, tool string) bool {
	return slices.Contains(h.Events, e) && (len(h.Tools) == 0 || tool == "" || slices.Contains(h.Tools, tool))
}

// Bounds of a file of hooks.
const (
	MaxFile  = 1 << 20   // bytes of a file of hooks
	MaxText  = 100 << 10 // bytes of one hook's program: it is handed over as an argument
	maxHooks = 32
	minTime  = time.Second
	maxTime  = 60 * time.Second
	usual    = 10 * time.Second
)

type document struct {
	Hook []table `toml:"hook"`
}

type table struct {
	Name     string   `toml:"name"`
	Events   []string `toml:"events"`
	Tools    []string `toml:"tools"`
	Language string   `toml:"language"`
	Run      string   `toml:"run"`
	File     string   `toml:"file"`
	Timeout  int      `toml:"timeout"`
}

// A ConfigError says what is wrong in a file of hooks, and where. Nothing of
// the file is in force then, and no session begins: a hook that was meant to
// forbid must not vanish.
type ConfigError struct {
	File string
	Line int
	What string
}

func (e *ConfigError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.What
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What)
}

// Load reads a file of hooks. name is how it is called to people; read gives
// the bytes of a file beside it, by a name without folders upwards.
func Load(data []byte, name string, project bool, read func(string) ([]byte, error)) ([]Hook, error) {
	if len(data) > MaxFile {
		return nil, &ConfigError{File: name, What: fmt.Sprintf("has %d bytes, and %d are the most", len(data), MaxFile)}
	}
	var doc document
	d := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		return nil, decodeError(name, err)
	}
	if len(doc.Hook) > maxHooks {
		return nil, &ConfigError{File: name, What: fmt.Sprintf("names %d hooks, and %d are the most", len(doc.Hook), maxHooks)}
	}
	at := lines(data)
	var out []Hook
	for i, t := range doc.Hook {
		h, err := t.hook(read)
		if err == nil && slices.ContainsFunc(out, func(o Hook) bool { return o.Name == h.Name }) {
			err = fmt.Errorf("the name %q stands there twice", h.Name)
		}
		line := 0
		if i < len(at) {
			line = at[i]
		}
		if err != nil {
			return nil, &ConfigError{name, line, err.Error()}
		}
		h.From, h.Line, h.Project = name, line, project
		out = append(out, h)
	}
	return out, nil
}

func decodeError(name string, err error) error {
	var unknown *toml.StrictMissingError
	var bad *toml.DecodeError
	switch {
	case errors.As(err, &unknown) && len(unknown.Errors) > 0:
		row, _ := unknown.Errors[0].Position()
		key := unknown.Errors[0].Key()
		return &ConfigError{name, row, fmt.Sprintf("unknown key %q: a hook has name, events, tools, language, run, file and timeout", key[len(key)-1])}
	case errors.As(err, &bad):
		row, _ := bad.Position()
		return &ConfigError{name, row, bad.Error()}
	}
	return &ConfigError{File: name, What: err.Error()}
}

var header = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*\[\[\s*hook\s*\]\]`) })

// lines are where the tables of hooks begin.
func lines(data []byte) (out []int) {
	for i, l := range strings.Split(string(data), "\n") {
		if header().MatchString(l) {
			out = append(out, i+1)
		}
	}
	return out
}

var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$`) })

// hook makes a hook of its table, or says what is wrong with it.
func (t table) hook(read func(string) ([]byte, error)) (Hook, error) {
	h := Hook{Name: t.Name, Tools: t.Tools, Language: t.Language, Text: t.Run, Source: t.File, Timeout: time.Duration(t.Timeout) * time.Second}
	if !plainName().MatchString(t.Name) {
		return h, fmt.Errorf("name is %q: it needs one of at most 64 letters, digits, dots, dashes and underscores", t.Name)
	}
	for _, word := range t.Events {
		if !slices.Contains(events, Event(word)) {
			return h, fmt.Errorf("hook %s: no event is called %q: they are before_call, after_call, turn_start, turn_end", t.Name, word)
		}
		h.Events = append(h.Events, Event(word))
	}
	switch {
	case len(h.Events) == 0:
		return h, fmt.Errorf("hook %s names no events: before_call, after_call, turn_start or turn_end", t.Name)
	case t.Language == "":
		h.Language = "bash"
	case !slices.Contains([]string{"bash", "python", "node"}, t.Language):
		return h, fmt.Errorf("hook %s: the language %q is none of bash, python, node", t.Name, t.Language)
	}
	if t.Timeout == 0 {
		h.Timeout = usual
	}
	if h.Timeout < minTime || h.Timeout > maxTime {
		return h, fmt.Errorf("hook %s: timeout is %d: it must be between 1 and 60 seconds", t.Name, t.Timeout)
	}
	if (t.Run == "") == (t.File == "") {
		return h, fmt.Errorf("hook %s needs either run (its text) or file (where its text stands)", t.Name)
	}
	if t.File != "" {
		if !fs.ValidPath(t.File) || path.Clean(t.File) != t.File || t.File == "." {
			return h, fmt.Errorf("hook %s: the file %q must lie beside this one, or in a folder beneath", t.Name, t.File)
		}
		data, err := read(t.File)
		if err != nil {
			return h, fmt.Errorf("hook %s: %w", t.Name, err)
		}
		h.Text = string(data)
	}
	switch {
	case strings.TrimSpace(h.Text) == "":
		return h, fmt.Errorf("hook %s is empty", t.Name)
	case len(h.Text) > MaxText:
		return h, fmt.Errorf("hook %s has %d bytes, and %d are the most", t.Name, len(h.Text), MaxText)
	case strings.Contains(h.Text, "\x00"):
		return h, fmt.Errorf("hook %s holds a NUL character", t.Name)
	}
	return h, nil
}
