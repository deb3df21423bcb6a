package commandpolicy

import "testing"

// TestPathRulesBindCommands: a rule that forbids a path forbids it to commands,
// and what happens to a folder happens to all beneath it.
func TestPathRulesBindCommands(t *testing.T) {
	tree := contents{"a.txt": "", "src/keep/x.go": "", "src/y.go": "", "doc/a.pem": "", "secrets/k": ""}
	p := New(mustLoad(t, LayerUser, `
[[path]]
glob = ["src/keep/**", "a.txt"]
effect = ["write", "create", "delete"]
decision = "deny"
[[path]]
glob = ["secrets/**", "**/*.pem"]
effect = ["read"]
decision = "deny"
`))
	for text, want := range map[string]string{
		"touch a.txt":                 "deny",
		"touch b.txt":                 "none",
		"echo x > a.txt":              "deny",
		"cp src/y.go a.txt":           "deny",
		"rm a.txt":                    "deny",
		"rm -rf src":                  "deny",
		"rm -rf src/keep":             "deny",
		"rm -rf src/keep/x.go":        "deny",
		"rm src/y.go":                 "none",
		"mv src other":                "deny",
		"mv secrets other":            "deny",
		"mv secrets/k other":          "deny",
		"sed -i s/a/b/ src/keep/x.go": "deny",
		"cat secrets/k":               "deny",
		"grep -r x secrets":           "deny",
		"grep -r x src":               "ask", // a .pem may lie there
		"cat src/y.go":                "none",
		"cat doc/a.pem":               "deny",
		"cd src && rm -rf keep":       "deny",
	} {
		got := "none"
		s := p.Command(tree.parse(text), at())
		switch {
		case s.Deny != nil:
			got = "deny"
		case s.Ask != nil:
			got = "ask"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestMayMeet(t *testing.T) {
	w := When{Workspace: "/w", Home: "/h"}
	for _, c := range []struct {
		glob, folder string
		want         bool
	}{
		{"a/b/c", "/w/a", true}, {"a/b/c", "/w", true}, {"a/b/c", "/", true}, {"a/b/c", "/w/b", false}, {"a/*/c", "/w/a/x", true},
		{"a/*/c", "/w/b/x", false}, {"**/x", "/w/q/r", true}, {"**/x", "/other", false}, {"/etc/**", "/etc/ssl", true}, {"/etc/**", "/", true},
		{"~/n/*", "/h", true}, {"~/n/*", "/h/m", false}, {"a/b", "/w/a/b/c", false}, {"*.go", "/w", true}, {"*.go", "/w/src", false},
	} {
		r := Rule{aboutPath: aboutPath{globs: []string{c.glob}, acts: []Act{ActRead}}}
		if got := r.fitsBelow(ActRead, c.folder, w); got != c.want {
			t.Errorf("%s beneath %s: %v", c.glob, c.folder, got)
		}
	}
}
