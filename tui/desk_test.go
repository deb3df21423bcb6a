package tui_test

import (
	"fmt"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/app"
	"github.com/tera-pilot/tera-pilot/tui/snap"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// testDesk is what a program around the terminal offers in tests.
func testDesk() app.Desk {
	now := time.Now()
	ok := func(string) error { return nil }
	return app.Desk{
		Sessions: func() ([]snap.SessionRow, error) {
			root := "/home/you/src/parser"
			return []snap.SessionRow{
				{ID: "20261126-31b2a9f00d17", Title: "speed up the scanner", Root: root, Updated: now.Add(-72 * time.Hour), Turns: 31, Files: 7},
				{ID: "20261129-1400-a1b2", Title: "fix tab handling", Root: root, Updated: now, Turns: 12, Files: 2, Running: true},
				{ID: "20261129-aa10c4f2e901", Title: "try a table", Root: root, Updated: now.Add(-time.Minute), Turns: 4, Parent: "20261129-1400-a1b2", Turn: 5},
				{ID: "20261129-bb10c4f2e901", Title: "no generics", Root: root, Updated: now.Add(-2 * time.Minute), Turns: 2, Parent: "20261129-1400-a1b2", Turn: 9},
				{ID: "20261120-5502bb10aa31", Title: "old lexer notes", Root: root, Updated: now.Add(-216 * time.Hour), Turns: 6, Archived: true},
				{ID: "20261119-0102bb10aa31", Title: "release notes", Root: "/home/you/src/site", Updated: now.Add(-300 * time.Hour), Turns: 1},
				{ID: "20261118-0102bb10aa31", Title: "of a disk that was", Root: "/media/disk/site", Updated: now.Add(-330 * time.Hour), Turns: 1, Gone: true},
			}, nil
		},
		Search: func(text string) ([]snap.SessionHit, error) {
			if text != "lexemes" {
				return nil, nil
			}
			return []snap.SessionHit{{ID: "20261126-31b2a9f00d17", Turn: 3, Who: "pilot", Line: "the \u202elexemes are kept", More: 2}}, nil
		},
		Rename: func(string, string) error { return nil }, Archive: func(string, bool) error { return nil }, Delete: ok, Fork: true,
		Models: func() ([]snap.ModelRow, error) {
			return []snap.ModelRow{
				{Provider: "ollama", Name: "qwen3:8b", Facts: "32k context, on this machine"}, {Provider: "ollama", Name: "gpt-oss:20b", Facts: "128k context, on this machine"},
				{Provider: "anthropic", Name: "claude-sonnet-5", Note: "another provider: leave, and start with --provider anthropic"},
			}, nil
		},
		Files: func() ([]string, error) {
			return []string{"README.md", "scan/scan.go", "scan/scan_test.go", "scan/token.go", "internal/text/columns.go"}, nil
		},
		Checks: func() ([]snap.CheckRow, error) {
			return []snap.CheckRow{
				{Name: "sandbox", Status: "ok", Detail: "grade A: bubblewrap, seccomp, Landlock"}, {Name: "evidence", Status: "ok", Detail: "412 records, the chain is intact"},
				{Name: "model", Status: "warn", Detail: "127.0.0.1:11434 does not answer", Hint: "start ollama, then look again"}, {Name: "git", Status: "fail", Detail: "git 2.20 is too old", Hint: "git 2.31 or newer is needed: it knows the options that close hooks and filters"},
			}, nil
		},
		Rules: func() ([]snap.RuleRow, error) {
			return []snap.RuleRow{
				{ID: "r-9f3c1a", Says: `cmd = "go test ./..."  act = "allow"`, Where: "~/.tera_pilot/remembered.toml:3", Until: "2026-12-06 14:03"},
				{ID: "r-77d0e1", Says: `host = "docs.example.org"  method = "GET"`, Where: "this session"},
				{ID: "r-41be02", Says: `cmd = "npm ci"  act = "allow"`, Where: "~/.tera_pilot/remembered.toml:9", Until: "2026-12-01 09:00", Silent: "granted at box A, and this is box B"},
			}, nil
		},
		Edit: func(_, text string) (app.Editing, error) {
			return &tuitest.Editor{Leaves: text + "[[rule]]\ncmd = \"go test ./...\"\nact = \"allow\"\n"}, nil
		},
		Branch: func() (string, error) { return "main*3", nil },
		WhatIf: func(rule string) (string, error) {
			return fmt.Sprintf("%q\n   411  2026-11-29T14:03:09Z  ask becomes allow  run go test ./scan/...\n30 decisions, 28 replayed, 1 would change, 2 not replayable\n", rule), nil
		},
		Said: func() ([]string, error) { return []string{"what was said before", "and after that"}, nil },
	}
}

// undoPoints answers as a session does.
func undoPoints(c event.Command) []event.Body {
	switch c := c.(type) {
	case event.ListUndo:
		return []event.Body{event.UndoPoints{Points: []event.UndoPoint{
			{Call: "9", Turn: 12, Tool: "str_replace", Title: `edited "scan/scan.go" (+6 -2)`, Files: []event.UndoFile{{Path: "scan/scan.go", Change: "written"}}},
			{Call: "4", Turn: 11, Tool: "str_replace", Title: `edited "scan/token.go" (+2 -1)`, Files: []event.UndoFile{{Path: "scan/token.go", Change: "written"}, {Path: "scan/lex.go", Change: "created"}}},
			{Call: "3", Turn: 9, Tool: "execute_command", Title: "run go generate ./...", Files: []event.UndoFile{{Path: "scan/gen.go", Change: "written", Conflict: "you changed it at 13:50"}, {Path: "scan/gen2.go", Change: "created"}}, Uncovered: []string{"files above 32 MB: testdata/big.bin"}},
			{Call: "2", Turn: 8, Tool: "write_file", Title: `write "notes.md" (+90)`, Files: []event.UndoFile{{Path: "notes.md", Change: "created"}}, Undone: true},
		}}}
	case event.Undo:
		switch {
		case c.Dry && c.Call == "3":
			return []event.Body{event.UndoPlan{Of: []string{"3"}, Files: []event.UndoFile{{Path: "scan/gen2.go", Change: "deleted"}, {Path: "scan/gen.go", Conflict: "was changed after the call, in the same place"}}, Conflicts: []event.UndoConflict{conflict()}}}
		case len(c.Resolve) > 0:
			q := proposal("settle")
			q.Tool, q.Title = "undo", "resolve a conflict in scan/gen.go: "+c.Resolve[0].How
			return []event.Body{event.QuestionOpened{Question: q}}
		case c.Dry:
			return []event.Body{event.UndoPlan{Of: []string{c.Call}, Files: []event.UndoFile{{Path: "scan/token.go", Change: "written", Merged: true}, {Path: "scan/lex.go", Change: "deleted"}}, Lines: []event.Line{
				{Kind: event.LineFile, Text: "scan/token.go"}, {Kind: event.LineHunk, Text: "@@ lines 10-14"}, {Kind: event.LineContext, Text: "   10    10   type Token struct {"},
				{Kind: event.LineDelete, Text: "   11       - 	Col int // from 1"}, {Kind: event.LineAdd, Text: "         11 + 	Col int"}, {Kind: event.LineContext, Text: "   12    12   }"},
			}}}
		}
	}
	return nil
}

// conflict is a path that somebody else changed after the agent.
func conflict() event.UndoConflict {
	x := event.UndoConflict{Path: "scan/gen.go", Why: "was changed after the call, in the same place", Now: "now", Can: []string{event.ResolveKeep, event.ResolveOld, event.ResolveText}, Merged: []byte("package scan\n<<<<<<< what is there now\nmine\n")}
	for _, l := range []string{"before    a file, mode 0644, 36 bytes, sha256 5d1a0f9e33b7", "agent     a file, mode 0644, 52 bytes, sha256 0c77e1d4a2f8", "now       a file, mode 0644, 47 bytes, sha256 a94b2c60ed15"} {
		x.Lines = append(x.Lines, event.Line{Kind: event.LineFact, Text: l})
	}
	step := func(title, old, new string) {
		x.Lines = append(x.Lines, event.Line{Kind: event.LineBlank}, event.Line{Kind: event.LineFile, Text: title}, event.Line{Kind: event.LineHunk, Text: "@@ lines 1-3"},
			event.Line{Kind: event.LineContext, Text: "    1     1   package scan"}, event.Line{Kind: event.LineDelete, Text: "    3       - " + old}, event.Line{Kind: event.LineAdd, Text: "          3 + " + new})
	}
	step("what the agent did: from before to agent", "const limit = 10", "const limit = 100 // generated")
	step("what somebody else did since: from agent to now", "const limit = 100 // generated", "const limit = 64 // mine")
	step("what taking the old one would do: from now to before", "const limit = 64 // mine", "const limit = 10")
	return x
}

// world is a session in which much goes on besides talk.
func world() []event.Body {
	return append(working(),
		event.WindowChanged{Mode: "trust", Until: time.Now().Add(10*time.Minute + 950*time.Millisecond)},
		event.Egress{Call: "3", Door: "command", Host: "proxy.example.org:443", Method: "CONNECT", Sent: 512, Received: 88123, Status: "ok"},
		event.Egress{Call: "3", Door: "command", Host: "tracker.example.net:443", Method: "CONNECT", Status: "blocked", Reason: "no rule names it"},
		event.JobChanged{Job: "j1", Call: "3", Title: "run npm run dev", Status: "running"}, event.JobChanged{Job: "j2", Call: "3", Title: "run go test ./...", Status: "ok", Exit: num(1)},
		event.PolicyChanged{What: "remembered", Rule: "go test ./..."}, event.ThoughtChanged{Level: "high"},
		event.Interjected{Turn: 12, Text: "and keep the public names"},
		event.Masked{Calls: []string{"1", "2"}, Freed: 5200}, event.Compacted{After: 4, Summary: "so far", From: 28000, To: 4100},
		event.TurnStarted{Turn: 13, Text: "What does this picture show?", Images: []event.ImageRef{{Name: "error.png", MediaType: "image/png"}}})
}
