package agent

import (
	"context"
	"errors"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/audit"
)

// Witness says whether commits that the agent makes here bear the head of the
// audit log: a Tera-Audit line, which makes whoever clones the repository a
// witness against a log that is put back to an older copy.
type Witness interface {
	// Wanted is the answer that is kept; known is false when nobody was asked.
	Wanted() (yes, known bool, err error)
	// Keep keeps an answer, for this repository.
	Keep(yes bool) error
}

// trailers say what commits bear at their end.
type trailers struct {
	witness Witness // nil: no line
	asked   bool    // in this session, whether there shall be one
	line    string  // for the present call
}

// Answers to the question about it.
const (
	witnessYes = "yes, in this repository"
	witnessNo  = "no, never in this repository"
)

// trailer is the line that a commit of this call shall bear, "" for none. It is
// fixed for the call, so that the plan and its recheck are the same. Nobody is
// asked twice in a session, and nobody at all where nobody can answer.
func (d *Dispatcher) trailer(ctx context.Context, c event.Call) (string, error) {
	t, err := d.tools.Lookup(c.Tool)
	if err != nil || c.Status != callOK || !t.Spec().Commits || d.trailers.witness == nil {
		return "", nil // what is wrong with the call is said by its proposal
	}
	yes, known, err := d.trailers.witness.Wanted()
	if err != nil {
		return "", d.owner.emit(event.Notice{Severity: "warn", Key: "trailer", Text: "no Tera-Audit line in commits: " + err.Error()})
	}
	if !known && !d.trailers.asked {
		if yes, err = d.askTrailer(ctx, c); err != nil {
			return "", err
		}
	}
	if !yes {
		return "", nil
	}
	return d.log.Head().Trailer(), nil
}

// askTrailer asks the person, and keeps a clear answer. Everything else is a no
// for this session.
func (d *Dispatcher) askTrailer(ctx context.Context, c event.Call) (yes bool, err error) {
	in, _, err := d.judge()
	if err != nil || !in.CanAsk {
		return false, err
	}
	d.trailers.asked = true
	q := event.Question{Call: c.ID, Tool: c.Tool, Title: "a line about the audit log in commits", Kind: event.AskUser, Options: []string{witnessYes, witnessNo}}
	var w lines
	w.fact("asks", "shall commits that the agent makes in this repository end in a line like")
	w.fact("", d.log.Head().Trailer())
	w.blank()
	w.fact("for", "whoever has a clone can then prove that your audit log was not put back to an older copy")
	w.fact("shows", "how many records the log has, and that commits are of one log; nothing of what it holds")
	w.fact("later", `audit_trailer in config.json: "always" or "never"`)
	q.Lines = w.out
	a, err := d.owner.ask(ctx, d.finish(q), nil)
	if errors.Is(err, errEnded) {
		return false, err
	}
	if err != nil || a.Choice != event.Say || a.Text != witnessYes && a.Text != witnessNo {
		return false, nil
	}
	yes = a.Text == witnessYes
	title := "commits in this repository do not bear the head of the log"
	if yes {
		title = "commits in this repository bear the head of the log"
	}
	if err := d.log.Event(context.WithoutCancel(ctx), audit.SettingsChange(title, "", "", "audit_trailer")); err != nil {
		return false, noEvidence(err)
	}
	if err := d.trailers.witness.Keep(yes); err != nil {
		return false, d.owner.emit(event.Notice{Severity: "warn", Key: "trailer", Text: "the answer could not be kept: " + err.Error()})
	}
	return yes, nil
}

// A witnessed view adds the line to what a tool sees.
type witnessed struct {
	tool.View
	trailer string
}

// Trailer implements tool.View.
func (v witnessed) Trailer() string { return v.trailer }
