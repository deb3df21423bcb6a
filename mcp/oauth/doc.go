// Package oauth is the login at an MCP server that is reached by HTTP: OAuth
// 2.1 as the protocol's authorization page has it, for a public client on the
// person's own machine.
//
// # Promised
//
// To the person, whatever the server and its authorization server say:
//
//   - Each host that is spoken to, and the one that the browser is sent to, was
//     named by the person or approved by name before. Everything is reached through
//     internal/netguard, by one origin at a time, without redirects, bounded in
//     bytes and time, over https but on the very machine. A server elsewhere leads
//     to no private address.
//   - The metadata of the server is the server's own (RFC 9728), that of the
//     authorization server names the issuer that it was asked of (RFC 8414), and
//     the answer that comes back by the browser names it too where it can (RFC 9207).
//   - PKCE with S256, always; a state that is compared; a redirect to an exact
//     address of 127.0.0.1 with a port of its own, taken once.
//   - A token is kept with the address, the resource and the issuer that it is
//     for, is sent to exactly that address, and to nobody else. One that names
//     another audience is thrown away unseen.
//   - A refresh token is used once where the authorization server gives a new one;
//     processes that need it wait for each other.
//   - No error holds a token, a code or a secret.
//
// # Not promised
//
// What the authorization server does with what the person types in the browser.
// That a token whose audience cannot be read is good for nothing else: the server
// that it is sent to can try. Client ID metadata documents are not published, so
// a client is registered (RFC 7591), or its id is written in the person's mcp.json.
package oauth
