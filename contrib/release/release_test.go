package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestTheSameBytesTwice makes a release of HEAD twice, in two folders, with two
// environments and two clocks, and holds the archive of this machine to what it
// should be. The soak makes all four.
func TestTheSameBytesTwice(t *testing.T) {
	targets := runtime.GOOS + "/" + runtime.GOARCH
	if os.Getenv("TERA_PILOT_SOAK") != "" {
		targets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64"
	}
	t.Chdir("../..")
	once := filepath.Join(t.TempDir(), "a")
	release(t, once, targets)

	// Whatever a releaser's environment could change about it.
	t.Setenv("TMPDIR", filepath.Join(mkdir(t, t.TempDir(), "a folder with another name")))
	t.Setenv("GOFLAGS", "-tags=another")
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("GOAMD64", "v2")
	t.Setenv("TZ", "Asia/Tokyo")
	t.Setenv("LC_ALL", "C.UTF-8")
	twice := filepath.Join(t.TempDir(), "b")
	release(t, twice, targets)

	a, b := tree(t, once), tree(t, twice)
	if !slices.Equal(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))) {
		t.Fatalf("%v and %v", slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
	}
	for name := range a {
		if !bytes.Equal(a[name], b[name]) {
			t.Errorf("%s: other bytes the second time", name)
		}
	}
	if want := 2*(1+strings.Count(targets, ",")) + 1; len(a) != want {
		t.Errorf("%d files, want %d", len(a), want)
	}
	for name, data := range a {
		if strings.HasSuffix(name, ".tar.gz") {
			checkArchive(t, strings.TrimSuffix(name, ".tar.gz"), data, a)
		}
		if name != sumsName && !strings.Contains(string(a[sumsName]), "  "+name+"\n") {
			t.Errorf("%s lacks %s", sumsName, name)
		}
	}
}

func release(t *testing.T, out, targets string) {
	t.Helper()
	var said bytes.Buffer
	if err := run(t.Context(), []string{"--out", out, "--targets", targets}, &said); err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	if err := run(t.Context(), []string{"--out", out, "--targets", targets}, &said); err == nil {
		t.Error("a release was made over another one")
	}
}

