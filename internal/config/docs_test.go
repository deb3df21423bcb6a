package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestThePageOfSettings holds docs/configuration.md to the code: every key has
// its row and no other has one; the default that it names is the default, and
// every value that it names is taken.
func TestThePageOfSettings(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	load := func(text string) (Settings, error) {
		file := filepath.Join(t.TempDir(), "config.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Load(file, true, func(string) string { return "" })
		s.File = ""
		return s, err
	}
	_, table, _ := strings.Cut(string(page), "\n## Keys of config.json\n")
	table, _, ok := strings.Cut(table, "\n## ")
	if !ok {
		t.Fatal("the page has no table of keys")
	}
	s := Defaults()
	left := s.keys()
	quoted := regexp.MustCompile("`([^`]*)`")
	for _, line := range strings.Split(table, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 5 || !strings.Contains(cells[1], "`") {
			continue
		}
		key := strings.Trim(strings.TrimSpace(cells[1]), "`")
		if left[key].take == nil {
			t.Errorf("the page has the key %s, which is not known, or has it twice", key)
		}
		delete(left, key)
		got, err := load(`{"` + key + `": ` + strings.Trim(strings.TrimSpace(cells[2]), "`") + `}`)
		if err != nil || !reflect.DeepEqual(got, Defaults()) {
			t.Errorf("%s: the default of the page is another one: %v", key, err)
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[3], -1) {
			if _, err := load(`{"` + key + `": ` + m[1] + `}`); err != nil || !json.Valid([]byte(m[1])) {
				t.Errorf("%s: the value %s of the page is not taken: %v", key, m[1], err)
			}
		}
	}
	for key := range left {
		t.Errorf("the page lacks the key %s", key)
	}
	for _, key := range unused {
		if !strings.Contains(table, "`"+key+"`") {
			t.Errorf("the page lacks the unused key %s", key)
		}
	}
}
