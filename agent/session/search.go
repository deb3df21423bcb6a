package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/seal"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// A Hit is a line of a session that holds what was looked for.
type Hit struct {
	Turn int
	Who  string // you, pilot, or the tool
	Line string
}

// longestHit is how much of a line a hit shows, in bytes.
const longestHit = 200

// maxWhole bounds what of a session is read whole, in bytes.
const maxWhole = 512 << 20

// Search finds a text in what was said and done in a session. Upper and lower
// case of ASCII letters are the same.
func (s *Store) Search(id, text string) ([]Hit, error) {
	dir, err := s.folder(id)
	if err != nil {
		return nil, err
	}
	raw, err := statedir.ReadRegular(filepath.Join(dir, eventsFile), maxWhole)
	if err != nil {
		return nil, fmt.Errorf("session log: %w", err)
	}
	text = strings.ToLower(text)
	if !bytes.HasPrefix(raw, []byte(sealPrefix)) && !maybe(raw, text) {
		return nil, nil
	}
	events, _, _, err := s.vault.events(id, bytes.NewReader(raw), new(seal.Key))
	if err != nil {
		return nil, err
	}
	var out []Hit
	for _, m := range Fold(events).Messages {
		switch {
		case m.Reply != nil:
			out = append(out, hits(m.Turn, "pilot", m.Reply.Text, text)...)
		case m.Call != nil:
			out = append(out, hits(m.Turn, m.Call.Tool, m.Call.Title+"\n"+m.Call.Body, text)...)
		default:
			out = append(out, hits(m.Turn, "you", m.User, text)...)
		}
	}
	return out, nil
}

// maybe says that a log could hold a text: most do not, and reading its bytes
// is much less work than reading its events. JSON writes some characters as
// escapes, so that a text with others than plain ones is looked for in any case.
func maybe(raw []byte, text string) bool {
	quoted, err := json.Marshal(text)
	if err != nil || string(quoted) != `"`+text+`"` {
		return true
	}
	return bytes.Contains(bytes.ToLower(raw), []byte(text))
}

func hits(turn int, who, body, text string) []Hit {
	var out []Hit
	for l := range strings.SplitSeq(body, "\n") {
		at := strings.Index(strings.ToLower(l), text)
		if at < 0 {
			continue
		}
		if len(l) > longestHit {
			from := min(max(0, at-longestHit/2), len(l)-longestHit)
			l = "…" + strings.ToValidUTF8(l[from:from+longestHit], "") + "…"
		}
		out = append(out, Hit{turn, who, l})
	}
	return out
}
