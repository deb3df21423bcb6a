package gate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/guardian"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// The level in force, by front end ("Headless").
func TestEffectiveLevel(t *testing.T) {
	type at struct {
		front       gate.Front
		interactive bool
		optOut      bool
	}
	for in, want := range map[at][3]gate.Level{
		{gate.FrontTUI, true, false}:  {gate.AlwaysAsk, gate.NewFilesOnly, gate.NeverAsk},
		{gate.FrontTUI, true, true}:   {gate.AlwaysAsk, gate.NewFilesOnly, gate.NeverAsk}, // no opt-out there
		{gate.FrontTUI, false, false}: {gate.AlwaysAsk, gate.NewFilesOnly, gate.AlwaysAsk},
		{gate.FrontDemo, true, false}: {gate.AlwaysAsk, gate.NewFilesOnly, gate.NeverAsk},
		{gate.FrontRun, false, false}: {gate.AlwaysAsk, gate.NewFilesOnly, gate.AlwaysAsk},
		{gate.FrontRun, true, false}:  {gate.AlwaysAsk, gate.NewFilesOnly, gate.AlwaysAsk},
		{gate.FrontRun, false, true}:  {gate.NeverAsk, gate.NeverAsk, gate.NeverAsk},
		{gate.FrontACP, false, false}: {gate.AlwaysAsk, gate.NewFilesOnly, gate.AlwaysAsk},
		{gate.FrontACP, false, true}:  {gate.NeverAsk, gate.NeverAsk, gate.NeverAsk},
		{gate.FrontMCP, false, true}:  {gate.AlwaysAsk, gate.NewFilesOnly, gate.AlwaysAsk},
		{gate.FrontCLI, true, true}:   {gate.AlwaysAsk, gate.NewFilesOnly, gate.AlwaysAsk},
		{"", true, true}:              {gate.AlwaysAsk, gate.NewFilesOnly, gate.AlwaysAsk},
	} {
		for level, want := range want {
			if got := gate.Effective(in.front, in.interactive, gate.Level(level), in.optOut); got != want {
				t.Errorf("%+v, %v: %v, want %v", in, gate.Level(level), got, want)
			}
		}
		if got := gate.Effective(in.front, in.interactive, gate.Level(77), in.optOut); got == gate.NeverAsk && !in.optOut {
			t.Errorf("%+v: an unknown level became %v", in, got)
		}
	}
}

