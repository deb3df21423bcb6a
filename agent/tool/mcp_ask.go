package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// Names of what a person asks of MCP servers. What is read comes before the
// model, what is listed does not.
const (
	MCPRead = "mcp_read"
	MCPList = "mcp_list"
)

// askMCP is what a person asks of an MCP server besides its tools. It is offered
// to no model.
type askMCP struct{ name string }

// AskMCP are the two of them.
func AskMCP() []Tool { return []Tool{askMCP{MCPRead}, askMCP{MCPList}} }

// An MCPAsk are the arguments of both. Method is the protocol's, and Arguments
// the JSON object that goes with it: names in it are the server's.
type MCPAsk struct {
	Server    string `json:"server"`
	Method    string `json:"method"`
	Arguments string `json:"arguments"`
}

// askedFor says what each method does, by the tool that it belongs to.
var askedFor = map[string]map[string]string{
	MCPRead: {"resources/read": "read a resource", "prompts/get": "get a prompt"},
	MCPList: {"resources/list": "list the resources", "prompts/list": "list the prompts"},
}

// Spec implements Tool.
func (t askMCP) Spec() Spec {
	return Spec{Name: t.name, Category: "mcp", Description: "What the person asks of an MCP server.", Schema: json.RawMessage(
		`{"type":"object","additionalProperties":false,"required":["server","method","arguments"],"properties":{"server":{"type":"string"},"method":{"type":"string"},"arguments":{"type":"string"}}}`)}
}

// Plan implements Tool.
func (t askMCP) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a MCPAsk
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	does := askedFor[t.name][a.Method]
	if does == "" {
		return effect.Set{}, &ArgumentError{fmt.Sprintf("%s does not ask for %q", t.name, a.Method)}
	}
	with, err := plainArguments(json.RawMessage(a.Arguments))
	if err != nil {
		return effect.Set{}, &ArgumentError{err.Error()}
	}
	effects, err := v.MCP(ctx, a.Server, a.Method, with)
	if err != nil {
		return effect.Set{}, err
	}
	return set(t.Spec(), does+" of "+quote(a.Server), nil, effects...), nil
}

// Run implements Tool.
func (t askMCP) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	text, _, err := e.MCP(ctx, planned.Effects[0])
	if err != nil {
		r, err := failed("ask", err)
		r.Untrusted = fromMCP
		return r, err
	}
	return Result{Status: OK, Untrusted: fromMCP, Body: text}, nil
}
