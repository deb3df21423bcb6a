package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/strictjson"
)

// argsOf are the structs that the tools decode into.
func argsOf() map[string]any {
	return map[string]any{
		"read_file": readArgs{}, "list_files": listArgs{}, "glob": globArgs{}, "grep": grepArgs{}, "file_info": pathArgs{},
		"write_file": writeArgs{}, "str_replace": replaceArgs{}, "apply_diff": diffArgs{}, "delete_file": pathArgs{},
		"rename_file": renameArgs{}, "mkdir": pathArgs{}, "execute_command": commandArgs{}, "git_status": struct{}{},
		"git_diff": gitDiffArgs{}, "git_log": gitLogArgs{}, "git_stage": gitStageArgs{}, "git_commit": gitCommitArgs{},
		"multi_edit": multiArgs{}, "run_code": codeArgs{}, "job": jobArgs{}, "spawn_subagent": spawnArgs{}, "todo": todoArgs{}, "ask_user": askArgs{}, "self_verify": verifyArgs{},
	}
}

// Each tool's schema and struct say the same, and the schema says no more than
// what decode checks.
func TestSchemasAndStructsAgree(t *testing.T) {
	structs := argsOf()
	for _, tool := range Builtin(Options{}) {
		s := tool.Spec()
		args, ok := structs[s.Name]
		if !ok {
			t.Errorf("%s: its struct is not in the table of this test", s.Name)
			continue
		}
		delete(structs, s.Name)
		d := json.NewDecoder(bytes.NewReader(s.Schema))
		d.DisallowUnknownFields()
		var sc schema
		if err := d.Decode(&sc); err != nil {
			t.Errorf("%s: its schema has a word that is not checked: %v", s.Name, err)
			continue
		}
		agree(t, s.Name, sc, reflect.TypeOf(args))
	}
	for name := range structs {
		t.Errorf("there is no tool %s", name)
	}
}

func agree(t *testing.T, name string, sc schema, typ reflect.Type) {
	t.Helper()
	switch typ.Kind() {
	case reflect.String:
		if sc.Type != "string" {
			t.Errorf("%s: schema %s, struct string", name, sc.Type)
		}
	case reflect.Bool:
		if sc.Type != "boolean" {
			t.Errorf("%s: schema %s, struct bool", name, sc.Type)
		}
	case reflect.Int:
		if sc.Type != "integer" || sc.Minimum == nil {
			t.Errorf("%s: schema %s with minimum %v, struct int", name, sc.Type, sc.Minimum)
		}
	case reflect.Pointer: // a time limit, which is held within its bounds, not refused
		if typ.Elem().Kind() != reflect.Int || sc.Type != "integer" || sc.Minimum != nil || !strings.Contains(sc.Description, fmt.Sprintf("%d to %d", leastSeconds, mostSeconds)) {
			t.Errorf("%s: schema %+v, struct %s", name, sc, typ)
		}
	case reflect.Slice:
		if sc.Type != "array" || sc.Items == nil || sc.MaxItems == 0 {
			t.Errorf("%s: schema %s with at most %d items, struct slice", name, sc.Type, sc.MaxItems)
			return
		}
		agree(t, name+"[]", *sc.Items, typ.Elem())
	case reflect.Struct:
		if sc.Type != "object" || sc.Additional == nil || *sc.Additional {
			t.Errorf("%s: the schema is no closed object", name)
		}
		for i := range typ.NumField() {
			tag, optional, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			sub, ok := sc.Properties[tag]
			if !ok {
				t.Errorf("%s: the schema does not know %q", name, tag)
				continue
			}
			delete(sc.Properties, tag)
			if (optional == "omitempty") == slices.Contains(sc.Required, tag) {
				t.Errorf("%s.%s: required in one of schema and struct only", name, tag)
			}
			agree(t, name+"."+tag, sub, typ.Field(i).Type)
		}
		for tag := range sc.Properties {
			t.Errorf("%s: the struct does not know %q", name, tag)
		}
	default:
		t.Errorf("%s: a member of kind %s", name, typ.Kind())
	}
}

