package tuitest

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/tui/theme"
)

// A role is a style by a letter and a name.
type role struct {
	letter byte
	name   string
	style  theme.Style
}

// roles are all styles. Where two look the same in every theme, the first one's
// letter stands for both.
func roles() []role {
	return []role{
		{'.', "plain", theme.Plain}, {'d', "dim", theme.Dim}, {'d', "rule", theme.Rule}, {'s', "strong", theme.Strong}, {'s', "title", theme.Title},
		{'k', "key", theme.Key}, {'e', "escape", theme.Escape}, {'+', "added", theme.Added}, {'-', "deleted", theme.Deleted},
		{'A', "added mark", theme.AddedMark}, {'D', "deleted mark", theme.DeletedMark}, {'h', "hunk", theme.Hunk},
		{'g', "good", theme.Good}, {'w', "warn", theme.Warn}, {'b', "bad", theme.Bad}, {'!', "alarm", theme.Alarm}, {'>', "chosen", theme.Chosen},
		{'p', "who", theme.Who}, {'H', "heading", theme.Heading}, {'c', "code", theme.Code}, {'i', "emph", theme.Emph}, {'q', "quote", theme.Quote},
		{'K', "keyword", theme.Keyword}, {'S', "string", theme.String}, {'C', "comment", theme.Comment}, {'N', "number", theme.Number},
	}
}

// Roles tells styles by how they look in every theme.
type Roles struct {
	letters map[string]byte // by the looks in all themes
	dark    map[string]byte // by the look in the first one alone
	table   string
}

// NewRoles has the emulator draw every style in every theme.
func NewRoles(t *testing.T) *Roles {
	t.Helper()
	r := &Roles{letters: map[string]byte{}, dark: map[string]byte{}}
	for _, ro := range roles() {
		looks := make([]string, 0, len(theme.Names()))
		for _, name := range theme.Names() {
			looks = append(looks, look(t, theme.Named(name).SGR(ro.style)))
		}
		if was, ok := r.letters[key(looks)]; ok && was != ro.letter {
			t.Errorf("%s looks in every theme like the style of the letter %c", ro.name, was)
		}
		r.letters[key(looks)] = ro.letter
		if r.dark[looks[0]] == 0 {
			r.dark[looks[0]] = ro.letter
		}
		r.table += fmt.Sprintf("%c %s\n", ro.letter, ro.name)
		for i, l := range looks {
			r.table += strings.TrimRight(fmt.Sprintf("    %-14s%s", theme.Names()[i], l), " ") + "\n"
		}
	}
	return r
}

// look is what a sequence does to a cell.
func look(t *testing.T, sgr string) string {
	t.Helper()
	s := termtest.NewScreen(1, 1)
	if _, err := io.WriteString(s, sgr+"x"); err != nil {
		t.Fatal(err)
	}
	return s.Looks()[0][0]
}

func key(looks []string) string { return strings.Join(looks, "|") }

// Table is every style, its letter, and its look in every theme.
func (r *Roles) Table() string { return r.table }

// Draw is a screen, of a program in the dark theme, as text: each row, and beneath it the letters of the styles
// of its cells, behind a ~. A row in one style has its letter once; a plain row
// has none. It is an error when the text is not the same in every theme, or a
// cell has in some theme the look of another style than in the others.
func (r *Roles) Draw(p *Program) (string, error) {
	text := p.Screen.Text()
	var looks [][][]string
	for i, name := range theme.Names() {
		if i > 0 { // the program began in the first one
			p.Theme(name)
		}
		if got := p.Screen.Text(); got != text {
			return "", fmt.Errorf("in %s the text is another one:\n%s\nand not:\n%s", name, got, text)
		}
		looks = append(looks, p.Screen.Looks())
	}
	return draw(p, text, looks, r.letters)
}

// DrawDark is Draw in the dark theme alone, for a screen that cannot change:
// what stands above in inline mode is the terminal's.
func (r *Roles) DrawDark(p *Program) (string, error) {
	return draw(p, p.Screen.Text(), [][][]string{p.Screen.Looks()}, r.dark)
}

func draw(p *Program, text string, looks [][][]string, letters map[string]byte) (string, error) {
	var b strings.Builder
	cell := make([]string, len(looks))
	for y, row := range strings.Split(text, "\n") {
		marks := make([]byte, len(looks[0][y]))
		for x := range marks {
			same := x > 0
			for i := range looks {
				same = same && cell[i] == looks[i][y][x]
				cell[i] = looks[i][y][x]
			}
			if same {
				marks[x] = marks[x-1]
				continue
			}
			l, ok := letters[key(cell)]
			if !ok {
				return "", fmt.Errorf("cell %d,%d looks like no style: %s\n%s", x, y, key(cell), text)
			}
			marks[x] = l
		}
		b.WriteString(row + "\n" + styles(row, marks))
	}
	x, y, shown := p.Screen.Cursor()
	if !shown {
		return b.String() + "no cursor\n", nil
	}
	return b.String() + fmt.Sprintf("cursor %d,%d\n", x, y), nil
}

// styles is the line of letters beneath a row, "" for a plain one.
func styles(row string, letters []byte) string {
	all := strings.TrimRight(string(letters), ".")
	if all == "" {
		return ""
	}
	one := strings.TrimLeft(all, ".")
	if len(all) == len(row) && len(all)-len(one) == len(row)-len(strings.TrimLeft(row, " ")) && strings.Trim(one, one[:1]) == "" {
		return "~ all " + one[:1] + "\n"
	}
	return "~" + all + "\n"
}
