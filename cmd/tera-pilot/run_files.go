package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tera-pilot/tera-pilot/agent/headless"
)

// readSchema reads the file of --output-schema; "" is none.
func readSchema(file string) (*headless.Schema, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, usage("--output-schema: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return nil, usage("--output-schema: %w", err)
	}
	s, err := headless.ParseSchema(data)
	if err != nil {
		return nil, usage("--output-schema %s: %w", file, err)
	}
	return s, nil
}

// A reportFile is where a report is written when the run is over. Its folder is
// opened before: what the agent does to the names above it leads nowhere else.
// nil is no report.
type reportFile struct {
	dir  *os.Root
	name string
}

// report opens the folder of a report, and tries that it can be written to
// before anything is spent.
func (a *app) report(path string) (*reportFile, error) {
	if path == "" {
		return nil, nil
	}
	if err := a.mayExportTo("--junit", path); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, usage("--junit %s is a folder: name a file in it", path)
	}
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, usage("--junit: %w: make the folder first", err)
	}
	r := &reportFile{dir, filepath.Base(path)}
	if err := r.try(); err != nil {
		return nil, errors.Join(usage("--junit: the folder cannot be written to: %w", err), dir.Close())
	}
	return r, nil
}

func (r *reportFile) try() error {
	f, err := r.temporary()
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), r.dir.Remove(filepath.Base(f.Name())))
}

// temporary makes a file that was not there before.
func (r *reportFile) temporary() (*os.File, error) {
	return r.dir.OpenFile(".tera-pilot-"+rand.Text(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
}

// write puts the report in its place, whole or not at all. A link that stands
// there is replaced and not followed.
func (r *reportFile) write(content func(io.Writer) error) error {
	if r == nil {
		return nil
	}
	f, err := r.temporary()
	if err != nil {
		return fmt.Errorf("--junit: %w", err)
	}
	name := filepath.Base(f.Name())
	if err = errors.Join(content(f), f.Close()); err == nil {
		err = r.dir.Rename(name, r.name)
	}
	if err != nil {
		return fmt.Errorf("--junit: %w", errors.Join(err, r.dir.Remove(name)))
	}
	return nil
}

// Close gives the folder back.
func (r *reportFile) Close() error {
	if r == nil {
		return nil
	}
	return r.dir.Close()
}
