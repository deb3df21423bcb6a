package main

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is one file of an archive, by its name below the archive's folder.
type entry struct {
	name    string
	data    []byte
	program bool // can be executed
}

// paper is what the program writes about itself.
type paper struct {
	version string
	files   []entry
}

// papers lets the program at file write its manual pages and completions.
func papers(ctx context.Context, file, dir string) (paper, error) {
	said, err := output(ctx, "", nil, file, "--version")
	if err != nil {
		return paper{}, err
	}
	words := strings.Fields(said) // tera-pilot version 0.1.0 (…)
	if len(words) < 3 {
		return paper{}, fmt.Errorf("the program's version is %q", said)
	}
	p := paper{version: words[2]}
	for shell, name := range map[string]string{"bash": "tera-pilot.bash", "zsh": "_tera-pilot", "fish": "tera-pilot.fish"} {
		text, err := output(ctx, "", nil, file, "completion", shell)
		if err != nil {
			return paper{}, err
		}
		p.files = append(p.files, entry{name: "completions/" + name, data: []byte(text)})
	}
	if _, err := output(ctx, "", nil, file, "man", dir); err != nil {
		return paper{}, err
	}
	pages, err := read(dir, "*.1", "man/man1")
	p.files = append(p.files, pages...)
	return p, err
}

// contents are the files of an archive: the program, its papers, and the
// documents, so that every link of the README leads somewhere.
func (s source) contents(p paper, program []byte) ([]entry, error) {
	files := append(slices.Clone(p.files), entry{name: "tera-pilot", data: program, program: true})
	for _, pattern := range []string{"LICENSE", "*.md", "docs/*.*", "docs/pictures/*", "contrib/verify/*.py"} {
		some, err := read(s.dir, pattern, path.Dir(pattern))
		if err != nil {
			return nil, err
		}
		files = append(files, some...)
	}
	return files, nil
}

// read reads the files of a folder that a pattern names; there is at least one.
func read(dir, pattern, as string) ([]entry, error) {
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("there is no %s", pattern)
	}
	var out []entry
	for _, name := range names {
		data, readErr := os.ReadFile(name)
		err = errors.Join(err, readErr)
		out = append(out, entry{name: path.Join(as, filepath.Base(name)), data: data})
	}
	return out, err
}

// pack writes a compressed archive that depends on names, content and the time
// of the commit alone: no owner, no clock, one order.
func pack(w io.Writer, folder string, files []entry, when time.Time) error {
	files = slices.SortedFunc(slices.Values(files), func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	zip, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(zip)
	for _, f := range files {
		mode := int64(0o644)
		if f.program {
			mode = 0o755
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: path.Join(folder, f.name), Size: int64(len(f.data)), Mode: mode, ModTime: when, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), zip.Close())
}

// sumsName is the list of hashes, in the form of sha256sum.
const sumsName = "SHA256SUMS"

func writeSums(dir string, names []string) error {
	var b strings.Builder
	for _, name := range slices.Sorted(slices.Values(names)) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), name)
	}
	return os.WriteFile(filepath.Join(dir, sumsName), []byte(b.String()), 0o644)
}

// namespace ties a signature to this use; whoever verifies names it too.
const namespace = "tera-pilot-release"

// sign lets OpenSSH sign a file, into FILE.sig. The key may be a private key,
// or a public one whose private half an agent or a token holds.
func sign(ctx context.Context, key, file string) error {
	public, err := os.ReadFile(strings.TrimSuffix(key, ".pub") + ".pub")
	if err != nil {
		return fmt.Errorf("the key's public half is needed beside it: %w", err)
	}
	if kind, _, _ := strings.Cut(string(public), " "); kind != "ssh-ed25519" && kind != "sk-ssh-ed25519@openssh.com" {
		return fmt.Errorf("%s is of the kind %q; releases are signed with Ed25519: make a key with ssh-keygen -t ed25519", key, kind)
	}
	_, err = output(ctx, "", nil, "ssh-keygen", "-Y", "sign", "-q", "-f", key, "-n", namespace, file)
	return err
}
