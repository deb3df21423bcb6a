package jsonschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		schema     string
		fits, fail []string
	}{
		{`true`, []string{`1`, `null`}, []string{``, `1 2`, `{`, `{"a":1,"a":2}`, "\"\xff\""}},
		{`false`, nil, []string{`1`, `null`}},
		{`{"type":"integer"}`, []string{`1`, `1.0`, `1e2`, `-0`}, []string{`1.5`, `"1"`, `true`, `1e999999999`}},
		{`{"type":["string","null"]}`, []string{`"a"`, `null`}, []string{`1`, `[]`}},
		{`{"type":"number","minimum":0,"exclusiveMaximum":1,"multipleOf":0.1}`, []string{`0`, `0.3`, `9e-1`}, []string{`1`, `-0.1`, `0.15`}},
		{`{"const":9007199254740993}`, []string{`9007199254740993`, `9007199254740993.0`}, []string{`9007199254740992`}},
		{`{"enum":["a",1,{"x":[1]}]}`, []string{`"a"`, `1.0`, `{"x":[1]}`}, []string{`"A"`, `{"x":[1,2]}`, `{"x":[1],"y":1}`}},
		{`{"type":"string","minLength":2,"maxLength":3,"pattern":"^[äb]+$"}`, []string{`"äb"`, `"bbb"`}, []string{`"b"`, `"bbbb"`, `"ab"`}},
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, []string{`{"a":"x"}`}, []string{`{}`, `{"A":"x"}`, `{"a":"x","b":1}`, `{"a":1}`, `[]`}},
		{`{"patternProperties":{"^x_":{"type":"integer"}},"additionalProperties":{"type":"string"},"propertyNames":{"maxLength":3}}`, []string{`{"x_a":1,"b":"s"}`}, []string{`{"x_a":"s"}`, `{"b":1}`, `{"long":"s"}`}},
		{`{"minProperties":1,"maxProperties":2,"dependentRequired":{"a":["b"]}}`, []string{`{"b":1}`, `{"a":1,"b":2}`}, []string{`{}`, `{"a":1}`, `{"a":1,"b":1,"c":1}`}},
		{`{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"integer"},"minItems":1,"maxItems":3,"uniqueItems":true}`, []string{`["a"]`, `["a",1,2]`}, []string{`[]`, `[1]`, `["a","b"]`, `["a",1,1.0]`, `["a",1,2,3]`}},
		{`{"contains":{"const":7}}`, []string{`[1,7]`, `"no array"`}, []string{`[]`, `[1]`}},
		{`{"anyOf":[{"type":"string"},{"minimum":5}]}`, []string{`"a"`, `5`}, []string{`4`}},
		{`{"oneOf":[{"minimum":5},{"multipleOf":2}]}`, []string{`5`, `4`}, []string{`6`, `3`}},
		{`{"allOf":[{"minimum":1},{"maximum":2}],"not":{"const":2}}`, []string{`1`}, []string{`0`, `2`, `3`}},
		{`{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, []string{`{"a":1,"b":1}`, `{"c":1}`}, []string{`{"a":1}`, `{}`}},
		{`{"$ref":"#/$defs/t~1x","$defs":{"t/x":{"properties":{"n":{"$ref":"#/$defs/t~1x"},"v":{"type":"integer"}},"required":["v"]}}}`, []string{`{"v":1,"n":{"v":2}}`}, []string{`{"v":1,"n":{}}`}},
	} {
		s, err := Parse([]byte(tt.schema))
		if err != nil {
			t.Errorf("%s: %v", tt.schema, err)
			continue
		}
		for _, v := range tt.fits {
			if err := s.Check([]byte(v)); err != nil {
				t.Errorf("%s against %s: %v", v, tt.schema, err)
			}
		}
		for _, v := range tt.fail {
			if s.Check([]byte(v)) == nil {
				t.Errorf("%s fits %s", v, tt.schema)
			}
		}
	}
}

func TestSchemaIsRefused(t *testing.T) {
	for _, schema := range []string{
		``, `1`, `"x"`, `[]`, `{"typ":"string"}`, `{"type":"strng"}`, `{"type":1}`, `{"enum":[]}`, `{"$ref":"#/nowhere"}`, `{"$ref":"http://example.org/x"}`, `{"$ref":"other.json"}`,
		`{"$ref":1}`, `{"pattern":"(?=a)"}`, `{"pattern":"["}`, `{"minLength":-1}`, `{"minLength":1.5}`, `{"multipleOf":0}`, `{"minimum":"1"}`, `{"properties":[]}`, `{"items":[{}]}`,
		`{"allOf":{}}`, `{"allOf":[]}`, `{"required":[1]}`, `{"uniqueItems":1}`, `{"properties":{"a":{"unevaluatedProperties":false}}}`, `{"type":"string","type":"number"}`,
		`{"$dynamicRef":"#x"}`, strings.Repeat(`{"not":`, 200) + `{}` + strings.Repeat(`}`, 200), `{"minimum":1e999999999}`, `{"patternProperties":{"(":{}}}`,
	} {
		if _, err := Parse([]byte(schema)); err == nil {
			t.Errorf("%.60s was taken", schema)
		}
	}
}

// TestBombs: schemas that would take for ever are refused in their time, and
// what they say does not count as fitting.
func TestBombs(t *testing.T) {
	chain := `{"$ref":"#/$defs/d0","$defs":{`
	for i := range 40 {
		chain += fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	chain += `"d40":{"type":"integer"}}}`
	for name, tt := range map[string]struct{ schema, value string }{
		"doubling references":    {chain, `1`},
		"a reference to itself":  {`{"$ref":"#"}`, `1`},
		"a circle of references": {`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, `{}`},
		"not itself":             {`{"not":{"$ref":"#"}}`, `1`},
		"alternatives of itself": {`{"anyOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}]}`, `1`},
		"many unique items":      {`{"uniqueItems":true}`, "[" + strings.Repeat("1,", 20000) + "1]"},
		"either":                 {`{"anyOf":[{"not":{"$ref":"#"}},true]}`, `1`},
	} {
		s, err := Parse([]byte(tt.schema))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := s.Check([]byte(tt.value)); err == nil {
			t.Errorf("%s: it fits", name)
		}
	}
	s, err := Parse([]byte(chain))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check([]byte(`1`)); !errors.Is(err, ErrCostly) {
		t.Errorf("%v", err)
	}
}

func TestFaultsNameTheirPlace(t *testing.T) {
	s, err := Parse([]byte(`{"properties":{"a/b":{"items":{"type":"integer"}}},"required":["c"]}`))
	if err != nil {
		t.Fatal(err)
	}
	err = s.Check([]byte(`{"a/b":[1,"x"]}`))
	var misfit *MisfitError
	if !errors.As(err, &misfit) || err.Error() != `the value lacks "c"; /a~1b/1 is string, not integer` {
		t.Errorf("%v", err)
	}
	if err := s.Check([]byte(`{"a/b":["` + strings.Repeat(`x","`, 500) + `"],"c":1}`)); !errors.As(err, &misfit) || len(misfit.Faults) != maxFaults {
		t.Errorf("%d faults", len(misfit.Faults))
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(`{"type":"object","required":["a"]}`, `{"a":1}`)
	f.Add(`{"anyOf":[{"$ref":"#"},{"pattern":"a*"}]}`, `"aaa"`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		s, err := Parse([]byte(schema))
		if err != nil {
			return
		}
		if s.Check([]byte(value)) == nil && !json.Valid([]byte(value)) {
			t.Errorf("%q fits and is no JSON", value)
		}
	})
}
