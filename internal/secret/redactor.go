package secret

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// shortest is the length of the shortest value that is masked by its text:
// anything shorter stands in too many innocent places.
const shortest = 6

// A Redactor masks secrets. It may be used by several goroutines.
type Redactor struct {
	mu       sync.RWMutex // masking is long and often, and learning a value rare
	values   []string
	literals *literals
	shapes   *shapeIndex
	numbers  map[[sha256.Size]byte]int // of each secret seen, by its hash
	last     int

	trail trail
}

// mostNumbers bounds the memory for numbers. Secrets beyond it still get a
// number, but not the same one twice.
const mostNumbers = 1 << 16

// New returns a Redactor that masks the known shapes.
func New() *Redactor {
	return &Redactor{literals: newLiterals(nil), shapes: newShapeIndex(), numbers: map[[sha256.Size]byte]int{}}
}

// Add registers values to be masked from now on. White space around a value
// does not count. It reports false when a value is too short to be masked.
func (r *Redactor) Add(values ...string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	ok := true
	for _, v := range values {
		v = strings.TrimSpace(v)
		switch {
		case v == "" || slices.Contains(r.values, v):
		case len(v) < shortest:
			ok = false
		default:
			r.values = append(r.values, v)
			r.number(v)
		}
	}
	r.literals = newLiterals(r.values)
	return ok
}

// number is the number of a secret. The caller holds the lock.
func (r *Redactor) number(secret string) int {
	sum := sha256.Sum256([]byte(secret))
	if n, ok := r.numbers[sum]; ok {
		return n
	}
	r.last++
	if len(r.numbers) < mostNumbers {
		r.numbers[sum] = r.last
	}
	return r.last
}

// token is what stands in the place of a secret.
func (r *Redactor) token(secret string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprintf("[secret:%d]", r.number(secret))
}

// present are the literals in force.
func (r *Redactor) present() *literals {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.literals
}

// Text masks the secrets in s.
func (r *Redactor) Text(s string) string {
	found := r.Find(s)
	if len(found) == 0 {
		return s
	}
	var b strings.Builder
	from := 0
	for _, m := range found {
		b.WriteString(s[from:m.Start])
		b.WriteString(r.token(m.secret))
		from = m.End
	}
	b.WriteString(s[from:])
	return b.String()
}

// Bytes masks the secrets in b. Where there is none, it gives b itself.
func (r *Redactor) Bytes(b []byte) []byte {
	if len(r.find(b)) == 0 {
		return b
	}
	return []byte(r.Text(string(b)))
}

// A Match is a secret in a text.
type Match struct {
	Start, End int    // bytes
	Kind       string // "registered", or the name of the shape

	secret string // what the number is of
}

// Find gives the secrets in s, in their order and without overlaps.
func (r *Redactor) Find(s string) []Match { return r.find([]byte(s)) }

// find goes through b as a Writer does that is given all of it.
func (r *Redactor) find(b []byte) []Match {
	var out []Match
	w := Writer{r: r, buf: b}
	gone := 0 // bytes of b before w.buf
	for {
		found, cut := w.scan(true)
		for _, m := range found {
			m.Start, m.End = m.Start+gone, m.End+gone
			if m.secret == "" { // more of the one before
				if n := len(out); n > 0 {
					out[n-1].End = m.End
				}
				continue
			}
			out = append(out, m)
		}
		if cut == len(w.buf) && w.eat == nil {
			return out
		}
		gone += max(0, cut-context)
		w.advance(cut)
	}
}

// ID names the rules by which is masked: the version of the shapes. The values
// that were registered leave no trace in it.
func (r *Redactor) ID() string { return shapesID }
