// The front end with a session that has just been opened.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui"
)

type session struct{ live chan event.Event }

func (session) Send(event.Command) error { return nil }

func (session) Recall([]uint64) ([]event.Event, error) { return nil, nil }

func (s session) Subscribe(uint64) ([]event.Event, <-chan event.Event, func(), error) {
	opened := event.Event{Seq: 1, Time: time.Now(), Session: "bench", Body: event.Opened{Root: "/src", Level: "always_ask", Sandbox: "auto A"}}
	return []event.Event{opened}, s.live, func() {}, nil
}

func main() {
	s := session{live: make(chan event.Event)}
	if _, err := tui.Run(context.Background(), tui.Options{Session: s, In: os.Stdin, Out: os.Stdout, Env: os.Environ(), Mode: tui.Full}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
