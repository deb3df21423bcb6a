package gitsafe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	b, err := statedir.Read(a.File, false)
	if err != nil {
		return nil, err
	}
	return a.parse(b)
}

// parse understands the file's content as a whole, or not at all.
func (a Agreements) parse(b []byte) (list []Agreement, err error) {
	if b == nil {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if len(b) > maxAgreements {
		err = fmt.Errorf("more than %d bytes", maxAgreements)
	} else if err = dec.Decode(&list); err == nil {
		if _, end := dec.Token(); end != io.EOF {
			err = errors.New("text after its end")
		}
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
	return a.update(func(list []Agreement) []Agreement { return append(without(list, x.Digest), x) })
}

// Remove withdraws one by its digest.
func (a Agreements) Remove(digest string) error {
	return a.update(func(list []Agreement) []Agreement { return without(list, digest) })
}

func without(list []Agreement, digest string) []Agreement {
	return slices.DeleteFunc(list, func(x Agreement) bool { return x.Digest == digest })
}

// update replaces the file as a whole. Processes that do so wait for each
// other, so that none brings back what another one withdrew.
func (a Agreements) update(change func([]Agreement) []Agreement) error {
	return statedir.Update(a.File, func(old []byte) ([]byte, error) {
		list, err := a.parse(old)
		if err != nil {
			return nil, err
		}
		b, err := json.MarshalIndent(change(list), "", "  ")
		return append(b, '\n'), err
	})
}
