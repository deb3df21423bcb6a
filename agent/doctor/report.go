package doctor

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// Status is a check's word. The zero value is a failure.
type Status uint8

// Statuses.
const (
	Fail Status = iota
	Warn
	OK
)

var statusNames = [...]string{Fail: "fail", Warn: "warn", OK: "ok"}

// String is the status's word.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return statusNames[Fail]
}

// MarshalText writes the word.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// A Check is one thing that was looked at. Hint is the next step when it is
// not ok.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

// Report is the form of `doctor --json`.
type Report struct {
	SchemaVersion int            `json:"schema_version"`
	GeneratedAt   string         `json:"generated_at"`
	Product       string         `json:"product"`
	Version       string         `json:"version"`
	Ready         bool           `json:"ready"` // nothing fails
	Counts        map[string]int `json:"counts"`
	Checks        []Check        `json:"checks"`
	Assets        []Asset        `json:"assets"`
}

// report counts checks.
func (p Place) report(now time.Time, checks []Check) Report {
	r := Report{
		SchemaVersion: 1, GeneratedAt: now.UTC().Format(time.RFC3339), Product: "tera-pilot", Version: p.Version,
		Ready: true, Counts: map[string]int{"ok": 0, "warn": 0, "fail": 0}, Checks: checks, Assets: p.assets(),
	}
	for _, c := range checks {
		r.Counts[c.Status.String()]++
		r.Ready = r.Ready && c.Status != Fail
	}
	return r
}

// Write prints a report for people.
func (r Report) Write(w io.Writer) error {
	var b strings.Builder
	width := 13
	for _, c := range r.Checks {
		width = max(width, len(c.Name))
	}
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "%-5s %-*s %s\n", c.Status, width, c.Name, visible.Strict(c.Detail))
		if c.Hint != "" && c.Status != OK {
			for _, line := range visible.StrictLines(strings.TrimSpace(c.Hint)) {
				fmt.Fprintf(&b, "%*s %s\n", width+6, "", line)
			}
		}
	}
	fmt.Fprintf(&b, "%d ok, %d warn, %d fail\n", r.Counts["ok"], r.Counts["warn"], r.Counts["fail"])
	_, err := io.WriteString(w, b.String())
	return err
}
