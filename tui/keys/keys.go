// Package keys is the table of what keys do, as the help shows it.
package keys

import "github.com/tera-pilot/tera-pilot/tui/safe"

// A Key is one row of the help.
type Key struct{ Press, Does safe.Text }

// A Section is the keys of one place.
type Section struct {
	Where safe.Text
	Keys  []Key
}

// Help lists every key, place by place.
func Help() []Section {
	lit := safe.Lit
	return []Section{
		{lit("Message"), []Key{
			{lit("enter"), lit("send; while the agent works: send it next")},
			{lit("shift+enter, alt+enter, ctrl+j"), lit("new line")},
			{lit("up, down"), lit("older and newer messages, at the first and last row")},
			{lit("ctrl+w  ctrl+u"), lit("delete the word, the line before the caret")},
			{lit("/help"), lit("commands")},
		}},
		{lit("Anywhere"), []Key{
			{lit("esc"), lit("stop the turn")},
			{lit("ctrl+c"), lit("stop the turn, clear the message, twice: quit")},
			{lit("ctrl+d"), lit("quit, when the message is empty")},
			{lit("ctrl+p"), lit("look at the open question")},
			{lit("ctrl+g"), lit("the audit log: what was decided and done, and whether it holds")},
			{lit("pgup, pgdown"), lit("scroll")},
		}},
		{lit("Reading (pgup or shift+up)"), []Key{
			{lit("up, down"), lit("choose an entry")},
			{lit("enter"), lit("open or close it")},
			{lit("home, end"), lit("first, last")},
			{lit("esc"), lit("back to the message")},
		}},
		{lit("Question"), []Key{
			{lit("a"), lit("allow, after all lines were on the screen")},
			{lit("x"), lit("deny")},
			{lit("r"), lit("deny with a reason, which the model reads")},
			{lit("arrows, pgup, pgdown"), lit("scroll;  [ ] next change  { } next file")},
			{lit("esc"), lit("later; never an answer")},
			{lit("ARMED"), lit("an answer key counts only after 0.4 s without a key,")},
			{lit(""), lit("and only if no other key follows within 0.25 s")},
		}},
	}
}

// A Command is a word that the composer takes for itself.
type Command struct{ Name, Args, Does safe.Text }

// Commands lists them.
func Commands() []Command {
	lit := safe.Lit
	return []Command{
		{lit("/help"), lit(""), lit("keys and commands")},
		{lit("/level"), lit("NAME"), lit("always_ask, new_files_only or never_ask; raising asks")},
		{lit("/model"), lit("[PROVIDER] NAME"), lit("another model from the next request on")},
		{lit("/rename"), lit("TITLE"), lit("name this session")},
		{lit("/audit"), lit(""), lit("what was decided and done, and whether the log holds")},
		{lit("/audit-signed"), lit(""), lit("export the log as signed evidence")},
		{lit("/cancel"), lit(""), lit("stop the turn, as esc does")},
		{lit("/quit"), lit(""), lit("leave; the session can be continued")},
	}
}