func mkdir(t *testing.T, parts ...string) string {
	t.Helper()
	dir := filepath.Join(parts...)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// tree is the files of a folder.
func tree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, e := range entries {
		if out[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// checkArchive looks at an archive from outside.
func checkArchive(t *testing.T, folder string, data []byte, beside map[string][]byte) {
	t.Helper()
	files := unpacked(t, folder, data)
	for _, name := range []string{"tera-pilot", "LICENSE", "NOTICE", "README.md", "docs/release.md", "man/man1/tera-pilot-run.1", "completions/_tera-pilot", "completions/tera-pilot.bash", "completions/tera-pilot.fish", "contrib/verify/verify.py"} {
		if len(files[name]) == 0 {
			t.Errorf("%s lacks %s", folder, name)
		}
	}
	for _, m := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(string(files["README.md"]), -1) {
		if files[m[1]] == nil {
			t.Errorf("%s: the README links to %s, which is not in the archive", folder, m[1])
		}
	}
	if !bytes.Equal(files["sbom.spdx.json"], beside[folder+".spdx.json"]) {
		t.Errorf("%s: two bills of materials", folder)
	}
	var b bill
	if err := json.Unmarshal(files["sbom.spdx.json"], &b); err != nil {
		t.Fatal(err)
	}
	if err := b.check(); err != nil {
		t.Errorf("%s: %v", folder, err)
	}
	info, err := buildinfo.Read(bytes.NewReader(files["tera-pilot"]))
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{"tera-pilot": true, "stdlib " + strings.TrimPrefix(info.GoVersion, "go"): true}
	for _, m := range info.Deps {
		linked[m.Path+" "+m.Version] = true
		if !bytes.Contains(files["NOTICE"], []byte("\n"+m.Path+" "+m.Version+" (")) {
			t.Errorf("NOTICE lacks %s", m.Path)
		}
	}
	for _, p := range b.Packages {
		name := p.Name + " " + p.Version
		if p.ID == programID {
			name = p.Name
		}
		if !linked[name] {
			t.Errorf("%s: the bill has %q, which is not linked, or twice", folder, name)
		}
		delete(linked, name)
	}
	if len(linked) > 0 {
		t.Errorf("%s: the bill lacks %v", folder, linked)
	}
	runs(t, folder, files)
}

// runs starts the program of this machine's archive: it knows its commit.
func runs(t *testing.T, folder string, files map[string][]byte) {
	t.Helper()
	if !strings.HasSuffix(folder, "-"+runtime.GOOS+"-"+runtime.GOARCH) {
		return
	}
	bin := filepath.Join(t.TempDir(), "tera-pilot")
	if err := os.WriteFile(bin, files["tera-pilot"], 0o700); err != nil {
		t.Fatal(err)
	}
	head, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(bin, "--version").Output()
	if err != nil || !strings.HasSuffix(string(said), " ("+string(head[:12])+")\n") || strings.Contains(string(said), "devel") {
		t.Errorf("it says %q, and HEAD is %s, %v", said, head, err)
	}
	if page := string(files["man/man1/tera-pilot.1"]); !strings.Contains(page, string(head[:12])) {
		t.Errorf("its manual is of another version: %.200s", page)
	}
}

func unpacked(t *testing.T, folder string, data []byte) map[string][]byte {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	var last string
	for r := tar.NewReader(zip); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		name, ok := strings.CutPrefix(h.Name, folder+"/")
		mode := int64(0o644)
		if name == "tera-pilot" {
			mode = 0o755
		}
		if !ok || h.Uid != 0 || h.Gid != 0 || h.Uname+h.Gname != "" || h.Mode != mode || h.Typeflag != tar.TypeReg || h.Name <= last || path.Clean(name) != name {
			t.Errorf("%+v", h)
		}
		last = h.Name
		if files[name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTermsThatNobodyRead stop a release, and so does their absence.
func TestTermsThatNobodyRead(t *testing.T) {
	mit, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, file, words string
		want              string // the licence, or "" for a refusal
	}{
		{"known", "LICENSE", string(mit), "MIT"},
		{"of another holder, wrapped otherwise", "licence.txt", strings.ReplaceAll("Copyright (c) 1999 Somebody <a@example.org>\n"+string(mit), "\n", "\n   "), "MIT"},
		{"one clause more", "LICENSE", string(mit) + "\nThe Software shall be used for Good, not Evil.\n", ""},
		{"one word less", "LICENSE", strings.Replace(string(mit), "without restriction", "with restriction", 1), ""},
		{"copyleft", "COPYING", "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\n", ""},
		{"empty", "LICENSE", "", ""},
		{"none", "readme.md", "free for all", ""},
		{"source code about licences", "license.go", "package x", ""},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.words), 0o600); err != nil {
			t.Fatal(err)
		}
		p := part{path: "example.org/m", version: "v1.0.0"}
		err := p.read([]string{dir})
		if (err == nil) != (c.want != "") || err == nil && p.licence != c.want {
			t.Errorf("%s: %q, %v", c.name, p.licence, err)
		}
	}
	// A folder within a module can have terms of its own: both count.
	above, below := t.TempDir(), t.TempDir()
	for file, words := range map[string]string{filepath.Join(above, "LICENSE"): string(mit), filepath.Join(below, "NOTICE"): "whatever"} {
		if err := os.WriteFile(file, []byte(words), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := (&part{}).read([]string{above, below}); err == nil {
		t.Error("terms of a lower folder were not seen")
	}
}

// TestAModuleThatWasChanged in the cache stops a release, whatever was changed.
func TestAModuleThatWasChanged(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.go")
	write := func(words string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(words), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("package a\n")
	// Made by hand, as go.sum defines it: the hash of the list of the files' hashes.
	list := sha256.Sum256(fmt.Appendf(nil, "%x  example.org/m@v1.0.0/a.go\n", sha256.Sum256([]byte("package a\n"))))
	p := part{path: "example.org/m", version: "v1.0.0", sum: "h1:" + base64.StdEncoding.EncodeToString(list[:])}
	if err := intact(dir, p); err != nil {
		t.Error(err)
	}
	write("package b\n")
	if intact(dir, p) == nil {
		t.Error("a changed file was not seen")
	}
	write("package a\n")
	file = filepath.Join(dir, "b.go")
	write("package a\n")
	if intact(dir, p) == nil {
		t.Error("one file more was not seen")
	}
}

// TestOnlyWhatIsCommitted: what lies about in the working tree is in no release,
// and no name of a commit leads out of the folder it is unpacked into.
func TestOnlyWhatIsCommitted(t *testing.T) {
	repo := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Dir = repo
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	file := filepath.Join(repo, "a.txt")
	write := func(words string) {
		if err := os.WriteFile(file, []byte(words), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("committed")
	git("init", "-q")
	git("add", "a.txt")
	git("commit", "-q", "-m", "a")
	write("changed")
	dir := filepath.Join(t.TempDir(), "out")
	s, err := checkout(t.Context(), repo, "HEAD", dir)
	if err != nil || len(s.commit) != 40 || s.when.IsZero() {
		t.Fatalf("%+v, %v", s, err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "a.txt")); string(got) != "committed" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := checkout(t.Context(), repo, "no-such-commit", filepath.Join(t.TempDir(), "x")); err == nil {
		t.Error("a commit that is not there was unpacked")
	}

	// What this clone alone says about the commit changes nothing of it, or ends it.
	info := filepath.Join(repo, ".git", "info", "attributes")
	if err := os.MkdirAll(filepath.Dir(info), 0o700); err != nil {
		t.Fatal(err)
	}
	write("$Format:%H$")
	git("commit", "-q", "-a", "-m", "b")
	for _, attribute := range []string{"export-ignore", "export-subst", "eol=crlf"} {
		if err := os.WriteFile(info, []byte("a.txt "+attribute+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "x")
		_, err := checkout(t.Context(), repo, "HEAD", dir)
		if got, _ := os.ReadFile(filepath.Join(dir, "a.txt")); err == nil && string(got) != "$Format:%H$" {
			t.Errorf("%s: %q was released", attribute, got)
		}
	}
	if err := os.Remove(info); err != nil {
		t.Fatal(err)
	}
	git("replace", "HEAD", "HEAD~1")
	dir = filepath.Join(t.TempDir(), "y")
	if _, err := checkout(t.Context(), repo, "HEAD", dir); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "a.txt")); string(got) != "$Format:%H$" {
		t.Errorf("%q, of a commit that stands in the place of another", got)
	}

	var hostile bytes.Buffer
	w := tar.NewWriter(&hostile)
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "../outside", Mode: 0o600}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), unpack(&hostile, filepath.Join(t.TempDir(), "in"))); err == nil {
		t.Error("a name that leads outside was unpacked")
	}
}

// TestSigned: what the releaser signs, a user verifies as docs/release.md says;
// one changed byte, another use or another kind of key is refused.
func TestSigned(t *testing.T) {
	dir := t.TempDir()
	sums, key := filepath.Join(dir, sumsName), filepath.Join(dir, "key")
	writeFile := func(name, words string) string {
		t.Helper()
		if err := os.WriteFile(name, []byte(words), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	writeFile(sums, "0123  a.tar.gz\n")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "release", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := sign(t.Context(), key, sums); err != nil {
		t.Fatal(err)
	}
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	signers := writeFile(filepath.Join(dir, "signers"), "tera-pilot "+string(public))
	verify := func(use, words string) error {
		cmd := exec.Command("ssh-keygen", "-Y", "verify", "-f", signers, "-I", "tera-pilot", "-n", use, "-s", sums+".sig")
		cmd.Stdin = strings.NewReader(words)
		return cmd.Run()
	}
	if err := verify(namespace, "0123  a.tar.gz\n"); err != nil {
		t.Errorf("the signature does not verify: %v", err)
	}
	if verify(namespace, "0124  a.tar.gz\n") == nil || verify("file", "0123  a.tar.gz\n") == nil {
		t.Error("another text, or another use, verifies")
	}
	other := writeFile(filepath.Join(dir, "rsa"), "x")
	writeFile(other+".pub", "ssh-rsa AAAA release\n")
	if err := sign(t.Context(), other, sums); err == nil || !strings.Contains(err.Error(), "Ed25519") {
		t.Errorf("an RSA key: %v", err)
	}
	if err := sign(t.Context(), filepath.Join(dir, "none"), sums); err == nil {
		t.Error("a key that is not there signed")
	}
}

// TestPackKnowsNoClock: the order in which files are found, and when, is not in
// an archive.
func TestPackKnowsNoClock(t *testing.T) {
	files := []entry{{name: "b", data: []byte("2")}, {name: "a", data: []byte("1"), program: true}}
	var one, two bytes.Buffer
	when := time.Unix(1_700_000_000, 0)
	err := errors.Join(pack(&one, "x", files, when), pack(&two, "x", []entry{files[1], files[0]}, when.In(time.FixedZone("", 3600))))
	if err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Errorf("other bytes, %v", err)
	}
}
