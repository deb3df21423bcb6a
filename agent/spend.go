package agent

import (
	"errors"

	"github.com/tera-pilot/tera-pilot/agent/budget"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/fit"
	"github.com/tera-pilot/tera-pilot/agent/model"
)

// Tokens that an answer may have, where nothing is known.
const (
	usualOutput = 8 << 10
	leastOutput = 256 // an answer of fewer is no use
)

// reserve takes what a request may cost at most out of the budgets, and holds
// its answer to what is left. It changes nothing where there is no limit.
func (s *Session) reserve(m mind, req *model.Request) (*budget.Reservation, error) {
	input := m.tokens(*req)
	output := int64(req.MaxTokens)
	if output == 0 {
		output = usualOutput
		if m.MaxOutput > 0 {
			output = min(m.MaxOutput, 32<<10)
		}
	}
	tokens, cost := s.o.Budget.Left()
	most := output
	if tokens >= 0 {
		most = min(most, tokens-input)
	}
	if cost >= 0 && m.priced() {
		if in := m.cost(model.Usage{Input: input}); in != nil {
			most = min(most, affordable(m, cost-*in, most))
		}
	}
	if most >= leastOutput && most < output { // what is left bounds the answer
		output = most
		req.MaxTokens = int(most)
	}
	want := budget.Spent{Tokens: input + output, Steps: 1}
	price := m.cost(model.Usage{Input: input, Output: output})
	if price != nil {
		want.Cost = *price
	}
	return s.o.Budget.Reserve(want, price != nil && m.priced())
}

// affordable is how many tokens of an answer so much money buys, most at most.
func affordable(m mind, money, most int64) int64 {
	if money <= 0 {
		return 0
	}
	low, high := int64(0), most
	for low < high { // a price rises with its tokens
		mid := low + (high-low+1)/2
		if c := m.cost(model.Usage{Output: mid}); c != nil && *c <= money {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// took is what a request took, as the server says or, where it does not, as we
// estimate; a resumed session's budget counts the one like the other.
func took(m mind, req model.Request, reply model.Reply, failed error) event.Usage {
	u := reply.Usage
	if u == nil {
		u = assumed(m, req, reply, failed)
	}
	return event.Usage{
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Cost: m.cost(*u),
		Estimated: reply.Usage == nil && used(*u) > 0,
	}
}

// settleSpent puts what a request took in the place of its reserve, and warns
// when a limit is near.
func (s *Session) settleSpent(r *budget.Reservation, u event.Usage) error {
	spent := budget.Spent{Tokens: max(0, u.Input) + max(0, u.CacheRead) + max(0, u.CacheWrite) + max(0, u.Output), Steps: 1}
	if u.Cost != nil {
		spent.Cost = *u.Cost
	}
	err := r.Settle(spent)
	if w := s.o.Budget.Warning(); w != "" && w != s.warned {
		if s.warned == "" {
			err = errors.Join(err, s.owner.emit(event.Notice{Severity: "warn", Key: "budget", Text: "the budget is nearly used up: " + w, Hint: "the next request that does not fit is not sent"}))
		}
		s.warned = w
	}
	return err
}

// assumed is the usage of a request whose server did not say. A request that
// was refused is taken to have cost nothing; one that broke off, its input.
func assumed(m mind, req model.Request, reply model.Reply, failed error) *model.Usage {
	if e, ok := errors.AsType[*model.Error](failed); ok && len(reply.Parts) == 0 {
		switch e.Class {
		case model.ClassServer, model.ClassStreamTruncated:
		default:
			return &model.Usage{}
		}
	}
	return &model.Usage{Input: m.tokens(req), Output: m.known.Tokens(fit.Message(reply.Message(), m.pictures()))}
}

// used counts all tokens of a usage.
func used(u model.Usage) int64 {
	return max(0, u.Input) + max(0, u.CacheRead) + max(0, u.CacheWrite) + max(0, u.Output)
}

// learn gives a model what a reply told of its tokens, and keeps it. A file
// that cannot be written costs a worse estimate next time, and nothing else.
func (s *Session) learn(m mind, known fit.Known) mind {
	m.known = known
	_ = s.owner.do(func(o *owned) { // an ended session has nothing to learn
		if o.mind.id() == m.id() && o.mind.Model == m.Model {
			o.mind.known = known
		}
	})
	_ = s.o.Learnt.Put(m.id(), m.Model, known) // see above
	return m
}

// overBudget says that a request was not sent for want of a budget.
func overBudget(err error) bool {
	_, ok := errors.AsType[*budget.ReachedError](err)
	return ok || errors.Is(err, budget.ErrUnpriced)
}
