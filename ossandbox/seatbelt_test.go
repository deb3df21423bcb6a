package ossandbox

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The profiles are texts that no machine here can try: what they say is pinned,
// and read by people.
func TestSeatbeltTexts(t *testing.T) {
	base := seatbeltView{
		work: "/Users/a/code/w\") (allow default", temp: "/private/var/folders/x/run", cache: "/Users/a/.tera_pilot/cache/1/home", home: "/Users/a",
		reads: []string{"/Users/a/.cargo/bin"}, writes: []string{"/Users/a/code/main/.git"},
		covers:  []string{"/Users/a/code/w\") (allow default/.git/hooks", "/Users/a/code/w\") (allow default/CLAUDE.md", "/Users/a/code/main/.git/config"},
		hidden:  []string{"/Users/a/code/w\") (allow default/.env"},
		secrets: []string{"/Users/a/.ssh", "/Users/a/.tera_pilot/audit_key"},
	}
	for name, change := range map[string]func(*seatbeltView){
		"work":    func(*seatbeltView) {},
		"observe": func(v *seatbeltView) { v.observe = true },
		"net":     func(v *seatbeltView) { v.proxyPort = 3128 },
		"debug":   func(v *seatbeltView) { v.debug = true },
	} {
		v := base
		change(&v)
		s := newSeatbelt(v)
		got := s.text.String() + "\n" + strings.Join(s.params, "\n") + "\n"
		file := filepath.Join("testdata", "seatbelt-"+name+".golden")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if strings.Contains(s.text.String(), "/Users/") {
			t.Errorf("%s: a path stands in the text itself", name)
		}
		depth := 0
		for _, c := range s.text.String() {
			switch c {
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth < 0 {
				break
			}
		}
		if depth != 0 {
			t.Errorf("%s: brackets do not match", name)
		}
	}
}
