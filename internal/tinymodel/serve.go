package tinymodel

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Serve starts the server and gives its address, http://127.0.0.1:PORT. It ends
// with the test. The tree's top is the folder top.
func Serve(t testing.TB, top string) string {
	t.Helper()
	dir := install(t, top)
	data, err := filepath.Abs(filepath.Join(top, "testdata/tiny-model/tiny.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	cmd := exec.CommandContext(t.Context(), "node", "serve.mjs", data, port)
	cmd.Dir = dir
	var words bytes.Buffer
	cmd.Stderr = &words
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed on purpose
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasPrefix(line, "listening") {
		_ = cmd.Wait()
		t.Fatalf("the tiny model does not start: %q, %v, %s", line, err, words.String())
	}
	return "http://127.0.0.1:" + port
}

// install puts the server's packages into .cache at the top of the tree,
// once, from their lock file; nothing of theirs runs at the installation.
func install(t testing.TB, top string) string {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the tiny model's server is locked for linux/amd64")
	}
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed; ./test installs it", name)
		}
	}
	source, err := filepath.Abs(filepath.Join(top, "testdata/tiny-model"))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs(filepath.Join(top, ".cache/tiny-model"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(source, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	done := filepath.Join(dir, ".installed")
	have, err := os.ReadFile(done)
	fresh := err == nil && bytes.Equal(have, want)
	for _, name := range []string{"package.json", "package-lock.json", "serve.mjs"} {
		b, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if fresh {
		return dir
	}
	npmInstall(t, dir)
	if err := os.WriteFile(done, want, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func npmInstall(t testing.TB, dir string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "ci", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		return
	}
	for _, sign := range []string{"ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT", "ECONNRESET", "ENETUNREACH", "EHOSTUNREACH", "E401", "E403", "network"} {
		if bytes.Contains(out, []byte(sign)) {
			t.Skipf("npm reaches no registry from here (%s)", sign)
		}
	}
	t.Fatalf("npm ci: %v\n%s", errors.Join(err, ctx.Err()), out)
}

// freePort is a port of loopback that nobody listens at.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