// One row a source: what it does, and what it is called in the log.
func TestEachSource(t *testing.T) {
	makeRule := func(says string) string { return commandRule("make", says) }
	for name, tt := range map[string]struct {
		e      effect.Effect
		change func(*testing.T, *gate.Input)
		want   gate.Answer
		by     gate.By
	}{
		"the table asks":         {run("make"), func(*testing.T, *gate.Input) {}, gate.Ask, gate.ByTable},
		"the table allows":       {read("src/a.go"), func(*testing.T, *gate.Input) {}, gate.Allow, gate.ByTable},
		"the table denies":       {fetch("go.dev"), func(_ *testing.T, in *gate.Input) { in.Level = gate.NeverAsk }, gate.Deny, gate.ByTable},
		"user denies":            {run("make"), withRules("user", makeRule("deny")), gate.Deny, gate.ByRule},
		"user asks":              {run("ls src"), withRules("user", commandRule("ls src", "ask")), gate.Ask, gate.ByRule},
		"user allows":            {run("make"), withRules("user", makeRule("allow")), gate.Allow, gate.ByRule},
		"project denies":         {run("make"), withRules("pending", makeRule("deny")), gate.Deny, gate.ByRule},
		"project's allow waits":  {run("make"), withRules("pending", makeRule("allow")), gate.Ask, gate.ByTable},
		"project's is approved":  {run("make"), withRules("project", makeRule("allow")), gate.Allow, gate.ByRule},
		"remembered":             {run("make"), withRules("remembered", makeRule("allow")), gate.Allow, gate.ByRemembered},
		"for this session":       {run("make"), withRules("session", makeRule("allow")), gate.Allow, gate.ByRemembered},
		"proof":                  {run("ls src"), func(*testing.T, *gate.Input) {}, gate.Allow, gate.ByBuiltIn},
		"proof, confirm_reads":   {run("ls src"), func(_ *testing.T, in *gate.Input) { in.ConfirmReads = true }, gate.Ask, gate.ByTable},
		"host grant":             {fetch("go.dev"), func(_ *testing.T, in *gate.Input) { in.HostGrants = []string{"go.dev"} }, gate.Allow, gate.ByRemembered},
		"host grant, other":      {fetch("a.go.dev"), func(_ *testing.T, in *gate.Input) { in.HostGrants = []string{"go.dev"} }, gate.Ask, gate.ByTable},
		"host grant, push":       {push("go.dev"), func(_ *testing.T, in *gate.Input) { in.HostGrants = []string{"go.dev"} }, gate.Ask, gate.ByTable},
		"host grant, command":    {run("make", "go.dev"), func(_ *testing.T, in *gate.Input) { in.HostGrants = []string{"go.dev"} }, gate.Ask, gate.ByTable},
		"veto":                   {read("src/a.go"), hook(gate.HookVeto), gate.Deny, gate.ByHook},
		"raise":                  {read("src/a.go"), hook(gate.HookRaise), gate.Ask, gate.ByHook},
		"pass":                   {run("make"), hook(gate.HookPass), gate.Ask, gate.ByTable},
		"a hook's broken word":   {read("src/a.go"), hook(gate.HookWord(9)), gate.Deny, gate.ByHook},
		"review rejects":         {read("src/a.go"), review(guardian.Reject), gate.Deny, gate.ByGuardian},
		"review fails":           {read("src/a.go"), review(guardian.Failed), gate.Ask, gate.ByGuardian},
		"review modifies":        {read("src/a.go"), review(guardian.Modify), gate.Ask, gate.ByGuardian},
		"review approves":        {run("make"), review(guardian.Approve), gate.Ask, gate.ByTable},
		"a review's broken word": {read("src/a.go"), review(guardian.Word(9)), gate.Deny, gate.ByGuardian},
		"taint":                  {fetch("go.dev"), taint, gate.Ask, gate.ByTaint},
		"taint, not egress":      {run("make"), taint, gate.Ask, gate.ByTable},
		"taint, local tool":      {mcp("s", "t", false), taint, gate.Ask, gate.ByTable},
		"taint, remote tool":     {mcp("s", "t", true), taint, gate.Ask, gate.ByTaint},
		"text":                   {write("src/a.go"), func(_ *testing.T, in *gate.Input) { in.Level, in.Origin = gate.NeverAsk, gate.OriginText }, gate.Ask, gate.ByBuiltIn},
		"text that reads":        {read("src/a.go"), func(_ *testing.T, in *gate.Input) { in.Origin = gate.OriginText }, gate.Allow, gate.ByTable},
		"text, as native": {write("src/a.go"), func(_ *testing.T, in *gate.Input) {
			in.Level, in.Origin, in.TextAsNative = gate.NeverAsk, gate.OriginText, true
		}, gate.Allow, gate.ByTable},
		"leak":           {fetch("go.dev"), func(_ *testing.T, in *gate.Input) { in.HostGrants, in.Marks[0].SecretHit = []string{"go.dev"}, true }, gate.Ask, gate.ByBuiltIn},
		"leak in a file": {write("src/a.go"), func(_ *testing.T, in *gate.Input) { in.Level, in.Marks[0].SecretHit = gate.NeverAsk, true }, gate.Allow, gate.ByTable},
		"redirect": {fetch("go.dev"), func(_ *testing.T, in *gate.Input) {
			in.Marks[0].Redirect = true
		}, gate.Ask, gate.ByBuiltIn},
		"redirect to a granted host": {fetch("go.dev"), func(_ *testing.T, in *gate.Input) {
			in.HostGrants, in.Marks[0].Redirect = []string{"go.dev"}, true
		}, gate.Allow, gate.ByRemembered},
		"unparsed":          {run("echo 'x"), withRules("user", commandRule("echo", "allow")), gate.Ask, gate.ByBuiltIn},
		"hidden characters": {run("make \u202e x"), withRules("user", makeRule("allow")), gate.Ask, gate.ByBuiltIn},
		"nobody":            {run("make"), func(_ *testing.T, in *gate.Input) { in.CanAsk = false }, gate.Deny, gate.ByHeadless},
		"typed":             {write("AGENTS.md"), func(_ *testing.T, in *gate.Input) { in.Typed = true }, gate.Allow, gate.ByUserTUI},
		"typed in a shell":  {write("AGENTS.md"), func(_ *testing.T, in *gate.Input) { in.Typed, in.Front = true, gate.FrontCLI }, gate.Allow, gate.ByUserCLI},
		"typed in a client": {write("AGENTS.md"), func(_ *testing.T, in *gate.Input) { in.Typed, in.Front = true, gate.FrontACP }, gate.Allow, gate.ByUserACP},
		"expired":           {run("make"), withRules("user", commandRule("make", "allow", "expires = 2026-11-28")), gate.Ask, gate.ByTable},
		"not yet expired":   {run("make"), withRules("user", commandRule("make", "allow", "expires = 2026-11-29")), gate.Allow, gate.ByRule},
		"remembered at better": {run("make"), func(t *testing.T, in *gate.Input) {
			withRules("remembered", commandRule("make", "allow", `grade = "A"`))(t, in)
			in.Grade = gate.GradeB
		}, gate.Ask, gate.ByTable},
	} {
		t.Run(name, func(t *testing.T) {
			in := base(tt.e)
			tt.change(t, &in)
			d := expect(t, in, tt.want, tt.by)
			if d.Reason == "" {
				t.Error("no reason")
			}
			if d.By == gate.ByRule && d.Rule == (gate.Rule{}) {
				t.Error("no rule named")
			}
			raised := d.Answer == gate.Ask && d.By != gate.ByTable
			if d.Raised != raised {
				t.Errorf("raised is %v", d.Raised)
			}
		})
	}
}

