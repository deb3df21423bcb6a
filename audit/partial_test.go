package audit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// onlyDisclosures says that a cut of an export in lines takes away whole
// disclosures and nothing else.
func onlyDisclosures(b []byte, cut int) bool {
	rest := bytes.TrimPrefix(b[cut:], []byte("\n"))
	if cut == 0 || b[cut-1] != '\n' && len(rest) == len(b[cut:]) {
		return false
	}
	for line := range bytes.Lines(rest) {
		if !bytes.HasPrefix(line, []byte(`{"disclosure":`)) {
			return false
		}
	}
	return true
}

// edited changes an export through its JSON.
func edited(t testing.TB, b []byte, change func(doc map[string]any)) []byte {
	t.Helper()
	var doc map[string]any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	must(t, d.Decode(&doc))
	change(doc)
	out, err := json.Marshal(doc)
	must(t, err)
	return out
}

// remove takes the items out of a list for which drop says so.
func remove(list any, drop func(map[string]any) bool) []any {
	return slices.DeleteFunc(list.([]any), func(v any) bool { return drop(v.(map[string]any)) })
}

// What can be done to an export of single sessions, whose log chain has gaps.
func TestPartialExportsAreGuarded(t *testing.T) {
	x, all := exports(t)
	isOpen := func(r map[string]any) bool { return r["type"] == "open" }
	var sids []string
	edited(t, all["session"], func(doc map[string]any) {
		for _, p := range doc["proofs"].([]any) {
			sids = append(sids, p.(map[string]any)["sid"].(string))
		}
	})
	given := sids[1] // the exporter's own is the first
	last := func(doc map[string]any) (seq string) {
		for _, r := range doc["records"].([]any) {
			if r := r.(map[string]any); r["sid"] == given {
				seq = r["seq"].(json.Number).String()
			}
		}
		return seq
	}
	for name, change := range map[string]func(doc map[string]any){
		"no proofs":    func(doc map[string]any) { delete(doc, "proofs") },
		"empty proofs": func(doc map[string]any) { doc["proofs"] = []any{} },
		"a proof missing": func(doc map[string]any) {
			doc["proofs"] = remove(doc["proofs"], func(p map[string]any) bool { return p["sid"] == given })
		},
		"the session and its proof missing": func(doc map[string]any) {
			doc["proofs"] = remove(doc["proofs"], func(p map[string]any) bool { return p["sid"] == given })
			doc["records"] = remove(doc["records"], func(r map[string]any) bool { return r["sid"] == given && !isOpen(r) })
		},
		"an open missing": func(doc map[string]any) {
			doc["records"] = remove(doc["records"], func(r map[string]any) bool { return isOpen(r) && r["session"] == "one" })
		},
		"the last open missing": func(doc map[string]any) {
			doc["records"] = remove(doc["records"], func(r map[string]any) bool { return r["sid"] == sids[0] })
		},
		"the end of the session cut": func(doc map[string]any) {
			seq := last(doc)
			doc["records"] = remove(doc["records"], func(r map[string]any) bool { return r["seq"].(json.Number).String() == seq })
		},
		"a record in the middle missing": func(doc map[string]any) {
			n := 0
			doc["records"] = remove(doc["records"], func(r map[string]any) bool {
				if r["sid"] == given {
					n++
				}
				return r["sid"] == given && n == 3
			})
		},
		"an own record missing": func(doc map[string]any) {
			doc["records"] = remove(doc["records"], func(r map[string]any) bool { return r["kind"] == kindExported })
		},
		"the own close missing": func(doc map[string]any) {
			n := len(doc["records"].([]any))
			doc["records"] = doc["records"].([]any)[:n-1]
		},
		"a proof twice": func(doc map[string]any) {
			p := doc["proofs"].([]any)
			doc["proofs"] = append(p, p[1])
		},
		"a path changed": func(doc map[string]any) {
			p := doc["proofs"].([]any)[1].(map[string]any)
			p["path"].([]any)[0] = strings.Repeat("0", 64)
		},
	} {
		for _, fast := range []bool{true, false} {
			b := edited(t, all["session"], change)
			if rep := x.verify(t, b, VerifyOptions{Fast: fast}); rep.Exit != ExitTampered {
				t.Errorf("%s: exit %d", name, rep.Exit)
			}
		}
	}
	// A later checkpoint does not make an older export a newer one.
	newer := edited(t, x.export(t, ExportOptions{Session: "two"}), func(map[string]any) {})
	var doc map[string]any
	must(t, json.Unmarshal(newer, &doc))
	mixed := edited(t, all["session"], func(d map[string]any) { d["checkpoint"] = doc["checkpoint"] })
	if rep := x.verify(t, mixed, VerifyOptions{}); rep.Exit != ExitTampered {
		t.Error("an older export passes with a newer checkpoint")
	}
}

func TestDisclosuresMustFit(t *testing.T) {
	x, all := exports(t)
	for name, change := range map[string]func(list []any){
		"another record": func(list []any) { list[0].(map[string]any)["seq"] = json.Number("2") },
		"another name":   func(list []any) { list[0].(map[string]any)["name"] = "out" },
		"another value": func(list []any) {
			a, b := list[0].(map[string]any), list[1].(map[string]any)
			a["sd"], b["sd"] = b["sd"], a["sd"]
		},
		"another order":  func(list []any) { slices.Reverse(list) },
		"another member": func(list []any) { list[0].(map[string]any)["x"] = "y" },
	} {
		b := edited(t, all["disclosed"], func(doc map[string]any) { change(doc["disclosures"].([]any)) })
		if rep := x.verify(t, b, VerifyOptions{}); rep.Exit != ExitTampered {
			t.Errorf("%s: exit %d", name, rep.Exit)
		}
	}
	b := edited(t, all["disclosed"], func(doc map[string]any) { doc["disclosures"] = doc["disclosures"].([]any)[3:5] })
	wantIntact(t, x.verify(t, b, VerifyOptions{}))
}
