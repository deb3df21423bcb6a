package agent

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/rulebook"
	"github.com/tera-pilot/tera-pilot/audit"
)

// producers do, in a session, what writes an event of each kind.
func producers() map[string]func(*rig) error {
	digest := strings.Repeat("ab", 32)
	note := func(e audit.Event) func(*rig) error {
		return func(r *rig) error { return r.session.Note(r.t.Context(), e) }
	}
	send := func(c event.Command) func(*rig) error {
		return func(r *rig) error { return r.session.Send(c) }
	}
	info := audit.SessionInfo{Front: audit.FrontCLI}
	turn := func(r *rig) error { r.turn("go on"); return nil }
	return map[string]func(*rig) error{
		audit.KindPrompt: turn,
		audit.KindModel:  turn,
		audit.KindLevel:  send(event.SetLevel{Level: gate.NewFilesOnly.String()}),
		audit.KindPolicy: func(r *rig) error {
			return r.session.keep(r.t.Context(), gate.Offer{Grant: "example.org:443"}, rulebook.Kept{})
		},
		audit.KindSettings:   note(audit.SettingsChange("other settings", digest, digest, "agent_max_iterations")),
		audit.KindWindow:     note(audit.WindowChange("trust", time.Now().Add(time.Minute), "")),
		audit.KindTrust:      note(audit.TrustDecision("/repo", digest, "trusted", audit.ByTUI)),
		audit.KindPin:        note(audit.PinChange("approved", "files", "read", "", digest, audit.ByCLI)),
		audit.KindCompaction: note(audit.Compaction(12, digest, 9000, 300, false)),
		audit.KindProxy:      note(audit.Egress(audit.Passage{Door: "web", Host: "example.org:443", Method: "GET", Status: audit.StatusBlocked, Reason: "no rule"})),
		audit.KindViewed:     send(event.Seen{What: "audit.viewed"}),
		audit.KindCleared:    send(event.Seen{What: "view.cleared"}),
		audit.KindExported: func(r *rig) error {
			_, err := r.evidence.Export(r.t.Context(), info, io.Discard, audit.ExportOptions{})
			return err
		},
		audit.KindDeleted: note(audit.SessionsDeleted("s1")),
		audit.KindAnchored: func(r *rig) error {
			_, _, err := r.evidence.Anchor(r.t.Context(), info)
			return err
		},
		audit.KindRedacted: func(r *rig) error {
			r.turn("go on")
			_, err := r.evidence.Redact(r.t.Context(), info, []int64{0})
			return err
		},
		audit.KindNote: note(audit.Event{Kind: audit.KindNote, Title: "a note"}),
		// These stand in the tests of package audit: they take a log that is
		// months old, or one whose key is lost.
		audit.KindPurged: nil, audit.KindAdopted: nil, audit.KindRestarted: nil,
	}
}

// TestEveryKindIsDocumentedAndWritten holds the table of docs/audit-format.md
// to what sessions write, in both directions.
func TestEveryKindIsDocumentedAndWritten(t *testing.T) {
	doc, err := os.ReadFile("../docs/audit-format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "### 4.5 ")
	table, _, _ = strings.Cut(table, "\n## ")
	documented := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllStringSubmatch(table, -1) {
		for _, word := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(row[1], -1) {
			if word[1] != "kind" {
				documented[word[1]] = true
			}
		}
	}
	all := producers()
	for kind := range documented {
		if _, ok := all[kind]; !ok {
			t.Errorf("the kind %s is documented, and nothing writes it", kind)
		}
	}
	for kind, produce := range all {
		if !documented[kind] {
			t.Errorf("the kind %s is not in docs/audit-format.md", kind)
		}
		if produce == nil {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			r := newRig(t, []step{{Say: "done"}, {Say: "done"}}, nil)
			r.start("")
			if err := produce(r); err != nil {
				t.Fatal(err)
			}
			if _, err := r.session.State(); err != nil { // what was sent has been handled
				t.Fatal(err)
			}
			r.stop()
			r.verify()
			if !written(t, r.state, kind) {
				t.Errorf("the log states no event of the kind %s", kind)
			}
		})
	}
}

// written says that the log has an event of a kind, with the title and the
// members that a reader needs.
func written(t *testing.T, state, kind string) bool {
	t.Helper()
	reader, err := audit.OpenReader(t.Context(), audit.Options{Dir: state})
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range reader.Entries(t.Context(), audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == kind && e.Title != "" && e.Category != "" {
			return true
		}
	}
	return false
}
