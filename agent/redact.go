package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// redactEvent masks secrets in an event before it is stored or shown. It goes
// through the event's JSON value by value, so that no member can be forgotten,
// no escape hides a secret, and no secret reaches over the end of its value; an
// event that does not come back whole is replaced by the fact that it could not
// be shown.
func redactEvent(mask func([]byte) []byte) func(event.Body) event.Body {
	return func(body event.Body) event.Body {
		masked, changed, err := maskBody(body, mask)
		switch {
		case err != nil:
			return event.Notice{Severity: "error", Text: fmt.Sprintf("an event of type %s could not be stored: %v", body.Type(), err)}
		case !changed:
			return body
		default:
			return masked
		}
	}
}

func maskBody(body event.Body, mask func([]byte) []byte) (event.Body, bool, error) {
	plain, err := json.Marshal(event.Event{Body: body})
	if err != nil {
		return nil, false, err
	}
	in := json.NewDecoder(bytes.NewReader(plain))
	in.UseNumber()
	var tree any
	if err := in.Decode(&tree); err != nil {
		return nil, false, err
	}
	put := asideOpaque(body, tree)
	tree, changed := maskValue(tree, mask)
	if !changed {
		return nil, false, nil
	}
	put(tree)
	masked, err := json.Marshal(tree)
	if err != nil {
		return nil, false, err
	}
	var e event.Event
	err = json.Unmarshal(masked, &e)
	return e.Body, true, err
}

// asideOpaque takes the values of a reply's opaque blocks out of its tree, so
// that they are stored byte for byte: they are a provider's own signatures and
// encrypted reasoning, which nobody reads, which go back to it alone, and which
// it refuses when a byte is another one. Chance makes some of them look like a
// key. put lays them into the masked tree.
func asideOpaque(body event.Body, tree any) (put func(any)) {
	if _, ok := body.(event.Reply); !ok {
		return func(any) {}
	}
	kept := map[int]any{}
	for i, o := range opaques(tree) {
		kept[i] = o["value"]
		delete(o, "value")
	}
	return func(masked any) {
		for i, o := range opaques(masked) {
			o["value"] = kept[i]
		}
	}
}

// opaques are the sealed blocks of a reply, by their place among its parts. Some
// servers' blocks hold readable reasoning: those are masked as text is.
func opaques(tree any) map[int]map[string]any {
	out := map[int]map[string]any{}
	reply, _ := tree.(map[string]any)
	parts, _ := reply["parts"].([]any)
	for i, p := range parts {
		part, _ := p.(map[string]any)
		o, ok := part["opaque"].(map[string]any)
		kind, _ := o["kind"].(string)
		if ok && part["kind"] == string(model.PartOpaque) && (model.Opaque{Kind: kind}).Sealed() {
			out[i] = o
		}
	}
	return out
}

// maskValue masks a JSON value, and says whether it is another one now.
func maskValue(v any, mask func([]byte) []byte) (any, bool) {
	changed := false
	switch v := v.(type) {
	case string:
		masked := string(mask([]byte(v)))
		return masked, masked != v
	case json.Number:
		if masked := string(mask([]byte(v))); masked != v.String() {
			return masked, true
		}
	case []any:
		for i := range v {
			var c bool
			v[i], c = maskValue(v[i], mask)
			changed = changed || c
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			key := string(mask([]byte(name)))
			masked, c := maskValue(member, mask)
			out[key], changed = masked, changed || c || key != name
		}
		return out, changed
	}
	return v, changed
}

// hideKnown masks the values that were registered as secrets, and nothing that
// only looks like one: in a question, the looks of a key could be put around
// what the person must see.
func hideKnown(r *secret.Redactor, s string) string {
	var b strings.Builder
	from := 0
	for _, m := range r.Find(s) {
		if m.Kind == "registered" {
			b.WriteString(s[from:m.Start] + "[secret]")
			from = m.End
		}
	}
	return b.String() + s[from:]
}
