package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// strictly reads one JSON value that can be read in one way only: a member that
// comes twice, bytes that are no UTF-8 and half a character are errors. Numbers
// stay as they are written.
func strictly(raw []byte) (any, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("holds bytes that are no UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v, err := strictValue(dec)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("is not JSON: %w", err)
	}
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("holds more than one value")
	}
	return v, nil
}

func strictValue(dec *json.Decoder) (any, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := strictValue(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = dec.Token()
		return list, err
	case json.Delim('{'):
		return strictObject(dec)
	}
	if s, ok := t.(string); ok && strings.ContainsRune(s, utf8.RuneError) {
		return nil, errors.New("holds half a character, or the sign for one (U+FFFD)")
	}
	return t, nil
}

func strictObject(dec *json.Decoder) (any, error) {
	object := map[string]any{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, ok := t.(string)
		if !ok || strings.ContainsRune(name, utf8.RuneError) {
			return nil, errors.New("holds a name that is no text")
		}
		if _, twice := object[name]; twice {
			return nil, fmt.Errorf("holds the member %.40q twice", name)
		}
		if object[name], err = strictValue(dec); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return object, err
}

// canonical is JSON with members sorted, and numbers as they were written.
func canonical(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("mcp: a value of text does not encode: " + err.Error())
	}
	return bytes.TrimSpace(b.Bytes())
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
