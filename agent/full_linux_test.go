package agent

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"golang.org/x/sys/unix"
)

// fillUp makes the session's log refuse every further byte, as a full disk does.
func fillUp(t *testing.T, file string) {
	device, err := unix.Open("/dev/full", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Error(err)
		return
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Error(err)
	}
	for _, f := range open {
		if target, err := os.Readlink("/proc/self/fd/" + f.Name()); err != nil || target != file {
			continue
		}
		if fd, err := strconv.Atoi(f.Name()); err != nil || unix.Dup3(device, fd, unix.O_CLOEXEC) != nil {
			t.Errorf("descriptor %s: %v", f.Name(), err)
		}
	}
}

// TestAFullDiskEndsTheTurn fills the session's log up at each step: nothing
// further is done, and whoever waits for the end of the turn hears of it.
func TestAFullDiskEndsTheTurn(t *testing.T) {
	for _, at := range []string{"started", "decided", "intent", "recheck", "ran", "outcome"} {
		t.Run(at, func(t *testing.T) {
			var r *rig
			r = newRig(t, twoFiles, func(o *Options) {
				o.Step = func(s string) {
					if s == at {
						fillUp(t, filepath.Join(r.state, "sessions", r.opts.Log.ID(), "events.jsonl"))
					}
				}
			})
			r.person = yes
			r.start("")
			ended := make(chan event.TurnEnded, 1)
			go func() { ended <- r.turn("go") }()
			select {
			case end := <-ended:
				if end.Status != "error" || end.Code != codeError || end.Message == "" { // docs/exit-codes.md: 7 is for the evidence
					t.Errorf("end = %+v", end)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("nobody heard of the end")
			}
			if at == "decided" && r.read("one.txt") != "" {
				t.Error("a call was carried out whose beginning is not on the disk")
			}
			if r.read("two.txt") != "" {
				t.Error("the second call was carried out")
			}
			if err := r.session.Close("error"); err == nil {
				t.Error("the session closed as if its log were whole")
			}
		})
	}
}
