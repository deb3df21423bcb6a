package house

import (
	"go/parser"
	"strings"
	"testing"
)

// rooms is the floor plan: what each room may import of the others. A room is
// a folder and all below it that is no room of its own. Every room may import
// its own sub-packages and, but for those marked, internal packages. A folder
// that is not listed here is an error, so that a new one is placed on purpose.
var rooms = map[string][]string{
	"cmd/tera-pilot": {"*"},
	"tui":            {"agent/event", "agent/effect"},
	"agent": {
		"agent/effect", "agent/event", "agent/gate", "agent/tool", "agent/world", "agent/model",
		"agent/session", "agent/undo", "agent/rulebook", "agent/fit", "agent/budget", "agent/guide", "agent/hook", "audit", "guardian",
	},
	"agent/hook":       {},
	"agent/effect":     {"-internal"},
	"agent/event":      {"-internal", "agent/effect"},
	"agent/rulebook":   {"agent/gate", "commandpolicy"},
	"agent/whatif":     {"agent/effect", "agent/gate", "agent/rulebook", "commandpolicy", "audit"},
	"agent/gate":       {"agent/effect", "agent/event", "commandpolicy", "guardian"},
	"agent/tool":       {"agent/effect"},
	"agent/world":      {"agent/tool", "agent/effect", "agent/gate", "commandpolicy", "gitsafe", "ossandbox", "audit", "websearch", "mcp"},
	"agent/model":      {},
	"agent/session":    {"agent/effect", "agent/event"},
	"agent/fit":        {"agent/event", "agent/session", "agent/model"},
	"agent/budget":     {},
	"agent/guide":      {"agent/event"},
	"agent/undo":       {"agent/effect"},
	"agent/headless":   {"agent/event", "agent/effect", "agent/session", "audit"},
	"agent/acp":        {"agent/event", "agent/effect", "agent/session", "audit"},
	"agent/mcpserver":  {"agent/event", "agent/effect", "agent/session", "mcp"},
	"agent/doctor":     {"audit", "gitsafe", "ossandbox"},
	"agent/demo":       {"agent/event"},
	"guardian":         {"agent/effect"},
	"commandpolicy":    {},
	"gitsafe":          {},
	"ossandbox":        {"ossandbox/reexec"},
	"ossandbox/reexec": {"-internal"},
	"audit":            {},
	"mcp":              {"ossandbox"},
	"websearch":        {},
	"internal":         {},
	"contrib":          {},
}

// roomOf is the longest room that holds a folder.
func roomOf(folder string) (string, bool) {
	for f := folder; f != "." && f != ""; {
		if _, ok := rooms[f]; ok {
			return f, true
		}
		i := strings.LastIndex(f, "/")
		if i < 0 {
			return "", false
		}
		f = f[:i]
	}
	return "", false
}

func TestImports(t *testing.T) {
	for _, f := range sources(t, parser.ImportsOnly) {
		room, ok := roomOf(f.room)
		if !ok {
			t.Errorf("%s: the folder is no room of the plan (docs/architecture.md, section 3)", f.name)
			continue
		}
		if f.test {
			continue // tests look at rooms from outside
		}
		for _, spec := range f.ast.Imports {
			path, ours := strings.CutPrefix(importPath(spec), module+"/")
			if ours && !allowed(room, path) {
				t.Errorf("%s: %s may not import %s", f.name, room, path)
			}
		}
	}
}

func allowed(room, path string) bool {
	target, ok := roomOf(path)
	if !ok {
		return false
	}
	list := rooms[room]
	if target == room {
		return true
	}
	internalToo := true
	for _, a := range list {
		switch a {
		case "*", target:
			return true
		case "-internal":
			internalToo = false
		}
	}
	return target == "internal" && internalToo
}

// toolImports is what a tool may stand on: nothing that reaches a file, a
// process or the network.
var toolImports = map[string]bool{
	"bytes": true, "cmp": true, "context": true, "encoding/base64": true, "encoding/binary": true, "encoding/hex": true,
	"encoding/json": true, "errors": true, "fmt": true, "io": true, "maps": true, "math": true, "path": true, "regexp": true,
	"slices": true, "sort": true, "strconv": true, "strings": true, "time": true, "unicode": true, "unicode/utf16": true,
	"unicode/utf8": true, "crypto/sha256": true, "iter": true, "sync": true,
	"github.com/bmatcuk/doublestar/v4": true, "github.com/sergi/go-diff/diffmatchpatch": true,
}

func TestToolsReachNothingByThemselves(t *testing.T) {
	n := 0
	for _, f := range sources(t, parser.ImportsOnly) {
		if f.room != "agent/tool" || f.test {
			continue
		}
		n++
		for _, spec := range f.ast.Imports {
			if path := importPath(spec); !toolImports[path] && !strings.HasPrefix(path, module) {
				t.Errorf("%s imports %s, which is not on the list for tools", f.name, path)
			}
		}
	}
	if n == 0 {
		t.Error("no tool was looked at")
	}
}
