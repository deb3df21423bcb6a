package snap

import (
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// Terms are what is in force: how much happens without a question, and where
// commands run.
type Terms struct {
	Level   string
	Sandbox string // setting and grade, "auto A"
	Window  Window
}

// Rank puts the levels in order, from strict to loose; 0 for what is none.
func Rank(level string) int {
	switch level {
	case "always_ask":
		return 1
	case "new_files_only":
		return 2
	case "never_ask":
		return 3
	default:
		return 0
	}
}

// Window is the timed window that is open; the zero Window is none.
type Window struct {
	Mode  string // trust, unsafe
	Until time.Time
}

// Model is who answers.
type Model struct {
	Provider string
	Name     string
	Host     string // where requests go: "local", a host, "" when nobody said
	Window   int64  // in tokens; 0 when unknown
	Thought  string // how much it may think; "" when nobody said
}

// Spent is what the session took so far.
type Spent struct {
	Used     int64 // tokens of the last request
	Cost     int64 // millionths of a dollar
	Guessed  bool  // of some requests the server did not say what they took
	Unpriced bool  // some request had no price
	MaxCost  int64 // 0 for no limit
}

// add takes an answer of this conversation.
func (s *Spent) add(u event.Usage) {
	s.Used = sum(u)
	s.pay(u)
}

// pay takes what a request cost. What has no price is not free.
func (s *Spent) pay(u event.Usage) {
	s.Guessed = s.Guessed || u.Estimated
	if u.Cost != nil {
		s.Cost += *u.Cost
	} else if sum(u) > 0 {
		s.Unpriced = true
	}
}

func sum(u event.Usage) int64 { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

// Expect takes what is known of a session that is being opened.
func (s *State) Expect(b event.Opened) {
	s.Session.Root, s.Terms.Level, s.Terms.Sandbox, s.Net.Reach = b.Root, b.Level, b.Sandbox, b.Network
	s.Model.Provider, s.Model.Name, s.Model.Host, s.Model.Window, s.Spent.MaxCost = b.Provider, b.Model, b.Host, b.Window, b.MaxCost
}

// Look takes what is known where there is no session yet.
func (s *State) Look(b Start) {
	s.Session.Root, s.Terms.Level, s.Terms.Sandbox = b.Root, b.Level, b.Sandbox
}

// applyTerms applies what is about the session as a whole: what it is, what is
// in force, and who answers.
func (s *State) applyTerms(e event.Event) bool {
	switch b := e.Body.(type) {
	case event.Opened:
		s.opened(b, e)
	case event.LevelChanged:
		s.Terms.Level = b.To
		s.Talk.aside(&Item{Kind: Change, Told: &Told{Word: "level", Text: b.From + " -> " + b.To, By: b.By, At: e.Time}})
	case event.WindowChanged:
		s.window(b, e)
	case event.PolicyChanged:
		s.Talk.tell(e, "rules", strings.TrimSpace(b.What+" "+b.Rule))
	case event.ModelChanged:
		s.Model.Provider, s.Model.Name, s.Model.Host, s.Model.Window = b.Provider, b.Model, b.Host, b.Window
		s.Talk.tell(e, "model", b.Provider+" "+b.Model)
	case event.ThoughtChanged:
		s.Model.Thought = b.Level
		s.Talk.tell(e, "thinking", b.Level)
	default:
		return false
	}
	return true
}

// opened begins a session, or goes on with one: what was open died with the
// process before.
func (s *State) opened(b event.Opened, e event.Event) {
	s.Session.Opened, s.Session.Closed, s.Session.Front = true, false, b.Front
	if b.Title != "" {
		s.Session.Title = b.Title
	}
	s.Net.ended(s.Net.call)
	s.Expect(b)
	s.Terms.Window, s.Jobs = Window{}, nil
	s.Question, s.Busy = nil, false
	s.Talk.closeStreams()
	if b.Resumed {
		s.Talk.add(&Item{Kind: Change, Told: &Told{Word: "resumed", Text: e.Time.Format("2006-01-02 15:04"), At: e.Time}})
	}
}

func (s *State) window(b event.WindowChanged, e event.Event) {
	was := s.Terms.Window.Mode
	s.Terms.Window = Window{b.Mode, b.Until}
	switch {
	case b.Mode != "":
		s.Talk.tell(e, "window", b.Mode+" until "+b.Until.Local().Format("15:04:05"))
	case b.Why != "":
		s.Talk.tell(e, "window", was+" ended: "+b.Why)
	default:
		s.Talk.tell(e, "window", was+" ended")
	}
}
