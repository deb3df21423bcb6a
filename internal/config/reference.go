package config

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// A Key is what the reference says about one key of config.json
// (docs/reference.md).
type Key struct {
	Name    string // with a dot where it stands in an object
	Kind    string // of its values, in words
	Default string // in JSON, "" of members of an object
	Env     string // the variable that goes before it, "" for none
	Flag    string // the flag that goes before both, "" for none
}

// Reference lists the keys that mean something, each followed by the members of
// its object, as the code that reads them has them.
func Reference() []Key {
	s := Defaults()
	known := s.keys()
	var out []Key
	for _, name := range slices.Sorted(maps.Keys(known)) {
		k := known[name]
		value := reflect.ValueOf(k.to).Elem()
		one := Key{Name: name, Kind: k.kind, Default: "{}", Env: k.env, Flag: k.flag}
		switch value.Kind() {
		case reflect.Struct:
			out = append(append(out, one), members(name, value.Type())...)
			continue
		case reflect.Map:
			out = append(append(out, one), members(name+".ID", value.Type().Elem())...)
			continue
		default:
			text, err := json.Marshal(value.Interface())
			if err != nil {
				text = []byte(err.Error()) // no JSON, so that a test fails
			}
			one.Default = string(text)
		}
		out = append(out, one)
	}
	return out
}

// members are the keys of an object.
func members(above string, t reflect.Type) []Key {
	var out []Key
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, Key{Name: above + "." + name, Kind: kindOf(f.Type)})
		if f.Type.Kind() == reflect.Struct {
			out = append(out, members(above+"."+name, f.Type)...)
		}
	}
	return out
}

// kindOf is a type in the words of a settings file.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Uint16:
		return "number"
	case reflect.Slice:
		return "list of " + kindOf(t.Elem())
	case reflect.Struct:
		return "object"
	case reflect.Map:
		return "object of " + kindOf(t.Elem())
	default:
		return t.String()
	}
}
