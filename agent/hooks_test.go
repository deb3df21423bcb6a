package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/hook"
	"github.com/tera-pilot/tera-pilot/audit"
)

// hookOf is a hook of a text at events.
func hookOf(text string, at ...hook.Event) hook.Hook {
	return hook.Hook{Name: "guard", From: "hooks.toml", Line: 1, Events: at, Language: "bash", Text: text, Timeout: 10 * time.Second}
}

func says(json string) string { return "cat >/dev/null; printf '%s' '" + json + "'" }

// hooked plays one write with hooks, the person saying yes.
func hooked(t *testing.T, hooks ...hook.Hook) (*rig, event.CallResult) {
	t.Helper()
	r := newRig(t, []step{{Say: "x", Calls: []call{{"write_file", map[string]any{"path": "a.txt", "content": "x\n"}}}}, {Say: "done"}}, func(o *Options) { o.Hooks = hooks })
	r.person = yes
	r.start("")
	r.turn("go")
	if len(r.results()) == 0 {
		return r, event.CallResult{}
	}
	return r, r.results()[0]
}

// TestHooks: a hook can veto, raise and add text, and everything that is no
// answer vetoes.
func TestHooks(t *testing.T) {
	before := func(text string) hook.Hook { return hookOf(text, hook.BeforeCall) }
	short := func(text string) hook.Hook {
		h := before(text)
		h.Timeout = time.Second
		return h
	}
	for name, tt := range map[string]struct {
		hook hook.Hook
		runs bool
		body string
	}{
		"passes":          {before(says(`{"decision":"pass"}`)), true, ""},
		"adds text":       {before(says(`{"decision":"pass","context":"mind the gap"}`)), true, "[the hook guard says]\nmind the gap"},
		"raises":          {before(says(`{"decision":"raise","reason":"hm"}`)), true, ""},
		"vetoes":          {before(says(`{"decision":"veto","reason":"not on a Friday"}`)), false, "not on a Friday"},
		"admits":          {before(says(`{"decision":"allow"}`)), false, "allow"},
		"says nothing":    {before("cat >/dev/null"), false, "it failed"},
		"half an answer":  {before(says(`{"decision":"pass"`)), false, "ends too early"},
		"fails":           {before(says(`{"decision":"pass"}`) + "; exit 3"), false, "exit code 3"},
		"is killed":       {before(says(`{"decision":"pass"}`) + "; kill -9 $$"), false, "it failed"},
		"takes too long":  {short("sleep 60"), false, "did not end within 1s"},
		"prints a lot":    {before(`cat >/dev/null; head -c 3000000 /dev/zero | tr '\0' ' '; printf '{"decision":"pass"}'`), false, "65536 are the most"},
		"on stderr":       {before(`cat >/dev/null; printf '{"decision":"pass"}' >&2`), false, "it failed"},
		"writes":          {before(`cat >/dev/null; echo evil > b.txt && printf '{"decision":"pass","context":"wrote"}'`), false, "it failed"},
		"leaves a child":  {before(`cat >/dev/null; (sleep 300 &) ; printf '{"decision":"pass"}'`), true, ""},
		"reads the call":  {before(`m=$(cat); case "$m" in *'"tool":"write_file"'*'"path":"a.txt"'*) printf '{"decision":"pass","context":"saw it"}';; *) exit 1;; esac`), true, "saw it"},
		"catastrophe":     {before("rm -rf --no-preserve-root /"), false, "it failed"},
		"another's turn":  {hookOf(says(`{"decision":"veto"}`), hook.TurnEnd), true, ""},
		"after":           {hookOf(says(`{"context":"well done"}`), hook.AfterCall), true, "[the hook guard says]\nwell done"},
		"after, and veto": {hookOf(says(`{"decision":"veto"}`), hook.AfterCall), true, "it failed"},
	} {
		t.Run(name, func(t *testing.T) {
			r, res := hooked(t, tt.hook)
			if ran := r.read("a.txt") != ""; ran != tt.runs || (res.Status == "ok") != tt.runs {
				t.Errorf("ran %v, %+v", ran, res)
			}
			if !strings.Contains(res.Body, tt.body) || r.read("b.txt") != "" {
				t.Errorf("%q, want %q in it", res.Body, tt.body)
			}
			if !tt.runs && res.Decision != "blocked" {
				t.Errorf("%+v", res)
			}
			r.stop()
			r.verify()
		})
	}
}

