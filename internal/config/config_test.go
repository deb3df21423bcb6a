package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func none(string) string { return "" }

func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestTheOriginalsFileIsRead(t *testing.T) {
	file := write(t, `{"version": 2, "active_provider": "ollama", "providers": {"ollama": {"base_url": "http://127.0.0.1:11434", "model": "qwen3:8b"}},
 "ui": {"theme": "dark"}, "agent_autonomy": "new_files_only", "agent_max_iterations": 8, "agent_run_timeout": 15, "agent_os_sandbox": "on",
 "guardian_level": "all", "persistence_backend": "sqlite"}`)
	s, err := Load(file, true, none)
	if err != nil {
		t.Fatal(err)
	}
	if s.Autonomy != "new_files_only" || s.Sandbox != "on" || s.MaxSteps != 8 || s.RunTimeout != 15 || s.Providers["ollama"].Model != "qwen3:8b" {
		t.Errorf("got %+v", s)
	}
	if strings.Join(s.Unused, " ") != "version ui persistence_backend" {
		t.Errorf("unused = %v", s.Unused)
	}
}

func TestBadFilesRefuseWithTheirLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{\n\"agent_autonomi\": \"always_ask\"}", `:2: unknown key "agent_autonomi": did you mean "agent_autonomy"?`},
		{"{\n\n\"agent_autonomy\": \"sometimes\"}", ":3: agent_autonomy: the value is \"sometimes\""},
		{"{\"agent_autonomy\": null}", "null is no value"},
		{"{\"agent_autonomy\": 3}", "a number stands where"},
		{"{\"agent_os_sandbox\": \"of\"}", "must be one of auto, on, off"},
		{"{\"agent_autonomy\": \"always_ask\",\n\"agent_autonomy\": \"never_ask\"}", ":2: holds the member \"agent_autonomy\" twice"},
		{"{\"providers\": {\"x\": {\"endpoint\": \"y\"}}}", "unknown field"},
		{"{\"agent_run_timeout\": 0}", "between 1 and 3600"},
		{"{\"budget_usd\": -1}", "between 0"},
		{"{\"terminal\": {\"theme\": \"pink\"}}", "must be one of"},
		{"{\"terminal\": {\"colour\": 1}}", "unknown field"},
		{`{"web": {"FETCH": false}}`, "unknown field"},
		{`{"web": {"fetch": false, "Fetch": true}}`, "unknown field"},
		{`{"web": {"ſearch": {}}}`, "unknown field"},
		{`{"providers": {"x": {"Base_URL": "y"}}}`, "unknown field"},
		{`{"providers": {"x": null}}`, "null is no value"},
		{`{"web": {"ports": [80, null]}}`, "null is no value"},
		{`{"budget_usd": 1e-400}`, "is no budget"},
		{"{\"xyzzy\": 1}", "remove it"},
		{"{\"foo\": 1}", "remove it"},
		{"{\"mcp\": {},\n\"agent_effort\": {\"a\": 1,\n\"a\": 2}}", ":3: holds the member \"a\" twice"},
		{"{} {}", "more than one value"},
		{"[]", "is not one object"},
		{"{", "ends too early"},
		{"{\"a\"", "ends too early"},
		{"", "is empty"},
		{"\x00", "is not valid JSON"},
	} {
		_, err := Load(write(t, c.text), true, none)
		var bad *Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.text, err, c.want)
		}
	}
}

func TestAFileThatIsNotThere(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no")
	if s, err := Load(missing, false, none); err != nil || s.Autonomy != "always_ask" {
		t.Errorf("got %+v, %v", s, err)
	}
	if _, err := Load(missing, true, none); err == nil {
		t.Error("a file asked for by name must be there")
	}
}

func TestEnvironmentAndFlag(t *testing.T) {
	env := map[string]string{"TERA_PILOT_PROVIDER": "scripted", "TERA_PILOT_OS_SANDBOX": "off"}
	s, err := Load("", false, func(n string) string { return env[n] })
	if err != nil || s.Provider != "scripted" || s.Sandbox != "off" {
		t.Errorf("got %+v, %v", s, err)
	}
	env["TERA_PILOT_OS_SANDBOX"] = "0"
	if _, err := Load("", false, func(n string) string { return env[n] }); err == nil {
		t.Error("an unknown value must refuse")
	}
	if err := s.SetAutonomy("yolo"); err == nil {
		t.Error("an unknown level must refuse")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"agent_autonomy":"never_ask"}`))
	f.Add([]byte(`{"providers":{"a":{}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := Defaults()
		if err := s.read(data); err == nil {
			if oneOf("", s.Autonomy, autonomies...) != nil || oneOf("", s.Sandbox, "auto", "on", "off") != nil {
				t.Errorf("%q: a bad value got through: %+v", data, s)
			}
		}
	})
}

// What decides about the person's machine is read from the very file that was
// checked: no link is followed, and nobody else may have written it.
func TestLoadReadsWhatItChecked(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "config.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(file, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	none := func(string) string { return "" }
	if _, err := Load(file, true, none); err != nil {
		t.Error(err)
	}
	if _, err := Load(link, true, none); err == nil {
		t.Error("a link was followed")
	}
	if err := os.Chmod(file, 0o622); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file, true, none); err == nil {
		t.Error("a file that others may write was read")
	}
	if _, err := Load(filepath.Join(dir, "none.json"), true, none); err == nil || !strings.Contains(err.Error(), "--config") {
		t.Errorf("a named file that is not there: %v", err)
	}
}
