package audit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

func (d drafter) event(s *Session, ev Event) (*draft, error) {
	out := &draft{session: s, typ: typeEvent}
	if ev.Kind == "" {
		return nil, errors.New("an event needs a kind")
	}
	cat := orElse(ev.Category, CategoryInfo)
	if err := cat.valid(); err != nil {
		return nil, err
	}
	out.body.Text("kind", d.text(ev.Kind, longWord))
	out.body.Text("cat", string(cat))
	out.body.Text("title", d.text(ev.Title, longTitle))
	if len(ev.Data) == 0 {
		return out, nil
	}
	data, err := d.data(ev.Data, 3)
	if err != nil {
		return nil, fmt.Errorf("data of the event %s: %w", ev.Kind, err)
	}
	if len(data) > longData {
		return nil, fmt.Errorf("data of the event %s is longer than %d bytes", ev.Kind, longData)
	}
	out.body.Raw("data", data)
	return out, out.fits()
}

// data writes the data of an event; deep is how many levels are left.
func (d drafter) data(v any, deep int) ([]byte, error) {
	switch v := v.(type) {
	case string:
		return jcs.AppendString(nil, d.mask.Text(v)), nil
	case bool:
		return strconv.AppendBool(nil, v), nil
	case int:
		return intData(int64(v))
	case int64:
		return intData(v)
	case time.Duration:
		return intData(v.Milliseconds())
	case []string:
		items := make([]any, len(v))
		for i, s := range v {
			items[i] = s
		}
		return d.listData(items, deep)
	case []any:
		return d.listData(v, deep)
	case []map[string]any:
		items := make([]any, len(v))
		for i, m := range v {
			items[i] = m
		}
		return d.listData(items, deep)
	case map[string]any:
		return d.mapData(v, deep)
	default:
		return nil, fmt.Errorf("a value of type %T cannot be written", v)
	}
}

func intData(n int64) ([]byte, error) {
	if n > jcs.MaxInt || n < -jcs.MaxInt {
		return nil, fmt.Errorf("%d is too large an integer", n)
	}
	return strconv.AppendInt(nil, n, 10), nil
}

var errTooDeep = errors.New("it is nested too deeply")

func (d drafter) listData(list []any, deep int) ([]byte, error) {
	if deep == 0 {
		return nil, errTooDeep
	}
	items := make([][]byte, len(list))
	for i, v := range list {
		var err error
		if items[i], err = d.data(v, deep-1); err != nil {
			return nil, err
		}
	}
	return jcs.List(items), nil
}

// mapData masks names as well. Two that fall together are an error: neither may
// be lost.
func (d drafter) mapData(m map[string]any, deep int) ([]byte, error) {
	if deep == 0 {
		return nil, errTooDeep
	}
	var b jcs.Builder
	var names []string
	for name, v := range m {
		text, err := d.data(v, deep-1)
		if err != nil {
			return nil, err
		}
		name = asciiName(d.mask.Text(name))
		names = append(names, name)
		b.Raw(name, text)
	}
	slices.Sort(names)
	if i := len(slices.Compact(slices.Clone(names))); i != len(names) {
		return nil, errors.New("two names are the same after redaction")
	}
	return b.Append(nil), nil
}

// asciiName makes a name that needs no escapes: what is not printable ASCII
// stands in <>, in the way of U+00E9.
func asciiName(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r >= ' ' && r < 0x7f && r != '"' && r != '\\' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "<%U>", r)
		}
	}
	return b.String()
}
