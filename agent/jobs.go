package agent

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// Bounds of commands in the background.
const (
	maxJobs      = 8       // that run at the same time
	maxJobOutput = 1 << 20 // of one job that is kept, in bytes: the newest
)

// jobs are the commands that a session runs in the background. They outlive
// the turn that began them and end with the session.
type jobs struct {
	lasting  context.Context // ends when the session closes
	cancel   context.CancelFunc
	owner    *owner
	log      evidence
	clock    func() time.Time
	redactor *secret.Redactor
	ended    sync.WaitGroup // the jobs: close waits for them

	mu     sync.Mutex
	all    map[string]*job
	order  []string
	count  int // jobs of this session so far, those of earlier processes too
	closed bool
}

// A job is one command in the background.
type job struct {
	id, call, title string
	stop            context.CancelFunc
	done            chan struct{}

	mu      sync.Mutex
	streams map[string]maskedText // not yet known to be no secret
	kept    string                // the newest output, masked
	from    int64                 // where kept begins in the whole output
	status  string
	exit    *int
	signal  string
}

// newJobs makes the jobs of a session, which had past ones before. The context
// is one that the end of a turn does not cancel.
func newJobs(lasting context.Context, past int, d *Dispatcher) *jobs {
	js := &jobs{owner: d.owner, log: d.log, clock: d.clock, redactor: d.redactor, all: map[string]*job{}, count: past}
	js.lasting, js.cancel = context.WithCancel(lasting)
	return js
}

// start begins a command whose intent stands in the audit log. Its outcome is
// written when it ends.
func (js *jobs) start(p proposal, token audit.Token, command func(context.Context, func(string, []byte)) (tool.Exit, error)) (string, error) {
	ctx, stop := context.WithCancel(js.lasting)
	j, err := js.enter(&job{
		call: p.call.ID, title: p.set.Title, stop: stop, done: make(chan struct{}),
		streams: map[string]maskedText{}, status: tool.Running.String(),
	})
	if err == nil {
		err = js.owner.emit(j.event())
	}
	if err != nil {
		stop()
		return "", err
	}
	js.ended.Go(func() { js.run(ctx, j, token, command) })
	return j.id, nil
}

// enter gives a job its id, if there is room for it. The lock is never held
// while the session's goroutine is waited for: that one comes here too.
func (js *jobs) enter(j *job) (*job, error) {
	js.mu.Lock()
	defer js.mu.Unlock()
	running := 0
	for _, other := range js.all {
		if !other.over() {
			running++
		}
	}
	switch {
	case js.closed:
		return nil, errEnded
	case running >= maxJobs:
		return nil, fmt.Errorf("%d commands run in the background, and more may not: end one with job (action kill), or wait for it", running)
	}
	js.count++
	j.id = fmt.Sprintf("j%d", js.count)
	js.all[j.id], js.order = j, append(js.order, j.id)
	return j, nil
}

// run waits for a job's end, and states it.
func (js *jobs) run(ctx context.Context, j *job, token audit.Token, command func(context.Context, func(string, []byte)) (tool.Exit, error)) {
	began := js.clock()
	shown := &outputs{owner: js.owner, call: j.call, mask: js.redactor, streams: map[string]maskedText{}}
	exit, err := command(ctx, func(stream string, b []byte) {
		shown.write(stream, b)
		j.write(js.redactor, stream, b)
	})
	shown.end()
	out := tool.Ended(exit, err)
	if ctx.Err() != nil && out.Status != tool.OK {
		out.Status = tool.Cancelled
	}
	logErr := js.log.Outcome(token, outcome(out, js.clock().Sub(began)))
	j.end(out)
	j.stop()
	bodies := append(foundNotice(j.call, js.redactor.Text, out), j.event())
	if logErr != nil {
		bodies = append(bodies, event.AuditHead{Broken: logErr.Error()})
	}
	_ = js.owner.emit(bodies...) // a session that has ended has nobody to tell
	close(j.done)
}

