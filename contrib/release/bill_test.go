package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	identifier = regexp.MustCompile(`^SPDXRef-[A-Za-z0-9.-]+$`)
	instant    = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`)
	hexSum     = regexp.MustCompile(`^[0-9a-f]{64}$`)
	locator    = regexp.MustCompile(`^pkg:golang/[^\s@]+@[^\s@]+$`)
)

// check holds a bill to the rules of SPDX 2.3 for what stands in it, and to ours:
// each part has a licence, and hangs on the program.
func (b bill) check() error {
	switch {
	case b.Version != "SPDX-2.3", b.License != "CC0-1.0", b.ID != documentID, b.Name == "":
		return fmt.Errorf("its head is %q %q %q %q", b.Version, b.License, b.ID, b.Name)
	case !strings.HasPrefix(b.Namespace, "https://") || strings.ContainsAny(b.Namespace, "# \t\n"):
		return fmt.Errorf("the namespace %q is no URI without a fragment", b.Namespace)
	case !instant.MatchString(b.Creation.Created):
		return fmt.Errorf("%q is no time", b.Creation.Created)
	case len(b.Creation.Creators) == 0 || !regexp.MustCompile(`^(Tool|Person|Organization): \S`).MatchString(b.Creation.Creators[0]):
		return fmt.Errorf("nobody made it: %v", b.Creation.Creators)
	}
	known := map[string]bool{documentID: true}
	for _, p := range b.Packages {
		if err := p.check(); err != nil {
			return err
		}
		if known[p.ID] {
			return fmt.Errorf("two of %s", p.ID)
		}
		known[p.ID] = true
	}
	hangs := map[string]bool{}
	for _, r := range b.Relationships {
		if !known[r.From] || !known[r.To] {
			return fmt.Errorf("%+v is about something that is not there", r)
		}
		if want := map[string]string{documentID: "DESCRIBES", programID: "STATIC_LINK"}[r.From]; r.Kind != want {
			return fmt.Errorf("%+v: want %q", r, want)
		}
		hangs[r.To] = true
	}
	for id := range known {
		if id != documentID && !hangs[id] {
			return fmt.Errorf("%s hangs on nothing", id)
		}
	}
	return nil
}

func (p billPackage) check() error {
	switch {
	case !identifier.MatchString(p.ID), p.Name == "", p.Version == "":
		return fmt.Errorf("%q %q %q is no name", p.ID, p.Name, p.Version)
	case p.Download == "", p.Copyright == "", p.Analyzed:
		return fmt.Errorf("%s: %q %q %v", p.ID, p.Download, p.Copyright, p.Analyzed)
	case p.Concluded != p.Declared:
		return fmt.Errorf("%s: %q and %q", p.ID, p.Concluded, p.Declared)
	case !slices.Contains([]string{"APPLICATION", "LIBRARY"}, p.Purpose):
		return fmt.Errorf("%s: its purpose is %q", p.ID, p.Purpose)
	case len(p.Refs) != 1 || p.Refs[0].Category != "PACKAGE-MANAGER" || p.Refs[0].Type != "purl" || !locator.MatchString(p.Refs[0].Locator):
		return fmt.Errorf("%s: %+v", p.ID, p.Refs)
	}
	for id := range strings.SplitSeq(p.Concluded, " AND ") {
		if !slices.Contains([]string{"MIT", "ICU", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0"}, id) {
			return fmt.Errorf("%s: %q is no licence that SPDX lists and we accept", p.ID, id)
		}
	}
	for _, c := range p.Checksums {
		if c.Algorithm != "SHA256" || !hexSum.MatchString(c.Value) {
			return fmt.Errorf("%s: %+v", p.ID, c)
		}
	}
	return nil
}

// TestBill: a bill follows the rules, and the rules see what is wrong with one.
func TestBill(t *testing.T) {
	s := source{commit: strings.Repeat("a", 40), when: time.Unix(1_700_000_000, 0).UTC()}
	parts := []part{{path: "example.org/a_b", version: "v1.0.0", sum: "h1:x", licence: "MIT"}, {path: "stdlib", version: "1.26.7", licence: "BSD-3-Clause"}}
	good := func() bill { return newBill("tera-pilot-x", strings.Repeat("0", 64), "0.1.0", s, parts) }
	if err := good().check(); err != nil {
		t.Fatal(err)
	}
	for name, hurt := range map[string]func(*bill){
		"another version of SPDX":  func(b *bill) { b.Version = "SPDX-3.0" },
		"a namespace with a part":  func(b *bill) { b.Namespace += "#x" },
		"a time with a zone":       func(b *bill) { b.Creation.Created = "2026-11-30T00:00:00+01:00" },
		"no creator":               func(b *bill) { b.Creation.Creators = nil },
		"a bad id":                 func(b *bill) { b.Packages[1].ID = "SPDXRef-a_b" },
		"two of one id":            func(b *bill) { b.Packages[2].ID = b.Packages[1].ID },
		"no licence":               func(b *bill) { b.Packages[1].Concluded, b.Packages[1].Declared = "", "" },
		"a licence we do not take": func(b *bill) { b.Packages[1].Concluded, b.Packages[1].Declared = "GPL-3.0-only", "GPL-3.0-only" },
		"no version":               func(b *bill) { b.Packages[1].Version = "" },
		"a dangling relation":      func(b *bill) { b.Relationships[1].To = "SPDXRef-nothing" },
		"a part that hangs loose":  func(b *bill) { b.Relationships = b.Relationships[:2] },
		"half a checksum":          func(b *bill) { b.Packages[0].Checksums[0].Value = "00" },
		"a sum SPDX does not know": func(b *bill) { b.Packages[0].Checksums[0].Algorithm = "h1" },
		"no place to get it from":  func(b *bill) { b.Packages[1].Refs = nil },
	} {
		b := good()
		if hurt(&b); b.check() == nil {
			t.Errorf("%s: not seen", name)
		}
	}
	text, err := good().json()
	var back bill
	if err != nil || json.Unmarshal(text, &back) != nil || back.check() != nil {
		t.Errorf("as JSON: %v\n%s", err, text)
	}
}
