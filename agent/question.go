package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// question makes the whole question about a proposal: decoded facts, the full
// content, why it is asked, and last, marked as such, what the model says.
func (d *Dispatcher) question(p proposal) (event.Question, error) {
	q := event.Question{
		Digest: p.digest.String(), Call: p.call.ID, Tool: p.set.Tool, Title: visible.Strict(p.set.Title),
		Kind: questionKind(p.set), Danger: p.decision.Danger, Raised: p.decision.Raised,
	}
	offer := d.trailerOffer(p)
	q.Scopes = append(d.scopes(p), offer...)
	w := lines{refs: p.refs}
	w.news(p.news)
	w.resolved(undoNote(p.set))
	w.proposed(p, d.world)
	w.blank()
	if d.above != nil {
		w.warn("asked by", "a sub-agent, whose goal is: "+beginning(d.above.goal))
	}
	named := " (" + strings.Join(p.input.Taint, ", ") + ")" // which the context says, below
	w.fact("why ask", strings.Replace(p.decision.Reason, named, "", 1))
	w.reasons(p.heard, d.saidOfRisk(p))
	if len(offer) > 0 {
		w.fact("trailer", "none; commits can end in a line that holds the audit log to what it was: see \"allow more\"")
	}
	if len(p.input.Taint) > 0 {
		w.warn("context", "holds text from: "+strings.Join(p.input.Taint, ", "))
	} else {
		w.fact("context", "no untrusted text so far")
	}
	says := ""
	if !p.input.Typed { // what a person typed has nothing to do with it
		var err error
		if says, err = d.modelSays(); err != nil {
			return event.Question{}, err
		}
	}
	if says != "" {
		w.blank()
		for _, line := range visible.StrictLines(says) {
			w.add(event.LineModel, line)
		}
	}
	if d.above != nil {
		q.Call = d.above.call // what the person sees is the parent's call
	}
	q.Lines, q.Proposals = w.out, p.proposals()
	q.Revisable = len(q.Proposals) > 0
	return d.finish(q), nil
}

// beginning is what a question repeats of a goal, which is the words of a model:
// a long one would push what is asked out of sight.
func beginning(goal string) string {
	const most = 300
	if len(goal) <= most {
		return goal
	}
	return fmt.Sprintf("%s … (of %d bytes; the call that started it has all)", cutBefore(goal[:most]), len(goal))
}

// proposed lays the effects out: files as the model proposed them, with what
// the person made of that, everything else as it would happen.
func (w *lines) proposed(p proposal, place *world.World) {
	files := 0
	for _, e := range p.model.Effects {
		if reviewed(e) {
			files++
		}
	}
	parts, file := 0, 0
	next := func() {
		if parts++; parts > 1 {
			w.blank()
		}
	}
	for _, e := range p.set.Effects {
		if !reviewed(e) {
			next()
			w.effect(e, place)
		}
	}
	for _, e := range p.model.Effects {
		if !reviewed(e) {
			continue
		}
		next()
		if file++; files > 1 {
			w.add(event.LineFile, visible.Strict(fmt.Sprintf("file %d of %d  %s", file, files, e.Path.Name)))
		}
		w.change(e, p.revision)
	}
}

// reasons tell how the guardian sees it, and what hooks and its model said.
func (w *lines) reasons(h heard, risk []string) {
	if len(risk) > 0 {
		w.fact("risk", strings.Join(risk, "; "))
	}
	for _, a := range h.hooks {
		if a.Word != gate.HookPass {
			w.warn("hook", a.Name+": "+a.Reason)
		}
	}
	if h.review != nil {
		w.warn("guardian", h.review.Word.String()+": "+h.review.Rationale)
	}
}

// news tells, before everything else, what is not as it was when this was asked
// before.
func (w *lines) news(news []event.Line) {
	if len(news) > 0 {
		w.out = append(w.out, news...)
		w.blank()
	}
}

