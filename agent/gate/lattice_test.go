package gate_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
)

// Adding what can only tighten never loosens a decision, whatever the scene.
func TestTighteningNeverLoosens(t *testing.T) {
	g := newStage(t)
	r := rand.New(rand.NewPCG(3, 4))
	tighter := []struct {
		name string
		do   func(scene) scene
	}{
		{"a project rule", func(s scene) scene {
			return withRule(r, s, "pending", pick(r, "allow", "ask", "deny"))
		}},
		{"a deny rule of the user", func(s scene) scene {
			return withRule(r, s, "user", "deny")
		}},
		{"a hook", func(s scene) scene {
			s.hooks = append(slices.Clone(s.hooks), pick(r, "pass", "raise", "veto"))
			return s
		}},
		{"a review", func(s scene) scene {
			if s.review == "" {
				s.review = pick(r, "approve", "modify", "failed", "reject")
			}
			return s
		}},
		{"a parent", func(s scene) scene {
			s.over = append(slices.Clone(s.over), randomAgent(r))
			return s
		}},
		{"taint", func(s scene) scene { s.self.tainted = true; return s }},
		{"plan", func(s scene) scene { s.self.plan = true; return s }},
		{"confirm_reads", func(s scene) scene { s.confirmReads = true; return s }},
		{"nobody to ask", func(s scene) scene { s.canAsk = false; return s }},
		{"a worse grade", func(s scene) scene { s.grade = "none"; return s }},
	}
	moved := map[string]int{}
	for n := 0; n < 4000 || n < 40_000 && len(moved) < len(tighter); n++ {
		s := randomScene(r)
		before := gate.Decide(g.input(s))
		for _, tighten := range tighter {
			name, after := tighten.name, gate.Decide(g.input(tighten.do(s)))
			if after.Answer > before.Answer {
				t.Fatalf("%s made %v (%s) out of %v (%s)\n%+v", name, after.Answer, after.Reason, before.Answer, before.Reason, s)
			}
			if after.Answer == gate.Ask && before.Answer == gate.Ask && before.Raised && !after.Raised {
				t.Fatalf("%s took the mark off a raised question\n%+v", name, s)
			}
			if after.Answer < before.Answer || after.Raised && !before.Raised {
				moved[name]++
			}
		}
	}
	for _, tighten := range tighter {
		if moved[tighten.name] == 0 {
			t.Errorf("%s never changed anything: the property was not tried", tighten.name)
		}
	}
}

// withRule adds a rule about something that the scene does.
func withRule(r *rand.Rand, s scene, layer, says string) scene {
	facets := s.facets(s.does[r.IntN(len(s.does))])
	if len(facets) == 0 {
		return s
	}
	if f := facets[r.IntN(len(facets))]; f.kind != "" && f.host != "127.0.0.1" && !slices.Contains(f.on, "~/.tera_pilot/config.json") {
		s.self.rules = append(slices.Clone(s.self.rules), ruleFor(f, layer, says))
	}
	return s
}

// A decision is repeated bit for bit from what the log commits to.
func TestADecisionIsReplayedFromItsInputs(t *testing.T) {
	g := newStage(t)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 1500 {
		in := g.input(randomScene(r))
		if i%10 == 0 && len(in.Set.Effects) > 0 { // names that are not UTF-8 come back too
			in.Set.Effects[0] = onPath(effect.Write, place("src/\xff\xfe"))
		}
		known := map[string]gate.Rules{}
		for l := &in.Limits; l != nil; l = l.Parent {
			known[l.Rules.Digest()] = l.Rules
		}
		form := in.Canonical()
		if !json.Valid(form) {
			t.Fatalf("not JSON: %s", form)
		}
		back, err := gate.ParseInput(form, func(d string) (gate.Rules, bool) { r, ok := known[d]; return r, ok })
		if err != nil {
			t.Fatalf("%v\n%s", err, form)
		}
		// The content of files does not count: hashes stand for it.
		first, second := gate.Decide(in), gate.Decide(back)
		if first.Set.Digest() != second.Set.Digest() {
			t.Fatalf("another set came back\n%s", form)
		}
		first.Set, second.Set = effect.Set{}, effect.Set{}
		if !reflect.DeepEqual(first, second) || !bytes.Equal(form, back.Canonical()) {
			t.Fatalf("another decision came back:\n%+v\n%+v\n%s", first, second, form)
		}
	}
}

