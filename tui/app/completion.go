package app

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/keys"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// completion is what the word at the caret could become.
type completion struct {
	shown   *offer   // nil for none
	refused string   // the word for which none is wanted
	files   []string // the names of the workspace; nil until they are known
	asked   bool     // for them, and not answered yet
}

// An offer is what a word could become.
type offer struct {
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
	m.offer()
	c, word := &m.completion, m.composer.Word()
	if m.o.Desk.Files == nil || c.asked || word != "@" && (c.files != nil || !strings.HasPrefix(word, "@")) {
		return nil
	}
	c.asked = true
	return query("files", m.o.Desk.Files, func(m *Model, names []string, err error) tea.Cmd {
		m.completion.asked = false
		if err == nil {
			m.completion.files = append([]string{}, names...) // not nil, though there may be none
		}
		m.offer()
		return nil
	})
}

// offer shows what the word at the caret could become, of what is known.
func (m *Model) offer() {
	word := m.composer.Word()
	switch {
	case strings.HasPrefix(word, "@") && m.completion.files != nil:
		m.completion.show(&offer{word: word, fit: matching(m.completion.files, word[1:])})
	case strings.HasPrefix(word, "/") && word == strings.TrimSpace(m.composer.Text()):
		m.completion.show(commandsFor(word, m.state.Offered))
	default:
		m.completion.hide()
	}
}

// show shows an offer, unless it is not wanted or holds nothing. A choice that
// was made stays where it is still among them.
func (c *completion) show(o *offer) {
	old := c.shown
	c.hide()
	if o.word == c.refused || len(o.fit) == 0 {
		return
	}
	if c.shown = o; old != nil {
		o.chosen = max(0, slices.Index(o.fit, old.fit[old.chosen]))
	}
}

func (c *completion) hide() { c.shown = nil }

// refuse takes an offer away, and shows none for a word until it is another one.
func (c *completion) refuse(word string) { c.shown, c.refused = nil, word }

// commandsFor are the commands that begin with a word: ours, and those that the
// person has ready.
func commandsFor(word string, ready []event.SlashCommand) *offer {
	o := &offer{word: word}
	add := func(name string, does safe.Text) {
		if strings.HasPrefix(name, word) && name != word {
			o.fit, o.does = append(o.fit, name), append(o.does, does)
		}
	}
	for _, k := range keys.Commands() {
		add(k.Name.String(), k.Does)
	}
	for _, k := range ready {
		add("/"+k.Name, safe.Join(safe.Strict(k.Does), safe.Lit("  "), safe.Strict(k.From)))
	}
	return o
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
	o := m.completion.shown
	if o == nil {
		return false
	}
	switch name {
	case "up":
		o.chosen = (o.chosen + len(o.fit) - 1) % len(o.fit)
	case "down":
		o.chosen = (o.chosen + 1) % len(o.fit)
	case "enter", "tab":
		if name == "enter" && m.isCommand(o.word) {
			return false // it is whole: it is meant as it stands
		}
		m.composer.ReplaceWord(o.taken() + " ") // cleaned like all that is typed
		m.completion.refuse(m.composer.Word())
	case "esc":
		m.completion.refuse(o.word)
	default:
		return false
	}
	return true
}

// isCommand says that a word is one as it stands.
func (m *Model) isCommand(word string) bool {
	return m.offered(word) || slices.ContainsFunc(keys.Commands(), func(c keys.Command) bool { return c.Name.String() == word })
}

// taken is what the chosen one puts in.
func (o *offer) taken() string {
	if o.word[0] == '@' {
		return "@" + o.fit[o.chosen]
	}
	return o.fit[o.chosen]
}

// rows are those above the message.
func (c *completion) rows(w, most int, widths view.Widths) []view.Line {
	o := c.shown
	if o == nil || most <= 0 {
		return nil
	}
	most = min(most, maxShown)
	first := max(0, min(o.chosen-most/2, len(o.fit)-most))
	var out []view.Line
	for i := first; i < len(o.fit) && len(out) < most; i++ {
		mark, style := view.Lit(theme.Plain, safe.Lit("   ")), theme.Dim
		if i == o.chosen {
			mark, style = view.Lit(theme.Key, safe.Lit(" > ")), theme.Strong
		}
		left, right := view.Join(mark, view.Text(style, safe.Strict(o.fit[i]))), view.Line(nil)
		if i < len(o.does) {
			left = view.Join(widths.Pad(left, 16), view.Lit(theme.Dim, o.does[i]))
		} else if i == first && len(o.fit) > most {
			right = view.Lit(theme.Dim, safe.Join(safe.Int(len(o.fit)), safe.Lit(" fit; tab takes the chosen one")))
		}
		out = append(out, widths.Ends(left, right, w, 24))
	}
	return out
}