func withRules(pairs ...string) func(*testing.T, *gate.Input) {
	return func(t *testing.T, in *gate.Input) { in.Rules = rules(t, pairs...) }
}

func hook(w gate.HookWord) func(*testing.T, *gate.Input) {
	return func(_ *testing.T, in *gate.Input) { in.Hooks = []gate.HookAnswer{{Name: "h", Word: w}} }
}

func review(w guardian.Word) func(*testing.T, *gate.Input) {
	return func(_ *testing.T, in *gate.Input) { in.Review = &guardian.Verdict{Word: w} }
}

func taint(_ *testing.T, in *gate.Input) { in.Taint = []string{"web go.dev"} }

// Under taint a remembered rule counts for reading from exactly one host, or
// for exactly one tool; the user's own list counts as it stands.
func TestWhatCoversEgressUnderTaint(t *testing.T) {
	several := "[[host]]\nhost = [\"go.dev\", \"a.example\"]\ndecision = \"allow\"\nbecause = \"x\"\n"
	suffix := hostRule("*.go.dev", "GET", "allow")
	for name, tt := range map[string]struct {
		e     effect.Effect
		rules []string
		want  gate.Answer
	}{
		"one host, remembered":      {fetch("go.dev"), []string{"remembered", hostRule("go.dev", "GET", "allow")}, gate.Allow},
		"one host, this session":    {fetch("go.dev"), []string{"session", hostRule("go.dev", "", "allow")}, gate.Allow},
		"several, remembered":       {fetch("go.dev"), []string{"remembered", several}, gate.Ask},
		"a suffix, remembered":      {fetch("a.go.dev"), []string{"remembered", suffix}, gate.Ask},
		"several, the user's list":  {fetch("go.dev"), []string{"user", several}, gate.Allow},
		"a suffix, the user's list": {fetch("a.go.dev"), []string{"user", suffix}, gate.Allow},
		"approved project's":        {fetch("go.dev"), []string{"project", hostRule("go.dev", "GET", "allow")}, gate.Ask},
		"push, remembered":          {push("go.dev"), []string{"remembered", hostRule("go.dev", "PUSH", "allow") + commandRule("git push", "allow")}, gate.Ask},
		"push, the user's":          {push("go.dev"), []string{"user", hostRule("go.dev", "PUSH", "allow") + commandRule("git push", "allow")}, gate.Allow},
		"command, remembered":       {run("make", "go.dev"), []string{"remembered", hostRule("go.dev", "CONNECT", "allow") + commandRule("make", "allow")}, gate.Ask},
		"command, the user's":       {run("make", "go.dev"), []string{"user", hostRule("go.dev", "CONNECT", "allow") + commandRule("make", "allow")}, gate.Allow},
		"one tool, remembered":      {mcp("s", "t", true), []string{"remembered", mcpRule("s", "t", "allow")}, gate.Allow},
		"a server, remembered":      {mcp("s", "t", true), []string{"remembered", mcpRule("s", "", "allow")}, gate.Ask},
		"a server, the user's":      {mcp("s", "t", true), []string{"user", mcpRule("s", "", "allow")}, gate.Allow},
	} {
		in := base(tt.e)
		in.Rules = rules(t, tt.rules...)
		if d := gate.Decide(in); d.Answer != gate.Allow {
			t.Errorf("%s: untainted %v by %s (%s)", name, d.Answer, d.By, d.Reason)
		}
		in.Taint = []string{"README.md"}
		if d := gate.Decide(in); d.Answer != tt.want || d.Answer == gate.Ask && !d.Raised {
			t.Errorf("%s: %v by %s (%s), want %v", name, d.Answer, d.By, d.Reason, tt.want)
		}
	}
}

