package ossandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Real small projects, built offline inside the sandbox, with the caches that
// the profile gives them. A tool that is not installed skips its test.

func needs(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
}

// project is a box for somebody with our own tools: their home is ours where
// tools are looked for, so that what is installed here can be found.
func project(t *testing.T, files map[string]string) *box {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip("no home folder")
	}
	b := newBox(t)
	for name, content := range files {
		b.write(filepath.Join(b.work, name), content)
	}
	cfg := b.cfg
	cfg.Home = home
	cfg.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=")
	s, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	b.Sandbox = s
	return b
}

// builds runs a script that must succeed, and say want.
func (b *box) builds(script, want string) {
	b.t.Helper()
	out, r := b.sh(script)
	if r.ExitCode != 0 || !strings.Contains(out, want) || len(r.Quarantine) > 0 {
		b.t.Errorf("%s: exit %d, %v\n%s", script, r.ExitCode, r.Quarantine, out)
	}
}

func TestGoWithADependency(t *testing.T) {
	needs(t, "go")
	b := project(t, map[string]string{
		"go.mod":       "module example.invalid/m\n\ngo 1.24\n\nrequire github.com/google/go-cmp v0.7.0\n",
		"go.sum":       "github.com/google/go-cmp v0.7.0 h1:wk8382ETsv4JYUZwIsn6YpYiWiBsYLSJiTsyBybVuN8=\ngithub.com/google/go-cmp v0.7.0/go.mod h1:pXiqmnSA92OHEEa9HXL2W4E7lf9JzCmGVUdgjX3N/iU=\n",
		"main.go":      "package main\n\nimport (\n\t\"fmt\"\n\n\t\"github.com/google/go-cmp/cmp\"\n)\n\nfunc main() { fmt.Println(\"same:\", cmp.Equal([]int{1}, []int{1})) }\n",
		"main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n",
	})
	b.builds("go build -o m . && ./m && go test -vet=off ./...", "same: true")
	if entries, _ := os.ReadDir(b.keep.cacheDir()); len(entries) == 0 {
		t.Error("nothing was cached")
	}
	// What is cached is there for the next command.
	out, _ := b.sh("go build -x -o m . 2>&1 | grep -c '/compile '")
	if strings.TrimSpace(out) != "0" {
		t.Errorf("the second build compiles %s packages again", strings.TrimSpace(out))
	}
}

func TestNpmProject(t *testing.T) {
	needs(t, "node", "npm")
	b := project(t, map[string]string{
		"package.json":     `{"name":"m","version":"1.0.0","scripts":{"test":"node --test","build":"node build.js"},"dependencies":{"dep":"file:./dep"}}`,
		"dep/package.json": `{"name":"dep","version":"1.0.0","main":"i.js"}`,
		"dep/i.js":         "module.exports = 42\n",
		"build.js":         "require('fs').writeFileSync('out.txt', 'built ' + require('dep'))\n",
		"m.test.js":        "const t=require('node:test'),a=require('node:assert');t('x',()=>a.equal(require('dep'),42));\n",
	})
	b.builds("npm install && npm run build && cat out.txt && npm test", "built 42")
	out, r := b.sh("time -p npm install left-pad")
	if r.ExitCode == 0 || len(r.Denials) == 0 {
		t.Errorf("a download offline: %+v\n%s", r, out)
	}
}

func TestPnpmProject(t *testing.T) {
	needs(t, "pnpm")
	b := project(t, map[string]string{
		"package.json":     `{"name":"m","version":"1.0.0","dependencies":{"dep":"file:./dep"}}`,
		"dep/package.json": `{"name":"dep","version":"1.0.0","main":"i.js"}`,
		"dep/i.js":         "module.exports = 42\n",
	})
	b.builds("pnpm install --offline && node -e 'console.log(\"dep\", require(\"dep\"))'", "dep 42")
}

func TestCargoProject(t *testing.T) {
	needs(t, "cargo", "rustc")
	b := project(t, map[string]string{
		"Cargo.toml":     "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\ndep = { path = \"dep\" }\n",
		"src/main.rs":    "fn main() { println!(\"rust says {}\", dep::answer()); }\n\n#[test]\nfn works() { assert_eq!(dep::answer(), 42); }\n",
		"dep/Cargo.toml": "[package]\nname = \"dep\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"dep/src/lib.rs": "pub fn answer() -> i32 { 42 }\n",
	})
	b.builds("cargo build && ./target/debug/m && cargo test", "rust says 42")
}

