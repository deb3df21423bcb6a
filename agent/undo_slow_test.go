package agent

import (
	"context"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// TestALongLookIsExplained: nobody waits for a large workspace without a word,
// the word goes with its cause, and a small one has none.
func TestALongLookIsExplained(t *testing.T) {
	r := newRig(t, []step{{Say: "done"}}, nil)
	r.start("")
	defer r.stop()
	d := r.session.disp
	says := func() string {
		var w event.Working
		if err := d.owner.do(func(o *owned) { w = o.working }); err != nil {
			t.Fatal(err)
		}
		return w.Says
	}
	large := &safekeeping{survey: place{d.world}.survey(context.Background())}
	done := d.looking(large, 0)
	for end := time.Now().Add(20 * time.Second); says() == "" && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if says() == "" {
		t.Error("nothing is said of a long look")
	}
	done()
	if said := says(); said != "" {
		t.Errorf("it is over, and says %q", said)
	}
	for _, k := range []*safekeeping{large, {}} {
		d.looking(k, time.Hour)()
		if said := says(); said != "" {
			t.Errorf("a short look says %q", said)
		}
	}
}
