package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Code of others, from npm, pinned by its content. Both packages bring tests
// that need nothing but the language.
const (
	nodePackage, nodeSum     = "@fastify/error@4.3.0", "7980a744147a40ec297d746481377cc5b227fb567376e723a3cfd15d04bf6c0a"
	pythonPackage, pythonSum = "node-gyp@11.5.0", "d5d805d43a57bf3e526627e1abaf0382f488a46959a5aeaf147b0c183c37b3da" // gyp lies in it
)

// packed is the tarball of a package, fetched once into the user's cache. The
// error says why it is not to be had.
func packed(name, sum string) ([]byte, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "tera-pilot-test")
	file := filepath.Join(dir, sum+".tgz")
	if b, err := os.ReadFile(file); err == nil && sha(b) == sum {
		return b, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	to, err := os.MkdirTemp(dir, "pack-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(to)
	cmd := exec.Command("npm", "pack", "--silent", "--ignore-scripts", "--fetch-retries=1", "--pack-destination", to, name)
	cmd.Dir = to
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack %s: %w: %.300s", name, err, out)
	}
	found, err := filepath.Glob(filepath.Join(to, "*.tgz"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("npm pack %s made %v, %v", name, found, err)
	}
	b, err := os.ReadFile(found[0])
	if err != nil {
		return nil, err
	}
	if sha(b) != sum {
		return nil, fmt.Errorf("%s is not what it was: sha256 %s", name, sha(b))
	}
	return b, os.Rename(found[0], file)
}

func sha(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// unpack writes what lies beneath a folder of a tarball to a folder.
func unpack(t *testing.T, tarball []byte, from, to string) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		name, ok := strings.CutPrefix(h.Name, from+"/")
		if !ok || h.Typeflag != tar.TypeReg || !filepath.IsLocal(name) {
			continue
		}
		file := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b, os.FileMode(h.Mode)&0o777|0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// fromNPM is a repository of a package's code, in a home of its own.
func fromNPM(t *testing.T, name, sum, from string) *patient {
	t.Helper()
	for _, tool := range []string{"node", "npm", "python3"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	tarball, err := packed(name, sum)
	if err != nil {
		t.Skipf("the code of others is not to be had: %v", err)
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &patient{t: t, bin: built(t), home: filepath.Join(base, "home")}
	p.state, p.repo = filepath.Join(p.home, ".tera_pilot"), filepath.Join(p.home, "theirs")
	unpack(t, tarball, from, p.repo)
	p.env = append(os.Environ(), "HOME="+p.home, "TERA_PILOT_HOME=", "TERM=xterm-256color")
	return p
}

// clientSDK is a folder with the official client SDK and the walk that uses it,
// installed once for all tests.
func clientSDK(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the client SDK needs %s", tool)
		}
	}
	dir, err := installedSDK()
	if err != nil {
		t.Skipf("the client SDK cannot be installed here: %v", err)
	}
	return dir
}

var installedSDK = sync.OnceValues(func() (string, error) {
	bin, err := binary() // its folder goes when the tests end
	if err != nil {
		return "", err
	}
	dir := filepath.Join(filepath.Dir(bin), "acp")
	for _, from := range []string{"../../testdata/suites/acp", "../../testdata/walks"} {
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			return "", err
		}
	}
	install := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return dir, nil
})
