package ossandbox

import (
	"os"
	"slices"
	"testing"
)

func selfTest(t *testing.T, change func(*Config)) (Report, []Promise) {
	t.Helper()
	base := t.TempDir()
	for _, dir := range []string{"/home/.ssh", "/home/.tera_pilot"} {
		if err := os.MkdirAll(base+dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cfg := Config{Home: base + "/home", State: base + "/home/.tera_pilot", Setting: Auto, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base + "/home"}}
	if change != nil {
		change(&cfg)
	}
	r, promises, err := SelfTest(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r, promises
}

func broken(promises []Promise) (names []string) {
	for _, p := range promises {
		if !p.Kept {
			names = append(names, p.Name+" ("+p.Detail+")")
		}
	}
	return names
}

func TestSelfTest(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"A": nil, "A-": func(c *Config) { c.noProc = true }, "B": func(c *Config) { c.Bubblewrap = []string{"/nonexistent/bwrap"} },
	} {
		t.Run(name, func(t *testing.T) {
			report, promises := selfTest(t, change)
			if report.Grade.String() != name {
				t.Skipf("grade %s here: %v", report.Grade, report.Troubles)
			}
			if b := broken(promises); b != nil {
				t.Errorf("broken: %q", b)
			}
			if len(promises) < 18 {
				t.Errorf("only %d were tried", len(promises))
			}
		})
	}
}

// A self test that cannot fail proves nothing.
func TestSelfTestNotices(t *testing.T) {
	_, promises := selfTest(t, func(c *Config) { c.Reveal, c.PassEnv = []string{".env"}, []string{"SELF_TEST_TOKEN"} })
	got := broken(promises)
	want := []string{"an untracked .env reads as empty (work/.env)", "secrets of the environment are not seen (a variable named like a token, in every /proc/PID/environ)"}
	if !slices.Equal(got, want) {
		t.Errorf("broken: %q", got)
	}
	// What was not tried is not kept.
	p := (&trial{}).judged("outside no\nstate yes\n", nil)
	if kept := slices.DeleteFunc(p, func(p Promise) bool { return !p.Kept }); len(kept) != 1 || kept[0].Name != "other folders are not read" {
		t.Errorf("kept: %+v", kept)
	}
}
