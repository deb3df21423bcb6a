// Package strictjson reads one JSON object of known members. encoding/json
// would take a member twice, in any case, and ones that nobody knows: where an
// answer decides something, two readers must not read two things.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Members are the members of the one object that data holds, by their exact
// names, each of them one of known and there at most once.
func Members(data []byte, known ...string) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return nil, errors.New("it does not begin with {")
	}
	out := map[string]json.RawMessage{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		key, _ := name.(string)
		if _, twice := out[key]; twice || !slices.Contains(known, key) {
			return nil, fmt.Errorf("the member %.40q is unknown, or stands there twice", key)
		}
		out[key] = bytes.TrimSpace(value)
	}
	if _, err := dec.Token(); err != nil {
		return nil, errors.New("it is cut off")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("something follows it")
	}
	return out, nil
}
