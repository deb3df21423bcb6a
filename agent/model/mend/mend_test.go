package mend

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{ // ~ marks what was mended, - what is refused
		`{"b":1,"a":[true,null,-1.50e+3,"x"]}`: `{"b":1,"a":[true,null,-1.50e+3,"x"]}`,
		`{}`:                                   `{}`,
		` [ ] `:                                `[]`,
		`"a"`:                                  `"a"`,
		`{'a': True, b: None,}`:                `~{"a":true,"b":null}`,
		`{'a': "it's", "b": 'x"y'}`:            `~{"a":"it's","b":"x\"y"}`,
		`{'a': '\x41\u0042\'\U0001f600'}`:      `~{"a":"AB'😀"}`,
		"{\"a\":\"x\ty\"}":                     `~{"a":"x\ty"}`,
		`{"a":[1,{"b":2]}`:                     `~{"a":[1,{"b":2}]}`,
		`{"a":[1,{"b":2`:                       `~{"a":[1,{"b":2}]}`,
		`{"a":1,`:                              `~{"a":1}`,
		"~~~\n{\"a\":1}\n~~~":                  `~{"a":1}`,
		"```json\r\n{\"a\":1}\r\n```":          `~{"a":1}`,
		`{"a":"` + "\u2028" + `"}`:             `{"a":"` + "\u2028" + `"}`,

		``:                       `-`,
		`{`:                      `-`,
		`[`:                      `-`,
		`{"a"`:                   `-`,
		`{"a":`:                  `-`,
		`{"a":"x`:                `-`,
		`{"a":'x"}`:              `-`,
		`{"a":1}{"b":2}`:         `-`,
		`{"a":1} x`:              `-`,
		`{"a":1}}`:               `-`,
		`{"a":01}`:               `-`,
		`{"a":+1}`:               `-`,
		`{"a":1.}`:               `-`,
		`{"a":.5}`:               `-`,
		`{"a":NaN}`:              `-`,
		`{"a":0x1f}`:             `-`,
		`{"a":1_000}`:            `-`,
		`{"a":undefined}`:        `-`,
		`{"a":b}`:                `-`,
		`{"a" 1}`:                `-`,
		`{"a":1 "b":2}`:          `-`,
		`{"a":1,,"b":2}`:         `-`,
		`{,"a":1}`:               `-`,
		`[1,,2]`:                 `-`,
		`[,]`:                    `-`,
		`{"a":1,"a":1}`:          `-`,
		`{"a":1,'a':2}`:          `-`,
		`{"a":"\ud83d"}`:         `-`,
		`{"a":"\ude00\ud83d"}`:   `-`,
		`{"a":"\x41"}`:           `-`,
		`{"a":"\'"}`:             `-`,
		"{\"a\":\"\xff\"}":       `-`,
		`{1:2}`:                  `-`,
		`("a",)`:                 `-`,
		`{"a":1 /* x */}`:        `-`,
		"```json\n{\"a\":1}":     `-`,
		"```\n{\"a\":1}\n```\nx": `-`,
		strings.Repeat("[", 100) + strings.Repeat("]", 100): `-`,
	} {
		v, mended, err := Parse(text)
		got := "-"
		if err == nil {
			got = string(v.JSON())
			if mended {
				got = "~" + got
			}
		}
		if got != want {
			t.Errorf("%q: %s, %v; want %s", text, got, err, want)
		}
	}
}

const schemaText = `{"type":"object","required":["s"],"properties":{
	"s":{"type":"string"},"i":{"type":"integer"},"n":{"type":"number"},"b":{"type":"boolean"},
	"l":{"type":"array","items":{"type":"integer"}},"o":{"type":"object","required":["x"],"properties":{"x":{"type":"integer"}}},
	"e":{"enum":["a","b"]},"m":{"type":["integer","null"]},"u":{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"integer"}}]},
	"r":{"$ref":"#/$defs/pair"},"f":{"type":"object"},"any":{},"never":false,
	"k":{"allOf":[{"type":"object","properties":{"p":{"type":"integer"}}},{"type":"object","properties":{"q":{"type":"integer"}}}]},
	"a":{"type":"object","properties":{"x":{"type":"integer"}},"additionalProperties":{"type":"integer"}},
	"c":{"type":"object","properties":{},"additionalProperties":false}},
	"$defs":{"pair":{"type":"object","properties":{"x":{"type":"integer"},"r":{"$ref":"#/$defs/pair"}}}}}`