// A compound command is allowed when each part is covered, by whomever.
func TestPartsOfACompound(t *testing.T) {
	for text, want := range map[string]gate.Answer{
		"make && ls src":       gate.Allow, // a rule, and the proof
		"make | ls src":        gate.Allow,
		"make && go test":      gate.Allow, // a rule of the user, and a remembered one
		"make && touch x":      gate.Ask,
		"make; rm -rf build":   gate.Ask,
		"make $(touch x)":      gate.Ask,
		"CC=evil make":         gate.Ask,
		"make > src/a.go":      gate.Ask,
		"make && rm -rf /":     gate.Deny,
		"make && sudo rm -r ~": gate.Deny,
	} {
		in := base(run(text))
		in.Rules = rules(t, "user", commandRule("make", "allow"), "remembered", commandRule("go test", "allow"))
		if d := gate.Decide(in); d.Answer != want {
			t.Errorf("%s: %v by %s (%s), want %v", text, d.Answer, d.By, d.Reason, want)
		}
	}
}

// Reasons hold names and words of others: they are one line, made visible, and
// of bounded length.
func TestReasonsAreOneVisibleLine(t *testing.T) {
	in := base(read("src/a.go"))
	in.Hooks = []gate.HookAnswer{{Name: "h\x1b[2J", Word: gate.HookVeto, Reason: "\u202eline\nbreak " + strings.Repeat("x", 5000)}}
	d := gate.Decide(in)
	for _, text := range []string{d.Reason, d.Effects[0].Reason, d.Effects[0].Claims[0].Reason} {
		if !visible.Harmless(text) || len(text) > 700 || !strings.Contains(text, "<U+202E>") {
			t.Errorf("%q", text)
		}
	}
	name := gate.Decide(base(onPath(effect.Read, place("src/\x1b[2Ja")))).Effects[0].Claims[0].What
	if !visible.Harmless(name) {
		t.Errorf("%q", name)
	}
}

