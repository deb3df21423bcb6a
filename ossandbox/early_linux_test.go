package ossandbox

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A command that is stopped at any moment of its start ends, and so does Run:
// nothing is left behind that holds its pipes.
func TestStoppedWhileItStarts(t *testing.T) {
	s := newBox(t)
	for i := range 60 {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := s.Run(ctx, Command{Script: "sleep 61.7", Profile: Work()})
			ended <- err
		}()
		time.Sleep(time.Duration(i) * 200 * time.Microsecond)
		cancel()
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			t.Fatalf("stopped after %d µs, it goes on", i*200)
		}
	}
	if n := processesLike("sleep\x0061.7"); n != 0 {
		t.Errorf("%d processes are left", n)
	}
}

// A start that takes longer than the pause of a stop, as on a machine that is
// busy, is ended with the child that it has already.
func TestStoppedWhileItIsSlowToStart(t *testing.T) {
	b := newBox(t)
	slow := filepath.Join(b.base, "slow-start")
	if err := os.WriteFile(slow, []byte("#!/bin/sh\nsleep 62.3 &\nwait\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.bwrap.path = slow
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := b.Run(ctx, Command{Script: "true", Profile: Work()})
		ended <- err
	}()
	for processesLike("sleep\x0062.3") == 0 && len(ended) == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("it goes on")
	}
	if n := processesLike("sleep\x0062.3"); n != 0 {
		t.Errorf("%d processes are left", n)
	}
}
