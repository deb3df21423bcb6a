package keys

import (
	"strings"

	"github.com/tera-pilot/tera-pilot/tui/safe"
)

// A Key is one row of the help.
type Key struct{ Press, Does safe.Text }

// A Section is the keys of one place.
type Section struct {
	Where safe.Text
	Keys  []Key
}

// Help lists every key, place by place.
func (m Map) Help() []Section {
	lit := safe.Lit
	return []Section{
		{lit("Message"), append([]Key{
			{lit("enter"), lit("send; while the agent works: it reads it after this step")},
			{lit("@"), lit("complete the name of a file")},
			{lit("/"), lit("complete a command")},
			{lit("up, down"), lit("older and newer messages, at the first and last row; takes back what waits")},
			{lit("ctrl+w  ctrl+u"), lit("delete the word, the line before the caret")},
			{lit("a letter"), lit("of a notice: does what it says, when the message is empty")},
		}, m.rows(Message)...)},
		{lit("Anywhere"), append([]Key{
			{lit("esc"), lit("stop the turn; leave a list")},
			{lit("ctrl+c"), lit("stop the turn, clear the message, twice: quit")},
			{lit("ctrl+d"), lit("quit, when the message is empty")},
			{lit("pgup, pgdown"), lit("scroll")},
		}, m.rows(Anywhere)...)},
		{lit("Reading"), append([]Key{
			{lit("up, down"), lit("choose an entry")},
			{lit("enter"), lit("open or close it")},
			{lit("home, end"), lit("first, last")},
			{lit("esc"), lit("back to the message")},
		}, m.rows(Reading)...)},
		{lit("Question"), []Key{
			{lit("a"), lit("allow, after all lines were on the screen")},
			{lit("x"), lit("deny")},
			{lit("r"), lit("deny with a reason, which the model reads")},
			{lit("space, h, V, f"), lit("an edit: leave out or take back the line, the hunk, a range, the file")},
			{lit("w, /, n, N"), lit("an edit: let long lines run on, then left and right; find, and the next one")},
			{lit("e"), lit("change the proposal, or the command, in your editor; it is asked anew")},
			{lit("arrows, pgup, pgdown"), lit("scroll;  [ ] next change  { } next file")},
			{lit("esc"), lit("later; never an answer")},
			{lit("ARMED"), lit("an answer key counts only after 0.4 s without a key,")},
			{lit(""), lit("and only if no other key follows within 0.25 s")},
		}},
	}
}

func (m Map) rows(p Place) []Key {
	var out []Key
	for _, b := range m.bindings {
		if b.Place == p {
			out = append(out, Key{safe.Strict(strings.Join(b.Keys, ", ")), b.Does})
		}
	}
	return out
}

// A Command is a word that the composer takes for itself.
type Command struct{ Name, Args, Does safe.Text }

// Commands lists them.
func Commands() []Command {
	lit := safe.Lit
	return []Command{
		{lit("/help"), lit(""), lit("keys and commands")},
		{lit("/level"), lit("NAME"), lit("always_ask, new_files_only or never_ask; raising asks")},
		{lit("/model"), lit("[[PROVIDER] NAME]"), lit("another model from the next request on; alone: choose one")},
		{lit("/plan"), lit(""), lit("plan mode: the agent can only read; /level NAME ends it")},
		{lit("/think"), lit("LEVEL"), lit("how much the model thinks: off, low, medium or high")},
		{lit("/compact"), lit("[back]"), lit("send what came before as a summary; back: send all of it again")},
		{lit("/theme"), lit("[NAME]"), lit("dark, light, high-contrast, ansi16, mono or auto")},
		{lit("/sessions"), lit(""), lit("stored sessions")},
		{lit("/undo"), lit("[WHAT]"), lit("take back what was changed: all, turn N, call ID, PATH; try WHAT shows it")},
		{lit("/jobs"), lit(""), lit("commands that run in the background; x stops one")},
		{lit("/find"), lit("TEXT"), lit("find in the conversation")},
		{lit("/copy"), lit(""), lit("send the last answer to the terminal's clipboard")},
		{lit("/doctor"), lit(""), lit("what works on this machine")},
		{lit("/rename"), lit("TITLE"), lit("name this session")},
		{lit("/audit"), lit(""), lit("what was decided and done, and whether the log holds")},
		{lit("/audit-signed"), lit(""), lit("export the log as signed evidence")},
		{lit("/trust"), lit("[10m]"), lit("ask less for a while: sandboxed commands, edits and commits here")},
		{lit("/unsafe"), lit("[5m]"), lit("ask much less: also approved MCP tools and hosts of your rules")},
		{lit("/strict"), lit(""), lit("end that at once")},
		{lit("/policy"), lit(""), lit("what was remembered; del forgets it")},
		{lit("/forget"), lit("ID"), lit("withdraw what was remembered")},
		{lit("/reload"), lit(""), lit("read the policy files again; open approvals die")},
		{lit("/mcp"), lit("[read NAME URI…]"), lit("MCP servers: how they do, resources, prompts, approve, reconnect, off")},
		{lit("/cancel"), lit(""), lit("stop the turn, as esc does")},
		{lit("/quit"), lit(""), lit("leave; the session can be continued")},
	}
}
