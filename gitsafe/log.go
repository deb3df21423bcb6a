package gitsafe

import (
	"fmt"
	"strconv"
	"strings"
)

// A Commit is one entry of a log.
type Commit struct {
	ID         string
	Parents    []string
	Author     string // name <mail>
	AuthorTime int64  // seconds since 1970
	Committer  string
	CommitTime int64
	Subject    string
	Body       string
}

// logFormat has one field a line end, and ends an entry with a record
// separator that stands alone: NUL, which no message can hold.
const logFormat = "--format=%H%n%P%n%an <%ae>%n%at%n%cn <%ce>%n%ct%n%B%x00"

// LogCall is the call whose output ParseLog reads: at most max commits
// reachable from rev (empty is HEAD) that touch paths.
func LogCall(max int, rev string, paths ...string) (Call, error) {
	args := []string{"log", "--no-color", "--no-decorate", "--encoding=UTF-8", "--max-count=" + strconv.Itoa(max), logFormat}
	if rev != "" {
		args = append(args, rev)
	}
	return Check(append(append(args, "--"), paths...))
}

// ParseLog decodes the output of LogCall.
func ParseLog(out []byte) ([]Commit, error) {
	var list []Commit
	for entry := range strings.SplitSeq(string(out), "\x00") {
		entry = strings.TrimPrefix(entry, "\n")
		if entry == "" {
			continue
		}
		f := strings.SplitN(entry, "\n", 7)
		if len(f) != 7 {
			return nil, fmt.Errorf("git log: %q is no entry", cut(entry, 80))
		}
		c := Commit{ID: f[0], Parents: strings.Fields(f[1]), Author: f[2], Committer: f[4]}
		var errA, errC error
		c.AuthorTime, errA = strconv.ParseInt(f[3], 10, 64)
		c.CommitTime, errC = strconv.ParseInt(f[5], 10, 64)
		if errA != nil || errC != nil {
			return nil, fmt.Errorf("git log: %q has no time", cut(c.ID, 80))
		}
		c.Subject, c.Body, _ = strings.Cut(strings.TrimRight(f[6], "\n"), "\n")
		c.Body = strings.TrimLeft(c.Body, "\n")
		list = append(list, c)
	}
	return list, nil
}
