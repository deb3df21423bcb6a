package hook

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"
)

func load(text string) ([]Hook, error) {
	return Load([]byte(text), "hooks.toml", false, func(name string) ([]byte, error) {
		if name == "hooks/a.py" {
			return []byte("print('{}')\n"), nil
		}
		return nil, fs.ErrNotExist
	})
}

func TestLoad(t *testing.T) {
	got, err := load(`
[[hook]]
name = "one"
events = ["before_call", "turn_start"]
tools = ["git_commit"]
run = "echo '{\"decision\":\"pass\"}'"
timeout = 3

[[hook]]
name = "two"
events = ["after_call"]
language = "python"
file = "hooks/a.py"
`)
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	one, two := got[0], got[1]
	if one.Language != "bash" || one.Timeout != 3*time.Second || one.Line != 2 || two.Line != 9 || two.Text != "print('{}')\n" || two.Timeout != usual {
		t.Errorf("%+v", got)
	}
	if !one.Wants(BeforeCall, "git_commit") || one.Wants(BeforeCall, "read_file") || one.Wants(AfterCall, "git_commit") || !one.Wants(TurnStart, "") || !two.Wants(AfterCall, "x") {
		t.Error("the wrong hooks are wanted")
	}
	if one.Hash() == two.Hash() || len(one.Hash()) != 64 {
		t.Error("hashes")
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"unknown key": "[[hook]]\nname='a'\nevents=['turn_end']\nrun='x'\nargv=['x']", "no name": "[[hook]]\nevents=['turn_end']\nrun='x'",
		"odd name": "[[hook]]\nname='a b'\nevents=['turn_end']\nrun='x'", "no event": "[[hook]]\nname='a'\nrun='x'",
		"odd event": "[[hook]]\nname='a'\nevents=['allow']\nrun='x'", "no text": "[[hook]]\nname='a'\nevents=['turn_end']",
		"two texts": "[[hook]]\nname='a'\nevents=['turn_end']\nrun='x'\nfile='hooks/a.py'", "odd language": "[[hook]]\nname='a'\nevents=['turn_end']\nrun='x'\nlanguage='perl'",
		"upwards": "[[hook]]\nname='a'\nevents=['turn_end']\nfile='../a.py'", "absolute": "[[hook]]\nname='a'\nevents=['turn_end']\nfile='/a.py'",
		"not there": "[[hook]]\nname='a'\nevents=['turn_end']\nfile='b.py'", "twice": "[[hook]]\nname='a'\nevents=['turn_end']\nrun='x'\n[[hook]]\nname='a'\nevents=['turn_end']\nrun='x'",
		"long": "[[hook]]\nname='a'\nevents=['turn_end']\nrun='x'\ntimeout=61", "negative": "[[hook]]\nname='a'\nevents=['turn_end']\nrun='x'\ntimeout=-1",
		"big": "[[hook]]\nname='a'\nevents=['turn_end']\nrun='" + strings.Repeat("x", MaxText+1) + "'", "empty": "[[hook]]\nname='a'\nevents=['turn_end']\nrun='  '",
		"no toml": "[[hook", "nul": "[[hook]]\nname='a'\nevents=['turn_end']\nrun=\"x\\u0000\"",
	} {
		hooks, err := load(text)
		var bad *ConfigError
		if !errors.As(err, &bad) || hooks != nil {
			t.Errorf("%s: %v, %v", name, hooks, err)
		}
	}
}

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		event Event
		out   string
		want  Answer
	}{
		{BeforeCall, `{"decision":"pass"}`, Answer{Word: Pass}},
		{BeforeCall, " {\"decision\":\"veto\",\"reason\":\" no \"}\n", Answer{Word: Veto, Reason: "no"}},
		{BeforeCall, `{"decision":"raise","context":"c"}`, Answer{Word: Raise, Context: "c"}},
		{TurnStart, `{"decision":"veto"}`, Answer{}},
		{AfterCall, ``, Answer{Word: Pass}},
		{AfterCall, `{"context":"c"}`, Answer{Word: Pass, Context: "c"}},
		{TurnEnd, `{"decision":"pass"}`, Answer{Word: Pass}},
	} {
		if got, err := Parse(tt.event, []byte(tt.out)); err != nil || got != tt.want {
			t.Errorf("%s %q: %+v, %v", tt.event, tt.out, got, err)
		}
	}
}

// TestParseRefuses: what is not an answer vetoes.
func TestParseRefuses(t *testing.T) {
	for _, e := range events {
		for _, bad := range []string{
			`{`, `{"decision":`, `{"decision":"pass"`, `{"decision":"allow"}`, `{"decision":"approve"}`, `{"decision":"Pass"}`, `{"Decision":"pass"}`,
			`{"decision":"veto","decision":"pass"}`, `{"decision":"pass"}{"decision":"pass"}`, `{"decision":"pass"} x`, `[{"decision":"pass"}]`, `"pass"`, `null`, `pass`,
			`{"decision":null}`, `{"decision":1}`, `{"decision":"pass","x":1}`, `{"decision":"pass","reason":["x"]}`, "{\"decision\":\"pass\",\"reason\":\"\xff\"}",
			`{"decision":"pass","context":"` + strings.Repeat("x", maxContext+1) + `"}`, `{"decision":"pass"}` + strings.Repeat(" ", MaxAnswer),
		} {
			if a, err := Parse(e, []byte(bad)); err == nil || a.Word != Veto {
				t.Errorf("%s %.60q: %+v, %v", e, bad, a, err)
			}
		}
	}
	for _, e := range []Event{BeforeCall, TurnStart} {
		for _, silent := range []string{"", "\n", "{}", `{"context":"x"}`} {
			if a, err := Parse(e, []byte(silent)); err == nil || a.Word != Veto {
				t.Errorf("%s: silence is taken for an answer: %+v", e, a)
			}
		}
	}
	for _, e := range []Event{AfterCall, TurnEnd} {
		for _, word := range []string{"veto", "raise"} {
			if a, err := Parse(e, []byte(`{"decision":"`+word+`"}`)); err == nil || a.Word != Veto {
				t.Errorf("%s takes %s: %+v", e, word, a)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"decision":"pass","context":"x"}`))
	f.Fuzz(func(t *testing.T, out []byte) {
		for _, e := range events {
			if a, err := Parse(e, out); err != nil && a != (Answer{}) {
				t.Errorf("an answer beside an error: %+v", a)
			}
		}
	})
}
