package tui_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/room/activity"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// A fakeLog is an audit log of a few records, of which one is hostile.
type fakeLog struct {
	mu     sync.Mutex
	all    []activity.Entry
	broken string
}

func newLog() *fakeLog {
	at := time.Date(2026, 11, 29, 14, 2, 31, 0, time.UTC)
	return &fakeLog{all: []activity.Entry{
		{Seq: 408, AID: "a", Mine: true, At: at, Category: "file", What: "read_file", Title: "read scan/scan.go", Decision: "allowed", By: "table", Status: "ok"},
		{Seq: 409, Mine: true, At: at.Add(9 * time.Second), Category: "info", What: "level", Title: "level always_ask becomes new_files_only"},
		{Seq: 410, AID: "b", Mine: true, At: at.Add(20 * time.Second), Category: "web", What: "fetch", Title: "fetch https://api.example.org/\x1b[2J\u202e", Decision: "blocked", By: "rule", Status: "blocked", Reason: "no egress"},
		{Seq: 411, AID: "c", Mine: true, At: at.Add(38 * time.Second), Category: "shell", What: "execute_command", Title: "run go test ./scan/...", Decision: "approved", By: "user:tui", Status: "ok", Code: 1},
		{Seq: 412, AID: "d", Mine: true, At: at.Add(51 * time.Second), Category: "file", What: "apply_diff", Title: "edit scan/scan.go", Decision: "approved", By: "user:tui", Status: "open", Diff: "+6 -2"},
		{Seq: 413, AID: "e", At: at.Add(55 * time.Second), Category: "git", What: "git_log", Title: "git log", Decision: "allowed", By: "table", Status: "ok"},
	}}
}

func (l *fakeLog) Load(after int64) (activity.Page, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := activity.Page{First: max(0, after), Next: after}
	for _, e := range l.all {
		if e.Seq >= after {
			p.Entries = append(p.Entries, e)
			p.Next = e.Seq + 1
		}
	}
	return p, nil
}

func (l *fakeLog) add(e activity.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, e)
}

func (l *fakeLog) Record(seq int64) ([]string, error) {
	return []string{`aid        "0123456789abcdef0123456789abcdef"`, `cmd        "go test ./scan/..."`, fmt.Sprint("seq        ", seq), "=args {\"command\":\"go test\x1b]0;title\x07\"}"}, nil
}

func (l *fakeLog) Verify(full bool) activity.Chain {
	if l.broken != "" {
		return activity.Chain{Size: 414, Why: l.broken}
	}
	return activity.Chain{OK: true, Size: 413, Head: "9f3c1a77", Full: full}
}

func (l *fakeLog) Export() (string, error) {
	if l.broken != "" {
		return "", errors.New("the disk is full")
	}
	return "/home/u/.tera_pilot/audit_export.json", nil
}

// TestActivityLives: what happens while the view is open comes in, an action
// that ends changes its row, looking is stated, and a question takes the
// screen and gives it back.
func TestActivityLives(t *testing.T) {
	tuitest.Bubble(t, func(t *testing.T) {
		log := newLog()
		s := tuitest.NewSession(finished()...)
		p := tuitest.Open(t, 100, 30, tui.Options{Session: s, Log: log})
		defer p.Quit()
		p.Type("/audit")
		p.Keys("enter")
		has := func(want bool, text string) {
			t.Helper()
			if strings.Contains(p.Screen.Text(), text) != want {
				t.Errorf("%q on the screen: not %v\n%s", text, want, p.Screen.Text())
			}
		}
		has(true, "#412")
		has(true, "runs")
		if c := s.Commands(); len(c) != 1 || c[0] != (event.Seen{What: "audit.viewed"}) {
			t.Errorf("%#v", c)
		}
		log.add(activity.Entry{Seq: 414, AID: "d", Mine: true, What: "outcome", Status: "ok", Diff: "+6 -2"})
		log.add(activity.Entry{Seq: 415, AID: "f", Mine: true, What: "execute_command", Category: "shell", Title: "run make", Status: "error", Decision: "allowed", By: "rule"})
		s.Emit(event.AuditHead{Size: 416, Head: "77aa"})
		p.Wait(500 * time.Millisecond)
		has(false, "runs")
		has(true, "run make")
		has(true, "chain ok to #412 +3")
		s.Emit(asked(commandQuestion())...)
		p.Wait(3 * time.Second)
		has(false, "#412")
		s.Emit(event.QuestionClosed{ID: commandQuestion().ID, How: "answered", Said: "denied"})
		p.Wait(time.Second)
		has(true, "#412")
		p.Keys("esc")
		has(false, "#412")
		p.Type("/audit-signed")
		p.Keys("enter")
		p.Wait(time.Second)
		has(true, "signed evidence is in /home/u/.tera_pilot/audit_export.json")
	})
}
