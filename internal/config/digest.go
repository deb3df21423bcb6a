package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
)

// Digest is a SHA-256, in hex, of what is in force: two starts with the same
// digest had the same settings. Keys in the file are left out, since a plain
// hash of a secret could be guessed at; so are keys that mean nothing here.
func (s Settings) Digest() string {
	s.Unused = nil
	s.Providers = maps.Clone(s.Providers)
	for id, p := range s.Providers {
		if p.APIKey != "" {
			p.APIKey = "set"
		}
		s.Providers[id] = p
	}
	b, err := json.Marshal(s)
	if err != nil {
		panic("config: settings do not encode: " + err.Error())
	}
	sum := sha256.Sum256(append([]byte("tera-pilot/settings/1\n"), b...))
	return hex.EncodeToString(sum[:])
}