func TestPythonProject(t *testing.T) {
	needs(t, "python3")
	b := project(t, map[string]string{
		"m/__init__.py":  "def answer(): return 42\n",
		"test_m.py":      "import unittest, m\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(m.answer(), 42)\n",
		"pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n",
	})
	b.builds("python3 -m unittest 2>&1 && python3 -m venv --without-pip v && v/bin/python -c 'import m, multiprocessing as p; print(\"sum\", sum(p.Pool(2).map(abs, [-40, -2])))'", "sum 42")
}

func TestPipProject(t *testing.T) {
	python := ""
	for _, p := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(p, "-c", "import setuptools").Run() == nil && exec.Command(p, "-m", "pip", "--version").Run() == nil {
			python = p
		}
	}
	if python == "" {
		t.Skip("no python3 with pip and setuptools is installed")
	}
	b := project(t, map[string]string{
		"m/__init__.py":  "def answer(): return 42\n",
		"pyproject.toml": "[project]\nname = 'm'\nversion = '1'\n[build-system]\nrequires = ['setuptools']\nbuild-backend = 'setuptools.build_meta'\n[tool.setuptools]\npackages = ['m']\n",
	})
	b.builds(python+" -m pip install --no-build-isolation --no-deps --target t . 2>&1 && cd / && PYTHONPATH="+b.work+"/t "+python+" -c 'import m; print(\"pip\", m.answer())'", "pip 42")
}

func TestUvProject(t *testing.T) {
	needs(t, "uv", "python3")
	b := project(t, map[string]string{"a.py": "print('uv', 42)\n"})
	b.builds("uv venv -q v && uv run --no-project -p v/bin/python a.py", "uv 42")
}

func TestMakeProject(t *testing.T) {
	needs(t, "make", "gcc")
	b := project(t, map[string]string{
		"Makefile": "CFLAGS=-Wall\nall: m\n\t./m\nm: m.o u.o\n\t$(CC) -o $@ $^ -lm\n",
		"m.c":      "#include <stdio.h>\n#include <math.h>\nint u(void);\nint main(int c, char **v) { printf(\"c says %d\\n\", (int)sqrt(u() + c - 1)); return 0; }\n",
		"u.c":      "int u(void) { return 1764; }\n",
	})
	b.builds("make -j2", "c says 42")
}

func TestMavenProject(t *testing.T) {
	needs(t, "mvn", "javac")
	b := project(t, map[string]string{
		"pom.xml": "<project><modelVersion>4.0.0</modelVersion><groupId>e.i</groupId><artifactId>m</artifactId><version>1</version><packaging>pom</packaging></project>\n",
	})
	b.builds("mvn -q -o validate && mvn --version", "Apache Maven")
}

func TestGradleProject(t *testing.T) {
	needs(t, "gradle")
	b := project(t, map[string]string{
		"settings.gradle": "rootProject.name = 'm'\n",
		"build.gradle":    "task hello { doLast { println 'gradle says ' + 6 * 7 } }\n",
	})
	b.builds("gradle --offline --no-daemon -q hello", "gradle says 42")
}

func TestCommonServers(t *testing.T) {
	needs(t, "go", "python3", "script")
	b := project(t, map[string]string{
		"s.py": "import http.server,threading,urllib.request,socketserver\ns=socketserver.TCPServer(('127.0.0.1',0),http.server.SimpleHTTPRequestHandler)\nthreading.Thread(target=s.serve_forever,daemon=True).start()\nprint('served',urllib.request.urlopen('http://127.0.0.1:%d/README.md'%s.server_address[1]).read())\n",
	})
	b.builds("python3 s.py 2>/dev/null", "served b'hello")
	b.builds("script -qec 'tty; echo in a terminal' /dev/null", "in a terminal")
	b.builds("getent passwd $(id -u) && hostname && nproc && locale -a | head -1 && date && df . >/dev/null && ps ax >/dev/null", "")
}
