package audit

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// testdata/legacy was written by Python with the recipe of the original:
// docs/audit-format.md, section 12.
func legacyExport(t testing.TB) (export []byte, key PublicKey) {
	t.Helper()
	export, err := os.ReadFile("testdata/legacy/export.json")
	must(t, err)
	b, err := os.ReadFile("testdata/legacy/audit_key.pub")
	must(t, err)
	key, err = ParsePublicKey(b)
	must(t, err)
	bare, err := ParseLegacyKey(b[5:])
	must(t, err)
	if bare != key {
		t.Error("the bare form is another key")
	}
	return export, key
}

func TestLegacyExport(t *testing.T) {
	b, key := legacyExport(t)
	verify := func(b []byte) Report { return VerifyLegacy(t.Context(), bytes.NewReader(b), int64(len(b)), key) }
	rep := verify(b)
	wantIntact(t, rep)
	if l := rep.Legacy; l.Entries != 10 || l.Valid != 10 || l.Invalid != 0 || l.Breaks != 0 || len(l.Unprotected) < 3 {
		t.Errorf("%+v", l)
	}
	var doc []any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	must(t, d.Decode(&doc))
	compact, err := json.Marshal(doc)
	must(t, err)
	wantIntact(t, verify(compact))

	change := func(name string, with any) []byte {
		return editedList(t, b, func(list []any) { list[3].(map[string]any)[name] = with })
	}
	// What the format does not protect, and the report says so.
	for _, name := range []string{"id", "args", "result_preview", "diff_stat", "meta", "_note"} {
		wantIntact(t, verify(change(name, "changed")))
	}
	wantIntact(t, verify(editedListTo(t, b, func(list []any) []any { return list[:4] })))
	for name, spoiled := range map[string][]byte{
		"title": change("title", "x"), "status": change("status", "rejected"), "ts": change("ts", json.Number("1.5")), "path": change("path", nil),
		"signature null": change("_signature", nil), "signature upper case": change("_signature", strings.ToUpper(doc[3].(map[string]any)["_signature"].(string))),
		"hash": change("_hash", strings.Repeat("0", 64)), "prev": change("_prev_hash", ""), "iteration": change("iteration", json.Number("3.0")),
		"deleted": editedListTo(t, b, func(list []any) []any { return append(list[:3:3], list[4:]...) }),
		"swapped": editedListTo(t, b, func(list []any) []any { list[3], list[4] = list[4], list[3]; return list }),
		"first":   editedListTo(t, b, func(list []any) []any { return list[1:] }),
		"nothing": []byte("[]"), "empty": nil, "not an entry": []byte("[1]"), "cut": b[:len(b)/2], "more": append(bytes.Clone(b), "[]"...),
		"twice": bytes.Replace(b, []byte(`"status": "ok"`), []byte(`"status": "ok", "status": "ok"`), 1), "surrogate": bytes.Replace(b, []byte("evt_"), []byte(`\ud800`), 1),
		"deep": []byte(strings.Repeat("[", 5000)), "NaN": change("title", "x")[:10],
	} {
		if rep := verify(spoiled); rep.Exit != ExitTampered || rep.OK || rep.FirstBad == nil {
			t.Errorf("%s: exit %d", name, rep.Exit)
		}
	}
	if rep := verify([]byte(`{"a":1}`)); rep.Exit != ExitUnreadable {
		t.Errorf("an object: exit %d", rep.Exit)
	}
	if rep := VerifyLegacy(t.Context(), bytes.NewReader(b), int64(len(b)), otherPublic()); rep.Exit != ExitTampered || rep.Legacy.Invalid != 10 {
		t.Errorf("another key: %+v", rep.Legacy)
	}
	if rep := Verify(t.Context(), bytes.NewReader(b), int64(len(b)), VerifyOptions{Key: key}); rep.Exit != ExitTampered || rep.FirstBad.Kind != kindLegacy {
		t.Errorf("without --legacy: %+v", rep.FirstBad)
	}
}

func editedList(t testing.TB, b []byte, change func([]any)) []byte {
	return editedListTo(t, b, func(list []any) []any { change(list); return list })
}

func editedListTo(t testing.TB, b []byte, change func([]any) []any) []byte {
	t.Helper()
	var list []any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	must(t, d.Decode(&list))
	out, err := json.Marshal(change(list))
	must(t, err)
	return out
}

func TestPythonRepr(t *testing.T) {
	values := []float64{0, 1, -1, 0.1, 1e15, 1e16, 123456789012345680, 1e22, 1e-4, 1e-5, 5e-324, math.MaxFloat64, 1.5e300, 1764422000.123456, 0.3, 2.5e-7, 9007199254740993}
	want := []string{"0.0", "1.0", "-1.0", "0.1", "1000000000000000.0", "1e+16", "1.2345678901234568e+17", "1e+22", "0.0001", "1e-05", "5e-324", "1.7976931348623157e+308", "1.5e+300", "1764422000.123456", "0.3", "2.5e-07", "9007199254740992.0"}
	for i, f := range values {
		if got := pythonRepr(f); got != want[i] {
			t.Errorf("%g: %s, want %s", f, got, want[i])
		}
	}
	py, err := exec.LookPath("python3")
	if err != nil {
		t.Log("python3 is not installed: the table alone is compared")
		return
	}
	out, err := exec.Command(py, "-c", `
import random, struct
random.seed(1)
for _ in range(3000):
    f, = struct.unpack("<d", struct.pack("<Q", random.getrandbits(64)))
    if f == f and abs(f) != float("inf"): print("%x" % struct.unpack("<Q", struct.pack("<d", f)), repr(f))
`).Output()
	must(t, err)
	for line := range strings.Lines(string(out)) {
		hex, repr, _ := strings.Cut(strings.TrimSpace(line), " ")
		var bits uint64
		for _, c := range hex {
			bits = bits<<4 | uint64(strings.IndexRune("0123456789abcdef", c))
		}
		if got := pythonRepr(math.Float64frombits(bits)); got != repr {
			t.Fatalf("%s: %s, want %s", hex, got, repr)
		}
	}
}
