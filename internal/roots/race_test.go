package roots

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// racing runs act beside thousands of swaps, until the two have met often
// enough. Between two acts there is at least one swap: a file
// system that holds the other thread up must not make the race a walk-over.
func racing(t *testing.T, swap, act func(i int) error, enough func() bool) {
	t.Helper()
	const leastSwaps, leastActs, most = 4000, 400, 15 * time.Second
	var swaps atomic.Int64
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := swap(i); err != nil {
				t.Errorf("the swapping thread: %v", err)
				return
			}
			swaps.Add(1)
		}
	}()
	acts, seen := 0, int64(-1)
	for end := time.Now().Add(most); time.Now().Before(end) && (acts < leastActs || swaps.Load() < leastSwaps || !enough()); acts++ {
		for seen == swaps.Load() && time.Now().Before(end) {
			runtime.Gosched()
		}
		seen = swaps.Load()
		if err := act(acts); err != nil {
			t.Errorf("round %d: %v", acts, err)
			break
		}
	}
	close(stop)
	<-done
	if swaps.Load() < leastSwaps || !enough() {
		t.Errorf("the race was not run: %d swaps, %d acts", swaps.Load(), acts)
	}
}

// A thread swaps a folder for a link that leads out, thousands of times. No
// act ever reaches what the link leads to.
func TestFolderSwappedForLink(t *testing.T) {
	w := open(t)
	outside := filepath.Join(w.dir, "ws-evil")
	must(t, os.WriteFile(filepath.Join(outside, "a.txt"), []byte("outside\n"), 0o644))
	must(t, os.Symlink(outside, w.Join("trap")))
	before := listing(t, outside)
	reads, writes := 0, 0
	swap := func(int) error { return exchange(w.top.fd, "src", "trap") }
	act := func(int) error {
		if d, err := w.Dir("src"); err == nil {
			data, _, err := d.Read("a.txt", 1<<20)
			if err == nil && strings.HasPrefix(string(data), "outside") {
				return errors.New("read through the link")
			}
			if err == nil {
				reads++
			}
			d.Close()
		}
		if _, err := w.Create("src/new", []byte("x"), 0o644); err == nil {
			writes++
		}
		if s, err := w.Stat("src/new"); err == nil && s.Type == Regular {
			_ = w.Remove("src/new", Want{ID: s.ID, Type: s.Type})
		}
		if s, err := w.Stat("src/a.txt"); err == nil && s.Type == Regular {
			_, _ = w.Replace("src/a.txt", Want{ID: s.ID, Type: s.Type, Links: s.Links}, []byte("inside\n"), 0o644)
		}
		return nil
	}
	racing(t, swap, act, func() bool { return reads >= 20 && writes >= 20 })
	if after := listing(t, outside); after != before {
		t.Errorf("outside was\n%s\nand is\n%s", before, after)
	}
	t.Logf("%d reads, %d files made", reads, writes)
}

// A thread puts file after file, and links that lead out, in the place of one
// that is replaced, removed and renamed on the strength of a plan made just
// before. Each of its files either keeps a name, or was the very one that an
// act had planned to take away.
func TestFileSwapped(t *testing.T) {
	w := open(t)
	for _, dir := range []string{"proof", "museum"} {
		must(t, os.Mkdir(w.Join(dir), 0o755))
	}
	museum, err := w.Dir("museum")
	must(t, err)
	defer museum.Close()
	src, err := w.Dir("src")
	must(t, err)
	defer src.Close()
	put := func(i int) error {
		proof := w.Join(fmt.Sprintf("proof/%d", i))
		if i%3 == 2 {
			if err := os.Symlink(w.dir+"/ws-evil/b.txt", proof); err != nil {
				return err
			}
		} else if err := os.WriteFile(proof, fmt.Appendf(nil, "theirs %d\n", i), 0o644); err != nil {
			return err
		}
		if err := os.Link(proof, w.Join("src/next")); err != nil {
			return err
		}
		// Nothing is overwritten here: what was in the place goes to the museum.
		for {
			err := exchange(src.fd, "next", "a.txt")
			if err == nil {
				return renameNew(src.fd, "next", museum.fd, fmt.Sprint(i))
			}
			if err = renameNew(src.fd, "next", src.fd, "a.txt"); !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
	}
	planned, refused := map[ID]bool{}, 0
	act := func(i int) error {
		s, err := w.Stat("src/a.txt")
		if err != nil || s.Type != Regular {
			return err
		}
		data, s, err := src.Read("a.txt", 1<<20)
		if err != nil {
			return nil
		}
		want := Want{ID: s.ID, Type: s.Type, Links: s.Links, SHA256: Hash(data)}
		switch i % 3 {
		case 0:
			_, err = w.Replace("src/a.txt", want, []byte("ours\n"), 0o644)
		case 1:
			err = w.Remove("src/a.txt", want)
		default:
			_, err = w.Rename("src/a.txt", want, fmt.Sprintf("museum/r%d", i))
		}
		var kept *KeptError
		switch {
		case err == nil:
			planned[want.ID] = true
		case changed(err), errors.As(err, &kept):
			refused++
		default:
			return err
		}
		return nil
	}
	racing(t, put, act, func() bool { return len(planned) >= 20 && refused >= 20 })
	w.holds(t, "ws-evil/b.txt", "outside\n")
	entries, err := os.ReadDir(w.Join("proof"))
	must(t, err)
	for _, e := range entries {
		info, err := e.Info()
		must(t, err)
		st := info.Sys().(*syscall.Stat_t)
		if st.Nlink == 1 && !planned[ID{uint64(st.Dev), st.Ino}] {
			t.Errorf("file %s was lost, and nobody had planned that", e.Name())
		}
	}
	t.Logf("%d files put, %d acts done, %d refused", len(entries), len(planned), refused)
}
