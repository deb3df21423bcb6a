package status

import (
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

func plain(lines []view.Line) string {
	var out []string
	for _, l := range lines {
		out = append(out, view.Plain(l))
	}
	return strings.Join(out, "|")
}

// TestLineDropsFromTheEnd: level, sandbox and network never go.
func TestLineDropsFromTheEnd(t *testing.T) {
	s := &snap.State{
		Session: snap.Session{Opened: true}, Terms: snap.Terms{Level: "new_files_only", Sandbox: "auto B"}, Net: snap.Net{Reach: "packages.example.org"},
		Model: snap.Model{Provider: "ollama", Name: "qwen3:8b", Window: 1000}, Spent: snap.Spent{Used: 500, Cost: 1_234_567, MaxCost: 2_000_000}, Head: event.AuditHead{Head: "9f3c1a77", Size: 412},
	}
	for width, want := range map[int]string{
		120: "[+] new_files_only   box B   net packages.example.org   qwen3:8b ollama   ctx 50%   $1.23 of $2.00   log 9f3c1a #412",
		100: "[+] new_files_only   box B   net packages.example.org   qwen3:8b ollama   ctx 50%   $1.23 of $2.00",
		85:  "[+] new_files_only   box B   net packages.example.org   qwen3:8b ollama   ctx 50%",
		60:  "[+] new_files_only   box B   net packages.example.org|qwen3:8b ollama   ctx 50%   $1.23 of $2.00   log 9f3c1a #412",
		30:  "[+] new_files_only   box B  ..|qwen3:8b ollama   ctx 50%",
		0:   "|",
	} {
		if got := plain(Line(s, width, false)); got != want {
			t.Errorf("%d:\n got %s\nwant %s", width, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		name string
		s    snap.State
		want string
	}{
		{"no session", snap.State{}, "[ ] no session   box unknown   net off   no model   log new"},
		{"never", snap.State{Terms: snap.Terms{Level: "never_ask", Sandbox: "off"}}, "[!] never_ask   box OFF   net off   no model   log new"},
		{"no sandbox", snap.State{Terms: snap.Terms{Level: "always_ask", Sandbox: "auto none"}}, "[=] always_ask   box NONE: commands are refused   net off   no model   log new"},
		{"a level we do not know", snap.State{Terms: snap.Terms{Level: "\x1bx", Sandbox: "on A-"}}, "[?] <x1B>x   box A-   net off   no model   log new"},
		{"a broken log comes first", snap.State{Session: snap.Session{Opened: true}, Terms: snap.Terms{Level: "always_ask", Sandbox: "auto A"}, Head: event.AuditHead{Broken: "disk full"}},
			"[=] always_ask   box A   net off   LOG BROKEN   no model   ctx 0   $0.00"},
		{"no price", snap.State{Session: snap.Session{Opened: true}, Terms: snap.Terms{Level: "always_ask", Sandbox: "auto A"}, Spent: snap.Spent{Used: 12_345, Unpriced: true}, Model: snap.Model{Provider: "x"}},
			"[=] always_ask   box A   net off   x   ctx 12k   cost unknown   log new"},
		{"this machine", snap.State{Model: snap.Model{Provider: "ollama", Name: "qwen3:8b", Host: "local"}}, "[ ] no session   box unknown   net off   qwen3:8b local   log new"},
		{"another one", snap.State{Model: snap.Model{Provider: "openai-chat", Name: "m", Host: "api.example.org"}}, "[ ] no session   box unknown   net off   m api.example.org   log new"},
	} {
		if got := plain(Line(&c.s, 200, false)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
