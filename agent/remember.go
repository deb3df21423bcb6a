package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/rulebook"
	"github.com/tera-pilot/tera-pilot/audit"
)

// lastCommands is how many earlier commands an offer is tried on.
const lastCommands = 200

// scopes are the offers of a question as the person sees them.
func (d *Dispatcher) scopes(p proposal) []event.Scope {
	offers := gate.Scopes(p.input, p.decision)
	if len(offers) == 0 {
		return nil
	}
	commands := slices.ContainsFunc(p.input.Set.Effects, func(e effect.Effect) bool { return e.Kind == effect.Exec || e.Kind == effect.Git })
	if commands && d.past == nil && d.history != nil {
		d.past = d.world.Past(d.history())
	}
	var out []event.Scope
	for _, o := range offers {
		s := o.Scope
		if o.Keep > 0 {
			s.Until = p.input.Now.Add(o.Keep)
		}
		if commands && len(d.past) > 0 && o.File != nil {
			s.Seen = fmt.Sprintf("covers %d of %d earlier commands here", o.Covered(p.input, d.past), len(d.past))
		}
		out = append(out, s)
	}
	return out
}

// commands are the newest commands of this session and of earlier ones here.
func (s *Session) commands() []string {
	state, err := s.owner.state()
	if err != nil {
		return nil
	}
	own := state.Commands()
	if n := lastCommands - len(own); n > 0 && s.o.Store != nil {
		own = append(s.o.Store.Commands(s.o.World.Root(), s.o.Log.ID(), n), own...)
	}
	return own[max(0, len(own)-lastCommands):]
}

// remember keeps what the person chose beside the yes.
func (d *Dispatcher) remember(ctx context.Context, p proposal, scope string, asked *audit.Asked) error {
	if scope == trailerScope {
		return d.keepTrailer(ctx)
	}
	for _, o := range gate.Scopes(p.input, p.decision) {
		if o.ID == scope {
			return d.keeps(ctx, o, rulebook.Kept{
				At: d.clock(), For: o.Keep, Grade: p.input.Grade.String(), Root: p.input.Workspace,
				Question: event.HashBytes(asked.Lines), Source: "question " + asked.Question,
			})
		}
	}
	return nil // owner.answer takes no scope that was not offered
}

// keep remembers what the person chose beside a yes. The record is in the log
// before the rule is in force. A rule that cannot be written is told, and the
// yes then holds this once. A sub-agent's are its parent's, whose rules it acts
// under.
func (s *Session) keep(ctx context.Context, offer gate.Offer, k rulebook.Kept) error {
	if s.above != nil {
		return s.above.parent.keep(ctx, offer, k)
	}
	k.Source += " of session " + s.ID()
	if k.For > 0 && s.o.Book == nil {
		k.For = 0
	}
	if k.For > 0 {
		return s.keepLong(ctx, offer, k)
	}
	var err error
	doErr := s.owner.do(func(o *owned) {
		after := o.limits.Rules
		if offer.File != nil {
			after = after.Add(offer.File)
		}
		what, rule := "remembered", offer.Rule
		if offer.Grant != "" {
			what, rule = "host", offer.Grant
		}
		if err = s.recordPolicy(what, "remembered for this session: "+offer.Title, o.limits.Rules, after, rule); err != nil {
			return
		}
		if offer.Grant != "" {
			o.limits.HostGrants = append(slices.Clip(o.limits.HostGrants), offer.Grant)
		}
		o.kept = append(o.kept, offer)
		s.enforce(o, "remembered", offer.Title, after)
	})
	return errors.Join(doErr, err)
}

// keepLong writes an offer into remembered.toml.
func (s *Session) keepLong(ctx context.Context, offer gate.Offer, k rulebook.Kept) error {
	var evidence, err error
	doErr := s.owner.do(func(o *owned) {
		until := k.At.Add(k.For).UTC().Format(time.RFC3339)
		var after gate.Rules
		_, err = s.o.Book.Remember(offer.Rule, k, func(files gate.Rules) error {
			after = s.withKept(o, files)
			evidence = s.recordPolicy("remembered", "remembered until "+until+": "+offer.Title, o.limits.Rules, after, offer.Rule)
			return evidence
		})
		if err == nil {
			s.enforce(o, "remembered", offer.Title, after)
		}
	})
	if err != nil && evidence == nil {
		return errors.Join(doErr, s.owner.emit(event.Notice{
			Severity: "error", Key: "policy", Text: "allowed this once, but not remembered: " + err.Error(),
		}))
	}
	return errors.Join(doErr, evidence)
}

