package acp

import (
	"encoding/json"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// TestFormsThatLie: values that another reader would take for others are no
// answer, whatever else the form holds.
func TestFormsThatLie(t *testing.T) {
	q := event.Question{Kind: event.AskUser, Form: []event.Field{
		{Name: "s", Kind: event.FieldString}, {Name: "n", Kind: event.FieldInteger}, {Name: "x", Kind: event.FieldNumber}, {Name: "b", Kind: event.FieldBoolean},
		{Name: "c", Kind: event.FieldChoice, Options: []string{"u", "v"}}, {Name: "m", Kind: event.FieldChoices, Options: []string{"u", "v"}},
	}}
	f, ok := formOf(q)
	if !ok {
		t.Fatal("no form")
	}
	for _, content := range []string{
		`"n":3.0`, `"n":1e3`, `"n":9223372036854775808`, `"n":true`, `"n":[3]`, `"n":null`, `"n":03`, `"n":+3`, `"n":0x3`, `"n":3_0`,
		`"x":1e400`, `"x":-1e400`, `"x":Infinity`, `"x":.5`, `"x":1.`, `"x":"1"`, `"x":null`, `"x":0x1p2`,
		`"b":1`, `"b":TRUE`, `"b":"true"`, `"b":null`, `"b":[true]`,
		`"c":"U"`, `"c":"u "`, `"c":"u\u0000"`, `"c":"\u200bu"`, `"c":["u"]`, `"c":null`, `"c":""`,
		`"m":"u"`, `"m":["u",["v"]]`, `"m":["u","U"]`, `"m":[null]`, `"m":null`, `"m":{"0":"u"}`, `"m":["u","u"]`,
		`"s":null`, `"s":{}`, `"s":"a","s":"b"`, `"s":"a","\u0073":"b"`, `"S":"a"`, `"s ":"a"`, `"__proto__":{"s":"a"}`, `"":""`,
	} {
		for _, reply := range []string{`{"action":"accept","content":{` + content + `}}`, `{"action":"accept","content":{"s":"a",` + content + `}}`} {
			if a := filled(json.RawMessage(reply), nil, q, f); a.Choice != event.Deny || a.Form != nil || a.Text != "" {
				t.Errorf("%s: %+v", reply, a)
			}
		}
	}
	for _, reply := range []string{
		`{"action":"Accept","content":{"s":"a"}}`, `{"action":"accept ","content":{"s":"a"}}`, `{"action":["accept"],"content":{"s":"a"}}`, `{"action":{"action":"accept"},"content":{"s":"a"}}`, `{"action":true,"content":{"s":"a"}}`,
		`{"action":"accept","Content":{"s":"a"}}`, `{"action":"accept","content":{"s":"a"},"content":{"s":"b"}}`, `{"action":"accept","content":"{\"s\":\"a\"}"}`, `[{"action":"accept","content":{"s":"a"}}]`,
		`{"action":"accept","content":{"s":"a"}} {"action":"decline"}`, `{"outcome":{"outcome":"selected","optionId":"x"}}`, ``, `{`,
	} {
		if a := filled(json.RawMessage(reply), nil, q, f); a.Choice != event.Deny {
			t.Errorf("%s: %+v", reply, a)
		}
	}
}
