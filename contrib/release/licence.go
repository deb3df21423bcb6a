package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/dirhash"
)

// part is something that is linked into the program: a module, or Go's own
// library.
type part struct {
	path, version string
	sum           string // of go.sum; "" for Go's own library
	licence       string // an SPDX expression
	texts         []text
}

type text struct{ file, words string }

// reviewed are the licence texts that somebody read, by the hash of their words
// (digest), as identifiers of SPDX. All of them permit what we do with the
// code, and ask for no more than to be passed on, which NOTICE does. A text
// that is not here stops the release: read it, and add it or drop the module.
var reviewed = map[string]string{
	"35a446201226de6b27cfb7106d0f6c697f63bfeac2913dcf89024911e66ef164": "MIT",
	"6c833965e9ca4cf8095655005226f24fe8bf7b1605dbe513204837a7371fa127": "MIT", // with another title
	"0cf21bdfd1964a97a8615e128534845826afbc887edc95aa5c925cbf64386b5c": "MIT", // without a title
	"c1ebbf30401272f9d662677a87adbd02c4dde142693f111f8ca1530be3f0045f": "MIT", // with the module's name: go-toml
	"4b209376e68a2a2d1df89bd58cba46ba556e8cb9b281d29424bd87f0712ee537": "MIT", // and a word about the next one: chardet
	"287556568c67774051785cc2ce643584ca0817ed25ccde53f1c12a6fed28ccec": "ICU",
	"48a6c8566967108ff456fde2d9e45199df7a8cf85cff34196f64518281a6ac2c": "BSD-3-Clause", // of Google LLC
	"73d4f18261dc5ce7e97c2c48d40b56085ef20d1ddcb89938580af8b1a99a59fd": "BSD-3-Clause", // of Google Inc.
	"53075742228962c7ea381b8242c64602fa32e7b8f52facb6d13ee4f9c596ddfa": "BSD-3-Clause",
	"ab16bc29c9f856a453f1a7fde101ff620cb3dc4a953ee602106fa77cdb13ff78": "BSD-3-Clause",
	"bb8d5167f37272384441ac2148c59da24c839b381820871d431b344c14921eed": "BSD-2-Clause",
	"1d2490e65bade4b7cde700178105759a1eeb6ed401841c01b9ff35e40e55c5ad": "Apache-2.0",
	"e9dbf930ca0f1e090ec68da9a37b657d11bc9e43b30643455d6a96dbf73116ca": "Apache-2.0", // without the appendix
	"d61b69377a234fe2995fb7b78d1bb37e0eb82063cf4b9ccb13138e4847ee4030": patents,      // of the Go project
}

// patents is a grant beside a licence, and no licence of its own.
const patents = "(patents)"

// legal are the names of files that say under what terms something is given.
var legal = regexp.MustCompile(`(?i)licen[cs]e|^copying|^notice|^patents`)

// linked are the parts of a program, with their licences. That they are the
// ones of buildinfo, and no list that somebody keeps, is the point.
func (s source) linked(ctx context.Context, t target, program string) ([]part, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	folders, err := s.folders(ctx, t)
	if err != nil {
		return nil, err
	}
	root, err := output(ctx, s.dir, goEnv(t), "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	std := part{path: "stdlib", version: strings.TrimPrefix(info.GoVersion, "go")}
	if err := std.read([]string{strings.TrimSpace(root)}); err != nil {
		return nil, err
	}
	parts := []part{std}
	for _, m := range info.Deps {
		if m.Replace != nil {
			return nil, fmt.Errorf("%s is replaced; what is given out is built from published modules", m.Path)
		}
		p := part{path: m.Path, version: m.Version, sum: m.Sum}
		at := folders[m.Path]
		if err := intact(at.root, p); err != nil {
			return nil, err
		}
		if err := p.read(at.dirs); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// intact holds a module, unpacked in the cache, to its sum of go.sum: Go itself
// looks at a module only when it unpacks it.
func intact(root string, p part) error {
	sum, err := dirhash.HashDir(root, p.path+"@"+p.version, dirhash.Hash1)
	if err == nil && sum != p.sum {
		err = fmt.Errorf("%s %s was changed in the cache (%s): remove that folder, and go mod download", p.path, p.version, root)
	}
	return err
}

// cached is where a module is unpacked, and which of its folders count.
type cached struct {
	root string
	dirs []string
}

// folders are, of each module, those of the packages that the program is made
// of, and all above them within the module: each may have terms of its own.
func (s source) folders(ctx context.Context, t target) (map[string]cached, error) {
	list, err := output(ctx, s.dir, goEnv(t), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}\t{{.Dir}}", "./cmd/tera-pilot")
	if err != nil {
		return nil, err
	}
	out := map[string]cached{}
	for line := range strings.Lines(list) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 3 {
			continue // Go's own library
		}
		at := cached{f[1], out[f[0]].dirs}
		for dir := f[2]; strings.HasPrefix(dir, f[1]); dir = filepath.Dir(dir) {
			if !slices.Contains(at.dirs, dir) {
				at.dirs = append(at.dirs, dir)
			}
		}
		slices.Sort(at.dirs)
		out[f[0]] = at
	}
	return out, nil
}

// read finds the texts of a part. No text, or one that nobody reviewed, is an
// error.
func (p *part) read(dirs []string) error {
	ids := map[string]bool{}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() || !legal.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			words, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			id, ok := reviewed[digest(words)]
			if !ok {
				return fmt.Errorf("nobody has reviewed the terms of %s %s: read %s, and if they are permissive add %q to licence.go",
					p.path, p.version, filepath.Join(dir, e.Name()), digest(words))
			}
			p.texts = append(p.texts, text{e.Name(), string(words)})
			if id != patents {
				ids[id] = true
			}
		}
	}
	if len(ids) == 0 {
		return fmt.Errorf("%s %s comes without a licence: it cannot be given out", p.path, p.version)
	}
	p.licence = strings.Join(slices.Sorted(maps.Keys(ids)), " AND ")
	return nil
}

var (
	holders = regexp.MustCompile(`(?im)^\W*(copyright\b|\(c\)|all rights reserved).*$`)
	word    = regexp.MustCompile(`[a-z0-9]+`)
)

// digest is the SHA-256 of the words of a licence text, without the lines that
// name its holders: what remains is the same for everybody who uses it.
func digest(text []byte) string {
	words := word.FindAll(bytes.ToLower(holders.ReplaceAll(text, nil)), -1)
	sum := sha256.Sum256(bytes.Join(words, []byte(" ")))
	return hex.EncodeToString(sum[:])
}

// notice is the text that passes all licences on.
func notice(parts []part) []byte {
	var b bytes.Buffer
	b.WriteString("tera-pilot is made with the following works. Each is under its own terms.\n")
	for _, p := range parts {
		for _, t := range p.texts {
			fmt.Fprintf(&b, "\n%s\n%s %s (%s): %s\n\n%s\n", strings.Repeat("-", 72), p.path, p.version, p.licence, t.file, strings.TrimSpace(t.words))
		}
	}
	return b.Bytes()
}
