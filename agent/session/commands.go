package session

import (
	"encoding/json"
	"os"
	"slices"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// Commands lists the texts of the commands that were proposed in a
// conversation, oldest first.
func (s State) Commands() []string {
	var out []string
	for _, m := range s.Messages {
		if m.Reply == nil {
			continue
		}
		for _, c := range m.Reply.Calls {
			if text := commandText(c); text != "" {
				out = append(out, text)
			}
		}
	}
	return out
}

func commandText(c event.Call) string {
	if c.Tool != "execute_command" {
		return ""
	}
	var args struct {
		Command string `json:"command"`
	}
	if json.Unmarshal(c.Args, &args) != nil {
		return "" // a call that could not be used either
	}
	return args.Command
}

// recentSessions is how many stored sessions are looked at for earlier
// commands.
const recentSessions = 10

// Commands lists the newest commands of stored sessions of root but for one,
// oldest first, at most as many as are asked for. A session that cannot be read
// adds none: `sessions list` says what is wrong with it.
func (s *Store) Commands(root, but string, most int) []string {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil
	}
	type folder struct {
		id string
		at int64
	}
	var folders []folder
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() && idForm().MatchString(e.Name()) && e.Name() != but {
			folders = append(folders, folder{e.Name(), info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(folders, func(a, b folder) int { return int(min(1, max(-1, b.at-a.at))) })
	var out []string
	for _, f := range folders[:min(len(folders), recentSessions)] {
		events, err := s.Read(f.id)
		if err != nil {
			continue
		}
		if state := Fold(events); state.Root == root {
			out = append(state.Commands(), out...)
		}
		if len(out) >= most {
			break
		}
	}
	return out[max(0, len(out)-most):]
}
