package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

// python is the interpreter.
func python(t testing.TB) string {
	t.Helper()
	p, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal("python3 is not installed: ./test installs it")
	}
	return p
}

// TestTwoVerifiersAgree gives the same files to this verifier and to the one in
// Python: every form of an export, and spoiled ones.
func TestTwoVerifiersAgree(t *testing.T) {
	py := python(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	spoiled := 12
	if soak() {
		spoiled = 400
	}
	for name, c := range smallExports(t) {
		dir := t.TempDir()
		pub := filepath.Join(dir, "key.pub")
		must(t, os.WriteFile(pub, c.key.File(), 0o600))
		files := [][]byte{c.export}
		for range spoiled {
			files = append(files, spoil(t, rng, c.export))
		}
		var paths []string
		for i, b := range files {
			paths = append(paths, filepath.Join(dir, fmt.Sprintf("%04d.json", i)))
			must(t, os.WriteFile(paths[i], b, 0o600))
		}
		out, err := exec.Command(py, append([]string{"../contrib/verify/verify.py", "--json", "--pubkey", pub}, paths...)...).Output()
		if _, exit := err.(*exec.ExitError); err != nil && !exit {
			t.Fatal(err)
		}
		lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
		if len(lines) != len(files) {
			t.Fatalf("%s: %d answers for %d files", name, len(lines), len(files))
		}
		intact := 0
		for i, b := range files {
			ours := Verify(t.Context(), bytes.NewReader(b), int64(len(b)), VerifyOptions{Key: c.key})
			var theirs Report
			must(t, json.Unmarshal(lines[i], &theirs))
			if a, b := verdict(ours), verdict(theirs); a != b && !structure(ours, theirs) {
				keep := filepath.Join(os.TempDir(), fmt.Sprintf("disagreement-%s-%d.json", strings.ReplaceAll(name, " ", ""), i))
				must(t, os.WriteFile(keep, files[i], 0o600))
				t.Errorf("%s, file %d (kept as %s, key %x):\nhere   %s\npython %s", name, i, keep, c.key[:], a, b)
			}
			if ours.OK {
				intact++
			}
		}
		if intact == 0 || intact > len(files)/2 {
			t.Errorf("%s: %d of %d files are intact", name, intact, len(files))
		}
	}
}

// structure reports whether both find the same exit, and one of them that the
// text or its structure is wrong: in which order these are looked at is open.
func structure(a, b Report) bool {
	if a.Exit != b.Exit || a.FirstBad == nil || b.FirstBad == nil {
		return false
	}
	is := func(r Report) bool { return r.FirstBad.Kind == kindMalformed || r.FirstBad.Kind == kindFormat }
	return is(a) || is(b)
}

// verdict is what two verifiers must agree on.
func verdict(r Report) string {
	if r.FirstBad != nil {
		return fmt.Sprintf("exit %d: %s at %d", r.Exit, r.FirstBad.Kind, r.FirstBad.Index)
	}
	head := ""
	if r.Head != nil {
		head = r.Head.Hash
	}
	if r.Exit == ExitUnreadable {
		head = ""
	}
	return fmt.Sprintf("exit %d, %d records, %d sessions, head %s, complete %v, %d warnings, start %v", r.Exit, r.Records, r.Sessions, head, r.Complete, len(r.Warnings), r.Start)
}

type keyed struct {
	key    PublicKey
	export []byte
}

// smallExports are short exports of every kind.
func smallExports(t testing.TB) map[string]keyed {
	t.Helper()
	x := newSample(t)
	closeSession(t, x.session(t, "one", 1, nil))
	x.session(t, "open", 1, nil)
	s := x.session(t, "two", 1, nil)
	_, err := s.Intent(t.Context(), edit("open"))
	must(t, err)
	out := map[string]keyed{
		"whole":     {x.key, x.export(t, ExportOptions{})},
		"lines":     {x.key, x.export(t, ExportOptions{Lines: true, Disclose: []string{"out"}})},
		"session":   {x.key, x.export(t, ExportOptions{Session: "two"})},
		"disclosed": {x.key, x.export(t, ExportOptions{Session: "one", Disclose: []string{"all"}})},
	}
	r, err := OpenReader(t.Context(), x.options())
	must(t, err)
	proof, err := r.Prove(t.Context(), 2)
	must(t, err)
	out["proof"] = keyed{x.key, proof}
	rotated, err := x.l.RotateRoot(t.Context(), SessionInfo{Front: FrontCLI})
	must(t, err)
	closeSession(t, s)
	b := x.export(t, ExportOptions{})
	out["old root"], out["new root"] = keyed{rotated.Old, b}, keyed{rotated.New, b}
	out["new root, session"] = keyed{rotated.New, x.export(t, ExportOptions{Session: "two"})}

	y := newSample(t)
	long := y.session(t, "long", 1, nil)
	y.now = time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	act(t, long, edit("a"), Outcome{Status: OK})
	closeSession(t, long)
	_, err = y.l.Purge(t.Context(), SessionInfo{Front: FrontCLI}, y.now)
	must(t, err)
	out["stub"] = keyed{y.key, y.export(t, ExportOptions{})}
	out["stub, lines"] = keyed{y.key, y.export(t, ExportOptions{Lines: true})}
	out["stub, session"] = keyed{y.key, y.export(t, ExportOptions{Session: "long"})}
	return out
}

// spoil changes an export at one place: mostly a value or an item of its JSON,
// sometimes a byte.
func spoil(t testing.TB, rng *rand.Rand, b []byte) []byte {
	t.Helper()
	var doc any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	must(t, d.Decode(&doc))
	if rng.IntN(4) == 0 || d.More() {
		c := bytes.Clone(b)
		switch i := rng.IntN(len(c)); rng.IntN(3) {
		case 0:
			c[i] ^= 1 << rng.IntN(7)
		case 1:
			c = append(c[:i], c[i+1:]...)
		default:
			lines := bytes.SplitAfter(c, []byte("\n"))
			i, j := rng.IntN(len(lines)), rng.IntN(len(lines))
			lines[i], lines[j] = lines[j], lines[i]
			c = bytes.Join(lines, nil)
		}
		return c
	}
	out, err := json.Marshal(spoiledValue(rng, doc, 0))
	must(t, err)
	return out
}

// spoiledValue changes one thing somewhere in v.
func spoiledValue(rng *rand.Rand, v any, depth int) any {
	switch v := v.(type) {
	case map[string]any:
		names := sortedKeys(v)
		if len(names) == 0 {
			return map[string]any{"x": 1}
		}
		name := names[rng.IntN(len(names))]
		if depth == 0 && rng.IntN(3) > 0 && v["records"] != nil {
			name = "records"
		}
		switch rng.IntN(8 + 8*depth) {
		case 0:
			delete(v, name)
		case 1:
			v["added"] = "x"
		default:
			v[name] = spoiledValue(rng, v[name], depth+1)
		}
		return v
	case []any:
		if len(v) == 0 {
			return []any{"x"}
		}
		i, j := rng.IntN(len(v)), rng.IntN(len(v))
		switch rng.IntN(10) {
		case 0:
			return append(v[:i:i], v[i+1:]...)
		case 1:
			return append(v, v[i])
		case 2:
			v[i], v[j] = v[j], v[i]
		default:
			v[i] = spoiledValue(rng, v[i], depth+1)
		}
		return v
	case string:
		return spoiledText(rng, v)
	case json.Number:
		return []any{json.Number("0"), json.Number("1"), "1" + v, v + ".5", "-1" + v, v.String(), nil, json.Number("9007199254740992")}[rng.IntN(8)]
	case bool:
		return !v
	default:
		return "x"
	}
}

func spoiledText(rng *rand.Rand, s string) any {
	if s == "" {
		return "x"
	}
	i := rng.IntN(len(s))
	switch rng.IntN(6) {
	case 0:
		return s[:i] + s[i+1:]
	case 1:
		return strings.ToUpper(s) + "x"
	case 2:
		return nil
	default:
		return s[:i] + string("0123456789abcdefghAB_-"[rng.IntN(22)]) + s[i+1:]
	}
}

// FuzzVerify: no input makes the verifier panic, hang, or call something intact
// that is not one of our exports.
func FuzzVerify(f *testing.F) {
	all := smallExports(f)
	var keys []PublicKey
	genuine := map[string]bool{}
	for _, c := range all {
		f.Add(c.export)
		keys = append(keys, c.key)
		genuine[meaning(c.export)] = true
	}
	f.Add([]byte(`{"format":"tera-pilot-audit-export/1"}` + "\n{}\n"))
	f.Add([]byte(`[{"_signature":"","ts":1e400}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for i, k := range keys {
			rep := Verify(t.Context(), bytes.NewReader(b), int64(len(b)), VerifyOptions{Key: k, Fast: i%2 == 0})
			if rep.OK && !genuine[meaning(b)] {
				t.Fatalf("intact: %q", b)
			}
			if rep.Exit < 0 || rep.Exit > 2 || rep.OK != (rep.Exit == 0) {
				t.Fatalf("exit %d, ok %v", rep.Exit, rep.OK)
			}
		}
		VerifyLegacy(t.Context(), bytes.NewReader(b), int64(len(b)), keys[0])
		_, _ = FindAnchors("x", b)
	})
}

// meaning is the canonical form of a JSON text, or of the lines of one.
func meaning(b []byte) string {
	var out bytes.Buffer
	s := newSplitter(bytes.NewReader(b), int64(len(b)), 0, 1)
	for {
		v, err := s.value(len(b))
		if err != nil {
			return out.String()
		}
		var doc jcs.Doc
		if doc.Parse(v, jcs.Rules{Depth: 20}) != nil {
			return ""
		}
		out.Write(doc.Root().AppendCanonical(nil))
		out.WriteByte('\n')
	}
}
