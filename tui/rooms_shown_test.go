package tui_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// roomScreens says which screen shows each room: the lists by their type in
// tui/app, the others by their package.
func roomScreens() map[string]string {
	return map[string]string{
		"palette": "palette", "help": "help", "models": "models", "checks": "self-test", "sessions": "sessions", "undo": "undo", "jobs": "jobs", "rules": "remembered", "text": "plain-text", "auditLog": "activity", "conflicts": "undo-conflict",
		"room/activity": "activity", "room/ask": "confirm", "room/composer": "working", "room/picker": "palette-all", "room/sheet": "review", "room/start": "start", "room/status": "trouble", "room/transcript": "finished",
	}
}

// TestEveryRoomHasAScreen: a room that comes new has a golden at each size, and
// by that in each theme. A list is whatever takes keys for the Model.
func TestEveryRoomHasAScreen(t *testing.T) {
	_, files := sources(t)
	rooms := map[string]bool{}
	for name, f := range files {
		if dir := filepath.Dir(name); filepath.Dir(dir) == "room" {
			rooms[dir] = true
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && filepath.Dir(name) == "app" && fn.Name.Name == "key" && fn.Recv != nil {
				if r := fn.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name; r != "Model" {
					rooms[r] = true
				}
			}
		}
	}
	if len(rooms) < 15 {
		t.Fatalf("only %d rooms were found", len(rooms))
	}
	shown := roomScreens()
	for room := range rooms {
		if shown[room] == "" {
			t.Errorf("%s has no screen: add one to scenes_test.go and name it in roomScreens", room)
		}
	}
	var names []string
	for _, sc := range screens() {
		names = append(names, sc.name)
	}
	for room, name := range shown {
		if !rooms[room] || !slices.Contains(names, name) {
			t.Errorf("%s is shown by %s: one of both is not there", room, name)
		}
	}
}

// TestEveryStyleIsSeen: a style that no screen shows could look like anything.
func TestEveryStyleIsSeen(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "screens", "*-100x30.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	var seen strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "~"); ok {
				seen.WriteString(strings.TrimPrefix(rest, " all"))
			}
		}
	}
	table, err := os.ReadFile(filepath.Join("testdata", "screens", "looks.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		if line[0] != ' ' && line[0] != '.' && !strings.Contains(seen.String(), line[:1]) {
			t.Errorf("no screen shows the style %s", strings.TrimSpace(line))
		}
	}
}
