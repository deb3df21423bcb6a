package model

import (
	"context"
	"net/url"

	"github.com/tera-pilot/tera-pilot/internal/fakemodel"
	"github.com/tera-pilot/tera-pilot/internal/scenario"
)

// Scripted plays a scenario in the place of a model. It is a Client like any
// other, with the same normaliser, retries and faults; only its server is a
// handler in this process, and nothing is dialled.
type Scripted struct {
	client *Client
	model  *fakemodel.Model
}

// ScriptedID is the provider id of Scripted.
const ScriptedID = "scripted"

// NewScripted starts the scenario; {cwd} in arguments becomes cwd.
func NewScripted(s *scenario.Scenario, cwd string) *Scripted {
	m := fakemodel.New(s, fakemodel.Options{Cwd: cwd})
	preset := Preset{ID: ScriptedID, Title: "Scripted model", Protocol: ProtocolChat, Local: true}
	base := &url.URL{Scheme: "http", Host: "scripted.invalid", Path: "/v1"} // a name only: nothing is dialled
	return &Scripted{newClient(preset, base, m.Transport(), Config{}), m}
}

// ID implements Provider.
func (s *Scripted) ID() string { return ScriptedID }

// Left counts the steps that were neither played nor passed over.
func (s *Scripted) Left() int { return s.model.Left() }

// Complete implements Provider. Any model name will do.
func (s *Scripted) Complete(ctx context.Context, req Request, onDelta func(Delta)) (Reply, error) {
	if req.Model == "" {
		req.Model = fakemodel.Name
	}
	reply, err := s.client.Complete(ctx, req, onDelta)
	if reply.Err != nil && reply.Err.Class == ClassBadRequest {
		reply.Err.Hint = "the script and the session do not fit together"
	}
	return reply, err
}
