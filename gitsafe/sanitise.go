package gitsafe

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// sanitised writes records as a configuration file of git, with every value
// quoted, so that nothing but these keys exists for who reads it.
func sanitised(records []record) []byte {
	var b bytes.Buffer
	b.WriteString("# the harmless part of the repository's configuration\n")
	for _, r := range records {
		section, sub, variable, ok := splitKey(r.key)
		if !ok {
			continue
		}
		b.WriteString("[" + section)
		if len(section)+len(variable)+1 < len(r.key) {
			b.WriteString(` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(sub) + `"`)
		}
		b.WriteString("]\n\t" + variable)
		if !r.bare {
			b.WriteString(` = "` + quoteValue.Replace(r.value) + `"`)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// quoteValue escapes what git-config(1) names under SYNTAX.
var quoteValue = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`)

// overlays hide the repository's configuration and hooks. Only what exists can
// be bound over; what does not exist git does not read, since config.worktree
// is named by extensions.worktreeConfig, which is dropped.
func overlays(repo Repo, kept []record, config bool) []Overlay {
	var list []Overlay
	add := func(path string, content []byte, dir bool) {
		if fi, err := os.Lstat(path); err == nil && fi.IsDir() == dir && (dir || fi.Mode().IsRegular()) {
			list = append(list, Overlay{Path: path, Content: content, Dir: dir})
		}
	}
	if config {
		inlined := make([]record, 0, len(kept))
		for _, r := range kept {
			if r.key != "extensions.worktreeconfig" {
				inlined = append(inlined, r)
			}
		}
		add(filepath.Join(repo.CommonDir, "config"), sanitised(inlined), false)
		add(filepath.Join(repo.GitDir, "config.worktree"), nil, false)
	}
	add(filepath.Join(repo.CommonDir, "hooks"), nil, true)
	return list
}
