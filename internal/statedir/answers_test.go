package statedir

import (
	"fmt"
	"sync"
	"testing"
)

// TestAnswersSideBySide: no process takes back what another one keeps.
func TestAnswersSideBySide(t *testing.T) {
	state := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if err := OpenAnswers(state, "a.json").Put(fmt.Sprintf("/w%d", i), i%2 == 0); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range 8 {
		if yes, known, err := OpenAnswers(state, "a.json").Get(fmt.Sprintf("/w%d", i)); err != nil || !known || yes != (i%2 == 0) {
			t.Errorf("answer %d: %v, %v, %v", i, yes, known, err)
		}
	}
}
