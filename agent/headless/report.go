package headless

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

func (r *run) line(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = r.Out.Write(append(b, '\n'))
	return err
}

// progress says on stderr what happens, one line an act.
func (r *run) progress(e event.Event) error {
	var err error
	switch b := e.Body.(type) {
	case event.CallDecided:
		if b.Decision == string(audit.Denied) || b.Decision == string(audit.Blocked) {
			_, err = fmt.Fprintf(r.Err, "%s: %s: %s\n", b.Decision, visible.Strict(r.started[b.Call].Title), visible.Strict(b.Reason))
		}
	case event.CallResult:
		if b.Status == "rejected" || b.Status == "blocked" {
			if _, planned := r.started[b.Call]; !planned {
				_, err = fmt.Fprintf(r.Err, "%s: %s: %s\n", b.Decision, visible.Strict(b.Title), visible.Strict(b.Body))
			}
			return err
		}
		line := b.Status + "  " + visible.Strict(b.Tool) + "  " + visible.Strict(b.Title)
		if b.Exit != nil {
			line += fmt.Sprintf("  exit %d", *b.Exit)
		}
		if b.Diff != "" && !strings.Contains(line, b.Diff) {
			line += "  " + b.Diff
		}
		if b.Status == "error" && b.Exit == nil && b.Untrusted == "" {
			if why, _, _ := strings.Cut(strings.TrimSpace(b.Body), "\n"); why != "" {
				line += ": " + visible.Strict(why)
			}
		}
		_, err = fmt.Fprintln(r.Err, line)
	case event.Refused:
		_, err = fmt.Fprintf(r.Err, "%s: sub-agent: %s: %s\n", b.Decision, visible.Strict(b.Title), visible.Strict(b.Reason))
	case event.JobChanged:
		_, err = fmt.Fprintln(r.Err, b.Status+"  job "+visible.Strict(b.Job)+"  "+visible.Strict(b.Title))
	case event.Egress:
		_, err = fmt.Fprintln(r.Err, strings.TrimSpace(fmt.Sprintf("%s  network  %s %s  %s", b.Status, visible.Strict(b.Method), visible.Strict(b.Host), visible.Strict(b.Reason))))
	case event.Working:
		if b.Says != "" {
			_, err = fmt.Fprintln(r.Err, visible.Strict(b.Says))
		}
	case event.Notice:
		_, err = fmt.Fprintln(r.Err, strings.TrimSpace(b.Severity+": "+visible.Strict(b.Text)+"  "+visible.Strict(b.Hint)))
	}
	return err
}

// shown is the answer on stdout. JSON that fits its schema is data for another
// program: it is written as it is, but for bytes that a terminal would act on,
// which JSON can spell.
func (r *run) shown(message string) string {
	if r.Schema != nil {
		return message
	}
	return visible.Prose(message)
}

// report ends the output: the result object, or the answer and the ledger.
func (r *run) report(res Result) error {
	if r.JSON {
		return r.line(res)
	}
	var errs []error
	if r.end.Status == "done" && r.misfit == "" {
		_, err := fmt.Fprintln(r.Out, r.shown(res.Message))
		errs = append(errs, err)
	} else {
		_, err := fmt.Fprintf(r.Err, "%s: %s\n", res.Status, visible.Prose(res.Message))
		errs = append(errs, err)
	}
	_, err := fmt.Fprint(r.Err, wayOut(res.Denied, r.OptOut))
	errs = append(errs, err)
	if len(res.Files) > 0 {
		_, err := fmt.Fprintf(r.Err, "%s changed: tera-pilot undo --session %s takes that back\n", counted(res.Files), res.Session)
		errs = append(errs, err)
	}
	_, err = fmt.Fprintf(r.Err, "tests %s  session %s  audit %d %.8s\n", res.Verification, res.Session, res.Audit.Size, res.Audit.Head)
	return errors.Join(append(errs, err)...)
}

// counted says how many files and folders changed.
func counted(changes []event.Change) string {
	folders := 0
	for _, c := range changes {
		if c.Change == "mkdir" {
			folders++
		}
	}
	number := func(n int, what string) string {
		if n == 1 {
			return "1 " + what
		}
		return fmt.Sprintf("%d %ss", n, what)
	}
	switch files := len(changes) - folders; {
	case folders == 0:
		return number(files, "file")
	case files == 0:
		return number(folders, "folder")
	default:
		return number(files, "file") + " and " + number(folders, "folder")
	}
}
