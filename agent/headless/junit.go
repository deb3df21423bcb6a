package headless

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// maxCase is how much of a test's output stands in the report: its end, in
// bytes.
const maxCase = 64 << 10

// The elements of a JUnit report that CI systems read.
type (
	suites struct {
		XMLName xml.Name `xml:"testsuites"`
		Suite   suite    `xml:"testsuite"`
	}
	suite struct {
		Name       string     `xml:"name,attr"`
		Tests      int        `xml:"tests,attr"`
		Failures   int        `xml:"failures,attr"`
		Errors     int        `xml:"errors,attr"`
		Skipped    int        `xml:"skipped,attr"`
		Time       string     `xml:"time,attr"`
		Timestamp  string     `xml:"timestamp,attr"`
		Properties []property `xml:"properties>property"`
		Cases      []testcase `xml:"testcase"`
		Out        string     `xml:"system-out,omitempty"`
	}
	property struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	testcase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Time    string   `xml:"time,attr"`
		Failure *problem `xml:"failure,omitempty"`
		Error   *problem `xml:"error,omitempty"`
	}
	problem struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes a result as a report for CI: a case for the turn, one for each
// test that ran, one for each line of the ledger and one for the schema. What
// models, commands and files said is made visible first, and is text and
// nothing else to a reader of XML.
func (r Result) JUnit(w io.Writer, started time.Time, took time.Duration) error {
	s := suite{
		Name: "tera-pilot run", Time: seconds(took.Milliseconds()), Timestamp: started.UTC().Format("2006-01-02T15:04:05"),
		Properties: []property{
			{"exit", strconv.Itoa(r.Exit)}, {"status", visible.Strict(r.Status)}, {"session", visible.Strict(r.Session)},
			{"verification", visible.Strict(r.Verification)},
			{"audit", fmt.Sprintf("%d:%s", r.Audit.Size, visible.Strict(r.Audit.Head))},
		},
		Cases: r.cases(took), Out: visible.Prose(r.Message),
	}
	for _, c := range s.Cases {
		s.Tests++
		if c.Failure != nil {
			s.Failures++
		}
		if c.Error != nil {
			s.Errors++
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(suites{Suite: s}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r Result) cases(took time.Duration) []testcase {
	turn := testcase{Class: "tera-pilot.turn", Name: "the turn ends", Time: seconds(took.Milliseconds())}
	if r.Status == "error" && r.Misfit == "" || r.Status == "cancelled" || r.Status == "incomplete" && r.Exit != exitDenied {
		turn.Error = &problem{fmt.Sprintf("exit %d", r.Exit), visible.Strict(r.Message), ""}
	}
	out := []testcase{turn}
	for _, c := range r.Checks {
		t := testcase{Class: "tera-pilot.tests", Name: visible.Strict(c.Title), Time: seconds(c.Millis)}
		if !c.Passed {
			t.Failure = &problem{"test", "it does not pass", visible.Prose(tail(c.Body))}
		}
		out = append(out, t)
	}
	for i, d := range r.Denied {
		t := testcase{Class: "tera-pilot.ledger", Name: fmt.Sprintf("%d %s: %s", i+1, visible.Strict(d.Tool), visible.Strict(d.Effect)), Time: seconds(0)}
		t.Failure = &problem{Type: visible.Strict(d.Decision), Message: visible.Strict(d.Reason)}
		if d.WouldAllow != nil {
			t.Failure.Text = "to allow it, put this into policy.toml (in ~/.tera_pilot):\n" + visible.Prose(*d.WouldAllow)
		}
		out = append(out, t)
	}
	if r.Misfit != "" {
		out = append(out, testcase{Class: "tera-pilot.schema", Name: "the answer fits the schema", Time: seconds(0), Failure: &problem{"schema", visible.Strict(r.Misfit), ""}})
	}
	return out
}

func seconds(millis int64) string { return fmt.Sprintf("%d.%03d", millis/1000, millis%1000) }

func tail(s string) string {
	if over := len(s) - maxCase; over > 0 {
		return "…" + strings.ToValidUTF8(s[over:], "")
	}
	return s
}
