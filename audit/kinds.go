package audit

import (
	"fmt"
	"time"
)

// Kinds of events. The list is open; these are the ones that tera-pilot writes
// (docs/audit-format.md, section 4.5).
const (
	KindPrompt     = "prompt"     // the person said something; no text
	KindModel      = "model"      // a request to a model: who, how much, no text
	KindLevel      = "level"      // another autonomy level
	KindPolicy     = "policy"     // other rules are in force
	KindSettings   = "settings"   // other settings, or another stored key
	KindWindow     = "window"     // a timed window opened or ended
	KindTrust      = "trust"      // a decision about a project's own files
	KindPin        = "pin"        // an MCP server or tool was pinned, or its pin changed
	KindCompaction = "compaction" // a part of the conversation is no longer sent
	KindProxy      = "proxy"      // something left the machine, or was kept from it
	KindViewed     = "viewed"     // the person looked at the log
	KindExported   = "exported"   // the log was exported
	KindCleared    = "cleared"    // a view was cleared; nothing was deleted
	KindDeleted    = "deleted"    // stored sessions were deleted
	KindPurged     = "purged"     // the oldest part of the log was deleted
	KindAnchored   = "anchored"   // the head was shown, to be kept elsewhere
	KindRedacted   = "redacted"   // values and salts were deleted
	KindAdopted    = "adopted"    // the new root key is the one to trust
	KindRestarted  = "restarted"  // a new log began, and the old one was set aside
	KindNote       = "note"       // anything else
)

// filled leaves out members without a value, as the format does.
func filled(data map[string]any) map[string]any {
	for name, v := range data {
		if v == "" || v == int64(0) || v == false {
			delete(data, name)
		}
	}
	return data
}

// PolicyChange says that other rules are in force. What is remembered,
// forgotten, reloaded or host; from and to are digests of the policy, in hex;
// rule is the rule's text or id.
func PolicyChange(what, title, from, to, rule string) Event {
	return Event{Kind: KindPolicy, Title: title, Data: filled(map[string]any{"what": what, "old": from, "new": to, "rule": rule})}
}

// SettingsChange says that other settings are in force; from and to are their
// digests. names are the settings that changed, never their values.
func SettingsChange(title, from, to string, names ...string) Event {
	data := filled(map[string]any{"old": from, "new": to})
	if len(names) > 0 {
		data["names"] = names
	}
	return Event{Kind: KindSettings, Title: title, Data: data}
}

// LevelChange says that another autonomy level is in force.
func LevelChange(from, to string) Event {
	return Event{Kind: KindLevel, Title: fmt.Sprintf("level %s becomes %s", from, to), Data: map[string]any{"from": from, "to": to}}
}

// WindowChange says that the window mode (trust, unsafe) is open until then, or,
// with the zero time, that it ended, and why.
func WindowChange(mode string, until time.Time, why string) Event {
	if until.IsZero() {
		return Event{Kind: KindWindow, Title: "the window " + mode + " ended: " + why, Data: filled(map[string]any{"mode": mode, "why": why})}
	}
	ends := until.UTC().Format(timeForm)
	return Event{Kind: KindWindow, Title: "the window " + mode + " is open until " + ends, Data: map[string]any{"mode": mode, "until": ends}}
}

// TrustDecision says what was decided about the files of a folder that would
// run, connect or loosen a rule. digest binds the answer to what they held;
// answer is trusted, refused or withdrawn.
func TrustDecision(folder, digest, answer string, by By) Event {
	return Event{
		Kind: KindTrust, Title: "the files of " + folder + " are " + answer,
		Data: filled(map[string]any{"folder": folder, "digest": digest, "answer": answer, "by": string(by)}),
	}
}

// PinChange says that the definition of an MCP server, or of one of its tools,
// was approved, refused, removed, or found to be another than the pinned one.
// from and to are hashes of definitions, in hex, "" for none.
func PinChange(what, server, tool, from, to string, by By) Event {
	title := "MCP server " + server + " " + what
	if tool != "" {
		title = "MCP tool " + server + "/" + tool + " " + what
	}
	return Event{
		Kind: KindPin, Category: CategoryMCP, Title: title,
		Data: filled(map[string]any{"what": what, "server": server, "tool": tool, "old": from, "new": to, "by": string(by)}),
	}
}

// Compaction says that events of the session's log up to number after are no
// longer sent to the model; dropped is the SHA-256, in hex, of what was sent in
// their place before. The log of the session keeps all of it. back says that
// an earlier compaction was taken back.
func Compaction(after uint64, dropped string, tokensBefore, tokensAfter int64, back bool) Event {
	title := "the older part of the conversation is summed up"
	if back {
		title = "the last compaction is taken back"
	}
	return Event{
		Kind: KindCompaction, Category: CategoryThought, Title: title,
		Data: filled(map[string]any{"after": int64(after), "sha256": dropped, "from": tokensBefore, "to": tokensAfter, "back": back}),
	}
}

// A Passage is one attempt to reach another machine through one of our doors.
type Passage struct {
	Door     string // web, mcp, command, git
	Host     string // with its port
	Method   string // of HTTP, or CONNECT
	Address  string // that was dialled; "" when none was
	AID      string // action that it belongs to
	Sent     int64  // bytes
	Received int64  // bytes
	Status   Status // OK, Failed or StatusBlocked
	Reason   string // of an error or a block
}

// Egress says that something left the machine, or was kept from it.
func Egress(p Passage) Event {
	return Event{
		Kind: KindProxy, Category: CategoryWeb, Title: fmt.Sprintf("%s %s %s: %s", p.Door, p.Method, p.Host, p.Status),
		Data: filled(map[string]any{
			"door": p.Door, "host": p.Host, "method": p.Method, "address": p.Address, "aid": p.AID,
			"sent": p.Sent, "received": p.Received, "status": string(p.Status), "reason": p.Reason,
		}),
	}
}

// SessionsDeleted says that stored sessions are deleted: what they held is
// gone, what the log states of them stays. It names the first 200.
func SessionsDeleted(ids ...string) Event {
	title := fmt.Sprintf("%d stored sessions deleted", len(ids))
	if len(ids) == 1 {
		title = "stored session " + ids[0] + " deleted"
	}
	return Event{Kind: KindDeleted, Title: title, Data: map[string]any{"sessions": ids[:min(len(ids), 200)], "count": int64(len(ids))}}
}

// Seen says what a person did with what he sees: KindViewed, KindExported or
// KindCleared. None of them changes the log.
func Seen(kind, title, detail string) Event {
	return Event{Kind: kind, Title: title, Data: filled(map[string]any{"detail": detail})}
}
