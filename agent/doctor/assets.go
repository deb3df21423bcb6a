package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// An Asset is a file or a folder of ours: what is worth protecting, and where
// it lies.
type Asset struct {
	Name  string `json:"name"`
	What  string `json:"what"`
	Path  string `json:"path"`
	There bool   `json:"there"`
	Mode  string `json:"mode,omitempty"` // octal; "" for one that is not there
}

// assets are the names beneath the state folder, with what they hold and
// whether others may read them.
var assets = []struct {
	name, what string
	open       bool // reading it is no harm
}{
	{"config.json", "settings, keys of providers among them", false}, {"policy.toml", "your rules", true}, {"commands.json", "your lists of commands", true},
	{"remembered.toml", "rules you kept at a question", true}, {"hooks.toml", "your hooks", true}, {"models.json", "your models", true},
	{"mcp.json", "MCP servers", false}, {"mcp_pins.json", "what you approved of their tools", true}, {"mcp_logins.json", "logins at them", false},
	{"project_trust.json", "which projects you let in", true}, {"git_trust.json", "hooks and drivers of git you let in", true},
	{"keys.json", "provider keys", false}, {"prompt.sealed", "your addition to the system prompt", false},
	{"audit_key", "the private key of the audit log", false}, {"audit_key.pub", "its public half", true}, {"audit", "the audit log", false},
	{"sessions", "conversations", false}, {"undo", "what undo puts back", false}, {"cache", "caches of the sandbox", false},
}

// Assets looks at where each asset lies.
func (p Place) assets() []Asset {
	out := []Asset{{Name: "state folder", What: "all of the below", Path: p.State}}
	for _, a := range assets {
		out = append(out, Asset{Name: a.name, What: a.what, Path: filepath.Join(p.State, a.name)})
	}
	for i := range out {
		if info, err := os.Lstat(out[i].Path); err == nil {
			out[i].There, out[i].Mode = true, fmt.Sprintf("%04o", info.Mode().Perm())
		}
	}
	return out
}

// files says whether every asset has the mode that it should have.
func (p Place) files() Check {
	var wrong, mends []string
	there := 0
	for _, a := range assets {
		path := filepath.Join(p.State, a.name)
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			wrong, mends = append(wrong, err.Error()), append(mends, "see docs/troubleshooting.md")
			continue
		case info.Mode()&fs.ModeSymlink != 0:
			wrong, mends = append(wrong, a.name+" is a link"), append(mends, "put the file itself there")
			continue
		}
		there++
		bad := fs.FileMode(0o022)
		if !a.open {
			bad = 0o077
		}
		if info.Mode().Perm()&bad != 0 {
			mode := "600"
			if info.IsDir() {
				mode = "700"
			}
			wrong, mends = append(wrong, fmt.Sprintf("%s has mode %04o", a.name, info.Mode().Perm())), append(mends, "chmod "+mode+" "+path)
		}
	}
	if len(wrong) > 0 {
		return Check{"files", Warn, strings.Join(wrong, "; "), strings.Join(mends, "; ")}
	}
	return Check{"files", OK, fmt.Sprintf("%d of ours in %s, closed to others; --json lists them", there, p.State), ""}
}

// listed is a check of things that stand in files of ours or of a project.
func listed(name string, all []string, none string, err error, hint string) Check {
	switch {
	case err != nil:
		return Check{name, Fail, err.Error(), hint}
	case len(all) == 0:
		return Check{name, OK, none, ""}
	default:
		return Check{name, OK, strings.Join(all, "; "), ""}
	}
}

// trust says what of the project is not loaded.
func (p Place) trust() Check {
	switch {
	case p.TrustErr != nil:
		return Check{"trust", Fail, p.TrustErr.Error(), "mend the file, or use --ignore-project-config"}
	case len(p.Waiting) > 0:
		return Check{"trust", Warn, "not let in: " + strings.Join(p.Waiting, "; "), "look at it with `tera-pilot trust`; without a terminal the folder is refused (exit 4)"}
	default:
		return Check{"trust", OK, "nothing of the project waits to be looked at", ""}
	}
}

// level says what is asked about.
func (p Place) level() Check {
	if p.Level == "never_ask" {
		return Check{"level", Warn, "never_ask: it counts in the interactive terminal only", "elsewhere --no-confirm is the one opt-out"}
	}
	return Check{"level", OK, p.Level, ""}
}
