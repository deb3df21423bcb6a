package ossandbox

import (
	"fmt"
	"sort"
	"testing"
	"time"
)

func TestPhases(t *testing.T) {
	s := newBox(t)
	names := []string{}
	sums := map[string][]time.Duration{}
	tick := func(last *time.Time, name string) {
		d := time.Since(*last)
		if _, ok := sums[name]; !ok {
			names = append(names, name)
		}
		sums[name] = append(sums[name], d)
		*last = time.Now()
	}
	for range 100 {
		last := time.Now()
		c := &Command{Argv: []string{"/bin/true"}, Profile: Work()}
		v, _ := newView(s, c)
		tick(&last, "view")
		s.keep.enter()
		tick(&last, "enter")
		v.covers, _ = s.keep.standIns(v.covers)
		tick(&last, "standins")
		p := newPlan(s, c, v)
		tick(&last, "plan")
		spec, _ := s.spec(p, c)
		b := spec.Encode()
		tick(&last, "spec")
		st, _ := newStreams(c, 1000)
		l := &launch{sandbox: s, command: c, streams: st, began: time.Now()}
		l.start(p, b)
		tick(&last, "start")
		buf := make([]byte, 1)
		l.status.Read(buf)
		tick(&last, "reached")
		l.noteInit()
		l.status.Read(buf)
		tick(&last, "exec")
		l.proc.Wait()
		tick(&last, "wait")
		l.awaitEmpty()
		tick(&last, "empty")
		l.streams.finish()
		l.release()
		tick(&last, "release")
		s.keep.leave()
		tick(&last, "leave")
	}
	for _, n := range names {
		d := sums[n]
		sort.Slice(d, func(i, j int) bool { return d[i] < d[j] })
		fmt.Printf("%-10s p50 %v p90 %v\n", n, d[len(d)/2], d[len(d)*9/10])
	}
}
