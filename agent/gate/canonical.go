package gate

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"sort"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// The canonical form of an Input is JSON: an object's members are sorted by
// name, members of zero value are left out, numbers are decimal strings (they
// can exceed 2^53), bytes are hex, and text that is not UTF-8 is {"raw":HEX}.
// No two inputs that decide differently share a form.

var (
	timeType  = reflect.TypeFor[time.Time]()
	rulesType = reflect.TypeFor[Rules]()
	bytesType = reflect.TypeFor[[]byte]()
	// content is what a hash beside it stands for.
	content = map[reflect.Type]string{
		reflect.TypeFor[effect.Path]():  "Before",
		reflect.TypeFor[effect.Bytes](): "Data",
	}
)

func encode(in Input) []byte { return appendValue(nil, reflect.ValueOf(in)) }

func appendValue(b []byte, v reflect.Value) []byte {
	switch {
	case v.Type() == timeType:
		return strconv.AppendQuote(b, v.Interface().(time.Time).Format(time.RFC3339))
	case v.Type() == rulesType:
		return strconv.AppendQuote(b, v.Interface().(Rules).Digest())
	case v.Type().ConvertibleTo(bytesType) && v.Kind() == reflect.Slice:
		return strconv.AppendQuote(b, hex.EncodeToString(v.Bytes()))
	}
	switch v.Kind() {
	case reflect.Struct:
		return appendStruct(b, v)
	case reflect.Pointer:
		return appendValue(b, v.Elem())
	case reflect.Slice:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, v.Index(i))
		}
		return append(b, ']')
	case reflect.String:
		return appendString(b, v.String())
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Int, reflect.Int64:
		return append(strconv.AppendInt(append(b, '"'), v.Int(), 10), '"')
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return append(strconv.AppendUint(append(b, '"'), v.Uint(), 10), '"')
	}
	panic("gate: an input holds a type that its canonical form does not know: " + v.Type().String())
}

func appendStruct(b []byte, v reflect.Value) []byte {
	b = append(b, '{')
	first := true
	for _, i := range fieldOrder(v.Type()) {
		f := v.Field(i)
		if f.IsZero() && f.Type() != rulesType || f.Kind() == reflect.Slice && f.Len() == 0 {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(strconv.AppendQuote(b, v.Type().Field(i).Name), ':')
		b = appendValue(b, f)
	}
	return append(b, '}')
}

// fieldOrder is the order of a struct's members by name, without those that
// stand for content.
func fieldOrder(t reflect.Type) []int {
	var out []int
	for i := range t.NumField() {
		if content[t] != t.Field(i).Name {
			out = append(out, i)
		}
	}
	sort.Slice(out, func(a, b int) bool { return t.Field(out[a]).Name < t.Field(out[b]).Name })
	return out
}

func appendString(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		return append(strconv.AppendQuote(append(b, `{"raw":`...), hex.EncodeToString([]byte(s))), '}')
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("gate: a string does not encode: " + err.Error())
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

// decode reads the form that encode writes. It is lax about order and spelling;
// the caller compares the encoding of what came out.
func decode(b []byte, in *Input) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("something follows the object")
	}
	return setValue(reflect.ValueOf(in).Elem(), tree)
}

func setValue(v reflect.Value, tree any) error {
	switch {
	case v.Type() == timeType:
		t, err := time.Parse(time.RFC3339, textOf(tree))
		v.Set(reflect.ValueOf(t))
		return err
	case v.Type() == rulesType:
		v.Set(reflect.ValueOf(Rules{digest: textOf(tree)}))
		return nil
	case v.Kind() == reflect.Slice && v.Type().ConvertibleTo(bytesType):
		raw, err := hex.DecodeString(textOf(tree))
		v.SetBytes(raw)
		return err
	}
	switch v.Kind() {
	case reflect.Struct:
		return setStruct(v, tree)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return setValue(v.Elem(), tree)
	case reflect.Slice:
		return setSlice(v, tree)
	case reflect.String:
		s, err := plain(tree)
		v.SetString(s)
		return err
	case reflect.Bool:
		is, ok := tree.(bool)
		v.SetBool(is)
		return wrongUnless(ok, v)
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(textOf(tree), 10, 64)
		v.SetInt(n)
		return err
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(textOf(tree), 10, v.Type().Bits())
		v.SetUint(n)
		return err
	}
	return wrongUnless(false, v)
}

func setStruct(v reflect.Value, tree any) error {
	object, ok := tree.(map[string]any)
	if !ok {
		return wrongUnless(false, v)
	}
	for name, member := range object {
		f, ok := v.Type().FieldByName(name)
		if !ok || len(f.Index) != 1 || content[v.Type()] == name {
			return fmt.Errorf("unknown member %q", name)
		}
		if err := setValue(v.Field(f.Index[0]), member); err != nil {
			return err
		}
	}
	return nil
}

func setSlice(v reflect.Value, tree any) error {
	list, ok := tree.([]any)
	if !ok {
		return wrongUnless(false, v)
	}
	v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
	for i, member := range list {
		if err := setValue(v.Index(i), member); err != nil {
			return err
		}
	}
	return nil
}

// plain reads text, raw or not.
func plain(tree any) (string, error) {
	if object, ok := tree.(map[string]any); ok && len(object) == 1 {
		raw, err := hex.DecodeString(textOf(object["raw"]))
		return string(raw), err
	}
	s, ok := tree.(string)
	if !ok {
		return "", fmt.Errorf("a member that is no text stands where text is wanted")
	}
	return s, nil
}

// textOf is the text of a member, "" where it is none.
func textOf(tree any) string {
	s, _ := tree.(string)
	return s
}

func wrongUnless(ok bool, v reflect.Value) error {
	if ok {
		return nil
	}
	return fmt.Errorf("a member is not of the form of %s", v.Type())
}
