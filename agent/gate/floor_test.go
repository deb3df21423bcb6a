package gate_test

import (
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/guardian"
)

func TestZeroInputDenies(t *testing.T) {
	d := gate.Decide(gate.Input{})
	if d.Answer != gate.Deny || d.By != gate.ByFloor || d.Reason == "" {
		t.Errorf("%+v", d)
	}
	if (gate.Decision{}).Answer != gate.Deny || (gate.Decision{}).Word() != "blocked" {
		t.Error("the zero decision must deny")
	}
	if gate.Answer(9).String() != "deny" || gate.HookWord(0) != gate.HookVeto || (gate.Input{}).Origin != gate.OriginText {
		t.Error("zero and unknown words must be the strictest")
	}
}

// Nothing lets the floor through: not the level, not rules, not a window, and
// not the person who types it.
func TestTheFloorHolds(t *testing.T) {
	everything := rules(t, "user", pathRule("**", "write", "allow")+pathRule("~/notes.txt", "write", "allow")+hostRule("evil.example", "GET", "allow")+mcpRule("jira", "get", "allow")+commandRule("make", "allow"))
	link := place("src/a.go")
	link.Type, link.Target = effect.Link, state+"/audit_key"
	unpinned := mcp("jira", "get", true)
	unpinned.MCP.Pinned = false
	unapproved := start("db-mcp serve")
	away := run("make")
	away.Exec.Dir = "/home/u"
	elsewhere := git(effect.GitReads, "status")
	elsewhere.Git.Dir = home
	similar := run("make")
	similar.Exec.Dir = workspace + "-evil"
	for name, e := range map[string]effect.Effect{
		"unknown kind":                   {},
		"kind of a newer version":        {Kind: 200, Path: &effect.Path{Abs: workspace + "/a"}},
		"own settings":                   {Kind: effect.Config},
		"read own key":                   read("~/.tera_pilot/audit_key"),
		"read own log, other case":       read("~/.TERA_PILOT/audit/000001.jsonl"),
		"own folder itself":              onPath(effect.Walk, place("~/.tera_pilot")),
		"walk above our own folder":      onPath(effect.Walk, place("~")),
		"write own policy":               write("~/.tera_pilot/policy.toml"),
		"write through a link":           onPath(effect.Write, link),
		"write outside":                  write("~/notes.txt"),
		"delete outside":                 remove("/etc/hosts"),
		"write in a folder of like name": write(workspace + "-evil/a"),
		"rename out":                     rename("src/a.go", "~/a.go"),
		"rename in":                      rename("~/notes.txt", "a"),
		"write to an output":             onPath(effect.Write, effect.Path{Name: "@out/1", Virtual: true}),
		"read own file by command":       run("cat ~/.tera_pilot/config.json"),
		"catastrophe":                    run("rm -rf /"),
		"catastrophe inside":             run("true && (sudo rm -rf ~)"),
		"command elsewhere":              away,
		"command in a like-named folder": similar,
		"fetch of loopback":              fetch("127.0.0.1"),
		"fetch of metadata":              fetch("169.254.169.254"),
		"fetch of a number":              fetch("2130706433"),
		"fetch of hex":                   fetch("0x7f.1"),
		"fetch of localhost":             fetch("localhost"),
		"fetch of v6 loopback":           {Kind: effect.Fetch, Net: &effect.NetCall{URL: "http://[::1]/", Host: "::1", Method: "GET"}},
		"fetch of mapped loopback":       {Kind: effect.Fetch, Net: &effect.NetCall{URL: "http://[::ffff:127.0.0.1]/", Host: "::ffff:127.0.0.1", Method: "GET"}},
		"grant of a private address":     run("make", "10.0.0.1"),
		"grant with a port":              run("make", "10.0.0.1:443"),
		"push to a private address":      push("192.168.1.5"),
		"tool that is not pinned":        unpinned,
		"start that nobody approved":     unapproved,
		"git off the table":              git(effect.GitUnknown, "frob"),
		"git without words":              git(effect.GitReads),
		"git elsewhere":                  elsewhere,
	} {
		t.Run(name, func(t *testing.T) {
			for _, level := range []gate.Level{gate.AlwaysAsk, gate.NewFilesOnly, gate.NeverAsk} {
				in := base(e)
				in.Level, in.Rules = level, everything
				in.Window = gate.Window{Kind: gate.UnsafeWindow, Left: time.Minute}
				in.HostGrants = []string{"127.0.0.1", "localhost", "10.0.0.1"}
				in.Hooks = []gate.HookAnswer{{Word: gate.HookPass}}
				in.Review = &guardian.Verdict{Word: guardian.Approve}
				expect(t, in, gate.Deny, gate.ByFloor)
				in.Typed = true
				expect(t, in, gate.Deny, gate.ByFloor)
			}
		})
	}
}