// A push needs its host and its call, and to be lifted both in the user's file.
func TestWhatAPushNeeds(t *testing.T) {
	host, call := hostRule("go.dev", "PUSH", "allow"), commandRule("git push", "allow")
	for name, tt := range map[string]struct {
		rules         []string
		asked, lifted gate.Answer
	}{
		"nothing":           {nil, gate.Ask, gate.Deny},
		"host":              {[]string{"user", host}, gate.Ask, gate.Deny},
		"call":              {[]string{"user", call}, gate.Ask, gate.Deny},
		"host to read":      {[]string{"user", hostRule("go.dev", "GET", "allow") + call}, gate.Ask, gate.Deny},
		"both":              {[]string{"user", host + call}, gate.Allow, gate.Allow},
		"call remembered":   {[]string{"user", host, "remembered", call}, gate.Allow, gate.Deny},
		"host remembered":   {[]string{"user", call, "remembered", host}, gate.Allow, gate.Deny},
		"both for now":      {[]string{"session", host + call}, gate.Allow, gate.Deny},
		"both, and an ask":  {[]string{"user", host + call, "pending", commandRule("git push", "ask")}, gate.Ask, gate.Deny},
		"both, and a deny":  {[]string{"user", host + call, "pending", hostRule("go.dev", "PUSH", "deny")}, gate.Deny, gate.Deny},
		"call of a project": {[]string{"user", host, "project", call}, gate.Allow, gate.Deny},
	} {
		in := base(push("go.dev"))
		in.Rules = rules(t, tt.rules...)
		if d := gate.Decide(in); d.Answer != tt.asked {
			t.Errorf("%s: %v by %s (%s), want %v", name, d.Answer, d.By, d.Reason, tt.asked)
		}
		in.Front, in.CanAsk, in.Interactive, in.OptOut = gate.FrontRun, false, false, true
		if d := gate.Decide(in); d.Answer != tt.lifted {
			t.Errorf("%s, headless: %v by %s (%s), want %v", name, d.Answer, d.By, d.Reason, tt.lifted)
		}
	}
}

// What a program would read as its program from standard input stands in no
// rule, and so no rule covers it.
func TestAProgramOnStandardInput(t *testing.T) {
	for _, text := range []string{"python3 -", "python3", "bash -s"} {
		in := base(run(text))
		in.Rules = rules(t, "user", commandRule(text, "allow"))
		in.Set.Effects[0].Exec.Stdin = []byte("import os")
		expect(t, in, gate.Ask, gate.ByTable)
	}
	in := base(run("python3 tool.py"))
	in.Rules = rules(t, "user", commandRule("python3 tool.py", "allow"))
	in.Set.Effects[0].Exec.Stdin = []byte("data")
	expect(t, in, gate.Allow, gate.ByRule)
	for _, text := range []string{"xargs cat", "while read f; do cat \"$f\"; done", "cat $(cat)", "bash", "sh -s", "xargs -n1 sh -c"} {
		in := base(run(text))
		in.Set.Effects[0].Exec.Stdin = []byte(".env")
		if d := gate.Decide(in); d.Answer == gate.Allow {
			t.Errorf("%s: what stands on its input is taken for known", text)
		}
	}
}

