package acp

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/acp/wire"
	"github.com/tera-pilot/tera-pilot/agent/event"
)

// TestFormsAreNeverAYes: a form answers what the model asks, in the members
// that were asked for, and stands for no permission.
func TestFormsAreNeverAYes(t *testing.T) {
	for _, kind := range []event.QuestionKind{event.AskCommand, event.AskEdit, event.AskRead, event.AskGit, event.AskFetch, event.AskMCP, event.AskOther, event.AskUnknown, ""} {
		if _, ok := formOf(event.Question{Kind: kind, Form: []event.Field{{Name: "a", Kind: "string"}}, Options: []string{"yes"}}); ok {
			t.Errorf("%s can be answered by a form", kind)
		}
	}
	open := event.Question{Kind: event.AskUser}
	few := event.Question{Kind: event.AskUser, Options: []string{"red", "blue"}}
	form := event.Question{Kind: event.AskUser, Form: []event.Field{
		{Name: "name", Kind: "string", Required: true}, {Name: "n", Kind: "integer"}, {Name: "x", Kind: "number"}, {Name: "b", Kind: "boolean"}, {Name: "c", Kind: "choice", Options: []string{"u", "v"}},
	}}
	two := 2.0
	bounded := event.Question{Kind: event.AskUser, Form: []event.Field{{Name: "s", Kind: event.FieldString, Min: &two}, {Name: "m", Kind: event.FieldChoices, Options: []string{"u", "v", "w"}, Max: &two}}}
	for _, tt := range []struct {
		q     event.Question
		reply string
		text  string
		form  map[string]string
	}{
		{bounded, `{"action":"accept","content":{"s":"ab","m":["u", "w"]}}`, "", map[string]string{"s": "ab", "m": `["u","w"]`}},
		{bounded, `{"action":"accept","content":{"s":"a"}}`, "", nil}, {bounded, `{"action":"accept","content":{"m":["u","v","w"]}}`, "", nil}, {bounded, `{"action":"accept","content":{"m":["x"]}}`, "", nil},
		{bounded, `{"action":"accept","content":{"m":"u"}}`, "", nil}, {bounded, `{"action":"accept","content":{"m":["u","u"]}}`, "", nil},
		{open, `{"action":"accept","content":{"answer":"red"}}`, "red", nil},
		{open, `{"action":"accept","content":{"answer":"red"},"_meta":{}}`, "red", nil},
		{open, `{"action":"accept","content":{"answer":"red","more":"x"}}`, "", nil},
		{open, `{"action":"accept","content":{"answer":1}}`, "", nil},
		{open, `{"action":"accept","content":{"answer":""}}`, "", nil},
		{open, `{"action":"accept","content":{}}`, "", nil}, {open, `{"action":"accept","content":null}`, "", nil}, {open, `{"action":"accept"}`, "", nil}, {open, `{"action":"accept","content":[]}`, "", nil},
		{open, `{"action":"decline","content":{"answer":"red"}}`, "", nil}, {open, `{"action":"cancel"}`, "", nil}, {open, `{"action":"accepted","content":{"answer":"red"}}`, "", nil},
		{open, `{"action":"accept","action":"decline","content":{"answer":"red"}}`, "", nil}, {open, `{"content":{"answer":"red"}}`, "", nil}, {open, `null`, "", nil}, {open, `"accept"`, "", nil},
		{few, `{"action":"accept","content":{"choice":"red"}}`, "red", nil}, {few, `{"action":"accept","content":{"choice":"green"}}`, "", nil}, {few, `{"action":"accept","content":{"choice":"red","answer":"pink"}}`, "pink", nil},
		{form, `{"action":"accept","content":{"name":"a","n":3,"x":1.5,"b":true,"c":"u"}}`, "", map[string]string{"name": "a", "n": "3", "x": "1.5", "b": "true", "c": "u"}},
		{form, `{"action":"accept","content":{"name":"a"}}`, "", map[string]string{"name": "a"}}, {form, `{"action":"accept","content":{"n":3}}`, "", nil},
		{form, `{"action":"accept","content":{"name":"a","n":3.5}}`, "", nil}, {form, `{"action":"accept","content":{"name":"a","n":"3"}}`, "", nil}, {form, `{"action":"accept","content":{"name":"a","b":"true"}}`, "", nil},
		{form, `{"action":"accept","content":{"name":"a","x":"NaN"}}`, "", nil}, {form, `{"action":"accept","content":{"name":"a","c":"w"}}`, "", nil}, {form, `{"action":"accept","content":{"name":{"a":1}}}`, "", nil},
	} {
		f, ok := formOf(tt.q)
		if !ok {
			t.Fatal("no form")
		}
		a := filled(json.RawMessage(tt.reply), nil, tt.q, f)
		want := event.Deny
		if tt.text != "" || tt.form != nil {
			want = event.Say
		}
		if a.Choice != want || a.Text != tt.text || !maps.Equal(a.Form, tt.form) || a.Scope != "" || a.Code != "" {
			t.Errorf("%s: %+v", tt.reply, a)
		}
		if a.Cancelled != (tt.reply == `{"action":"cancel"}`) {
			t.Errorf("%s: cancelled %t", tt.reply, a.Cancelled)
		}
		if a := filled(json.RawMessage(tt.reply), &wire.Error{Code: wire.CodeMethod}, tt.q, f); a.Choice != event.Deny {
			t.Errorf("%s beside an error: %+v", tt.reply, a)
		}
	}
}

// TestWhatIsTyped: only a message that is nothing but the command is one.
func TestWhatIsTyped(t *testing.T) {
	for text, want := range map[string]string{
		"/undo": "undo", " /undo \n": "undo", "/undo  all": "undo", "/compact": "compact", "/compact back": "compact",
		"/undo everything": "", "/undone": "", "please /undo": "", "/compact\nand go on": "", "undo": "", "/unsafe": "", "/trust 10m": "", "": "",
	} {
		if got, _ := typed(said{text: text}); got.name != want {
			t.Errorf("%q is %q", text, got.name)
		}
	}
	if _, ok := typed(said{text: "/undo", attached: []string{"file:///x"}}); ok {
		t.Error("a file came with it")
	}
}