// withKept adds to the rules of the files those of this session.
func (s *Session) withKept(o *owned, files gate.Rules) gate.Rules {
	for _, k := range o.kept {
		if k.File != nil {
			files = files.Add(k.File)
		}
	}
	return files
}

// enforce puts rules in force and says so.
func (s *Session) enforce(o *owned, what, rule string, after gate.Rules) {
	before := o.limits.Rules
	o.limits.Rules = after
	s.archive(o, after)
	o.tell(event.PolicyChanged{What: what, Rule: rule, From: before.Digest(), To: after.Digest()})
}

// archive keeps the texts of the rules in force, so that what is decided under
// them can be replayed. Without it the session goes on: its decisions are then
// not replayable, and the person hears of it.
func (s *Session) archive(o *owned, r gate.Rules) {
	if s.o.Book == nil {
		return
	}
	if err := s.o.Book.Archive(r); err != nil {
		o.tell(event.Notice{Severity: "warn", Key: "policy", Text: "the policy's text was not kept, so decisions cannot be replayed: " + err.Error()})
	}
}

// recordPolicy states in the audit log that other rules will be in force.
func (s *Session) recordPolicy(what, title string, before, after gate.Rules, rule string) error {
	return s.record(audit.PolicyChange(what, title, before.Digest(), after.Digest(), rule))
}

// forget withdraws what was remembered, in this session or for longer.
func (s *Session) forget(o *owned, id string) {
	refuse := func(err error) { o.tell(event.Notice{Severity: "warn", Key: "policy", Text: err.Error()}) }
	for i, k := range o.kept {
		if !k.Names(id) {
			continue
		}
		kept := slices.Delete(slices.Clone(o.kept), i, i+1)
		files, err := s.fileRules(o)
		if err != nil {
			refuse(err)
			return
		}
		o.kept = kept
		after := s.withKept(o, files)
		if err := s.recordPolicy("forgotten", "forgotten: "+k.Title, o.limits.Rules, after, id); err != nil {
			o.tell(event.AuditHead{Broken: err.Error()})
		}
		o.limits.HostGrants = slices.DeleteFunc(slices.Clone(o.limits.HostGrants), func(h string) bool { return h == k.Grant })
		o.void()
		s.enforce(o, "forgotten", k.Title, after)
		return
	}
	if s.o.Book == nil {
		refuse(fmt.Errorf("nothing with the id %s was remembered in this session: /policy shows the ids", id))
		return
	}
	var after gate.Rules
	err := s.o.Book.Forget(id, func(files gate.Rules) error {
		after = s.withKept(o, files)
		return s.recordPolicy("forgotten", "the remembered rule "+id+" is forgotten", o.limits.Rules, after, id)
	})
	if err != nil {
		refuse(err)
		return
	}
	o.void()
	s.enforce(o, "forgotten", id, after)
}

// Remembered lists what the person chose to keep.
func (s *Session) Remembered() ([]gate.Remembered, error) {
	in, _, err := s.judge()
	return in.Remembered(), err
}

// fileRules are the rules of the files, as they were read last.
func (s *Session) fileRules(o *owned) (gate.Rules, error) {
	if s.o.Book == nil {
		return s.o.Rules, nil
	}
	return s.o.Book.Rules()
}

// reload reads the policy files again. Every approval that was not used, and
// every window, ends. Files that cannot be used change nothing but that: the
// rules before them stay in force, and the fault is told.
func (s *Session) reload(o *owned) {
	s.endWindow(o, "reload")
	o.void()
	files, err := s.fileRules(o)
	if err != nil {
		o.tell(event.Notice{Severity: "error", Key: "policy", Text: "the policy was not read again, and what was in force stays: " + err.Error(), Hint: "tera-pilot policy test"})
		return
	}
	after := s.withKept(o, files)
	if err := s.recordPolicy("reloaded", "the policy files were read again", o.limits.Rules, after, ""); err != nil {
		o.tell(event.AuditHead{Broken: err.Error()})
	}
	s.enforce(o, "reloaded", "", after)
}
