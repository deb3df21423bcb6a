package agent

import (
	"context"

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
	line    string  // for the present call
}

// trailerScope is the offer, beside the yes to a commit, that later ones bear
// the line. A question of its own, in the middle of the work, it is not worth.
const trailerScope = "trailer"

// trailer is the line that a commit of this call shall bear, "" for none. It is
// fixed for the call, so that the plan and its recheck are the same.
func (d *Dispatcher) trailer(c event.Call) (string, error) {
	if c.Status != callOK || !d.commits(c) || d.trailers.witness == nil {
		return "", nil // what is wrong with the call is said by its proposal
	}
	yes, _, err := d.trailers.witness.Wanted()
	if err != nil {
		return "", d.owner.emit(event.Notice{Severity: "warn", Key: "trailer", Text: "no Tera-Audit line in commits: " + err.Error()})
	}
	if !yes {
		return "", nil
	}
	return d.log.Head().Trailer(), nil
}

// commits says that a call is one of a tool that commits.
func (d *Dispatcher) commits(c event.Call) bool {
	t, err := d.tools.Lookup(c.Tool)
	return err == nil && t.Spec().Commits
}

// trailerOffer offers the line beside the yes to a commit, as long as the
// person has not spoken about it. A raised question offers nothing.
func (d *Dispatcher) trailerOffer(p proposal) []event.Scope {
	if p.decision.Raised || p.decision.Danger || p.nothing() || d.trailers.witness == nil || !d.commits(p.call) {
		return nil
	}
	if _, known, err := d.trailers.witness.Wanted(); known || err != nil {
		return nil
	}
	return []event.Scope{{
		ID: trailerScope, Title: "this commit; the next ones end in a line about the audit log",
		Match: d.log.Head().Trailer() + ", which a clone can hold against a log that was put back", NoMatch: "this commit, and those of other repositories",
		Ends: `with audit_trailer = "never" in config.json`,
	}}
}

// keepTrailer keeps the person's word on the line, once that stands in the log.
func (d *Dispatcher) keepTrailer(ctx context.Context) error {
	if err := d.log.Event(context.WithoutCancel(ctx), audit.SettingsChange("commits in this repository bear the head of the log", "", "", "audit_trailer")); err != nil {
		return noEvidence(err)
	}
	if err := d.trailers.witness.Keep(true); err != nil {
		return d.owner.emit(event.Notice{Severity: "warn", Key: "trailer", Text: "the answer could not be kept: " + err.Error()})
	}
	return nil
}

// A witnessed view adds the line to what a tool sees.
type witnessed struct {
	tool.View
	trailer string
}

// Trailer implements tool.View.
func (v witnessed) Trailer() string { return v.trailer }
