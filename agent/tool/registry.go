package tool

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// A Registry finds tools by the names that models call them.
type Registry struct {
	tools  []Tool
	byName map[string]Tool
	left   map[string]Tool // by name: what Only left out
}

// NewRegistry makes a registry of tools. A name or alias that two of them
// claim is an error.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{tools: slices.Clone(tools), byName: map[string]Tool{}, left: map[string]Tool{}}
	for _, t := range tools {
		s := t.Spec()
		for _, name := range append([]string{s.Name}, s.Aliases...) {
			key := strings.ToLower(name)
			if other, taken := r.byName[key]; taken {
				return nil, fmt.Errorf("the tools %s and %s both claim the name %q", other.Spec().Name, s.Name, name)
			}
			r.byName[key] = t
		}
	}
	return r, nil
}

// With is r and more tools behind its own.
func (r *Registry) With(more ...Tool) (*Registry, error) {
	return NewRegistry(append(r.All(), more...)...)
}

// Replace is r with these tools of MCP servers in the place of its own.
func (r *Registry) Replace(servers ...MCPTool) (*Registry, error) {
	var out []Tool
	for _, t := range r.tools {
		if _, is := t.(mcpTool); !is {
			out = append(out, t)
		}
	}
	for _, t := range servers {
		out = append(out, mcpTool{t})
	}
	return NewRegistry(out...)
}

// All lists the tools in the order in which they are offered.
func (r *Registry) All() []Tool { return slices.Clone(r.tools) }

// Only is a registry of the named tools, as far as they are there.
func (r *Registry) Only(names ...string) (*Registry, error) {
	few, err := NewRegistry(slices.DeleteFunc(slices.Clone(r.tools), func(t Tool) bool { return !slices.Contains(names, t.Spec().Name) })...)
	if err == nil {
		few.left = r.byName
	}
	return few, err
}

// Lookup finds a tool by its name or an alias, without regard to case. An
// *UnknownToolError says what there is instead.
func (r *Registry) Lookup(name string) (Tool, error) {
	key := strings.ToLower(strings.TrimSpace(name))
	if t, ok := r.byName[key]; ok {
		return t, nil
	}
	err := &UnknownToolError{Name: name, Instead: instead(key)}
	if r.left[key] != nil {
		err.Instead = "it is left out here, where only some tools are offered (a sub-agent has those of its role); say in your answer what you would have used it for"
	}
	for _, t := range r.tools {
		err.Known = append(err.Known, t.Spec().Name)
	}
	sort.Strings(err.Known)
	return nil, err
}

// An UnknownToolError says that there is no tool of a name.
type UnknownToolError struct {
	Name    string
	Instead string   // what to use in its place, "" when nothing is known
	Known   []string // the tools that there are
}

func (e *UnknownToolError) Error() string {
	if e.Instead != "" {
		return fmt.Sprintf("there is no tool %q: %s", e.Name, e.Instead)
	}
	return fmt.Sprintf("there is no tool %q; the tools are %s", e.Name, strings.Join(e.Known, ", "))
}

// instead is what to use in place of a tool that the original had, or that
// models know from elsewhere. An entry counts only while no tool has the name.
func instead(name string) string {
	if strings.HasPrefix(name, "office_") {
		return "office documents are not handled; use execute_command with a program that reads them"
	}
	if strings.HasPrefix(name, "mcp__") {
		return "no approved MCP server offers it; the user adds servers with `tera-pilot mcp add`"
	}
	switch name {
	case "read_binary_file":
		return "read_file tells a binary file's size and type; use execute_command (xxd, base64) to see its bytes"
	case "write_binary_file":
		return "use execute_command (base64 -d) to write bytes"
	case "undo_write", "undo":
		return "the user undoes edits with `tera-pilot undo`; to change a file back yourself use str_replace or write_file"
	case "call_mcp_tool", "list_mcp_tools":
		return "tools of MCP servers are called by their own names, mcp__server__tool; none is offered now"
	case "web_fetch", "webfetch", "fetch", "fetch_url":
		return `the user switched it off ("fetch": false below "web" in config.json); ask for the text, or read the documentation in the project and its dependencies`
	case "web_search", "websearch":
		return `the user named no search service ("search" below "web" in config.json); ask for the text or an address, or read the documentation in the project and its dependencies`
	case "spawn_multi_agents":
		return "call spawn_subagent once for each task"
	case "get_skill", "search_tools", "select_tools":
		return "all tools are offered from the start"
	case "watchdog_check":
		return "use self_verify to run the project's tests"
	default:
		return ""
	}
}
