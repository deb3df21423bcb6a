package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tera-pilot/tera-pilot/agent"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/tui/room/activity"
)

// An activityLog is what the activity view shows: the log of the state folder,
// as the session that is under way sees it.
type activityLog struct {
	a        *app
	ctx      context.Context // of the front end
	state    string
	session  *agent.Session
	evidence *audit.Log

	mu  sync.Mutex      // the view may load while it shows a record
	own map[string]bool // sids of this session
}

func (a *app) activityLog(ctx context.Context, o *opened) *activityLog {
	return &activityLog{a: a, ctx: ctx, state: o.state, session: o.Session, evidence: o.evidence, own: map[string]bool{o.Sid(): true}}
}

// shownAtFirst is how many of the newest records the view begins with.
const shownAtFirst = 10_000

// Load implements activity.Source.
func (l *activityLog) Load(after int64) (activity.Page, error) {
	if after < 0 {
		after = max(0, l.session.Head().Size-shownAtFirst)
	}
	r, err := audit.OpenReader(l.ctx, audit.Options{Dir: l.state})
	if err != nil {
		return activity.Page{}, err
	}
	page := activity.Page{First: after, Next: after}
	for e, err := range r.Entries(l.ctx, audit.Filter{After: after}) {
		if err != nil {
			return page, err
		}
		if e.Session == l.session.ID() {
			l.adopt(e.Sid)
		}
		page.Entries = append(page.Entries, l.entry(e))
		page.Next = max(page.Next, e.Seq+1, e.Outcome+1)
	}
	return page, nil
}

// adopt says that the records of sid are of this session.
func (l *activityLog) adopt(sid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.own[sid] = true
}

func (l *activityLog) mine(sid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.own[sid]
}

func (l *activityLog) entry(e audit.Entry) activity.Entry {
	out := activity.Entry{
		Seq: e.Seq, AID: e.AID, Mine: l.mine(e.Sid), Category: string(e.Category), What: e.Tool, Title: e.Title, Decision: string(e.Decision),
		By: string(e.By), Status: string(e.Status), Diff: e.Diff, Reason: e.Reason,
	}
	if e.Type != "intent" { // of which only actions have a status of their own
		out.What = e.Type
		if e.Type != "outcome" {
			out.Status = ""
		}
	}
	if e.Kind != "" {
		out.What = e.Kind
	}
	if out.Category == "" {
		out.Category = out.What
	}
	if out.Title == "" {
		out.Title = out.What
	}
	if e.Code != nil {
		out.Code = int(*e.Code)
	}
	if at, err := time.Parse(time.RFC3339, e.Time); err == nil {
		out.At = at.Local()
	}
	return out
}

// Record implements activity.Source.
func (l *activityLog) Record(seq int64) ([]string, error) {
	r, err := audit.OpenReader(l.ctx, audit.Options{Dir: l.state})
	if err != nil {
		return nil, err
	}
	line, values, err := r.Record(l.ctx, seq)
	if err != nil {
		return nil, err
	}
	out := strings.Split(strings.TrimSuffix(audit.Indent(line), "\n"), "\n")
	for _, v := range values {
		out = append(out, fmt.Sprintf("=%s %s", v.Name, v.Value))
	}
	return out, nil
}

// Verify implements activity.Source. What this process saw of the log is an
// anchor: a log that was replaced by an older copy while we run does not pass.
func (l *activityLog) Verify(full bool) activity.Chain {
	seen := l.session.Head()
	r, err := audit.OpenReader(l.ctx, audit.Options{Dir: l.state})
	if err != nil {
		return activity.Chain{Failed: err.Error()}
	}
	key, err := r.Key()
	if err != nil {
		return activity.Chain{Failed: err.Error()}
	}
	rep := r.Verify(l.ctx, audit.VerifyOptions{Key: key, Fast: !full, Anchors: []audit.Anchor{{Log: seen.Log, Size: seen.Size, Hash: seen.Hash}}})
	out := activity.Chain{OK: rep.OK, Full: full, Failed: rep.Error, Size: rep.Records}
	if rep.Head != nil {
		out.Size, out.Head = rep.Head.Size, rep.Head.Hash
	}
	if bad := rep.FirstBad; bad != nil {
		out.Why = fmt.Sprintf("record #%d: %s: %s", bad.Seq, bad.Kind, bad.Reason)
	}
	return out
}

// Export implements activity.Source.
func (l *activityLog) Export() (path string, err error) {
	info := l.a.typedBy()
	info.Front, info.Session = audit.FrontTUI, l.session.ID()
	path = exportName(l.state, "json", time.Now())
	return path, writeWhole(path, func(w io.Writer) error {
		_, err := l.evidence.Export(l.ctx, info, w, audit.ExportOptions{})
		return err
	})
}

// exportName is the name of an export that nobody named.
func exportName(state, format string, now time.Time) string {
	return filepath.Join(state, "audit_export_"+now.UTC().Format("20060102T150405Z")+"."+format)
}
