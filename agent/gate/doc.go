// Package gate decides whether a planned set of effects may happen: allow, ask
// or deny, with the reason, the rule that decided, and the set completed with
// what only the gate knows (sandbox profile, network grant, limits).
//
// # How
//
// Five steps, in this order, for each effect; a set is as strict as its
// strictest effect (docs/decisions.md):
//
//  1. denied.go: any deny source makes it deny
//  2. table.go: the autonomy table answers for the level in force
//  3. allowed.go: an allow source turns ask into allow; a rule in the user's own
//     policy.toml also lifts the denials that the table marks as liftable
//  4. raised.go: an ask source turns allow into ask; a deny stays a deny
//  5. decide.go: with nobody to ask, ask is deny
//
// An effect is first taken apart into claims (claims.go), each of which is one
// row of the table with the rules that can speak about it. The floor of step 1
// is checked once more at the end, on the completed set.
//
// # Promised
//
//   - [Decide] is pure: the same Input gives the same Decision, bit for bit; it
//     reads no clock, no file, no environment. Commands are parsed again from
//     the facts in the effect, never from the machine.
//   - The zero value of every type here denies. An effect of an unknown kind, or
//     one whose description is not whole, is denied.
//   - A project rule, a hook, the guardian and a parent agent can only tighten:
//     adding one never makes a decision looser.
//   - Nothing but a rule in the user's policy.toml lifts a deny, and only where
//     the table says so; nothing at all lifts the floor.
//   - What [Scopes] offers to remember is found by step 3 when it is remembered,
//     and what [WouldAllow] names would have allowed the call.
//
// # From whom
//
// From a model that writes calls on behalf of whoever wrote the text in its
// context; from a repository, its rules and its hooks.
//
// # Not promised
//
// That the effects describe what will happen: View makes them, and the
// dispatcher plans and decides again right before the run. That the answers of
// hooks, the marks and the taint handed in are true: the dispatcher vouches.
package gate
