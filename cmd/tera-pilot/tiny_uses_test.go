package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/internal/tinymodel"
)

// TestUsesOfARealModel: the three uses with a real model, of which nothing can
// be expected but that it may write anything. What must hold, holds: the turn
// ends, what it did is proven elsewhere, and the way back is exact. The soak
// does so in the packages of all three languages.
func TestUsesOfARealModel(t *testing.T) {
	address := tinymodel.Serve(t, "../..")
	places := map[string]stroll{}
	if os.Getenv("TERA_PILOT_SOAK") != "" {
		places = strolls()
	}
	places["go"] = stroll{needs: "git", file: "go.mod", files: map[string]string{"go.mod": "module tiny.example/x\n", "main.go": "package main\n\nfunc main() {}\n"}}
	for name, s := range places {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(s.needs); err != nil {
				t.Skipf("%s is not installed", s.needs)
			}
			usesOfARealModel(t, address, s)
		})
	}
}

func usesOfARealModel(t *testing.T, address string, s stroll) {
	p, prompt := withBug(t, s.files), "open "+s.file
	p.settings(`{"providers": {"local": {"base_url": "` + address + `/v1", "context": 4096}}}`)
	p.env = append(p.env, "TERA_PILOT_PROVIDER=local", "TERA_PILOT_MODEL=tiny-toolcaller", "OPENAI_API_KEY=", "OPENAI_BASE_URL=")
	p.oddities()
	start, refs := p.tree(), p.refs()
	for _, use := range []func(){
		func() {
			code, out, errs := p.run("run", "--no-confirm", "--json", "--max-steps", "4", prompt)
			if code != exitOK && code != exitBudget && code != exitDenied || !strings.Contains(out, `"type":"result"`) {
				t.Errorf("exit %d\n%s%s", code, out, errs)
			}
		},
		func() { inAnEditorOf(p, prompt, "reject_once") },
		func() { inAnEditorOf(p, "run ls", "allow_once", "--no-confirm") },
		func() {
			m := termtest.NewTmux(t, 100, 30, p.env, "sh", "-c", "cd "+p.repo+" && "+p.bin+"; echo EXIT $?; sleep 60")
			m.WaitFor("enter send")
			m.Type(prompt)
			m.Keys("Enter")
			m.WaitFor("turn 1")
			m.Keys("Escape") // stops it, whatever it is at
			who := &person{t: t, at: tmuxTerminal{m}, says: "x"}
			who.until("enter send")
			m.Keys("C-d")
			m.WaitFor("EXIT 0")
		},
	} {
		use()
		p.run("undo", "--all") // nothing to undo is an exit code of its own
		p.same(start, "a use by a real model, and undo")
	}
	if now := p.refs(); now != refs {
		t.Errorf("git's records were\n%s\nand are\n%s", refs, now)
	}
	p.provenElsewhere("tiny-toolcaller", "tiny-toolcoller")
}
