package main

import (
	"encoding/json"
	"regexp"
)

// bill is a bill of materials: a document of SPDX 2.3 in JSON. Its clause
// numbers are those of that specification.
type bill struct {
	Version       string         `json:"spdxVersion"`       // 6.1
	License       string         `json:"dataLicense"`       // 6.2
	ID            string         `json:"SPDXID"`            // 6.3
	Name          string         `json:"name"`              // 6.4
	Namespace     string         `json:"documentNamespace"` // 6.5
	Creation      creation       `json:"creationInfo"`
	Packages      []billPackage  `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`  // 6.9
	Creators []string `json:"creators"` // 6.8
}

type billPackage struct {
	Name      string     `json:"name"`             // 7.1
	ID        string     `json:"SPDXID"`           // 7.2
	Version   string     `json:"versionInfo"`      // 7.3
	Download  string     `json:"downloadLocation"` // 7.7
	Analyzed  bool       `json:"filesAnalyzed"`    // 7.8
	Checksums []checksum `json:"checksums,omitempty"`
	Source    string     `json:"sourceInfo,omitempty"` // 7.12
	Concluded string     `json:"licenseConcluded"`     // 7.13
	Declared  string     `json:"licenseDeclared"`      // 7.15
	Copyright string     `json:"copyrightText"`        // 7.17
	Refs      []ref      `json:"externalRefs"`         // 7.21
	Purpose   string     `json:"primaryPackagePurpose"`
}

type checksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type ref struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	From string `json:"spdxElementId"`
	Kind string `json:"relationshipType"` // 11.1
	To   string `json:"relatedSpdxElement"`
}

const (
	documentID = "SPDXRef-DOCUMENT"
	programID  = "SPDXRef-tera-pilot"
	unstated   = "NOASSERTION"
)

// newBill is the bill of one program. Nothing in it depends on the machine or
// the clock: its time is the commit's, and its namespace ends in sum, the
// SHA-256 of the program. The sums of go.sum are over a module's tree and are no checksum that
// SPDX knows, so they stand as text.
func newBill(name, sum, version string, s source, parts []part) bill {
	b := bill{
		Version: "SPDX-2.3", License: "CC0-1.0", ID: documentID, Name: name,
		Namespace: "https://spdx.org/spdxdocs/" + name + "-" + sum,
		Creation:  creation{s.when.Format("2006-01-02T15:04:05Z"), []string{"Tool: tera-pilot-release"}},
		Packages: []billPackage{{
			Name: "tera-pilot", ID: programID, Version: version, Download: unstated,
			Checksums: []checksum{{"SHA256", sum}}, Source: "built from commit " + s.commit,
			Concluded: "MIT", Declared: "MIT", Copyright: unstated, Purpose: "APPLICATION",
			Refs: []ref{purl("github.com/tera-pilot/tera-pilot", "v"+version)},
		}},
		Relationships: []relationship{{documentID, "DESCRIBES", programID}},
	}
	for _, p := range parts {
		one := billPackage{
			Name: p.path, ID: packageID(p), Version: p.version, Download: unstated,
			Concluded: p.licence, Declared: p.licence, Copyright: unstated, Purpose: "LIBRARY",
			Refs: []ref{purl(p.path, p.version)},
		}
		if p.sum != "" {
			one.Source = "go.sum has " + p.sum
		}
		b.Packages = append(b.Packages, one)
		b.Relationships = append(b.Relationships, relationship{programID, "STATIC_LINK", one.ID})
	}
	return b
}

func purl(path, version string) ref {
	return ref{"PACKAGE-MANAGER", "purl", "pkg:golang/" + path + "@" + version}
}

var notOfAnID = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

func packageID(p part) string {
	return "SPDXRef-" + notOfAnID.ReplaceAllString(p.path+"-"+p.version, "-")
}

func (b bill) json() ([]byte, error) {
	out, err := json.MarshalIndent(b, "", "  ")
	return append(out, '\n'), err
}