// TestHooksOfATurn: one can stop a turn, and add text to what the model reads.
func TestHooksOfATurn(t *testing.T) {
	r := newRig(t, []step{{Say: "done"}}, func(o *Options) {
		o.Hooks = []hook.Hook{hookOf(says(`{"decision":"pass","context":"today is a holiday"}`), hook.TurnStart)}
	})
	r.start("")
	if end := r.turn("go"); end.Status != "done" {
		t.Errorf("%+v", end)
	}
	s, err := r.session.State()
	if err != nil || len(s.Messages) == 0 {
		t.Fatal(err)
	}
	if msg := frameNotes(s.Messages[0].Notes); !strings.Contains(msg, "today is a holiday") || !strings.HasPrefix(msg, "\n\n<untrusted ") {
		t.Errorf("%q", msg)
	}
	if len(s.Taint) == 0 {
		t.Error("a hook's text taints nothing")
	}
	r.stop()
	r.verify()

	r = newRig(t, []step{{Say: "done"}}, func(o *Options) {
		o.Hooks = []hook.Hook{hookOf(says(`{"decision":"veto","reason":"holiday"}`), hook.TurnStart)}
	})
	r.start("")
	if end := r.turn("go"); end.Status != "error" || !strings.Contains(end.Message, "holiday") {
		t.Errorf("%+v", end)
	}
	r.stop()
	r.verify()
}

// TestAHookIsWitnessed: its start is in the log, and calls no hooks.
func TestAHookIsWitnessed(t *testing.T) {
	r, _ := hooked(t, hookOf(says(`{"decision":"pass"}`), hook.BeforeCall))
	r.stop()
	r.verify()
	reader, err := audit.OpenReader(t.Context(), audit.Options{Dir: r.state})
	if err != nil {
		t.Fatal(err)
	}
	starts := 0
	for e, err := range reader.Entries(t.Context(), audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Tool == "hook" && e.Status != "" {
			starts++
		}
	}
	if starts != 1 {
		t.Errorf("the log states %d starts of hooks", starts)
	}
}

// TestAHookThatWasNotApproved is not started: neither with another text than at
// the session's start, nor with another interpreter.
func TestAHookThatWasNotApproved(t *testing.T) {
	for name, change := range map[string]func(*Dispatcher) hook.Hook{
		"other text": func(d *Dispatcher) hook.Hook {
			k := d.hooks.all[0]
			k.Text += "\n"
			return k
		},
		"other interpreter": func(d *Dispatcher) hook.Hook {
			k := d.hooks.all[0]
			p := d.hooks.pins[hookKey(k)]
			p.SHA256 = strings.Repeat("0", 64)
			d.hooks.pins[hookKey(k)] = p
			return k
		},
		"not pinned": func(d *Dispatcher) hook.Hook {
			clear(d.hooks.pins)
			return d.hooks.all[0]
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, []step{{Say: "done"}}, func(o *Options) { o.Hooks = []hook.Hook{hookOf(says(`{"decision":"pass"}`), hook.BeforeCall)} })
			r.start("")
			d := r.session.disp
			a, err := d.askHook(t.Context(), change(d), hook.Message{Event: hook.BeforeCall})
			if err != nil || a.Word != hook.Veto || !strings.Contains(a.Reason, "nobody approved the start of exactly this program") {
				t.Errorf("%+v, %v", a, err)
			}
			r.stop()
			r.verify()
		})
	}
}

// TestAHookReadsNoSecret: it stands in the same sandbox as a command.
func TestAHookReadsNoSecret(t *testing.T) {
	base := t.TempDir()
	for _, secret := range []string{".ssh/id_ed25519", ".tera_pilot/audit_key", ".aws/credentials"} {
		file := filepath.Join(base, "home", secret)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if secret != ".tera_pilot/audit_key" {
			if err := os.WriteFile(file, []byte("key"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		k := hookOf("cat >/dev/null; if cat '"+file+"' >/dev/null 2>&1; then echo '{\"decision\":\"veto\",\"reason\":\"read it\"}'; else echo '{\"decision\":\"pass\"}'; fi", hook.BeforeCall)
		r := newRigAt(t, base, []step{{Say: "x", Calls: []call{{"mkdir", map[string]any{"path": "d"}}}}, {Say: "done"}}, func(o *Options) { o.Hooks = []hook.Hook{k} })
		r.person = yes
		r.start("")
		r.turn("go")
		if res := r.results()[0]; strings.Contains(res.Body, "read it") {
			t.Errorf("%s: %s", secret, res.Body)
		}
		r.stop()
	}
}

// TestHooksHearReadsSideBySide: calls that would run together are heard about
// like any other.
func TestHooksHearReadsSideBySide(t *testing.T) {
	read := func(name string) call { return call{"read_file", map[string]any{"path": name}} }
	r := newRig(t, []step{{Say: "x", Calls: []call{read("a.txt"), read("b.txt"), read("c.txt")}}, {Say: "done"}}, func(o *Options) {
		o.Hooks = []hook.Hook{hookOf(says(`{"decision":"veto","reason":"no reading"}`), hook.BeforeCall)}
	})
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		r.write(name, "x\n")
	}
	r.start("")
	r.turn("go")
	for _, res := range r.results() {
		if res.Decision != "blocked" || !strings.Contains(res.Body, "no reading") {
			t.Errorf("%+v", res)
		}
	}
	r.stop()
	r.verify()
}