func TestFit(t *testing.T) {
	schema, err := ParseSchema(json.RawMessage(schemaText))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{ // arguments, what they become or -, repairs
		{`{"s":"x"}`, `{"s":"x"}`, ``},
		{`{}`, `-`, ``},
		{`{"s":null}`, `-`, ``},
		{`{"s":"x","i":"7","n":"-1.5e3","b":"true"}`, `{"s":"x","i":7,"n":-1.5e3,"b":true}`, `coerce:i coerce:n coerce:b`},
		{`{"s":"x","i":" 7\n"}`, `{"s":"x","i":7}`, `coerce:i`},
		{`{"s":"x","i":"7.0"}`, `{"s":"x","i":7}`, `coerce:i`},
		{`{"s":"x","i":"7.5"}`, `-`, ``},
		{`{"s":"x","i":"07"}`, `-`, ``},
		{`{"s":"x","i":""}`, `-`, ``},
		{`{"s":"x","i":true}`, `-`, ``},
		{`{"s":"x","b":"yes"}`, `-`, ``},
		{`{"s":"x","b":1}`, `-`, ``},
		{`{"s":7}`, `-`, ``},
		{`{"s":"x","l":5}`, `{"s":"x","l":[5]}`, `coerce:l`},
		{`{"s":"x","l":"5"}`, `{"s":"x","l":[5]}`, `coerce:l coerce:l.0`},
		{`{"s":"x","l":"[5,6]"}`, `{"s":"x","l":[5,6]}`, `coerce:l`},
		{`{"s":"x","l":["5"]}`, `{"s":"x","l":[5]}`, `coerce:l.0`},
		{`{"s":"x","l":{"a":1}}`, `-`, ``},
		{`{"s":"x","o":{"x":"1","y":2}}`, `{"s":"x","o":{"x":1}}`, `coerce:o.x drop_extra:o.y`},
		{`{"s":"x","o":"{\"x\":1}"}`, `{"s":"x","o":{"x":1}}`, `coerce:o`},
		{`{"s":"x","o":{}}`, `-`, ``},
		{`{"s":"x","e":"b"}`, `{"s":"x","e":"b"}`, ``},
		{`{"s":"x","e":"B"}`, `-`, ``},
		{`{"s":"x","i":null,"m":null}`, `{"s":"x","m":null}`, `drop_null:i`},
		{`{"s":"x","u":"3"}`, `{"s":"x","u":3}`, `coerce:u`},
		{`{"s":"x","u":[3]}`, `{"s":"x","u":[3]}`, ``},
		{`{"s":"x","r":{"x":"1","r":{"x":2,"z":3}}}`, `{"s":"x","r":{"x":1,"r":{"x":2}}}`, `coerce:r.x drop_extra:r.r.z`},
		{`{"s":"x","f":{"whatever":[1]}}`, `{"s":"x","f":{"whatever":[1]}}`, ``},
		{`{"s":"x","any":{"y":null}}`, `{"s":"x","any":{"y":null}}`, ``},
		{`{"s":"x","never":1}`, `-`, ``},
		{`{"s":"x","k":{"p":"1","q":"2"}}`, `{"s":"x","k":{"p":1,"q":2}}`, `coerce:k.p coerce:k.q`},
		{`{"s":"x","a":{"x":1,"y":"2"}}`, `{"s":"x","a":{"x":1,"y":2}}`, `coerce:a.y`},
		{`{"s":"x","c":{"y":1}}`, `{"s":"x","c":{}}`, `drop_extra:c.y`},
		{`{"S":"x","s":"y"}`, `{"s":"y"}`, `drop_extra:S`},
	} {
		v, _, err := Parse(c[0])
		if err != nil {
			t.Fatal(err)
		}
		repairs, err := Fit(schema, v)
		got := "-"
		if err == nil {
			got = string(v.JSON())
		} else {
			repairs = nil
		}
		if got != c[1] || strings.Join(repairs, " ") != c[2] {
			t.Errorf("%s: %s %v, %v", c[0], got, repairs, err)
		}
	}
}

