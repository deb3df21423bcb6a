// Package mcp will hold the client for servers of the Model Context Protocol:
// supervised processes in the sandbox, bounded transports, and pins over the
// whole definition of every tool.
//
// Nothing of it is built yet. No MCP server is started and no tool of one is
// offered; `tera-pilot doctor` says so.
//
// # Will be promised
//
// No server starts, and no tool of one is offered, before the person approved
// its exact command line, environment names and definitions; a change of any
// of them withdraws it. What a server sends is bounded while it is read, made
// visible before it is shown, and never obeyed.
package mcp
