package commandpolicy

import (
	"strings"
	"testing"
)

// TestWhatIsNotKnownShowsOnce: a word of which only the beginning is known shows
// that beginning and one …
func TestWhatIsNotKnownShowsOnce(t *testing.T) {
	for text, want := range map[string]string{
		`find . -name '*.go' -exec rm {} +`:     "rm ./…   (through find -exec)",
		`find . -exec rm {} \;`:                 "rm ./…   (through find -exec)",
		`find src/ -type f -exec rm {} +`:       "rm src/…   (through find -exec)",
		`find src -maxdepth 1 -execdir rm {} +`: "rm src/…   (through find -execdir)",
		`export A=$(date)`:                      "export A=…",
		`rm a$x`:                                "rm a…",
		`rm "$x"`:                               "rm …",
	} {
		a := analysed(text)
		var shown []string
		for i := range a.Parts {
			shown = append(shown, a.Parts[i].Command())
		}
		all := strings.Join(shown, "\n")
		if !strings.Contains("\n"+all+"\n", "\n"+want+"\n") || strings.Contains(all, "……") {
			t.Errorf("%s shows\n%s\nwant %s", text, all, want)
		}
	}
}
