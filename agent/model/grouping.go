package model

import (
	"encoding/json"
	"errors"
	"slices"
)

// grouping joins the pieces of native calls (R2).
type grouping struct {
	calls   []*nativeCall
	byIndex map[int]*nativeCall
	byID    map[string]*nativeCall
	last    *nativeCall
}

// A nativeCall is a call whose arguments are still being put together.
type nativeCall struct {
	id, name string
	args     []byte
	object   bool
}

func (c *nativeCall) raw() rawCall {
	return rawCall{id: c.id, name: c.name, args: string(c.args), object: c.object}
}

// maxCalls bounds the calls of one reply.
const maxCalls = 256

var errTooManyCalls = errors.New("the reply holds more calls than anyone needs")

func newGrouping() *grouping {
	return &grouping{byIndex: map[int]*nativeCall{}, byID: map[string]*nativeCall{}}
}

// add takes one piece, and returns the call that it began, or nil. The one
// error is errTooManyCalls.
func (g *grouping) add(p CallPart) (begun *nativeCall, err error) {
	call := g.find(p)
	if call == nil {
		if len(g.calls) >= maxCalls {
			return nil, errTooManyCalls
		}
		call = &nativeCall{}
		begun = call
		g.calls = append(g.calls, call)
	}
	g.last = call
	if p.Index != nil {
		g.byIndex[*p.Index] = call
	}
	if p.ID != "" && !p.New {
		g.byID[p.ID] = call
	}
	if call.id == "" {
		call.id = p.ID
	}
	if call.name == "" {
		call.name = p.Name
	}
	if p.Whole {
		call.args = nil
	}
	call.args = append(call.args, p.Args...)
	call.object = call.object || p.Object
	return begun, nil
}

// find gives the call that p continues, or nil: a new one.
func (g *grouping) find(p CallPart) *nativeCall {
	if p.New {
		return nil
	}
	if p.Index != nil {
		call := g.byIndex[*p.Index]
		if call != nil && p.begins(call) {
			return nil
		}
		return call
	}
	if p.ID != "" {
		return g.byID[p.ID]
	}
	if p.Name != "" {
		return nil
	}
	return g.last
}

// begins says whether p is another call at the index of call: it has a name
// and a new id; or a name and no id, and the arguments so far are complete.
func (p CallPart) begins(call *nativeCall) bool {
	switch {
	case p.Name == "":
		return false
	case p.ID != "":
		return p.ID != call.id && (call.id != "" || call.name != "")
	default:
		return p.Args != "" && len(call.args) > 0 && json.Valid(call.args)
	}
}

// complete says whether one of the calls has its arguments whole.
func (g *grouping) complete() bool {
	return slices.ContainsFunc(g.calls, func(c *nativeCall) bool {
		return len(c.args) > 0 && json.Valid(c.args)
	})
}