// Which folders outside count as the sandbox's own depends on how much of a
// sandbox there is.
func TestWhatTheSandboxGives(t *testing.T) {
	for _, tt := range []struct {
		text  string
		holds gate.Grade // the least grade at which never_ask allows it
	}{
		{"cat /usr/include/stdio.h", gate.GradeB},
		{"touch /tmp/x", gate.GradeAMinus},
		{"cat /tmp/x", gate.GradeAMinus},
		{"cat /proc/cpuinfo", gate.GradeA},
		{"ls 2>/dev/null", gate.GradeB},
		{"cat /var/log/syslog", gate.GradeA + 1},
		{"touch /usr/local/x", gate.GradeA + 1},
		{"cat /usr-local/x", gate.GradeA + 1},
		{"cat /etc/shadow", gate.GradeA + 1},
		{"cat /proc/1/environ", gate.GradeA + 1},
	} {
		for grade := gate.GradeB; grade <= gate.GradeA; grade++ {
			in := headless(run(tt.text))
			in.Grade = grade
			want := gate.Deny
			if grade >= tt.holds {
				want = gate.Allow
			}
			if d := gate.Decide(in); d.Answer != want {
				t.Errorf("%s at %v: %v by %s (%s)", tt.text, grade, d.Answer, d.By, d.Reason)
			}
			in = base(run(tt.text)) // asked levels ask
			in.Grade = grade
			if d := gate.Decide(in); tt.text != "ls 2>/dev/null" && d.Answer != gate.Ask {
				t.Errorf("%s at %v, asked: %v", tt.text, grade, d.Answer)
			}
		}
	}
}

func TestWindows(t *testing.T) {
	for name, tt := range map[string]struct {
		e             effect.Effect
		trust, unsafe gate.Answer
	}{
		"command":      {run("make"), gate.Allow, gate.Allow},
		"create":       {create("b"), gate.Allow, gate.Allow},
		"delete":       {remove("src/a.go"), gate.Allow, gate.Allow},
		"commit":       {git(effect.GitWrites, "commit"), gate.Allow, gate.Allow},
		"pinned tool":  {mcp("s", "t", false), gate.Ask, gate.Allow},
		"host in rule": {run("make", "go.dev"), gate.Allow, gate.Allow}, // by the rule
		"other host":   {run("make", "evil.example"), gate.Ask, gate.Ask},
		"push":         {push("github.com"), gate.Ask, gate.Allow}, // host in a rule; the call has none
		"fetch":        {fetch("evil.example"), gate.Ask, gate.Ask},
		"secret":       {read(".env"), gate.Ask, gate.Ask},
		"outside":      {read("~/notes.txt"), gate.Ask, gate.Ask},
		"protected":    {write("AGENTS.md"), gate.Ask, gate.Ask},
		"sub-agent":    {effect.Effect{Kind: effect.Spawn, Child: &effect.Child{Goal: "look"}}, gate.Ask, gate.Ask},
		"unparsed":     {run("echo 'x"), gate.Ask, gate.Ask},
	} {
		in := base(tt.e)
		in.Rules = rules(t, "user", hostRule("go.dev", "CONNECT", "allow")+hostRule("github.com", "PUSH", "allow"))
		for kind, want := range map[gate.WindowKind]gate.Answer{gate.NoWindow: gate.Ask, gate.TrustWindow: tt.trust, gate.UnsafeWindow: tt.unsafe, 9: gate.Ask} {
			in.Window = gate.Window{Kind: kind, Grade: gate.GradeA, Left: time.Minute}
			if d := gate.Decide(in); d.Answer != want {
				t.Errorf("%s in window %d: %v by %s (%s), want %v", name, kind, d.Answer, d.By, d.Reason, want)
			}
			for how, end := range map[string]func(*gate.Input){
				"over":            func(in *gate.Input) { in.Window.Left = 999 * time.Millisecond },
				"the grade fell":  func(in *gate.Input) { in.Grade = gate.GradeB },
				"not in terminal": func(in *gate.Input) { in.Front, in.Interactive = gate.FrontACP, false },
			} {
				ended := in
				end(&ended)
				if d := gate.Decide(ended); d.Answer != gate.Ask {
					t.Errorf("%s, window %d %s: %v", name, kind, how, d.Answer)
				}
			}
		}
	}
}

