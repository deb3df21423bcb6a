package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/tera-pilot/tera-pilot/audit"
)

// TestAnExportTakesNobodysPlace: the file of an export is no key, no setting
// and no part of the log, however its path is spelt; and evidence is read from
// files only.
func TestAnExportTakesNobodysPlace(t *testing.T) {
	home := t.TempDir()
	state := filepath.Join(home, ".tera_pilot")
	log, err := audit.Open(t.Context(), audit.Options{Dir: state})
	if err != nil {
		t.Fatal(err)
	}
	s, err := log.Session(t.Context(), audit.SessionInfo{Front: audit.FrontRun})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(audit.CloseOK); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(home, "link")
	if err := os.Symlink(filepath.Join(state, "audit"), link); err != nil {
		t.Fatal(err)
	}
	fd, err := os.Open(state)
	if err != nil {
		t.Fatal(err)
	}
	defer fd.Close()
	out, err := os.Create(filepath.Join(home, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cli := func(args ...string) int {
		return run(context.Background(), process{args: append(args, "--home", state), stdin: os.Stdin, stdout: out, stderr: out})
	}
	through := "/proc/self/fd/" + fdNumber(fd)
	for _, name := range []string{
		state + "/audit/000002.jsonl", state + "/audit/head", state + "/audit_key", state + "/audit_key.pub", state + "/config.json", state + "/audit/x.json",
		link + "/000002.jsonl", state + "/audit/../audit_key", through + "/audit_key", state + "/sessions/../audit/head", state + "/audit/audit_export.json",
	} {
		if code := cli("audit", "export", "--out", name); code != exitUsage {
			t.Errorf("%s: exit %d", name, code)
		}
	}
	for _, name := range []string{filepath.Join(state, "audit_export_1.json"), filepath.Join(home, "audit_key")} {
		if code := cli("audit", "export", "--out", name); code != exitOK {
			t.Errorf("%s: exit %d", name, code)
		}
		if code := cli("audit", "verify", name); code != exitOK {
			t.Errorf("%s does not verify: exit %d", name, code)
		}
	}
	if code := cli("audit", "verify"); code != exitOK {
		t.Errorf("the log: exit %d", code)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if code := cli("audit", "verify", "/proc/self/fd/"+fdNumber(r)); code != exitUsage {
		t.Errorf("a pipe as evidence: exit %d", code)
	}
}

func fdNumber(f *os.File) string { return strconv.Itoa(int(f.Fd())) }
