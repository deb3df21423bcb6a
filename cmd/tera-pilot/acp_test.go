package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestACPSuite drives the program with the official client SDK. It checks
// every line of the agent against the schema of the protocol.
func TestACPSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a minute")
	}
	dir := clientSDK(t)
	drive := exec.Command("node", "drive.mjs", "--tools", "tools.tera-pilot.json", "--env", "TERA_PILOT_MODEL=mock", "--", built(t), "acp")
	drive.Dir = dir
	out, err := drive.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "\n26 passed, 0 failed") {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestACPModesEndAtTheLaunch(t *testing.T) {
	for _, tt := range []struct {
		args  []string
		modes string
		first string
	}{
		{nil, "plan ask", "ask"},
		{[]string{"--autonomy", "new_files_only"}, "plan ask auto-new-files", "auto-new-files"},
		{[]string{"--autonomy", "never_ask"}, "plan ask", "ask"},
		{[]string{"--no-confirm"}, "plan ask auto-new-files no-confirm", "no-confirm"},
	} {
		e := newEditor(t, writes(2), tt.args...)
		e.call("initialize", map[string]any{"protocolVersion": 1})
		r := e.call("session/new", map[string]any{"cwd": e.root, "mcpServers": []any{}})
		if r["error"] != nil {
			t.Skipf("no session here: %s", e.stderr)
		}
		result := r["result"].(map[string]any)
		modes := result["modes"].(map[string]any)
		var ids []string
		for _, m := range modes["availableModes"].([]any) {
			ids = append(ids, m.(map[string]any)["id"].(string))
		}
		if got := strings.Join(ids, " "); got != tt.modes || modes["currentModeId"] != tt.first {
			t.Errorf("%v: %s, first %v", tt.args, got, modes["currentModeId"])
		}
		e.session = result["sessionId"].(string)
		for _, mode := range []string{"plan", "ask", "auto-new-files", "no-confirm", "never_ask", "bypassPermissions", ""} {
			r := e.call("session/set_mode", map[string]any{"sessionId": e.session, "modeId": mode})
			if listed := mode != "" && strings.Contains(" "+tt.modes+" ", " "+mode+" "); listed != (r["error"] == nil) {
				t.Errorf("%v: mode %s: %v", tt.args, mode, r)
			}
		}
		e.call("session/set_mode", map[string]any{"sessionId": e.session, "modeId": "plan"})
		e.turn("go")
		if e.exists("f0.txt") || len(e.asked) > 0 {
			t.Errorf("%v: plan mode wrote, or asked", tt.args)
		}
		e.answer = func(p map[string]any) any { return option(p, "reject_once") }
		e.call("session/set_config_option", map[string]any{"sessionId": e.session, "configId": "mode", "value": "ask"})
		e.turn("go")
		if e.exists("f1.txt") || len(e.asked) != 1 {
			t.Errorf("%v: mode ask wrote unasked", tt.args)
		}
	}
}

func TestACPTheVariableCountsExactly(t *testing.T) {
	for value, modes := range map[string]int{"1": 4, "true": 2, "01": 2, "yes": 2, " 1": 2, "0": 2} {
		e := &editor{t: t, home: t.TempDir(), lines: make(chan map[string]any, 64), stderr: &spoken{}}
		e.root = filepath.Join(e.home, "repo")
		if err := os.Mkdir(e.root, 0o700); err != nil {
			t.Fatal(err)
		}
		e.launchWith(value, "acp")
		e.call("initialize", map[string]any{"protocolVersion": 1})
		r := e.call("session/new", map[string]any{"cwd": e.root, "mcpServers": []any{}})
		result, ok := r["result"].(map[string]any)
		if !ok {
			t.Skipf("no session here: %s", e.stderr)
		}
		if got := len(result["modes"].(map[string]any)["availableModes"].([]any)); got != modes {
			t.Errorf("%q: %d modes", value, got)
		}
	}
}

func TestACPNeedsASandboxForTheOptOut(t *testing.T) {
	cmd := exec.Command(built(t), "acp", "--no-confirm")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "TERA_PILOT_HOME=", "TERA_PILOT_OS_SANDBOX=off")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitNoSandbox {
		t.Errorf("%v\n%s", err, out)
	}
}
