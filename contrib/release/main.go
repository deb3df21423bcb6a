package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// order is what the releaser asked for.
type order struct {
	out, commit, key string
	targets          []target
}

func parse(args []string, stderr io.Writer) (order, error) {
	var o order
	var names string
	f := flag.NewFlagSet("release", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.out, "out", "dist", "the folder to write into; it must be new or empty")
	f.StringVar(&o.commit, "commit", "HEAD", "the commit to release")
	f.StringVar(&o.key, "sign", "", "an Ed25519 key of OpenSSH that signs SHA256SUMS")
	f.StringVar(&names, "targets", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64", "what to build for")
	if err := f.Parse(args); err != nil {
		return order{}, err
	}
	if f.NArg() > 0 {
		return order{}, fmt.Errorf("%q is no flag; see -h", f.Arg(0))
	}
	for name := range strings.SplitSeq(names, ",") {
		system, arch, ok := strings.Cut(name, "/")
		if !ok {
			return order{}, fmt.Errorf("the target %q is not SYSTEM/ARCH, such as linux/amd64", name)
		}
		o.targets = append(o.targets, target{system, arch})
	}
	return o, nil
}

func run(ctx context.Context, args []string, progress io.Writer) error {
	o, err := parse(args, progress)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := emptyFolder(o.out); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	src, err := checkout(ctx, ".", o.commit, filepath.Join(work, "source"))
	if err != nil {
		return err
	}
	// The program of this machine writes the pages of all targets: the same
	// source has the same words.
	here := target{runtime.GOOS, runtime.GOARCH}
	own := filepath.Join(work, "own")
	if err := src.build(ctx, here, own); err != nil {
		return err
	}
	p, err := papers(ctx, own, filepath.Join(work, "papers"))
	if err != nil {
		return err
	}
	var made []string
	for _, t := range o.targets {
		fmt.Fprintln(progress, "building", p.version, t)
		program := own
		if t != here {
			program = filepath.Join(work, t.system+"-"+t.arch)
			err = src.build(ctx, t, program)
		}
		var files []string
		if err == nil {
			files, err = src.release(ctx, t, p, program, o.out)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		made = append(made, files...)
	}
	if err := writeSums(o.out, made); err != nil {
		return err
	}
	if o.key != "" {
		if err := sign(ctx, o.key, filepath.Join(o.out, sumsName)); err != nil {
			return err
		}
	}
	fmt.Fprintf(progress, "%s of commit %s is in %s\n", p.version, src.commit, o.out)
	return nil
}

// emptyFolder makes a folder, or refuses one that holds something: a release
// holds what was made for it and nothing older.
func emptyFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s is not empty; name another folder with --out", dir)
	}
	return err
}

// release makes the archive and the bill of materials of the program of one
// target, and returns their names.
func (s source) release(ctx context.Context, t target, p paper, program, out string) ([]string, error) {
	name := fmt.Sprintf("tera-pilot-%s-%s-%s", p.version, t.system, t.arch)
	parts, err := s.linked(ctx, t, program)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	bill, err := newBill(name, fmt.Sprintf("%x", sha256.Sum256(data)), p.version, s, parts).json()
	if err != nil {
		return nil, err
	}
	files, err := s.contents(p, data)
	if err != nil {
		return nil, err
	}
	files = append(files, entry{name: "NOTICE", data: notice(parts)}, entry{name: "sbom.spdx.json", data: bill})
	if err := os.WriteFile(filepath.Join(out, name+".spdx.json"), bill, 0o644); err != nil {
		return nil, err
	}
	archive, err := os.OpenFile(filepath.Join(out, name+".tar.gz"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	err = errors.Join(pack(archive, name, files, s.when), archive.Close())
	return []string{name + ".tar.gz", name + ".spdx.json"}, err
}
