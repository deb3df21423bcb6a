package lines

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/room/activity"
	"github.com/tera-pilot/tera-pilot/tui/room/ask"
	"github.com/tera-pilot/tera-pilot/tui/room/composer"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/tty"
)

// Session is what the front end needs of a session; see tui.Session.
type Session interface {
	Send(event.Command) error
	Subscribe(seq uint64) (backlog []event.Event, live <-chan event.Event, cancel func(), err error)
}

// Options are what Run needs.
type Options struct {
	Session Session
	Log     activity.Source // the audit log; nil for none
	Says    string          // what the person has to know at the start
	In      io.Reader
	Out     io.Writer
	By      string
	Code    func() string                  // a new random code
	Rules   func() ([]snap.RuleRow, error) // that were remembered; nil: there is no list
}

// Run prints a session's events and sends what is typed, until the session
// ends, the person leaves, the input ends and nothing is under way, or ctx
// ends.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &printer{w: tty.NewGate(o.Out, nil)}
	f := &front{o: o, p: p}
	if o.Says != "" {
		p.line("note", o.Says)
	}
	typed := read(ctx, o.In)
	var seq uint64
	for {
		backlog, live, stop, err := o.Session.Subscribe(seq)
		if err != nil {
			return fmt.Errorf("session: %w", err)
		}
		f.heard = 0
		done, err := f.serve(ctx, backlog, live, typed)
		stop()
		switch {
		case err != nil:
			return err
		case done || ctx.Err() != nil:
			return p.err
		case f.heard == 0:
			return errors.New("session: it ended without a word")
		}
		seq = f.state.Seq
	}
}

// line is one line of input; end says that there is no other.
type line struct {
	text string
	end  bool
}

// read reads lines until the input ends.
func read(ctx context.Context, in io.Reader) <-chan line {
	out := make(chan line, 64)
	go func() { // nobody waits for its end: it may stay in a read of a terminal
		defer close(out)
		s := bufio.NewScanner(in)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			select {
			case out <- line{text: s.Text()}:
			case <-ctx.Done():
				return
			}
		}
		select {
		case out <- line{end: true}:
		case <-ctx.Done():
		}
	}()
	return out
}

// front is the state of the front end.
type front struct {
	o     Options
	p     *printer
	state snap.State
	heard int // events of this feed

	asked   string   // id of the question that was printed
	code    string   // answers it
	form    ask.Form // what is filled in, where it has one
	grant   grant    // that waits for its code; the zero grant for none
	partial string   // of an answer that is coming in
	ended   bool     // no more input
	quit    bool
}

// A grant is what lets more happen without a question: it is sent when the person
// types the code and the word.
type grant struct {
	code, word string
	does       event.Command
}

// serve prints one feed and handles input. done says that there is nothing
// more to do.
func (f *front) serve(ctx context.Context, backlog []event.Event, live <-chan event.Event, typed <-chan line) (done bool, err error) {
	for _, e := range backlog {
		f.event(e)
	}
	f.ask(typed)
	for {
		if f.quit || f.ended && !f.state.Busy && f.state.Session.Opened && len(f.state.Queued) == 0 {
			return true, f.p.err
		}
		select {
		case <-ctx.Done():
			return true, f.p.err
		case e, ok := <-live:
			if !ok {
				return f.state.Session.Closed, f.p.err
			}
			f.event(e)
			f.ask(typed)
		case l, ok := <-typed:
			switch {
			case !ok:
				typed = nil
			case l.end:
				f.ended = true
				f.refuse()
			default:
				err = f.line(l.text)
			}
		}
		if err != nil || f.p.err != nil {
			return true, errors.Join(err, f.p.err)
		}
	}
}

// send hands a command on.
func (f *front) send(c event.Command) error {
	if _, ok := c.(event.Submit); ok {
		// Until the session says so: the input may end right behind it.
		f.state.Busy = true
	}
	if err := f.o.Session.Send(c); err != nil {
		return fmt.Errorf("session: %w", err)
	}
	return nil
}

// ask prints a question that has just been opened, after what was typed before
// it is gone.
func (f *front) ask(typed <-chan line) {
	q := f.state.Question
	if q == nil || f.asked == q.ID {
		return
	}
	f.asked, f.code = q.ID, f.o.Code()
	f.grant = grant{} // what was to be granted is asked for again
	if q.Danger && q.Code != "" {
		f.code = q.Code
	}
	Flush(f.o.In)
	for waiting := true; waiting; {
		select {
		case l, ok := <-typed:
			if ok && l.end {
				f.ended = true
			}
			waiting = ok && !l.end
		default:
			waiting = false
		}
	}
	if f.form = (ask.Form{}); q.Kind == event.AskUser {
		f.form = ask.NewForm(q.Form)
	}
	f.p.question(*q, f.code, f.form)
	f.refuse()
}

// refuse answers no when nobody can answer.
func (f *front) refuse() {
	if q := f.state.Question; f.ended && q != nil {
		f.p.line("held", "the input has ended: nobody can answer, so the answer is no")
		if err := f.send(f.answer(*q, event.Answer{Choice: event.Deny, Cancelled: len(f.form.Fields) > 0, Reason: "nobody could answer: the input had ended"})); err != nil {
			f.p.err = errors.Join(f.p.err, err)
		}
	}
}

