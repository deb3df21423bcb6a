package ossandbox

import (
	"context"
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