// Our own folder is not moved, removed or changed by way of a folder above it.
func TestNothingMovesOurOwnFolder(t *testing.T) {
	for _, e := range []effect.Effect{rename("sub", "other"), rename("sub/state", "other"), onPath(effect.Chmod, place("sub")), remove("sub"), write("sub/STATE/x")} {
		in := base(e)
		in.State = workspace + "/sub/state"
		in.Level = gate.NeverAsk
		expect(t, in, gate.Deny, gate.ByFloor)
	}
}

// The planner's word is not enough where it is the looser one.
func TestThePlannerIsNotBelieved(t *testing.T) {
	elsewhere := place("/etc/passwd")
	elsewhere.Outside = false // and yet it is
	expect(t, base(onPath(effect.Write, elsewhere)), gate.Deny, gate.ByFloor)
	expect(t, base(onPath(effect.Read, elsewhere)), gate.Ask)
	broken := run("echo 'x")
	broken.Exec.Parsed = true
	in := base(broken)
	in.Level = gate.NeverAsk
	expect(t, in, gate.Ask, gate.ByBuiltIn)
	notes := base(onPath(effect.Memory, place("NOTES.txt"))) // memory, whatever the file is called
	notes.Level = gate.NeverAsk
	expect(t, notes, gate.Deny, gate.ByTable)
	secret := place("prod.env")
	secret.Secret = false
	expect(t, base(onPath(effect.Read, secret)), gate.Ask)
}

// What is not wholly described is denied, whatever the kind.
func TestNotWhollyDescribed(t *testing.T) {
	whole := map[string]effect.Effect{
		"read": read("a"), "walk": onPath(effect.Walk, place(".")), "create": create("b"), "write": write("a"), "delete": remove("a"),
		"rename": rename("a", "b"), "mkdir": onPath(effect.Mkdir, missing("d")), "chmod": onPath(effect.Chmod, place("a")),
		"exec": run("make"), "git": git(effect.GitReads, "status"), "fetch": fetch("go.dev"), "search": search("go.dev"),
		"mcp": mcp("s", "t", false), "memory": onPath(effect.Memory, place("AGENTS.md")), "spawn": {Kind: effect.Spawn, Child: &effect.Child{Goal: "look"}}, "start": start("x"),
	}
	spoil := map[string]func(*effect.Effect) bool{
		"without its members": func(e *effect.Effect) bool {
			spawn := e.Kind == effect.Spawn
			*e = effect.Effect{Kind: e.Kind}
			return !spawn
		},
		"with another's member": func(e *effect.Effect) bool {
			had := e.Net != nil
			e.Net = &effect.NetCall{Host: "go.dev"}
			return !had
		},
		"with a command beside": func(e *effect.Effect) bool {
			had := e.Exec != nil
			e.Exec = run("make").Exec
			return !had
		},
		"path not resolved":  func(e *effect.Effect) bool { return changePath(e, "a") },
		"path with dots":     func(e *effect.Effect) bool { return changePath(e, workspace+"/../../x") },
		"path with NUL":      func(e *effect.Effect) bool { return changePath(e, workspace+"/a\x00b") },
		"path with a double": func(e *effect.Effect) bool { return changePath(e, workspace+"//a") },
		"no argv": func(e *effect.Effect) bool {
			if e.Exec != nil {
				e.Exec.Script, e.Exec.Argv = "", nil
			}
			return e.Exec != nil
		},
		"other host in the URL": func(e *effect.Effect) bool { return changeURL(e, "https://evil.example/x") },
		"other port in the URL": func(e *effect.Effect) bool { return changeURL(e, "https://go.dev:8443/x") },
		"user in the URL":       func(e *effect.Effect) bool { return changeURL(e, "https://go.dev@evil.example/x") },
		"host with a port": func(e *effect.Effect) bool {
			if e.Net != nil {
				e.Net.Host = "go.dev:443"
			}
			return e.Net != nil
		},
		"server without a name": func(e *effect.Effect) bool {
			if e.MCP != nil {
				e.MCP.Server = ""
			}
			return e.MCP != nil
		},
	}
	for kind, good := range whole {
		in := base(good)
		in.Marks[0].Approved = true
		if d := gate.Decide(in); d.Answer == gate.Deny {
			t.Errorf("%s: whole, and denied by %s (%s)", kind, d.By, d.Reason)
		}
		for how, change := range spoil {
			e := clone(good)
			if !change(&e) {
				continue
			}
			in.Set.Effects = []effect.Effect{e}
			if d := gate.Decide(in); d.Answer != gate.Deny || d.By != gate.ByFloor {
				t.Errorf("%s, %s: %v by %s", kind, how, d.Answer, d.By)
			}
		}
	}
}

