package gate_test

import (
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// Any set whatever: no panic, the same answer twice, and nothing allowed that
// is not wholly described.
func FuzzDecide(f *testing.F) {
	f.Add([]byte("a seed that picks an everyday set"), "go test ./...", "src/a.go", "go.dev")
	f.Add([]byte{0, 1, 2, 3}, "rm -rf /", "/", "127.0.0.1")
	f.Add([]byte{9}, "a\x00b", "../x", "")
	f.Fuzz(func(t *testing.T, seed []byte, script, name, host string) {
		r := rand.New(rand.NewPCG(sum(seed), 11))
		in := randomInput(r, script, name, host)
		first := gate.Decide(in)
		if second := gate.Decide(in); !reflect.DeepEqual(first, second) {
			t.Fatalf("two answers: %+v and %+v", first, second)
		}
		if first.Reason == "" || first.By == "" {
			t.Fatalf("an answer without a reason: %+v", first)
		}
		if first.Answer != gate.Allow {
			return
		}
		for _, e := range first.Set.Effects {
			if e.Kind == effect.Unknown || e.Kind == effect.Config {
				t.Fatalf("allowed: %+v", e)
			}
			if x := e.Exec; x != nil && x.Profile == "" {
				t.Fatalf("allowed without a profile: %+v", x)
			}
		}
		if !reflect.DeepEqual(gate.Decide(in).Set.Digest(), first.Set.Digest()) {
			t.Fatal("two digests")
		}
	})
}

func sum(b []byte) uint64 {
	var out [8]byte
	for i, c := range b {
		out[i%8] = out[i%8]*31 + c
	}
	return binary.LittleEndian.Uint64(out[:])
}

// randomInput is far wilder than a scene: members may be missing, beside each
// other, or nonsense.
func randomInput(r *rand.Rand, script, name, host string) gate.Input {
	in := base()
	for range r.IntN(4) {
		in.Set.Effects = append(in.Set.Effects, randomEffect(r, script, name, host))
	}
	in.Set.Free = odds(r, 5)
	in.Level, in.Plan, in.OptOut, in.Typed = gate.Level(r.IntN(5)), odds(r, 5), odds(r, 3), odds(r, 8)
	in.Front = gate.Front(pick(r, "tui", "run", "acp", "mcp", "cli", "demo", "x"))
	in.CanAsk, in.Interactive = odds(r, 2), odds(r, 2)
	in.Sandbox, in.Grade = gate.Setting(r.IntN(6)), gate.Grade(r.IntN(6))
	for range r.IntN(3) {
		in.Marks = append(in.Marks, gate.Mark{Undo: odds(r, 2), Approved: odds(r, 2), Leaves: odds(r, 2), Redirect: odds(r, 2), SecretHit: odds(r, 2)})
	}
	if odds(r, 3) {
		in.Window = gate.Window{Kind: gate.WindowKind(r.IntN(4)), Grade: gate.Grade(r.IntN(5)), Left: 5e9}
	}
	if odds(r, 3) {
		in.HostGrants = []string{host}
	}
	if odds(r, 3) {
		in.Taint = []string{name}
	}
	if odds(r, 9) {
		in.Workspace = pick(r, "", "/", name, "w")
	}
	return in
}

func randomEffect(r *rand.Rand, script, name, host string) effect.Effect {
	e := effect.Effect{Kind: effect.Kind(r.IntN(20))}
	some := func() bool { return odds(r, 2) }
	if some() {
		p := place(name)
		p.Outside, p.Virtual, p.Secret, p.Target = p.Outside && some(), odds(r, 5), some(), pick(r, "", name)
		e.Path = &p
	}
	if odds(r, 4) {
		p := place(script)
		e.To = &p
	}
	if some() {
		e.After = &effect.Bytes{SHA256: "x"}
	}
	if some() {
		e.Exec = run(script).Exec
		e.Exec.Hosts = [][]string{nil, {host}, {host, name}}[r.IntN(3)]
		e.Exec.Facts = append(e.Exec.Facts, effect.Fact{Op: pick(r, "link", "list", "env", "code", "x"), Name: name, Text: pick(r, "file", "link", name), Values: []string{name}})
		if odds(r, 4) {
			e.Exec.Script, e.Exec.Argv = "", []string{script, name}
		}
	}
	if odds(r, 3) {
		e.Git = &effect.GitCall{Args: [][]string{nil, {name}, {"push", script}, {script, name}}[r.IntN(4)], Class: effect.GitClass(r.IntN(5)), Dir: name, Remotes: [][]string{nil, {host}, {"https://" + host}, {name + ":" + host}}[r.IntN(4)]}
	}
	if odds(r, 3) {
		e.Net = &effect.NetCall{URL: pick(r, "https://"+host+"/"+name, name), Host: host, Method: pick(r, "", "GET", "PUT", name), Port: r.IntN(3) * 443}
	}
	if odds(r, 3) {
		e.MCP = &effect.MCPCall{Server: name, Tool: host, Args: script, Pinned: some(), Remote: some()}
	}
	return e
}

// What the planner saw is what the gate parses from: with the facts of
// Analyse, the second analysis equals the first; without them it proves less.
func TestTheSecondParseSeesTheSame(t *testing.T) {
	for text := range scripts {
		in := base(run(text))
		a, _ := gate.Analyse(text, commandpolicy.Context{Workspace: workspace, Dir: workspace, Home: home, State: state, Env: map[string]string{"HOME": home}, Look: files})
		x := gate.Decide(in).Set.Effects[0].Exec
		if x.ReadOnly != a.ReadOnly || x.Parsed != a.Parsed {
			t.Errorf("%s: proven %v and then %v", text, a.ReadOnly, x.ReadOnly)
		}
		blind := run(text)
		blind.Exec.Facts = nil
		if y := gate.Decide(base(blind)).Set.Effects[0].Exec; y.ReadOnly && !x.ReadOnly {
			t.Errorf("%s: proven without facts", text)
		}
	}
}

func BenchmarkDecideEverydayCommand(b *testing.B) {
	in := base(run("go test ./... 2>&1 | tail -n 40"))
	in.Rules = rules(b, "user", commandRule("make", "allow")+hostRule("go.dev", "GET", "allow"), "remembered", commandRule("go test", "allow"))
	b.ResetTimer()
	for b.Loop() {
		if gate.Decide(in).Answer == gate.Deny {
			b.Fatal("denied")
		}
	}
}

func BenchmarkCanonical(b *testing.B) {
	in := base(run("go test ./... 2>&1 | tail -n 40"))
	for b.Loop() {
		in.Canonical()
	}
}