// kill ends a job of this session and waits until it has ended.
func (js *jobs) kill(ctx context.Context, id string) error {
	j := js.find(id)
	if j == nil {
		return js.unknown(id)
	}
	j.stop()
	select {
	case <-j.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (js *jobs) find(id string) *job {
	js.mu.Lock()
	defer js.mu.Unlock()
	return js.all[strings.TrimSpace(id)]
}

func (js *jobs) unknown(id string) error {
	js.mu.Lock()
	defer js.mu.Unlock()
	if len(js.order) == 0 {
		return &tool.ArgumentError{What: fmt.Sprintf("there is no job %q: no command runs in the background since the program was started", id)}
	}
	return &tool.ArgumentError{What: fmt.Sprintf("there is no job %q: there are %s", id, strings.Join(js.order, ", "))}
}

// ask answers the job tool.
func (js *jobs) ask(ctx context.Context, q tool.JobQuery) ([]tool.JobState, error) {
	if q.Action == tool.JobList {
		js.mu.Lock()
		all, order := maps.Clone(js.all), js.order
		js.mu.Unlock()
		var out []tool.JobState
		for _, id := range order {
			s := all[id].state(-1)
			out = append(out, s)
		}
		return out, nil
	}
	j := js.find(q.ID)
	if j == nil {
		return nil, js.unknown(q.ID)
	}
	switch q.Action {
	case tool.JobKill:
		if err := js.kill(ctx, q.ID); err != nil {
			return nil, err
		}
	case tool.JobWait:
		limit := time.NewTimer(time.Duration(q.Seconds) * time.Second)
		defer limit.Stop()
		select {
		case <-j.done:
		case <-limit.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return []tool.JobState{j.state(q.Since)}, nil
}

// close ends all jobs and waits until their outcomes are written.
func (js *jobs) close() {
	js.mu.Lock()
	js.closed = true
	js.mu.Unlock()
	js.cancel()
	js.ended.Wait()
}

// write takes a piece of output. What could be the beginning of a secret is
// held back until more has come.
func (j *job) write(r *secret.Redactor, stream string, b []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	m, ok := j.streams[stream]
	if !ok {
		m = newMaskedText(r)
		j.streams[stream] = m
	}
	m.add(string(b))
	j.keep(m.ready())
}

// keep adds masked output and lets the oldest go, at whole characters.
func (j *job) keep(text string) {
	j.kept += text
	if over := len(j.kept) - maxJobOutput; over > maxJobOutput/8 { // now and then, not for each byte
		for over < len(j.kept) && !utf8.RuneStart(j.kept[over]) {
			over++
		}
		j.kept, j.from = strings.Clone(j.kept[over:]), j.from+int64(over)
	}
}

func (j *job) end(out tool.Result) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, m := range j.streams {
		_ = m.in.Close() // into a buffer
		j.keep(m.ready())
	}
	j.status, j.exit, j.signal = out.Status.String(), out.Exit, out.Signal
}

func (j *job) over() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

func (j *job) event() event.JobChanged {
	j.mu.Lock()
	defer j.mu.Unlock()
	return event.JobChanged{Job: j.id, Call: j.call, Title: j.title, Status: j.status, Exit: j.exit}
}

// state is where the job stands, with its output from an offset on; a negative
// one leaves the output out.
func (j *job) state(since int64) tool.JobState {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := tool.JobState{ID: j.id, Title: j.title, Status: j.status, Exit: j.exit, Signal: j.signal, To: j.from + int64(len(j.kept))}
	if since < 0 {
		return s
	}
	s.From = min(max(since, j.from), s.To)
	s.Lost = s.From - min(since, s.From)
	text := j.kept[s.From-j.from:]
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text, s.From = text[1:], s.From+1
	}
	s.Output = text
	return s
}

// stopJob is a front end's word that a job is to end. It is evidence like a
// call of the job tool, and asks nobody.
func (s *Session) stopJob(o *owned, c event.StopJob) {
	j := s.disp.jobs.find(c.Job)
	if j == nil || j.over() {
		o.tell(event.Notice{Severity: "warn", Text: fmt.Sprintf("no command %q runs in the background", c.Job), Key: "job"})
		return
	}
	s.note(o, audit.Event{Kind: audit.KindNote, Category: audit.CategoryShell, Title: "the person ended the job " + j.id + ": " + j.title, Data: map[string]any{"job": j.id, "call": j.call}})
	j.stop() // its end is told by itself
}

// lostJobs closes the jobs that ran when the program ended without a word. The
// sandbox ended them with it; how far they came nobody knows.
func (s *Session) lostJobs(past session.State) error {
	var bodies []event.Body
	var names []string
	for _, j := range past.Jobs {
		if j.Status == tool.Running.String() {
			j.Status = tool.StatusUnknown.String()
			bodies, names = append(bodies, j), append(names, j.Job+" ("+j.Title+")")
		}
	}
	if len(bodies) == 0 {
		return nil
	}
	return s.owner.emit(append(bodies, event.Notice{
		Severity: "warn", Key: "jobs", Text: "ended with the program: " + strings.Join(names, "; "),
		Hint: "how far it came is not known; it is not started again",
	})...)
}