func clone(e effect.Effect) effect.Effect {
	if e.Path != nil {
		p := *e.Path
		e.Path = &p
	}
	if e.Exec != nil {
		x := *e.Exec
		e.Exec = &x
	}
	if e.Net != nil {
		n := *e.Net
		e.Net = &n
	}
	if e.MCP != nil {
		m := *e.MCP
		e.MCP = &m
	}
	return e
}

func changePath(e *effect.Effect, abs string) bool {
	if e.Path != nil {
		e.Path.Abs = abs
	}
	return e.Path != nil
}

func changeURL(e *effect.Effect, url string) bool {
	if e.Kind == effect.Fetch {
		e.Net.URL = url
	}
	return e.Kind == effect.Fetch
}

func TestSetsWithoutEffects(t *testing.T) {
	in := base()
	expect(t, in, gate.Deny, gate.ByFloor) // not declared free
	in.Set.Free = true
	expect(t, in, gate.Allow)
	in.Plan = true
	expect(t, in, gate.Allow)
	in.Hooks = []gate.HookAnswer{{Word: gate.HookVeto}}
	expect(t, in, gate.Deny, gate.ByHook)
	in = base(read("src/a.go"))
	in.Set.Free = true // and yet it has one
	expect(t, in, gate.Deny, gate.ByFloor)
}

func TestPublicAddressesAndNames(t *testing.T) {
	for _, host := range []string{"go.dev", "1.1.1.1", "2606:4700::1111", "sub.0x.example", "1.example", "10.example"} {
		e := effect.Effect{Kind: effect.Fetch, Net: &effect.NetCall{URL: "https://" + bracket(host) + "/", Host: host, Method: "GET"}}
		expect(t, base(e), gate.Ask)
	}
	for _, host := range []string{
		"0.0.0.0", "127.1.2.3", "10.1.1.1", "100.64.0.1", "172.16.0.1", "192.168.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
		"168.63.129.16", "fc00::1", "fe80::1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "::", "app.localhost", "127.1", "1.2.3", "0x7f000001", "LOCALHOST.",
	} {
		e := effect.Effect{Kind: effect.Fetch, Net: &effect.NetCall{URL: "https://" + bracket(host) + "/", Host: host, Method: "GET"}}
		expect(t, base(e), gate.Deny, gate.ByFloor)
	}
}

func bracket(host string) string {
	for _, c := range host {
		if c == ':' {
			return "[" + host + "]"
		}
	}
	return host
}

// A search goes where the user's own settings say, on this machine too.
func TestSearchOnLoopback(t *testing.T) {
	in := base(search("127.0.0.1"))
	expect(t, in, gate.Ask, gate.ByTable)
}

