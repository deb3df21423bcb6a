package world

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// Checks lists the commands that the files at the top of the workspace name as
// its tests: those of the languages first, then a Makefile's and a script's.
// Nothing is run to find out. The files are the repository's, so the commands
// are too: they are asked about like any other.
func (f *Files) Checks(ctx context.Context) ([]tool.Check, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d, err := f.root.Dir(".")
	if err != nil {
		return nil, translate(err)
	}
	defer d.Close()
	names, err := d.Names()
	if err != nil {
		return nil, err
	}
	t := topFiles{d, names}
	var out []tool.Check
	for _, detect := range []func() (tool.Check, bool){t.golang, t.node, t.rust, t.python, t.gradle, t.maven, t.makefile, t.script} {
		if c, ok := detect(); ok {
			out = append(out, c)
		}
	}
	return out, nil
}

// topFiles are the files at the top of a workspace.
type topFiles struct {
	d     *roots.Dir
	names []string
}

func (t topFiles) has(name string) bool { return slices.Contains(t.names, name) }

// text is the content of a file, "" when it is not there, too large or a link.
func (t topFiles) text(name string) string {
	if !t.has(name) {
		return ""
	}
	data, _, err := t.d.Read(name, maxIgnoreBytes)
	if err != nil {
		return ""
	}
	return string(data)
}

// executable says that there is a file of the name that can be run.
func (t topFiles) executable(name string) bool {
	s, err := t.d.Stat(name)
	return err == nil && s.Type == roots.Regular && s.Mode&0o111 != 0
}

func check(command, because string, ok bool) (tool.Check, bool) {
	return tool.Check{Command: command, Because: because}, ok
}

func (t topFiles) golang() (tool.Check, bool) {
	if t.has("go.work") && !t.has("go.mod") {
		return check("go test work", "go.work", true)
	}
	return check("go test ./...", "go.mod", t.has("go.mod"))
}

// node takes the script that package.json calls test, unless it is the one
// that `npm init` puts there, and the package manager of the lock file.
func (t topFiles) node() (tool.Check, bool) {
	var p struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal([]byte(t.text("package.json")), &p) != nil {
		return tool.Check{}, false
	}
	script := p.Scripts["test"]
	if script == "" || strings.Contains(script, "no test specified") {
		return tool.Check{}, false
	}
	for _, m := range []struct{ lock, command string }{
		{"pnpm-lock.yaml", "pnpm test"}, {"yarn.lock", "yarn test"}, {"bun.lock", "bun run test"}, {"bun.lockb", "bun run test"},
	} {
		if t.has(m.lock) {
			return check(m.command, "package.json and "+m.lock, true)
		}
	}
	return check("npm test", "package.json", true)
}

func (t topFiles) rust() (tool.Check, bool) {
	return check("cargo test", "Cargo.toml", t.has("Cargo.toml"))
}

// python is pytest where a file speaks of it or holds tests in its style, else
// unittest where there are tests at all.
func (t topFiles) python() (tool.Check, bool) {
	const pytest = "python3 -m pytest -q"
	var project map[string]any
	text := t.text("pyproject.toml")
	if toml.Unmarshal([]byte(text), &project) == nil {
		tools, _ := project["tool"].(map[string]any)
		if _, ok := tools["pytest"]; ok {
			return check(pytest, "pyproject.toml", true)
		}
	}
	switch {
	case t.has("pytest.ini"):
		return check(pytest, "pytest.ini", true)
	case t.has("conftest.py"):
		return check(pytest, "conftest.py", true)
	case strings.Contains(t.text("tox.ini"), "[pytest]"):
		return check(pytest, "tox.ini", true)
	case strings.Contains(t.text("setup.cfg"), "[tool:pytest]"):
		return check(pytest, "setup.cfg", true)
	case regexp.MustCompile(`["']pytest\b`).MatchString(text):
		return check(pytest, "pyproject.toml", true)
	}
	return t.pythonTests()
}

// pythonTests looks at the test files themselves.
func (t topFiles) pythonTests() (tool.Check, bool) {
	for _, dir := range []string{"tests", "test", "."} {
		d, err := t.d.Open(dir)
		if err != nil {
			continue
		}
		names, err := d.Names()
		in := topFiles{d, names}
		for _, name := range names {
			if err != nil || !strings.HasSuffix(name, ".py") || !strings.HasPrefix(name, "test_") {
				continue
			}
			text := in.text(name)
			d.Close()
			if !strings.Contains(text, "unittest") || strings.Contains(text, "import pytest") {
				return check("python3 -m pytest -q", joined(dir, name), true)
			}
			command := "python3 -m unittest discover"
			if dir != "." {
				command += " -s " + dir
			}
			return check(command, joined(dir, name), true)
		}
		d.Close()
	}
	return tool.Check{}, false
}

func joined(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

func (t topFiles) gradle() (tool.Check, bool) {
	for _, name := range []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"} {
		if !t.has(name) {
			continue
		}
		if t.executable("gradlew") {
			return check("./gradlew test", "gradlew", true)
		}
		return check("gradle test", name, true)
	}
	return tool.Check{}, false
}

func (t topFiles) maven() (tool.Check, bool) {
	if t.has("pom.xml") && t.executable("mvnw") {
		return check("./mvnw -q test", "pom.xml and mvnw", true)
	}
	return check("mvn -q test", "pom.xml", t.has("pom.xml"))
}

// makefile is a target called test; the names are those that GNU make takes,
// in its order.
func (t topFiles) makefile() (tool.Check, bool) {
	target := regexp.MustCompile(`(?m)^test[ \t]*::?(?:[^=]|$)`)
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		if t.has(name) {
			return check("make test", name, target.MatchString(t.text(name)))
		}
	}
	return tool.Check{}, false
}

func (t topFiles) script() (tool.Check, bool) { return check("./test", "test", t.executable("test")) }