func TestDanger(t *testing.T) {
	onto := rename("src/a.go", "docs/b.md")
	onto.To.Exists = true
	secretBeside := base(read(".env"), fetch("go.dev"))
	for name, in := range map[string]gate.Input{
		"delete without undo":     base(remove("src/a.go")),
		"replaced without undo":   base(onto),
		"leaves the sandbox":      base(run("make")),
		"secret and network":      base(run("cat .env", "go.dev")),
		"secret and fetch in one": secretBeside,
	} {
		for i := range in.Marks {
			in.Marks[i] = gate.Mark{Leaves: name == "leaves the sandbox"}
		}
		d := expect(t, in, gate.Ask)
		if !d.Danger || !d.Raised || len(gate.Scopes(in, d)) > 0 {
			t.Errorf("%s: danger %v, raised %v", name, d.Danger, d.Raised)
		}
		in.Level = gate.NeverAsk // the table's allow, and its denials lifted, change nothing
		in.Rules = rules(t, "user", pathRule(".env", "read", "allow")+hostRule("go.dev", "GET", "allow")+hostRule("go.dev", "CONNECT", "allow"))
		expect(t, in, gate.Ask)
		in.CanAsk = false
		expect(t, in, gate.Deny, gate.ByHeadless)
	}
	expect(t, base(remove("src/a.go")), gate.Ask, gate.ByTable)
}

// A hook's or a project's word cannot be bought back by an allow (TR-05).
func TestNothingLiftsADeny(t *testing.T) {
	in := base(run("make"))
	in.Rules = rules(t, "user", commandRule("make", "allow"), "session", commandRule("make", "allow"), "pending", commandRule("make", "deny"))
	in.Window = gate.Window{Kind: gate.UnsafeWindow, Grade: gate.GradeA, Left: time.Minute}
	expect(t, in, gate.Deny, gate.ByRule)
	in.Rules = rules(t, "user", commandRule("make", "allow"))
	for _, order := range [][]gate.HookWord{{gate.HookPass, gate.HookVeto}, {gate.HookVeto, gate.HookPass}, {gate.HookRaise, gate.HookVeto}} {
		in.Hooks = nil
		for _, w := range order {
			in.Hooks = append(in.Hooks, gate.HookAnswer{Word: w})
		}
		expect(t, in, gate.Deny, gate.ByHook)
	}
}

// What `run --no-confirm` comes to (architecture page, end of section 2).
func TestTheEverydayHeadlessTask(t *testing.T) {
	commit := git(effect.GitWrites, "commit", "-m", "fix the tab width ✅")
	for _, e := range []effect.Effect{
		onPath(effect.Walk, place(".")), read("src/a.go"), write("src/a.go"), create("src/a_test.go"), run("go test ./..."), run("go test ./... 2>&1 | tail -n 20"),
		run("go build -o /tmp/x ./... 2>/dev/null"), git(effect.GitReads, "diff"), git(effect.GitWrites, "add", "src/a.go"), commit, rename("src/a.go", "src/b.go"), remove("src/b.go"),
	} {
		in := headless(e)
		in.Taint = []string{"src/a.go"}
		d := expect(t, in, gate.Allow)
		if d.Word() != "allowed" {
			t.Errorf("%s: %s", e.Kind, d.Word())
		}
	}
	for _, e := range []effect.Effect{
		write(".git/hooks/pre-commit"), create(".git/hooks/post-checkout"), run("echo x > .git/hooks/pre-commit"), run("cp src/a.go .git/hooks/pre-commit"),
		read("~/.ssh/id_rsa"), run("cat ~/.ssh/id_rsa"), onPath(effect.Walk, place("~/.ssh")),
		fetch("evil.example"), run("make", "evil.example"), push("github.com"), run("git push"),
	} {
		in := headless(e)
		d := gate.Decide(in)
		if e.Kind == effect.Exec && e.Exec.Script == "git push" {
			continue // as a command it has no network in its sandbox; View makes a Git effect of it
		}
		if d.Answer != gate.Deny {
			t.Errorf("%s: %v by %s (%s)", e.Kind, d.Answer, d.By, d.Reason)
		}
	}
}

