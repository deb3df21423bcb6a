package snap

import "time"

// SessionRow is a stored session, as the list of sessions shows it.
type SessionRow struct {
	ID       string
	Title    string
	Root     string
	Updated  time.Time
	Turns    int
	Files    int
	Parent   string // the session it was forked from
	Turn     int    // of the parent, at which it was forked; 0 when unknown
	Archived bool
	Running  bool   // another process, or this one, writes it
	Gone     bool   // its folder is not there any more
	Problem  string // why it cannot be read
}

// SessionHit is the first line of a session that holds what was looked for.
type SessionHit struct {
	ID   string
	Turn int
	Who  string // you, pilot, or the tool
	Line string
	More int // further lines that hold it
}

// ModelRow is a model that can be chosen.
type ModelRow struct {
	Provider string
	Name     string
	Facts    string // window, price, where it runs
	Note     string // why it cannot be chosen now
}

// RuleRow is one rule that was remembered, or one host that was granted.
type RuleRow struct {
	ID     string // what Forget takes
	Says   string // the rule on one line
	Where  string // file and line, or "this session"
	Until  string // "" for the session
	Silent string // why it does not count now, "" when it does
}

// CheckRow is what a look at one part of the machine found.
type CheckRow struct {
	Name   string
	Status string // ok, warn, fail
	Detail string
	Hint   string
}

// A Request is what the person wants next from who started the terminal.
type Request struct {
	Open string // go on with the session of this id
	New  bool   // begin a new one
	Fork string // fork the session of this id
	Turn int    // of the fork; 0 for its end
	Root string // the folder to go to; "" for this one
}
