package event

import (
	"errors"
	"strings"
	"testing"
)

func bound(n float64) *float64 { return &n }

func TestCheckField(t *testing.T) {
	str := Field{Name: "s", Kind: FieldString, Min: bound(2), Max: bound(4)}
	num := Field{Name: "n", Kind: FieldNumber, Min: bound(-1), Max: bound(1.5)}
	in := Field{Name: "i", Kind: FieldInteger, Required: true}
	one := Field{Name: "c", Kind: FieldChoice, Options: []string{"a", "b\x1b"}}
	some := Field{Name: "m", Kind: FieldChoices, Options: []string{"a", "b", "c"}, Min: bound(1), Max: bound(2)}
	for _, tt := range []struct {
		f     Field
		value string
		why   string // "" when it fits
	}{
		{str, "", ""}, {str, "äöü", ""}, {str, "x", "at least 2 characters"}, {str, "xxxxx", "at most 4 characters"}, {str, "a\xff", "UTF-8"},
		{num, "1.5", ""}, {num, "-1e0", ""}, {num, "1.6", "at most 1.5"}, {num, "-2", "at least -1"}, {num, "0x1p1", "a number"}, {num, "Inf", "a number"}, {num, "1_0", "a number"}, {num, ".5", "a number"},
		{in, "", "required"}, {in, "7", ""}, {in, "+7", "whole number"}, {in, "1.0", "whole number"}, {in, "99999999999999999999", "whole number"}, {in, "07", "whole number"},
		{Field{Kind: FieldBoolean}, "true", ""}, {Field{Kind: FieldBoolean}, "yes", "true or false"},
		{one, "b\x1b", ""}, {one, "c", "one of the choices"},
		{some, `["a","c"]`, ""}, {some, `["a","a"]`, "each once"}, {some, `["a","b","c"]`, "at most 2"}, {some, `[]`, "at least 1"}, {some, `a`, "some of"}, {some, `null`, "some of"},
		{Field{Kind: FieldString, Format: "email"}, "me@example.org", ""}, {Field{Kind: FieldString, Format: "email"}, "a@b@c", "an address"},
		{Field{Kind: FieldString, Format: "uri"}, "https://example.org/x", ""}, {Field{Kind: FieldString, Format: "uri"}, "example", "a URI"},
		{Field{Kind: FieldString, Format: "date"}, "2026-02-29", "a date"}, {Field{Kind: FieldString, Format: "date-time"}, "2026-02-28T10:00:00Z", ""},
		{Field{Kind: "strange"}, "x", "no value fits"}, {Field{}, "x", "no value fits"},
		{Field{Kind: FieldString}, strings.Repeat("x", MaxFieldText+1), "at most"},
	} {
		err := tt.f.Check(tt.value)
		if (err == nil) != (tt.why == "") || err != nil && !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s %.20q: %v, want %q", tt.f.Kind, tt.value, err, tt.why)
		}
	}
}

func TestCheckForm(t *testing.T) {
	form := []Field{{Name: "a", Kind: FieldString, Required: true}, {Name: "b", Kind: FieldBoolean}}
	for _, tt := range []struct {
		values map[string]string
		wrong  string
	}{
		{map[string]string{"a": "x"}, ""}, {map[string]string{"a": "x", "b": "true"}, ""},
		{nil, "a"}, {map[string]string{"a": "x", "b": "1"}, "b"}, {map[string]string{"a": "x", "z": ""}, "z"},
	} {
		var wrong string
		if e, ok := errors.AsType[*FieldError](CheckForm(form, tt.values)); ok {
			wrong = e.Name
		}
		if wrong != tt.wrong {
			t.Errorf("%v: %q, want %q", tt.values, wrong, tt.wrong)
		}
	}
	if HashForm(nil, form) == HashForm(nil, form[:1]) || HashForm(nil, form) == HashForm([]Line{{Text: "x"}}, form) {
		t.Error("another form has the same hash")
	}
}
