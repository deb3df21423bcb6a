package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
)

func base64Of(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// encode writes a body. Structs keep the order of their members and maps are
// sorted, so that equal requests are equal bytes; the messages stand last, so
// that the next turn's bytes begin with this one's.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// compact is a schema in one line; an absent one takes any object.
func compact(schema json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if len(schema) == 0 || json.Compact(&b, schema) != nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	return b.Bytes()
}

func bearer(k Key) http.Header {
	h := http.Header{}
	if !k.IsZero() {
		h.Set("Authorization", "Bearer "+k.secret)
	}
	return h
}

// joinText is the text of a message's parts of one kind.
func joinText(parts []Part, kind PartKind) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Kind == kind {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// safeID writes an id with letters, digits, _ and - only, as vendors want it.
// An id that has others is hashed: the same one always to the same.
func safeID(id string) string {
	if id != "" && len(id) <= 64 && strings.Trim(id, idLetters+"_-") == "" {
		return id
	}
	return "call_" + hashID(id, 24)
}

const idLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// shortID writes an id as exactly nine letters and digits.
func shortID(id string) string {
	if len(id) == 9 && strings.Trim(id, idLetters) == "" {
		return id
	}
	return hashID(id, 9)
}

func hashID(id string, n int) string {
	sum := sha256.Sum256([]byte(id))
	var b strings.Builder
	for i := range n {
		b.WriteByte(idLetters[int(sum[i])%len(idLetters)])
	}
	return b.String()
}

// opaqueOf gives the value of an opaque block of this kind.
func opaqueOf(p Part, kind string) (string, bool) {
	if p.Kind == PartOpaque && p.Opaque != nil && p.Opaque.Kind == kind {
		return p.Opaque.Value, true
	}
	return "", false
}