func (f *front) answer(q event.Question, a event.Answer) event.Answer {
	a.Question, a.Digest, a.LinesHash, a.By, a.Unfenced = q.ID, q.Digest, event.HashLines(q.Lines), f.o.By, true
	if !q.Opened.IsZero() {
		a.Millis = time.Since(q.Opened).Milliseconds()
	}
	return a
}

// line handles one line of input.
func (f *front) line(text string) error {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	switch q := f.state.Question; {
	case word == "":
		return nil
	case q != nil && word == f.code:
		return f.reply(*q, rest)
	case f.grant.does != nil && word == f.grant.code && rest == f.grant.word:
		c := f.grant.does
		f.grant = grant{}
		return f.send(c)
	case strings.HasPrefix(word, "/") && !strings.Contains(word[1:], "/"):
		return f.command(word, rest)
	}
	if q := f.state.Question; q != nil {
		f.p.line("held", "that is no answer, and is sent as a message; "+choices(*q, f.code))
	}
	if kind := composer.Key(text); kind != "" {
		f.p.line("note", "that holds what looks like a key ("+kind+"): it is masked before it is stored or sent; a key is set with `tera-pilot keys set NAME --from stdin`")
	}
	return f.send(event.Submit{Text: text})
}

// reply handles a line that begins with the question's code.
func (f *front) reply(q event.Question, rest string) error {
	word, text, _ := strings.Cut(rest, " ")
	text = strings.TrimSpace(text)
	var c event.Command
	switch {
	case q.Kind == event.AskUser && len(q.Form) > 0:
		var understood bool
		if c, understood = f.fill(q, word, text); understood && c == nil {
			return nil
		}
	case q.Kind == event.AskUnknown:
		if word == "done" || word == "again" || word == "look" {
			c = event.Settle{Call: q.Call, How: word}
		}
	case word == "deny":
		c = f.answer(q, event.Answer{Choice: event.Deny})
	case word == "reason":
		c = f.answer(q, event.Answer{Choice: event.Deny, Reason: text})
	case q.Kind == event.AskUser:
		if word == "say" && text != "" {
			c = f.answer(q, event.Answer{Choice: event.Say, Text: text})
		}
	case !sound(q):
	case word == "allow":
		c = f.answer(q, event.Answer{Choice: event.Once, Code: q.Code})
	case word == "keep":
		for i, s := range q.Scopes {
			if text == fmt.Sprint(i+1) {
				c = f.answer(q, event.Answer{Choice: event.Keep, Scope: s.ID})
			}
		}
	}
	if c == nil {
		f.p.line("held", "not understood: "+choices(q, f.code))
		return nil
	}
	return f.send(c)
}

// command carries out a slash command.
func (f *front) command(word, rest string) error {
	if c, ok := snap.Command(word, rest); ok {
		return f.send(c)
	}
	switch word {
	case "/quit":
		f.quit = true
		return nil
	case "/model":
		f.p.line("model", "there is no list here: /model [PROVIDER] NAME sets one")
		return nil
	case "/level":
		return f.level(rest)
	case "/trust", "/unsafe", "/strict":
		return f.window(word, rest)
	case "/undo":
		return f.undo(rest)
	case "/policy":
		f.rules()
		return nil
	case "/audit", "/audit-signed":
		return f.log(word)
	case "/help":
		f.p.line("note", "what you type is sent to the model; a question is answered with the code that stands below it; commands: "+commands)
		return nil
	}
	if slices.ContainsFunc(f.state.Offered, func(c event.SlashCommand) bool { return "/"+c.Name == word }) {
		return f.send(event.Submit{Text: strings.TrimSpace(word + " " + rest)})
	}
	for _, c := range keys.Formers() {
		switch {
		case c.Name == word && c.Now != "":
			f.p.line("note", word+" is "+c.Now+" here")
			return nil
		case c.Name == word:
			f.p.line("note", word+" is no command: "+c.Where.String())
			return nil
		}
	}
	f.p.line("note", word+" is no command; there are "+commands)
	return nil
}

// commands are the commands of lines mode.
const commands = "/level NAME, /plan, /think LEVEL, /compact [back], /model [PROVIDER] NAME, /rename TITLE, /trust [10m], /unsafe [5m], /strict, /policy, /forget ID, /reload, /mcp [WORDS], /audit, /audit-signed, /undo [list|all|turn N|call ID|PATH|keep PATH|old PATH|try …], /cancel, /quit"

// level lowers at once. Raising wants a code, like every yes.
func (f *front) level(to string) error {
	switch from := f.state.Terms.Level; {
	case snap.Rank(to) == 0:
		f.p.line("level", "there is always_ask, new_files_only, never_ask")
	case snap.Rank(to) <= snap.Rank(from):
		return f.send(event.SetLevel{Level: to})
	case f.state.Question != nil:
		f.p.line("level", "answer the open question first")
	default:
		f.grant = grant{f.o.Code(), "raise", event.SetLevel{Level: to}}
		f.p.line("level", "raising from "+from+" to "+to+" lets more happen without a question; to do it, type: "+f.grant.code+" raise")
	}
	return nil
}
