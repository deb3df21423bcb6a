package gitsafe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// Offers lists every hook and filter driver of the repository that holds dir,
// with Runs set on those that the person has agreed to. It changes nothing.
func (g *Git) Offers(ctx context.Context, dir string) ([]Offer, error) {
	dir, err := g.folder(dir, "")
	if err != nil {
		return nil, err
	}
	repo, err := g.locate(dir)
	if err != nil {
		return nil, err
	}
	if err := preflight(ctx, repo); err != nil {
		return nil, err
	}
	l, err := g.looker(repo, dir)
	if err != nil {
		return nil, err
	}
	if l.records, err = g.allSettings(ctx, &l); err != nil {
		return nil, err
	}
	list := hooksIn(hookEvents, hooksDir(repo, l.records))
	list = append(list, l.judge().neutralise(l.records).drivers...)
	for i, o := range list {
		list[i].Runs = g.trusts(o.Digest)
	}
	return list, nil
}

// An Agreement is a person's word that a hook or driver may run, inside the
// sandbox, as long as not one byte of it changes.
type Agreement struct {
	Kind   string    `json:"kind"`   // hook, driver
	Name   string    `json:"name"`   // pre-commit, filter.lfs.clean
	Digest string    `json:"digest"` // Offer.Digest
	Where  string    `json:"where"`  // the repository it was agreed to in; told, not compared
	At     time.Time `json:"at"`
}

// Agreements is the file that keeps them. It is read anew for each question.
type Agreements struct{ File string }

// maxAgreements bounds the file, in bytes.
const maxAgreements = 1 << 20

// List reads the file; one that is not there holds nothing. A file that is not
// the person's alone to write, or that is not understood as a whole, is an
// error.
func (a Agreements) List() ([]Agreement, error) {
	if err := statedir.CheckFile(a.File, false); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(a.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Agreement
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if len(b) > maxAgreements {
		err = fmt.Errorf("more than %d bytes", maxAgreements)
	} else if err = dec.Decode(&list); err == nil && dec.More() {
		err = errors.New("text after its end")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; mend it, or remove it and agree anew", a.File, err)
	}
	return list, nil
}

// Covers says that the person has agreed to exactly these bytes. A file that
// cannot be read covers nothing.
func (a Agreements) Covers(digest string) bool {
	list, err := a.List()
	return err == nil && digest != "" && slices.ContainsFunc(list, func(x Agreement) bool { return x.Digest == digest })
}

// Add keeps one more.
func (a Agreements) Add(x Agreement) error {
	list, err := a.List()
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(y Agreement) bool { return y.Digest == x.Digest })
	return a.write(append(list, x))
}

// Remove withdraws one by its digest.
func (a Agreements) Remove(digest string) error {
	list, err := a.List()
	if err != nil {
		return err
	}
	return a.write(slices.DeleteFunc(list, func(y Agreement) bool { return y.Digest == digest }))
}

// write replaces the file as a whole.
func (a Agreements) write(list []Agreement) error {
	b, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(a.File), ".git-trust-")
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), a.File)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
