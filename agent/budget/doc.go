// Package budget holds an agent to limits in money, tokens, model calls and
// time.
//
// # Promised
//
// What a request may cost at most is reserved before it is sent, and settled
// when it has ended; where the reserve does not fit, the request is not sent.
// A child's spending counts for its parent too. What was spent today lies in
// our state folder, is shared by all processes, and is written before the
// request: a crash leaves the reserve counted, never the request uncounted. A
// clock that is set back does not bring a new day.
//
// Amounts are whole numbers and never wrap: money in millionths of a dollar. A
// cost that is not known is not 0: it is said so, and a limit in money that
// cannot be kept refuses.
//
// # Not promised
//
// That a provider's bill is the catalogue's price, or that a server reports
// what it counted.
package budget
