package app

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// files are the names of the workspace, for completion.
type files struct {
	list  []string
	asked bool
}

// completion is what the word at the caret could become.
type completion struct {
	word   string   // as it stands, with its @ or /
	fit    []string // what it could become, best first
	does   []safe.Text
	chosen int
}

// maxShown is how many completions are shown at once.
const maxShown = 6

// complete looks for what the word at the caret could become, and asks for the
// names of files anew where a mention begins: the last turn may have made some.
func (m *Model) complete() tea.Cmd {
	word := m.composer.Word()
	m.offer(word)
	if m.o.Desk.Files == nil || m.files.asked || word != "@" && (m.files.list != nil || !strings.HasPrefix(word, "@")) {
		return nil
	}
	m.files.asked = true
	return query(wantFiles, m.o.Desk.Files)
}

// offer shows what a word could become, of what is known. A choice that was
// made stays where it is still among them.
func (m *Model) offer(word string) {
	old := m.completion
	m.completion = nil
	switch {
	case word == m.refused:
	case strings.HasPrefix(word, "@") && m.files.list != nil:
		m.completion = &completion{word: word, fit: matching(m.files.list, word[1:])}
	case strings.HasPrefix(word, "/") && word == strings.TrimSpace(m.composer.Text()):
		c := &completion{word: word}
		for _, k := range keys.Commands() {
			if name := k.Name.String(); strings.HasPrefix(name, word) && name != word {
				c.fit, c.does = append(c.fit, name), append(c.does, k.Does)
			}
		}
		for _, k := range m.state.Offered {
			if name := "/" + k.Name; strings.HasPrefix(name, word) && name != word {
				c.fit, c.does = append(c.fit, name), append(c.does, safe.Join(safe.Strict(k.Does), safe.Lit("  "), safe.Strict(k.From)))
			}
		}
		m.completion = c
	}
	if m.completion != nil && len(m.completion.fit) == 0 {
		m.completion = nil
	}
	if m.completion != nil && old != nil && old.chosen < len(old.fit) {
		m.completion.chosen = max(0, slices.Index(m.completion.fit, old.fit[old.chosen]))
	}
}

// matching are the names that hold the letters in order, the closest first.
func matching(names []string, letters string) []string {
	type hit struct {
		name string
		cost int
	}
	var hits []hit
	letters = strings.ToLower(letters)
	for _, n := range names {
		if cost, ok := distance(strings.ToLower(n), letters); ok {
			hits = append(hits, hit{n, cost})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.cost - b.cost })
	out := make([]string, 0, min(len(hits), 50))
	for _, h := range hits[:min(len(hits), 50)] {
		out = append(out, h.name)
	}
	return out
}

// distance says how far letters are spread in a name; a name whose last part
// holds them in one piece is closest.
func distance(name, letters string) (cost int, ok bool) {
	if letters == "" {
		return strings.Count(name, "/")*100 + len(name), true
	}
	base := name[strings.LastIndexByte(name, '/')+1:]
	if i := strings.Index(base, letters); i >= 0 {
		return i*2 + len(name), true
	}
	if i := strings.Index(name, letters); i >= 0 {
		return 1000 + i*2 + len(name), true
	}
	at, gaps := 0, 0
	for _, c := range letters {
		i := strings.IndexRune(name[at:], c)
		if i < 0 {
			return 0, false
		}
		gaps, at = gaps+i, at+i+len(string(c))
	}
	return 2000 + gaps*4 + len(name), true
}

// completionKey handles a key while completions are shown.
func (m *Model) completionKey(name string) bool {
	c := m.completion
	if c == nil {
		return false
	}
	switch name {
	case "up":
		c.chosen = (c.chosen + len(c.fit) - 1) % len(c.fit)
	case "down":
		c.chosen = (c.chosen + 1) % len(c.fit)
	case "enter", "tab":
		if name == "enter" && m.isCommand(c.word) {
			return false // it is whole: it is meant as it stands
		}
		m.composer.ReplaceWord(m.asTyped(c) + " ") // cleaned like all that is typed
		m.completion, m.refused = nil, m.composer.Word()
	case "esc":
		m.completion, m.refused = nil, c.word
	default:
		return false
	}
	return true
}

// isCommand says that a word is one as it stands.
func (m *Model) isCommand(word string) bool {
	return m.offered(word) || slices.ContainsFunc(keys.Commands(), func(c keys.Command) bool { return c.Name.String() == word })
}

// asTyped is what a completion puts in.
func (m *Model) asTyped(c *completion) string {
	if c.word[0] == '@' {
		return "@" + c.fit[c.chosen]
	}
	return c.fit[c.chosen]
}

// completions are the rows above the message.
func (m *Model) completions(w, most int) []view.Line {
	c := m.completion
	if c == nil || most <= 0 {
		return nil
	}
	most = min(most, maxShown)
	first := max(0, min(c.chosen-most/2, len(c.fit)-most))
	var out []view.Line
	for i := first; i < len(c.fit) && len(out) < most; i++ {
		mark, style := view.Lit(theme.Plain, safe.Lit("   ")), theme.Dim
		if i == c.chosen {
			mark, style = view.Lit(theme.Key, safe.Lit(" > ")), theme.Strong
		}
		left, right := view.Join(mark, view.Text(style, safe.Strict(c.fit[i]))), view.Line(nil)
		if i < len(c.does) {
			left = view.Join(m.widths.Pad(left, 16), view.Lit(theme.Dim, c.does[i]))
		} else if i == first && len(c.fit) > most {
			right = view.Lit(theme.Dim, safe.Join(safe.Int(len(c.fit)), safe.Lit(" fit; tab takes the chosen one")))
		}
		out = append(out, m.widths.Ends(left, right, w, 24))
	}
	return out
}

// queue sends the message after this turn.
func (m *Model) queue(now time.Time) tea.Cmd {
	text := m.composer.Text()
	if strings.TrimSpace(text) == "" || !m.state.Busy {
		return nil
	}
	if _, _, ok := slashed(text); ok {
		return m.submit(now)
	}
	m.composer.Clear()
	m.o.Send(event.Submit{Text: text})
	return nil
}

// read goes to the entries of the conversation; false where they are not ours to
// show, or there are none.
func (m *Model) read() bool {
	if m.o.Inline {
		m.warn("what was said stands above, in the terminal's own scrollback", "f2 shows all of it as text")
		return false
	}
	return m.transcript.Read()
}

// startFind begins a search in the conversation.
func (m *Model) startFind() {
	if m.read() {
		m.finding = true
		m.find.OneLine = true
		m.find.Clear()
	}
}

// findKey handles a key of the search line.
func (m *Model) findKey(name string, k uv.Key) tea.Cmd {
	switch name {
	case "esc":
		m.finding = false
		m.transcript.Find("")
	case "enter":
		m.finding = false
		return m.goTo(m.find.Text())
	default:
		editLine(&m.find, k)
	}
	return nil
}

// goTo searches, backwards from where the person reads.
func (m *Model) goTo(text string) tea.Cmd {
	if !m.read() {
		return nil
	}
	m.transcript.Find(text)
	return m.seek(0)
}
