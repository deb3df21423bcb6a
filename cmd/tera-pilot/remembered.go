package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/rulebook"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// ruleRows lists what was remembered, for the terminal.
func ruleRows(o *opened) ([]snap.RuleRow, error) {
	list, err := o.Remembered()
	var out []snap.RuleRow
	for _, r := range list {
		row := snap.RuleRow{ID: r.ID, Says: r.Says, Where: short(r.Where, o.home), Silent: r.Silent}
		if !r.Until.IsZero() {
			row.Until = r.Until.Local().Format(time.DateTime)
		}
		out = append(out, row)
	}
	return out, err
}

// policyForget takes a rule out of remembered.toml, whole or not at all; the
// record of it is in the log first.
func (a *app) policyForget(ctx context.Context, id string) (err error) {
	state, err := a.stateHome()
	if err != nil {
		return err
	}
	book := rulebook.Book{State: state}
	before, err := book.Rules()
	if err != nil {
		return usage("policy forget: %w", err)
	}
	// Who asks for a rule that is not there makes no log.
	known := false
	for _, f := range before.Files() {
		for i := range f.Rules {
			known = known || f.Rules[i].ID == id && f.Layer.String() == "remembered"
		}
	}
	if !known {
		return &exitError{exitFailed, fmt.Errorf("policy forget: no rule %s in %s; `tera-pilot policy list` shows the ids", id, filepath.Join(state, "remembered.toml"))}
	}
	log, err := audit.Open(ctx, audit.Options{Dir: state})
	if err != nil {
		return &exitError{exitNoEvidence, err}
	}
	s, err := log.Session(ctx, audit.SessionInfo{Version: version(), Binary: binaryHash(), Front: audit.FrontCLI})
	if err != nil {
		return &exitError{exitNoEvidence, errors.Join(err, log.Close())}
	}
	status := audit.CloseError
	defer func() { err = errors.Join(err, s.Close(status), log.Close()) }()
	err = book.Forget(id, func(after gate.Rules) error {
		return s.Event(ctx, audit.PolicyChange("forgotten", "the remembered rule "+id+" is forgotten", before.Digest(), after.Digest(), id))
	})
	if err != nil {
		return fmt.Errorf("policy forget: %w", err)
	}
	status = audit.CloseOK
	fmt.Fprintf(a.stdout, "forgot %s\n", id)
	return nil
}