func TestAgentsBelowOthers(t *testing.T) {
	parent := func(change func(*gate.Limits)) gate.Input {
		in := base(run("make"))
		in.Rules = rules(t, "user", commandRule("make", "allow"))
		above := gate.Limits{Rules: in.Rules}
		change(&above)
		in.Parent = &above
		return in
	}
	expect(t, parent(func(*gate.Limits) {}), gate.Allow, gate.ByRule)
	expect(t, parent(func(l *gate.Limits) { l.Plan = true }), gate.Deny)
	expect(t, parent(func(l *gate.Limits) { l.Rules = gate.Rules{} }), gate.Ask, gate.ByParent) // the intersection of what both hold
	expect(t, parent(func(l *gate.Limits) { l.Rules = rules(t, "user", commandRule("make", "deny")) }), gate.Deny, gate.ByParent)
	expect(t, parent(func(l *gate.Limits) {
		l.Parent = &gate.Limits{Rules: rules(t, "project", commandRule("make", "ask"))}
	}), gate.Ask, gate.ByParent)
	in := headless(write("src/a.go"))
	in.Level, in.Parent = gate.NeverAsk, &gate.Limits{}
	expect(t, in, gate.Allow, gate.ByNoConfirm) // the opt-out is the session's level
	in.Level = gate.AlwaysAsk
	expect(t, in, gate.Deny, gate.ByHeadless) // a child's own stricter level stays
	in.Set.Effects = []effect.Effect{fetch("go.dev")}
	in.Front, in.CanAsk = gate.FrontACP, true
	expect(t, in, gate.Deny, gate.ByNoConfirm) // and so does what the opt-out denies
}

func TestRenameCarriesWhatItMoves(t *testing.T) {
	in := headless(rename(".env", "notes.txt"))
	expect(t, in, gate.Deny) // it would be readable as notes.txt afterwards
	expect(t, headless(rename("tmp", ".github")), gate.Deny)
	expect(t, headless(rename("src/a.go", "src/b.go")), gate.Allow)
	for _, text := range []string{"mv tmp .github", "cp -r tmp sub/.GitHub", "mv .github other", "rm -r .github"} {
		expect(t, headless(run(text)), gate.Deny)
	}
	expect(t, headless(run("mkdir .github")), gate.Allow)
	expect(t, headless(run("mv src/a.go src/b.go")), gate.Allow)
	deny := rules(t, "user", pathRule("docs/**", "write", "deny")+pathRule("src/a.go", "delete", "deny"))
	for _, e := range []effect.Effect{rename("src/a.go", "b.go"), rename("x", "docs/b.md")} {
		in := headless(e)
		in.Rules = deny
		e.To.Exists = e.Path.Name == "x"
		in.Set.Effects = []effect.Effect{e}
		expect(t, in, gate.Deny, gate.ByRule)
	}
}

func TestHostsOfRemotes(t *testing.T) {
	for remote, host := range map[string]string{
		"https://github.com/u/w.git": "github.com", "https://user:pw@GitHub.com:443/u/w": "github.com", "git@github.com:u/w.git": "github.com",
		"ssh://git@github.com:22/u/w": "github.com", "github.com:u/w": "github.com",
		"https://github.com@evil.example/u": "evil.example", "https://github.com\\@evil.example/u": "", "file:///srv/w.git": "", "/srv/w.git": "",
		"../w.git": "", "./a:b": "", "": "", "ssh://git@github.com:2222/u/w": "", "https://127.0.0.1/u": "",
	} {
		in := base(git(effect.GitNetwork, "push"))
		in.Set.Effects[0].Git.Remotes = []string{remote}
		in.Rules = rules(t, "user", hostRule("github.com", "PUSH", "allow")+commandRule("git push", "allow"))
		want := gate.Ask
		switch {
		case host == "github.com":
			want = gate.Allow
		case remote == "https://127.0.0.1/u":
			want = gate.Deny
		}
		if d := gate.Decide(in); d.Answer != want {
			t.Errorf("%s: %v by %s (%s), want %v", remote, d.Answer, d.By, d.Reason, want)
		}
	}
}
