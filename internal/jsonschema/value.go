package jsonschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of a document.
const (
	maxDepth  = 100      // of nesting
	maxBytes  = 16 << 20 // of a value
	maxNumber = 400      // characters of a number, and its exponent
)

// decode reads one JSON value. Objects are map[string]any, numbers
// json.Number.
func decode(data []byte) (any, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("it is longer than %d bytes", maxBytes)
	}
	if !utf8.Valid(data) {
		return nil, errors.New("it is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := one(dec, 0)
	if err != nil {
		return nil, plain(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	return v, nil
}

func plain(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends too early")
	}
	return err
}

func one(dec *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	}
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '[' {
			return list(dec, depth)
		}
		return object(dec, depth)
	case json.Number:
		if _, err := rational(t); err != nil {
			return nil, err
		}
		return t, nil
	default:
		return t, nil
	}
}

func list(dec *json.Decoder, depth int) (any, error) {
	out := []any{}
	for dec.More() {
		v, err := one(dec, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	_, err := dec.Token()
	return out, err
}

func object(dec *json.Decoder, depth int) (any, error) {
	out := map[string]any{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string)
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("the name %q comes twice", name)
		}
		if out[name], err = one(dec, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return out, err
}

// rational is a number as it is written. One that would take much memory is
// refused.
func rational(n json.Number) (*big.Rat, error) {
	s := n.String()
	_, exp, _ := strings.Cut(strings.ToLower(s), "e")
	if exp != "" {
		if e, err := strconv.Atoi(exp); err != nil || e > maxNumber || e < -maxNumber {
			return nil, fmt.Errorf("the number %.40s is out of all bounds", s)
		}
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok || len(s) > maxNumber {
		return nil, fmt.Errorf("the number %.40s is out of all bounds", s)
	}
	return r, nil
}

// kindOf is the type of a value in the words of a schema.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if r, err := rational(v); err == nil && r.IsInt() {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	default:
		return "object"
	}
}