func TestSchemasOfOldAndBadKinds(t *testing.T) {
	for text, ok := range map[string]bool{
		``: true, `true`: true, `false`: true, `{}`: true,
		`{"properties":{"a":{"type":"string","required":true}}}`:  true,
		`{"type":"array","items":[{"type":"string"}]}`:            true,
		`{"type":"object","definitions":{"x":{"type":"string"}}}`: true,
		`{"$ref":"#/nowhere"}`:                                    true,
		`{"type":7}`:                                              false, `{"properties":[]}`: false, `[`: false,
	} {
		if _, err := ParseSchema(json.RawMessage(text)); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
	loop, err := ParseSchema(json.RawMessage(`{"$ref":"#"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Fit(loop, Str("x")); err == nil {
		t.Error("a schema that is only itself fits something")
	}
}

// TestFitEnds: schemas and arguments that multiply are given up on.
func TestFitEnds(t *testing.T) {
	twice, err := ParseSchema(json.RawMessage(`{"anyOf":[{"$ref":"#"},{"$ref":"#"},{"anyOf":[{"$ref":"#"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Fit(twice, Str("x")); err == nil {
		t.Error("a schema without end fits")
	}
	object, err := ParseSchema(json.RawMessage(`{"type":"object","properties":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	many := &Value{Kind: Object}
	for i := range 90_000 {
		many.Members = append(many.Members, Member{strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26%50), Str("")})
	}
	if _, err := Fit(object, many); err == nil {
		t.Error("arguments of nothing but mistakes fit")
	}
}

// FuzzParse: valid JSON keeps its meaning and is not called mended, unless a
// key comes twice or a string is no text; what is mended is valid, and parses
// again to the same without mending.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,"\u00e9",null]}`, `{'a': True,}`, "```json\n{\"a\":1}\n```", `{"a":{"b":[1`, `{"a":"\ud83d\ude00"}`, `{a:'\x41'}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, mended, err := Parse(text)
		if err != nil {
			return
		}
		out := v.JSON()
		if !json.Valid(out) {
			t.Fatalf("%q became %q", text, out)
		}
		again, mendedAgain, err := Parse(string(out))
		if err != nil || mendedAgain || !Equal(v, again) {
			t.Fatalf("%q became %q, which is not the same: %v", text, out, err)
		}
		if !mended && !json.Valid([]byte(text)) {
			t.Fatalf("%q is no JSON, and was called whole", text)
		}
		if json.Valid([]byte(text)) {
			var a, b any
			if json.Unmarshal([]byte(text), &a) != nil || json.Unmarshal(out, &b) != nil {
				return // a number that encoding/json cannot hold
			}
			if mended || !cmp.Equal(a, b) {
				t.Fatalf("%q became %q, mended: %v", text, out, mended)
			}
		}
	})
}

// FuzzFit: what fits, fits again without a change; nothing panics; no field
// appears that was not there.
func FuzzFit(f *testing.F) {
	f.Add(`{"s":"x","i":"7","l":"[1]","o":{"x":"1"},"k":{"p":"1"}}`)
	f.Add(`{"s":"x","u":"3","r":{"r":{"r":{}}},"m":null}`)
	schema, err := ParseSchema(json.RawMessage(schemaText))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, _, err := Parse(text)
		if err != nil || v.Kind != Object {
			return
		}
		before := v.clone()
		if _, err := Fit(schema, v); err != nil {
			return
		}
		once := v.clone()
		repairs, err := Fit(schema, v)
		if err != nil || len(repairs) > 0 || !Equal(once, v) {
			t.Fatalf("%s fits as %s, and then not: %v %v", text, once.JSON(), repairs, err)
		}
		for _, m := range v.Members {
			if before.Member(m.Key) == nil {
				t.Fatalf("%s got a field %q", text, m.Key)
			}
		}
	})
}