// userQuestion is a question that the model itself asks.
func (d *Dispatcher) userQuestion(p proposal, text string, options []string) event.Question {
	q := event.Question{Digest: p.digest.String(), Call: p.call.ID, Tool: p.set.Tool, Title: "the model asks you", Kind: event.AskUser}
	var w lines
	for _, line := range visible.StrictLines(text) {
		w.add(event.LineModel, line)
	}
	for _, o := range options {
		q.Options = append(q.Options, visible.Strict(o))
	}
	q.Lines = w.out
	return d.finish(q)
}

// askUser puts the model's own question to the person.
func (d *Dispatcher) askUser(ctx context.Context, p proposal, text string, options []string) (string, error) {
	if !p.input.CanAsk {
		return "", tool.ErrNobody
	}
	a, err := d.asks.ask(ctx, d.userQuestion(p, text, options), nil)
	if err != nil {
		return "", err
	}
	if a.Choice != event.Say {
		return "", fmt.Errorf("the person did not want to answer")
	}
	return a.Text, nil
}

// modelSays is what the model wrote beside the calls of its last reply.
func (d *Dispatcher) modelSays() (string, error) {
	s, err := d.owner.state()
	if err != nil {
		return "", err
	}
	for i := len(s.Messages) - 1; i >= 0; i-- {
		if r := s.Messages[i].Reply; r != nil {
			return r.Text, nil
		}
	}
	return "", nil
}

// finish gives a question its identity and its time.
func (d *Dispatcher) finish(q event.Question) event.Question {
	q.ID = randomHex(8)
	if q.Danger {
		q.Code = dangerCode()
	}
	q.Title = hideKnown(d.redactor, q.Title)
	for i, l := range q.Lines {
		q.Lines[i].Text = hideKnown(d.redactor, l.Text)
	}
	q.LinesHash = event.HashLines(q.Lines)
	q.Opened = d.clock().UTC()
	q.Deadline = q.Opened.Add(answerTime)
	return q
}

// questionKind chooses the layout by the effect that weighs most.
func questionKind(s effect.Set) event.QuestionKind {
	kind := event.AskOther
	for _, e := range s.Effects {
		switch e.Kind {
		case effect.Start:
			if kind == event.AskMCP { // the server of the call
				continue
			}
			return event.AskCommand
		case effect.Exec, effect.Spawn:
			return event.AskCommand
		case effect.Git:
			kind = event.AskGit
		case effect.Fetch, effect.Search:
			kind = event.AskFetch
		case effect.MCP:
			kind = event.AskMCP
		case effect.Create, effect.Write, effect.Delete, effect.Rename, effect.Mkdir, effect.Chmod, effect.Memory:
			return event.AskEdit
		case effect.Read, effect.Walk:
			kind = event.AskRead
		case effect.Unknown, effect.Config:
		}
	}
	return kind
}

// describe is an effect in one line, for logs and lists, as it came: whoever
// shows it makes it visible.
func describe(e effect.Effect) string {
	switch {
	case e.To != nil && e.Path != nil:
		return fmt.Sprintf("%s %s to %s", e.Kind, e.Path.Name, e.To.Name)
	case e.Path != nil:
		return fmt.Sprintf("%s %s", e.Kind, e.Path.Name)
	case e.Exec != nil && e.Exec.Script != "":
		return "run " + e.Exec.Script
	case e.Exec != nil:
		return "run " + quoted(e.Exec.Argv)
	case e.Git != nil:
		return "git " + quoted(e.Git.Args)
	case e.Net != nil:
		return fmt.Sprintf("%s %s %s", e.Kind, e.Net.Method, e.Net.URL+e.Net.Query)
	case e.Child != nil:
		return "spawn " + e.Child.Role + " sub-agent: " + e.Child.Goal
	case e.MCP != nil:
		return fmt.Sprintf("mcp %s %s", e.MCP.Server, e.MCP.Tool)
	default:
		return e.Kind.String()
	}
}

var escapeWord = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// quoted shows an argv word by word, so that nobody has to guess where a word
// ends.
func quoted(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = `"` + escapeWord.Replace(w) + `"`
	}
	return strings.Join(words, " ")
}
