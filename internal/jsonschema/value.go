package jsonschema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/strictjson"
)

// Bounds of a document.
const (
	maxBytes  = 16 << 20 // of a value
	maxNumber = 400      // characters of a number, and its exponent
)

// decode reads one JSON value. Objects are map[string]any, numbers
// json.Number.
func decode(data []byte) (any, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("it is longer than %d bytes", maxBytes)
	}
	v, err := strictjson.Value(data)
	if err == nil {
		err = bounded(v)
	} else {
		err = fmt.Errorf("it %w", err)
	}
	return v, err
}

// bounded refuses numbers that would take much memory.
func bounded(v any) error {
	var err error
	switch v := v.(type) {
	case json.Number:
		_, err = rational(v)
	case []any:
		for i := 0; i < len(v) && err == nil; i++ {
			err = bounded(v[i])
		}
	case map[string]any:
		for _, e := range v {
			err = cmp.Or(err, bounded(e))
		}
	}
	return err
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
