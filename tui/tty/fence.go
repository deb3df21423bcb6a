package tty

import "sync"

// fences matches the terminal's answers to the frames that asked for them. Who
// draws asks, the loop takes the answers: it must not wait for the lock of the
// Gate, which is held while a terminal is slow.
type fences struct {
	mu  sync.Mutex
	out []uint64 // asked and not answered, oldest first
}

// maxUnanswered is how many answers may be missing before we take the terminal
// for one that gives none.
const maxUnanswered = 64

// asked is called before the query is written: no answer can be faster.
func (f *fences) asked(n uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.out) < maxUnanswered {
		f.out = append(f.out, n)
	}
}

func (f *fences) answered() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.out) == 0 {
		return 0
	}
	n := f.out[0]
	f.out = f.out[1:]
	return n
}

// Answered takes one answer of the terminal to our query, and returns the
// frame that it is for, 0 for none. A terminal answers in order, so that a late
// answer is never taken for one to a newer frame.
func (g *Gate) Answered() uint64 { return g.fences.answered() }
