package tui_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

var update = flag.Bool("update", false, "rewrite the expected screens")

var sizes = []tui.Size{{Width: 100, Height: 30}, {Width: 60, Height: 20}, {Width: 40, Height: 12}, {Width: 200, Height: 60}}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "screens", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s is another one (-want +got):\n%s", name, d)
	}
}

// TestScreens draws each screen at each size in each theme: program, renderer,
// gate, emulator. A file holds the text and the style of each cell; what a style
// looks like in a theme stands in looks.txt. -update writes all of them.
func TestScreens(t *testing.T) {
	r := tuitest.NewRoles(t)
	golden(t, "looks", r.Table())
	drawn := map[string]bool{"looks": true}
	draw := func(sc screen, size tui.Size, how func(*tuitest.Program) (string, error)) {
		name := fmt.Sprintf("%s-%dx%d", sc.name, size.Width, size.Height)
		drawn[name] = true
		t.Run(name, func(t *testing.T) {
			var got string
			var err error
			sc.show(t, size, func(p *tuitest.Program) { got, err = how(p) })
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name, got)
		})
	}
	for _, sc := range screens() {
		for _, size := range sizes {
			draw(sc, size, r.Draw)
		}
	}
	for _, sc := range inlineScreens() {
		for _, size := range sizes[:2] {
			draw(sc, size, r.DrawDark)
		}
	}
	noOthers(t, drawn)
}

// noOthers: a screen that nobody draws any more has no file.
func noOthers(t *testing.T, drawn map[string]bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "screens", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".txt")
		if drawn[name] || name == "lines" || strings.HasSuffix(name, "-lines") {
			continue
		}
		if *update {
			err = os.Remove(f)
		} else {
			err = fmt.Errorf("%s is no screen that a test draws", f)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