func TestDecode(t *testing.T) {
	spec := grep{}.Spec()
	for _, c := range []struct {
		args string
		want grepArgs
		err  string
	}{
		{`{"pattern":"x"}`, grepArgs{Pattern: "x"}, ""},
		{` {"pattern":"x","context":3.0,"case_sensitive":true,"path":null} `, grepArgs{Pattern: "x", Context: 3, CaseSensitive: true}, ""},
		{`{"pattern":"\ud83d\ude00 <&>"}`, grepArgs{Pattern: "😀 <&>"}, ""},
		{``, grepArgs{}, `the argument "pattern" is missing`},
		{`{}`, grepArgs{}, `the argument "pattern" is missing`},
		{`{"pattern":null}`, grepArgs{}, `the argument "pattern" is missing`},
		{`{"pattern":""}`, grepArgs{}, `"pattern" is empty`},
		{`{"pattern":7}`, grepArgs{}, `"pattern" must be a string, not a number`},
		{`{"pattern":["x"]}`, grepArgs{}, `"pattern" must be a string, not a list`},
		{`{"Pattern":"x"}`, grepArgs{}, `unknown argument "Pattern"; it takes case_sensitive, context, include, max_results, path, pattern`},
		{`{"pattern":"x","pattern":"y"}`, grepArgs{}, `holds the member "pattern" twice`},
		{`{"pattern":"x","context":"3"}`, grepArgs{}, `"context" must be a whole number, not a string`},
		{`{"pattern":"x","context":2.5}`, grepArgs{}, `"context" is 2.5; it must be a whole number`},
		{`{"pattern":"x","context":99999999999999999999}`, grepArgs{}, `the most is 10`},
		{`{"pattern":"x","context":-1}`, grepArgs{}, `"context" is -1; the least is 0`},
		{`{"pattern":"x","context":11}`, grepArgs{}, `"context" is 11; the most is 10`},
		{`{"pattern":"x","case_sensitive":"yes"}`, grepArgs{}, `"case_sensitive" must be true or false, not a string`},
		{`{"pattern":"x"`, grepArgs{}, "ends too early"},
		{`{"pattern":"x"} {}`, grepArgs{}, "more than one value"},
		{`{"pattern":"x",}`, grepArgs{}, "not valid JSON"},
		{`[]`, grepArgs{}, "the arguments must be an object, not a list"},
		{`null`, grepArgs{}, "the arguments must be an object, not null"},
		{`{"pattern":"` + "\xff" + `"}`, grepArgs{}, "not UTF-8"},
		{`{"pattern":"\ud83d"}`, grepArgs{}, "half a character"},
		{`{"pattern":"\ude00\ud83d"}`, grepArgs{}, "half a character"},
		{`{"pattern":"\\ud83d"}`, grepArgs{Pattern: `\ud83d`}, ""},
	} {
		var got grepArgs
		err := decode(spec, json.RawMessage(c.args), &got)
		if c.err == "" {
			if err != nil || got != c.want {
				t.Errorf("%s: %+v, %v", c.args, got, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.err) || !strings.HasPrefix(err.Error(), "grep: ") {
			t.Errorf("%s: %v, want %q", c.args, err, c.err)
		}
	}
}

func TestDecodeNested(t *testing.T) {
	var a todoArgs
	for args, want := range map[string]string{
		`{"items":[{"text":"a","status":"later"}]}`:              `"items[0].status" is "later"; it can be pending, active, done`,
		`{"items":[{"text":"a"}]}`:                               `the argument "status" is missing in "items[0]"`,
		`{"items":[{"text":"a","status":"done","x":1}]}`:         `unknown argument "x" in "items[0]"; it takes status, text`,
		`{"items":["a"]}`:                                        `"items[0]" must be an object, not a string`,
		`{"items":[` + strings.Repeat(`null,`, 50) + `null]}`:    `"items" has 51 entries; it may have 50`,
		`{"items":[{"text":"a","status":"done","status":"a"}]}`:  `holds the member "status" twice`,
		`{"items":[{"text":"a","status":"active"},{"text":""}]}`: `"items[1].text" is empty`,
	} {
		if err := decode(todo{}.Spec(), json.RawMessage(args), &a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// Whatever arguments come, a tool plans or says why not; it never panics, and
// what it decoded is what was written.
func FuzzArgs(f *testing.F) {
	tools := Builtin(Options{})
	for i := range tools {
		f.Add(i, `{"path":"a","content":"x","pattern":"*","command":"ls","paths":["a"]}`)
	}
	f.Add(0, `{"path":"a","offset":1e2}`)
	f.Add(19, `{"question":"\ud800"}`)
	f.Fuzz(func(t *testing.T, i int, args string) {
		tool := tools[((i%len(tools))+len(tools))%len(tools)]
		v, err := strictjson.Value([]byte(args))
		if err == nil {
			var plain any
			if err := json.Unmarshal([]byte(args), &plain); err != nil {
				t.Fatalf("strictjson took what encoding/json refuses: %v", err)
			}
			if again, err := json.Marshal(v); err != nil || !json.Valid(again) {
				t.Fatalf("%s, %v", again, err)
			}
		}
		set, err := tool.Plan(context.Background(), newFake(), json.RawMessage(args))
		if err == nil && set.Tool != tool.Spec().Name {
			t.Errorf("the set of %s says %q", tool.Spec().Name, set.Tool)
		}
	})
}
