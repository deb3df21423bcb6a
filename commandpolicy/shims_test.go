package commandpolicy

import (
	"strings"
	"testing"
)

// machine is all files that there are.
type machine map[string]bool

func (m machine) Lstat(name string) (Kind, string) {
	if m[name] {
		return KindFile, ""
	}
	for f := range m {
		if strings.HasPrefix(f, name+"/") || name == "/workspace" {
			return KindDir, ""
		}
	}
	return KindAbsent, ""
}

func (machine) Names(string) ([]string, bool) { return nil, true }

// TestShims: what a version manager runs for a name is not known where a file
// of the workspace may tell it, and is what it always was elsewhere.
func TestShims(t *testing.T) {
	const shims = "/home/u/.asdf/shims"
	for _, tt := range []struct {
		command, path string
		files         []string // of the machine
		proven        bool
	}{
		{"node --version", shims + ":/usr/bin", []string{shims + "/node", "/workspace/.tool-versions"}, false},
		{"cd sub && node --version", shims + ":/usr/bin", []string{shims + "/node", "/workspace/.tool-versions", "/workspace/sub/a"}, false},
		{"timeout 5 jq . a.json", shims + ":/usr/bin", []string{shims + "/jq", "/workspace/mise.toml"}, false},
		{"go list ./...", "/usr/bin:" + shims, []string{shims + "/go", "/workspace/.tool-versions"}, false},
		{"go list ./...", "/usr/bin:" + shims, []string{"/usr/bin/go", shims + "/go", "/workspace/.tool-versions"}, true},
		{"node --version", shims + ":/usr/bin", []string{shims + "/node"}, true},
		{"node --version", "/usr/bin", []string{"/workspace/.tool-versions"}, true},
		{"ls", shims + ":/usr/bin", []string{shims + "/node", "/usr/bin/ls", "/workspace/.tool-versions"}, true},
	} {
		files := machine{}
		for _, f := range tt.files {
			files[f] = true
		}
		a := Parse(tt.command, Context{Workspace: "/workspace", Home: "/home/u", Env: map[string]string{"HOME": "/home/u", "PATH": tt.path}, Look: files})
		var p *Policy
		if d, _ := p.Decide(a, When{}); (d == Allow) != tt.proven {
			t.Errorf("%s with %v: %v", tt.command, tt.files, d)
		}
	}
}

// TestLinkedPrograms: a program that is named by a link counts as what the link
// is called and as what it leads to.
func TestLinkedPrograms(t *testing.T) {
	links := map[string]string{
		"/sbin": "usr/sbin", "/usr/sbin/reboot": "/bin/systemctl", "/usr/bin/vi": "/etc/alternatives/vi", "/etc/alternatives/vi": "/usr/bin/vim.basic",
		"/usr/bin/awk": "/usr/bin/mawk", "/usr/bin/ls": "/usr/bin/busybox", "/usr/bin/sh": "/usr/bin/busybox", "/workspace/reboot": "/bin/systemctl", "/workspace/ls": "/usr/bin/python3",
	}
	f, err := Load(strings.NewReader("[[rule]]\ncmd = [\"vi\"]\ndecision = \"deny\"\n"), "policy.toml", LayerUser)
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]Decision{
		"/sbin/reboot": Deny, "./reboot": Deny, "/usr/bin/vi a.txt": Deny, "/usr/bin/awk '{print $1}' a.txt": Allow, "/usr/bin/ls": Allow, "/usr/bin/sh ls": Ask, "./ls": Ask,
	} {
		a := Parse(command, Context{Workspace: "/workspace", Home: "/home/u", Env: map[string]string{"HOME": "/home/u"}, Look: Overlay{Base: nothing{}, Links: links}})
		if d, _ := New(f).Decide(a, When{}); d != want {
			t.Errorf("%s: %v, want %v: %s", command, d, want, strings.Join(a.Problems, "; "))
		}
	}
}
