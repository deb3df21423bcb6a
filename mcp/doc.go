// Package mcp is the client side of the Model Context Protocol: it starts
// servers that the person approved, lists and pins their tools, and calls them.
//
// It stands on github.com/mark3labs/mcp-go for the protocol's words and both
// its eras, and owns what that library leaves open: the process, its streams,
// the pins and the bounds.
//
// # Promised
//
// From a server, whoever wrote it:
//
//   - It runs in the sandbox unless the person's own configuration says
//     otherwise, with an environment built from nothing, and nothing of it
//     outlives Close: end of input, two seconds, SIGTERM, two seconds, SIGKILL,
//     to all of its processes.
//   - A line is bounded while it is read (16 MiB, nesting 200). What breaks the
//     bound ends the server. Noise is dropped and counted. Writes, starts, calls,
//     lists and pages have deadlines or counts of their own.
//   - A tool is offered and called only while its whole definition, in canonical
//     form, and the server's identity (program with its hash, arguments, names of
//     the environment; or the origin) are those that were approved. What differs
//     is withdrawn, and Changed says which fields.
//   - Names are mcp__server__tool in plain ASCII; doubles and look-alikes are
//     refused. Annotations are shown as the server's claim and lower nothing.
//   - Results are bounded text. Links in them are not followed. Nothing is called
//     twice by itself.
//   - Requests of a server are answered -32601, but for a ping, the workspace
//     root where roots are switched on, and a form where somebody can answer one:
//     a flat one, while a call is under way, a few a call. A field that looks like
//     a secret is never asked for, and no address is opened.
//   - Resources and prompts are read because a person asked, of an approved server.
//   - Over HTTP only the configured origin is reached, and redirects are refused;
//     a login (package oauth) reaches what the person named or approved besides.
//   - Looking at servers waits for none of them: no lock is held while one is
//     started, asked or ended.
//
// # Not promised
//
// What a server does with what it is told. That a server in the profile net or
// off keeps data on the machine. That two servers do not work together: what one
// says to the other travels through the model, and so through the gate.
package mcp
