package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/internal/strictjson"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// Bounds of what a server may offer.
const (
	maxTools       = 128
	maxPages       = 64
	maxDescription = 8 << 10
	maxSchema      = 64 << 10
	maxOffered     = 64 // characters of an offered name: what model providers take
)

// A Definition is one tool as the server defines it, whole.
type Definition struct {
	Name string
	JSON string // canonical, every member: what the pin covers
}

// Hash is the pin of the definition.
func (d Definition) Hash() string { return digest([]byte(d.JSON)) }

// member gives one member of the definition.
func (d Definition) member(name string) json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(d.JSON), &m) != nil {
		return nil
	}
	return m[name]
}

// Description is the server's words on the tool, cut.
func (d Definition) Description() string {
	var text string
	if json.Unmarshal(d.member("description"), &text) != nil {
		return ""
	}
	if len(text) > maxDescription {
		text = strings.ToValidUTF8(text[:maxDescription], "") + " [cut]"
	}
	return text
}

// Schema is the schema of the arguments.
func (d Definition) Schema() json.RawMessage {
	if s := d.member("inputSchema"); len(s) > 0 && s[0] == '{' {
		return s
	}
	return json.RawMessage(`{"type":"object"}`)
}

var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`) })

// definitions takes a server's list apart: what may be offered, and why other
// entries may not. echoes says that a text holds what must be shown nowhere.
func definitions(list []json.RawMessage, echoes func(string) bool) (good []Definition, refused map[string]string) {
	refused = map[string]string{}
	count := map[string]int{}
	for i, raw := range list {
		d, why := definition(raw)
		if echoes(d.Name + d.JSON) {
			d, why = Definition{}, "it holds the token of the login"
		}
		switch label := fmt.Sprintf("entry %d", i+1); {
		case slices.Contains(good, d):
			continue // the very same once more, as lists that turn in a circle have it
		case why != "" && d.Name != "" && len(d.Name) <= maxOffered:
			refused[d.Name+" ("+label+")"] = why
		case why != "":
			refused[label] = why
		default:
			good = append(good, d)
		}
		count[strings.ToLower(d.Name)]++
	}
	good = slices.DeleteFunc(good, func(d Definition) bool {
		if count[strings.ToLower(d.Name)] > 1 {
			refused[d.Name] = "two tools have this name"
			return true
		}
		return false
	})
	if len(good) > maxTools {
		refused["further tools"] = fmt.Sprintf("%d of %d tools were left out: at most %d a server are taken", len(good)-maxTools, len(good), maxTools)
		good = good[:maxTools]
	}
	return good, refused
}

// definition reads one entry of the list, or says why it is none.
func definition(raw json.RawMessage) (d Definition, why string) {
	v, err := strictjson.Value(raw)
	if err != nil {
		return d, "its definition " + err.Error()
	}
	object, _ := v.(map[string]any)
	d.Name, _ = object["name"].(string)
	if why := nameFault(d.Name); why != "" {
		return d, why
	}
	d.JSON = string(canonical(v))
	switch {
	case len(d.Schema()) > maxSchema:
		return d, fmt.Sprintf("its schema has %d bytes; at most %d are taken", len(d.Schema()), maxSchema)
	case !plainKeys(object["inputSchema"]):
		return d, "its schema has names with hidden characters"
	}
	return d, rootFault(object["inputSchema"])
}

// plainKeys says that all names in a schema are what they look like.
func plainKeys(v any) bool {
	switch v := v.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(x any) bool { return !plainKeys(x) })
	case map[string]any:
		for k, x := range v {
			if !visible.Harmless(k) || !plainKeys(x) {
				return false
			}
		}
	}
	return true
}

func nameFault(name string) string {
	switch {
	case !toolName().MatchString(name):
		return "its name is not 1 to 64 letters, digits, dots, dashes and underscores"
	case strings.Contains(name, "__"):
		return "its name holds two underscores, which part the names of servers and tools"
	}
	return ""
}

// Offered is the name under which a model is offered a tool: plain enough for
// every provider. A longer one, or one with a dot, ends in a hash of its own.
func Offered(server, tool string) string {
	name := "mcp__" + server + "__" + tool
	plain := strings.ReplaceAll(name, ".", "_")
	if plain == name && len(name) <= maxOffered {
		return name
	}
	mark := "_" + digest([]byte(name))[:8]
	return plain[:min(len(plain), maxOffered-len(mark))] + mark
}

// fields names the members in which two JSON objects differ, with what they
// were and are.
func fields(before, after []byte) []string {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(before, &a) != nil || json.Unmarshal(after, &b) != nil {
		return []string{"everything"}
	}
	names := slices.Collect(maps.Keys(a))
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return bytes.Equal(a[name], b[name]) })
}

// A Change is one member of a definition that differs from its pin.
type Change struct{ Field, Before, After string }

// Changes are the members in which after differs from before.
func Changes(before, after Definition) []Change {
	var out []Change
	for _, f := range fields([]byte(before.JSON), []byte(after.JSON)) {
		out = append(out, Change{f, string(before.member(f)), string(after.member(f))})
	}
	return out
}