func TestSandbox(t *testing.T) {
	for _, tt := range []struct {
		setting gate.Setting
		grade   gate.Grade
		want    gate.Answer
	}{
		{gate.SandboxAuto, gate.GradeA, gate.Ask}, {gate.SandboxAuto, gate.GradeAMinus, gate.Ask}, {gate.SandboxAuto, gate.GradeB, gate.Ask},
		{gate.SandboxAuto, gate.NoGrade, gate.Deny}, {gate.SandboxOn, gate.GradeA, gate.Ask}, {gate.SandboxOn, gate.GradeAMinus, gate.Ask},
		{gate.SandboxOn, gate.GradeB, gate.Deny}, {gate.SandboxUnset, gate.GradeA, gate.Deny}, {gate.SandboxOff, gate.GradeA, gate.Ask},
		{gate.SandboxAuto, gate.Grade(9), gate.Deny}, {gate.Setting(9), gate.GradeA, gate.Deny},
	} {
		in := base(run("make"))
		in.Sandbox, in.Grade = tt.setting, tt.grade
		d := expect(t, in, tt.want)
		if tt.setting == gate.SandboxOff && !d.Raised {
			t.Error("without a sandbox each command is a raised question")
		}
		in.Set.Effects = []effect.Effect{write("src/a.go")} // files can still be edited
		expect(t, in, gate.Ask)
	}
}

func TestPlanMode(t *testing.T) {
	for _, tt := range []struct {
		e    effect.Effect
		want gate.Answer
	}{
		{read("src/a.go"), gate.Allow}, {read(".env"), gate.Ask}, {onPath(effect.Walk, place(".")), gate.Allow},
		{git(effect.GitReads, "log"), gate.Allow}, {run("ls src"), gate.Allow}, {run("make"), gate.Deny}, {run("ls src", "go.dev"), gate.Deny},
		{write("a"), gate.Deny}, {create("b"), gate.Deny}, {git(effect.GitWrites, "commit"), gate.Deny}, {fetch("go.dev"), gate.Deny},
		{search("go.dev"), gate.Deny}, {mcp("s", "t", false), gate.Deny}, {effect.Effect{Kind: effect.Spawn, Child: &effect.Child{Goal: "look"}}, gate.Deny},
	} {
		in := base(tt.e)
		in.Plan = true
		d := expect(t, in, tt.want)
		if tt.e.Kind == effect.Exec && d.Answer == gate.Allow && d.Set.Effects[0].Exec.Profile != gate.ProfileObserve {
			t.Errorf("in plan mode a command ran in the profile %s", d.Set.Effects[0].Exec.Profile)
		}
		in.Typed = true // what the person types is not bound by it
		if d := gate.Decide(in); d.Answer != gate.Allow {
			t.Errorf("%s, typed: %v (%s)", tt.e.Kind, d.Answer, d.Reason)
		}
	}
}

func TestTheDecisionCompletesTheCommand(t *testing.T) {
	for name, tt := range map[string]struct {
		e       effect.Effect
		profile string
		proven  bool
	}{
		"plain":      {run("make"), gate.ProfileWork, false},
		"read only":  {run("ls src"), gate.ProfileObserve, true},
		"with hosts": {run("ls src", "GO.dev.", "go.dev", "a.example:443"), gate.ProfileNet, false},
	} {
		e := tt.e
		e.Exec.Profile, e.Exec.Grade, e.Exec.ReadOnly = "debug", "A+", !tt.proven // not the planner's to say
		in := base(e)
		d := gate.Decide(in)
		x := d.Set.Effects[0].Exec
		if x.Profile != tt.profile || x.ReadOnly != tt.proven || x.Grade != "A" || x.Timeout != gate.DefaultTimeout {
			t.Errorf("%s: %+v", name, x)
		}
		if name == "with hosts" && (len(x.Hosts) != 2 || x.Hosts[0] != "a.example:443" || x.Hosts[1] != "go.dev") {
			t.Errorf("hosts %v", x.Hosts)
		}
		if e.Exec.Profile != "debug" {
			t.Error("the planned set was changed in place")
		}
		again := in
		again.Set = d.Set
		if second := gate.Decide(again); second.Set.Digest() != d.Set.Digest() {
			t.Errorf("%s: deciding on the completed set completes it anew", name)
		}
	}
	for asked, want := range map[time.Duration]time.Duration{
		-time.Second: gate.MinTimeout, 0: gate.DefaultTimeout, time.Millisecond: gate.MinTimeout, time.Minute: time.Minute, 48 * time.Hour: gate.MaxTimeout,
	} {
		e := run("make")
		e.Exec.Timeout = asked
		if got := gate.Decide(base(e)).Set.Effects[0].Exec.Timeout; got != want {
			t.Errorf("a limit of %v became %v", asked, got)
		}
	}
}