func TestInputsThatAreGoneOrAltered(t *testing.T) {
	in := base(run("make"))
	in.Rules = rules(t, "user", commandRule("make", "allow"))
	have := func(string) (gate.Rules, bool) { return in.Rules, true }
	form := in.Canonical()
	if _, err := gate.ParseInput(form, have); err != nil {
		t.Fatal(err)
	}
	if _, err := gate.ParseInput(form, func(string) (gate.Rules, bool) { return gate.Rules{}, false }); err != gate.ErrNotReplayable {
		t.Errorf("without the rules: %v", err)
	}
	other := rules(t, "user", commandRule("make", "deny"))
	if _, err := gate.ParseInput(form, func(string) (gate.Rules, bool) { return other, true }); err != gate.ErrNotReplayable {
		t.Errorf("with other rules: %v", err)
	}
	for name, bad := range map[string][]byte{
		"empty":     nil,
		"cut":       form[:len(form)-1],
		"more":      append(slices.Clone(form), ' ', '1'),
		"spaced":    append(slices.Clone(form), ' '),
		"unknown":   bytes.Replace(form, []byte(`"CanAsk"`), []byte(`"CanAsc"`), 1),
		"promoted":  bytes.Replace(form, []byte(`"CanAsk":true`), []byte(`"CanAsk":true,"Plan":true`), 1),
		"not bool":  bytes.Replace(form, []byte(`"CanAsk":true`), []byte(`"CanAsk":"true"`), 1),
		"spelled 1": bytes.Replace(form, []byte(`"CanAsk":true`), []byte(`"CanAsk" :true`), 1),
	} {
		if got, err := gate.ParseInput(bad, have); err == nil || !reflect.DeepEqual(got, gate.Input{}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever the dispatcher knows and the decision looks at is in the canonical
// form: changing any member of the Input changes it.
func TestEveryMemberIsCommittedTo(t *testing.T) {
	full := base(run("make", "go.dev"))
	full.Roots, full.Taint, full.HostGrants = []string{"/r"}, []string{"web"}, []string{"h"}
	full.Hooks = []gate.HookAnswer{{Name: "h", Word: gate.HookRaise, Reason: "r"}}
	full.Window = gate.Window{Kind: gate.TrustWindow, Grade: gate.GradeA, Left: 1}
	full.Parent = &gate.Limits{Level: gate.NeverAsk}
	want := full.Canonical()
	members := 0
	var visit func(v reflect.Value, name string)
	visit = func(v reflect.Value, name string) {
		switch v.Kind() {
		case reflect.Struct:
			if name == "Now" || name == "Rules" || name == "Set" { // tried elsewhere
				return
			}
			for i := range v.NumField() {
				visit(v.Field(i), v.Type().Field(i).Name)
			}
			return
		case reflect.Pointer:
			if !v.IsNil() {
				visit(v.Elem(), name)
			}
			return
		case reflect.Slice:
			for i := range v.Len() {
				visit(v.Index(i), name)
			}
			return
		}
		members++
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.String:
			v.SetString(v.String() + "x")
		case reflect.Uint8:
			v.SetUint(v.Uint() + 1)
		case reflect.Int64:
			v.SetInt(v.Int() + 1)
		default:
			t.Fatalf("%s: a kind that this test does not know", name)
		}
		if bytes.Equal(full.Canonical(), want) {
			t.Errorf("%s is not in the canonical form", name)
		}
		v.Set(old)
	}
	visit(reflect.ValueOf(&full).Elem(), "")
	if members < 25 || !bytes.Equal(full.Canonical(), want) {
		t.Errorf("%d members tried", members)
	}
	later := full
	later.Now = later.Now.Add(900e6)
	if !bytes.Equal(later.Canonical(), want) {
		t.Error("the clock is not rounded to a second")
	}
	later.Now = later.Now.Add(1e9)
	if bytes.Equal(later.Canonical(), want) {
		t.Error("the clock is not in the canonical form")
	}
}
