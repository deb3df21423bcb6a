package agent

import (
	"fmt"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/budget"
	"github.com/tera-pilot/tera-pilot/agent/fit"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/session"
)

func TestBudgetStopsBeforeTheRequest(t *testing.T) {
	price := func(u model.Usage) *int64 { c := (u.Input + u.Output) * 10; return &c }
	for _, c := range []struct {
		name   string
		limits budget.Limits
		price  func(model.Usage) *int64
		sent   int
		code   int
	}{
		{"tokens", budget.Limits{Tokens: 30_000}, nil, 1, codeBudget},
		{"money", budget.Limits{Cost: 300_000}, price, 1, codeBudget},
		{"no price", budget.Limits{Cost: 300_000}, nil, 0, codeBudget},
		{"a negative price", budget.Limits{Cost: 1}, func(model.Usage) *int64 { c := int64(-5); return &c }, 3, 0},
		{"steps", budget.Limits{Steps: 2}, nil, 2, codeBudget},
		{"none", budget.Limits{}, nil, 3, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := budget.New(c.limits, budget.Spent{}, nil, time.Now)
			r, m := talking(t, func(n int, q model.Request) (model.Reply, error) {
				reply := answers("done")
				if n < 3 {
					reply = calls(n, "write_file", fmt.Sprintf(`{"path":"n%d","content":"x"}`, n))
				}
				reply.Usage = &model.Usage{Input: 20_000, Output: 9_000}
				return reply, nil
			}, func(o *Options) { o.Budget, o.Price = b, c.price })
			defer r.stop()
			end := r.turn("go")
			if len(m.asked) != c.sent || end.Code != c.code {
				t.Errorf("%d requests, want %d; %+v", len(m.asked), c.sent, end)
			}
		})
	}
}

// TestTheAnswerIsHeldToTheBudget: what is left bounds the answer that is asked
// for, so that no request can take more than there is.
func TestTheAnswerIsHeldToTheBudget(t *testing.T) {
	b := budget.New(budget.Limits{Tokens: 9_000}, budget.Spent{}, nil, time.Now)
	r, m := talking(t, func(int, model.Request) (model.Reply, error) { return answers("ok"), nil }, func(o *Options) { o.Budget = b })
	defer r.stop()
	r.turn("go")
	if len(m.asked) != 1 {
		t.Fatalf("%d requests", len(m.asked))
	}
	q := m.asked[0]
	if q.MaxTokens == 0 || fit.Request(q, nil)+int64(q.MaxTokens) > 9_000 {
		t.Errorf("an answer of %d tokens was asked for beside %d of the request", q.MaxTokens, fit.Request(q, nil))
	}
}

// TestASubAgentSpendsItsParentsBudget: what a sub-agent used is gone for the
// turn that asked for it.
func TestASubAgentSpendsItsParentsBudget(t *testing.T) {
	b := budget.New(budget.Limits{Steps: 2}, budget.Spent{}, nil, time.Now)
	r := newRig(t, []step{
		{Calls: []call{spawnCall("", "say something")}},
		{Say: "something"},
		{Say: "never asked"},
	}, func(o *Options) { o.Budget = b })
	r.person = yes
	r.start("")
	defer r.stop()
	end := r.turn("go")
	if end.Code != codeBudget || b.Used().Steps != 2 || len(r.results()) != 1 || r.results()[0].Status != "ok" {
		t.Errorf("%+v, %+v, %+v", end, b.Used(), r.results())
	}
}

// TestAServerThatDoesNotSay: what a request took is estimated where the server
// does not say, and stands so in the session, in the log and in the budget; a
// session that is resumed has spent as much as it had.
func TestAServerThatDoesNotSay(t *testing.T) {
	b := budget.New(budget.Limits{Tokens: 1 << 40}, budget.Spent{}, nil, time.Now)
	price := func(u model.Usage) *int64 { c := u.Input + u.Output; return &c }
	r, _ := talking(t, func(int, model.Request) (model.Reply, error) { return answers("an answer in some words"), nil }, func(o *Options) { o.Budget, o.Price = b, price })
	defer r.stop()
	r.turn("go")
	u := session.Fold(must(r.opts.Store.Read(r.session.ID()))).Usage
	if !u.Estimated || u.Input == 0 || u.Output == 0 || u.Cost == nil {
		t.Errorf("the session has %+v", u)
	}
	if used := b.Used(); used.Tokens != u.Input+u.Output || used.Cost != *u.Cost {
		t.Errorf("the budget has %+v, the session %+v", used, u)
	}
}
