package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A target is a system and a processor, in Go's words.
type target struct{ system, arch string }

func (t target) String() string { return t.system + "/" + t.arch }

// source is a commit, unpacked.
type source struct {
	dir    string
	commit string    // 40 hex digits
	when   time.Time // of the commit; every file of an archive bears it
}

// checkout unpacks a commit of the repository at repo into the new folder dir.
// The working tree is not looked at.
func checkout(ctx context.Context, repo, rev, dir string) (source, error) {
	stamp, err := output(ctx, repo, gitEnv(), "git", "show", "--no-patch", "--no-show-signature", "--format=%H %ct", rev+"^{commit}")
	if err != nil {
		return source{}, err
	}
	commit, seconds, _ := strings.Cut(strings.TrimSpace(stamp), " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || len(commit) < 40 {
		return source{}, fmt.Errorf("git says %q of %s, which is no commit and time", stamp, rev)
	}
	packed, err := output(ctx, repo, gitEnv(), "git", "archive", "--format=tar", commit)
	if err != nil {
		return source{}, err
	}
	if err := unpack(strings.NewReader(packed), dir); err != nil {
		return source{}, err
	}
	return source{dir, commit, time.Unix(unix, 0).UTC()}, asCommitted(ctx, repo, commit, dir)
}

// gitEnv is what git is told: a commit is what its id says, and not what the
// repository at hand has put in its place.
func gitEnv() []string { return []string{"GIT_NO_REPLACE_OBJECTS=1"} }

// asCommitted holds each unpacked file to its hash in the commit. Attributes, of
// the commit or of this machine alone, let git leave files out and write others.
func asCommitted(ctx context.Context, repo, commit, dir string) error {
	list, err := output(ctx, repo, gitEnv(), "git", "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		about, name, _ := strings.Cut(line, "\t")
		f := strings.Fields(about) // mode, kind, id
		if len(f) != 3 || f[1] != "blob" || f[0] == "120000" {
			continue // a link, which nothing is built from
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil && blobID(data, len(f[2])) != f[2] {
			err = errors.New("git unpacked other bytes")
		}
		if err != nil {
			return fmt.Errorf("%q is not as it was committed: %w (see the attributes export-ignore, export-subst and eol)", name, err)
		}
	}
	return nil
}

// blobID is git's id of a file's content, with as many hex digits as wanted.
func blobID(data []byte, digits int) string {
	var h hash.Hash = sha256.New()
	if digits == 2*sha1.Size {
		h = sha1.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// unpack writes the files and folders of a tar stream below dir.
func unpack(r io.Reader, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(filepath.Clean(h.Name), 0o755)
		case tar.TypeReg:
			err = place(root, h, t)
		case tar.TypeXGlobalHeader, tar.TypeSymlink:
			// the commit's id, and links of test data, which nothing is built from
		default:
			err = fmt.Errorf("%s is of a kind (%c) that no commit has", h.Name, h.Typeflag)
		}
		if err != nil {
			return err
		}
	}
}

func place(root *os.Root, h *tar.Header, r io.Reader) error {
	f, err := root.OpenFile(h.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, h.FileInfo().Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// build links the program of a target. All that the releaser's environment
// could change about it is settled here. The commit is handed in, since Go's
// own stamp also depends on which tags a clone has.
func (s source) build(ctx context.Context, t target, to string) error {
	_, err := output(ctx, s.dir, goEnv(t), "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -X main.commit="+s.commit, "-o", to, "./cmd/tera-pilot")
	return err
}

// goEnv is what go is told, on top of where its caches are.
func goEnv(t target) []string {
	env := []string{
		"CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off",
		"GOEXPERIMENT=", "GOFIPS140=off", "GOAMD64=v1", "GOARM64=v8.0", "GODEBUG=",
	}
	if t != (target{}) {
		env = append(env, "GOOS="+t.system, "GOARCH="+t.arch)
	}
	return env
}

// output runs a program in a folder and returns what it prints. An error holds
// what it says.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), env...), &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, args[0], err, bytes.TrimSpace(errs.Bytes()))
	}
	return out.String(), nil
}
