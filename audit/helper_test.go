package audit

import (
	"os"
	"path/filepath"
	"testing"
)

// openLog opens a log in dir, closed when the test ends.
func openLog(t testing.TB, o Options) *Log {
	t.Helper()
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func begin(t testing.TB, l *Log) *Session {
	t.Helper()
	s, err := l.Session(t.Context(), SessionInfo{Session: "test", Front: FrontRun, Workspace: "/src/demo", Level: "always_ask"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// edit is an intent that may run.
func edit(path string) Intent {
	return Intent{
		Category: CategoryFile, Tool: "write_file", Title: "write " + path, Paths: []string{path},
		Args: []byte(`{"path":"` + path + `"}`), Effect: []byte(`{"kind":"write"}`), Digest: [32]byte{1},
		Decision: Approved, By: ByTUI, Level: "always_ask",
		Pre:  []FileRef{{Path: path, SHA256: hexOf('1'), Size: 3, Mode: 0o644}},
		Want: []FileRef{{Path: path, SHA256: hexOf('2'), Size: 4, Mode: 0o644}},
	}
}

func hexOf(c byte) string {
	b := make([]byte, 64)
	for i := range b {
		b[i] = c
	}
	return string(b)
}

// act records an intent and how it ended.
func act(t testing.TB, s *Session, in Intent, out Outcome) Token {
	t.Helper()
	tok, err := s.Intent(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Outcome(tok, out); err != nil {
		t.Fatal(err)
	}
	return tok
}

func closeSession(t testing.TB, s *Session) {
	t.Helper()
	if err := s.Close(CloseOK); err != nil {
		t.Fatal(err)
	}
}

func key(t testing.TB, dir string) PublicKey {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, fileKeyPub))
	if err != nil {
		t.Fatal(err)
	}
	k, err := ParsePublicKey(b)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// verifyLive checks the log in dir.
func verifyLive(t testing.TB, dir string, o VerifyOptions) Report {
	t.Helper()
	return verifyLayer(t, Options{Dir: dir}, o)
}

func verifyLayer(t testing.TB, opts Options, o VerifyOptions) Report {
	t.Helper()
	r, err := OpenReader(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if o.Key == (PublicKey{}) {
		if o.Key, err = r.Key(); err != nil {
			t.Fatal(err)
		}
	}
	return r.Verify(t.Context(), o)
}

func wantIntact(t testing.TB, rep Report) {
	t.Helper()
	if !rep.OK || rep.Exit != 0 {
		t.Fatalf("not intact: exit %d, %+v, %s", rep.Exit, rep.FirstBad, rep.Error)
	}
}
