package tui_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/internal/termtest"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

func formQuestion(fields ...event.Field) event.Question {
	q := event.Question{ID: "f0aa0001", Call: "q7", Tool: "mcp__db__export", Kind: event.AskUser, Title: "the MCP server db asks you", From: "db", Form: fields,
		Lines: []event.Line{{Kind: event.LineFact, Text: "asked by  the MCP server db, while it runs export"}, {Kind: event.LineModel, Text: "Where shall the export go?"}}}
	q.Digest = event.HashForm(q.Lines, q.Form)
	return q
}

func allFields() []event.Field {
	two, ten := 2.0, 10.0
	return []event.Field{
		{Name: "name", Title: "Name", About: "of the file", Kind: event.FieldString, Required: true, Min: &two, Max: &ten},
		{Name: "rows", Title: "Rows", Kind: event.FieldInteger, Max: &ten, Default: "7"},
		{Name: "zip", Title: "Packed", Kind: event.FieldBoolean},
		{Name: "as", Title: "Format", Kind: event.FieldChoice, Options: []string{"csv", "json"}, Labels: []string{"comma separated", ""}, Required: true},
		{Name: "cols", Title: "Columns", Kind: event.FieldChoices, Options: []string{"id", "when", "who"}, Max: &two},
	}
}

// toldOf is what a session was told, with the values of a form.
func toldOf(s *tuitest.Session) string {
	var out []string
	for _, c := range s.Commands() {
		a, ok := c.(event.Answer)
		if !ok {
			out = append(out, fmt.Sprintf("%T", c))
			continue
		}
		word := fmt.Sprintf("answer %d", a.Choice)
		if a.Cancelled {
			word += " cancelled"
		}
		for _, name := range slices.Sorted(maps.Keys(a.Form)) {
			word += " " + name + "=" + a.Form[name]
		}
		out = append(out, word)
	}
	return strings.Join(out, "; ")
}

// TestForms: what a person fills in, and what is sent.
func TestForms(t *testing.T) {
	after := func(p *tuitest.Program) { p.Wait(time.Second) }
	for _, c := range []struct {
		name   string
		fields []event.Field
		do     func(p *tuitest.Program)
		want   string
		screen string // stands on it at the end
	}{
		{"nothing is sent before what is required is there", allFields(), func(p *tuitest.Program) { p.Keys("a"); after(p) }, "", "2 FIELDS TO FILL IN"},
		{"declined", allFields(), func(p *tuitest.Program) { p.Keys("x"); after(p) }, "answer 0", ""},
		{"put away", allFields(), func(p *tuitest.Program) { p.Keys("c"); after(p) }, "answer 0 cancelled", ""},
		{"filled in and sent", allFields(), func(p *tuitest.Program) {
			p.Keys("enter")
			p.Type("out.csv")
			p.Keys("enter", "down") // over the rows, whose default stands
			p.Keys("space", "down", "right", "down")
			p.Keys("enter", "space", "down", "space", "enter")
			after(p)
			p.Keys("a")
			after(p)
		}, `answer 3 as=csv cols=["id","when"] name=out.csv rows=7 zip=true`, ""},
		{"an answer key inside of a value is text", allFields()[:1], func(p *tuitest.Program) {
			p.Keys("enter")
			after(p)
			p.Keys("a")
			after(p)
			p.Keys("x")
			after(p)
			p.Keys("enter")
			after(p)
		}, "", "ARMED"},
		{"too long", allFields()[:1], func(p *tuitest.Program) { p.Keys("enter"); p.Type("a very long name"); p.Keys("enter"); after(p) }, "", "at most 10 characters"},
		{"not a number", allFields()[1:2], func(p *tuitest.Program) {
			p.Keys("enter", "backspace")
			p.Type("many")
			p.Keys("enter")
			after(p)
		}, "", "a whole number is wanted"},
		{"a key is not sent", []event.Field{{Name: "x", Title: "X", Kind: event.FieldString}}, func(p *tuitest.Program) {
			p.Keys("enter")
			p.Send(termtest.Paste("ghp_" + strings.Repeat("a1B2", 9)))
			p.Keys("enter")
			after(p)
			p.Keys("esc")
			after(p)
		}, "", "never a password"},
		{"a default that is taken back is not sent", allFields()[1:2], func(p *tuitest.Program) { p.Keys("backspace"); after(p); p.Keys("a"); after(p) }, "answer 3", ""},
		{"a default that does not fit is none", []event.Field{{Name: "x", Title: "X", Kind: event.FieldInteger, Default: "seven"}, {Name: "y", Title: "Y", Kind: event.FieldString, Default: strings.Repeat("long ", 100)}}, func(p *tuitest.Program) { p.Keys("a"); after(p) }, "answer 3", ""},
		{"the next text field is written at once, so that what is typed is no answer", []event.Field{{Name: "x", Title: "X", Kind: event.FieldString}, {Name: "y", Title: "Y", Kind: event.FieldString}}, func(p *tuitest.Program) {
			p.Keys("enter")
			p.Type("one")
			p.Keys("enter")
			after(p)
			p.Keys("a")
			after(p)
			p.Keys("enter")
			after(p)
			p.Keys("a")
			after(p)
		}, "answer 3 x=one y=a", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			put(t, 100, 30, formQuestion(c.fields...), func(p *tuitest.Program, s *tuitest.Session) {
				p.Wait(3 * time.Second)
				c.do(p)
				if got := toldOf(s); got != c.want {
					t.Errorf("told %q, want %q\n%s", got, c.want, p.Screen.Text())
				}
				if c.want == "" && !strings.Contains(p.Screen.Text(), c.screen) {
					t.Errorf("%q is not on\n%s", c.screen, p.Screen.Text())
				}
			})
		})
	}
}

// TestFormIsReadBeforeItIsSent: on a screen that holds a few of many fields,
// what was filled in beforehand is sent only when all of it was there to see.
func TestFormIsReadBeforeItIsSent(t *testing.T) {
	var many []event.Field
	for i := range 20 {
		many = append(many, event.Field{Name: fmt.Sprintf("f%02d", i), Title: fmt.Sprintf("Field %d", i), Kind: event.FieldString, Default: "stands already"})
	}
	put(t, 60, 20, formQuestion(many...), func(p *tuitest.Program, s *tuitest.Session) {
		p.Wait(3 * time.Second)
		p.Keys("a")
		p.Wait(time.Second)
		if got := toldOf(s); got != "" || !strings.Contains(p.Screen.Text(), "LOOK AT ALL FIELDS") {
			t.Fatalf("told %q\n%s", got, p.Screen.Text())
		}
		for range 19 {
			p.Keys("down")
			p.Wait(300 * ms)
		}
		p.Wait(time.Second)
		p.Keys("a")
		p.Wait(time.Second)
		if got := toldOf(s); strings.Count(got, "stands already") != 20 {
			t.Errorf("told %q\n%s", got, p.Screen.Text())
		}
	})
}

// TestFormSays who asks, on every screen that a form fits on.
func TestFormSays(t *testing.T) {
	for _, size := range [][2]int{{100, 30}, {60, 20}, {40, 12}} {
		put(t, size[0], size[1], formQuestion(allFields()...), func(p *tuitest.Program, s *tuitest.Session) {
			p.Wait(3 * time.Second)
			text := strings.Join(strings.Fields(p.Screen.Text()), " ")
			for _, want := range []string{" password, ", " goes to db", "form ", "x decline", "c put away"} {
				if !strings.Contains(text, want) {
					t.Errorf("%v: %q is missing\n%s", size, want, p.Screen.Text())
				}
			}
		})
	}
}

// TestFormAccidents: filling in is no answer, and no accident sends a form, not
// even one in which nothing is missing.
func TestFormAccidents(t *testing.T) {
	moments := []int{0, 450, 2000}
	if testing.Short() || raceDetector {
		moments = moments[2:]
	}
	ready := []event.Field{{Name: "x", Title: "X", Kind: event.FieldString, Default: "there"}, {Name: "b", Title: "B", Kind: event.FieldBoolean, Default: "true"}}
	for accident, do := range accidents() {
		if strings.Contains(accident, "question") {
			continue // they name the other one
		}
		for _, delay := range moments {
			put(t, 100, 30, formQuestion(ready...), func(p *tuitest.Program, s *tuitest.Session) {
				p.Wait(time.Duration(delay) * ms)
				do(p, s)
				p.Wait(3 * time.Second)
				if a := s.Answers(); len(a) > 0 {
					t.Errorf("%s at %d ms: %+v\n%s", accident, delay, a, p.Screen.Text())
				}
			})
		}
	}
}

// TestHostileForm: nothing that a server writes into a form reaches the
// terminal as anything but printable text, in both forms of the front end.
func TestHostileForm(t *testing.T) {
	evil := "a\x1b[2J\x1b]52;c;AAAA\x07\u202eb\x00\xff\n\u200bc"
	var fields []event.Field
	for _, k := range []event.FieldKind{event.FieldString, event.FieldNumber, event.FieldInteger, event.FieldBoolean, event.FieldChoice, event.FieldChoices, "strange", ""} {
		fields = append(fields, event.Field{Name: evil + string(k), Title: evil, About: evil, Kind: k, Options: []string{evil, "x" + evil}, Labels: []string{evil}, Default: evil, Format: evil})
	}
	q := formQuestion(fields...)
	q.From = evil
	put(t, 80, 24, q, func(p *tuitest.Program, s *tuitest.Session) {
		p.Wait(3 * time.Second)
		for range len(fields) {
			p.Keys("enter", "down", "space", "esc", "right", "down")
		}
		text := p.Screen.Text()
		for _, line := range strings.Split(text, "\n") {
			if !visible.Harmless(strings.TrimRight(line, " ")) {
				t.Errorf("drew %q", line)
			}
		}
		if a := s.Answers(); len(a) > 0 {
			t.Errorf("%+v", a)
		}
	})
	s := tuitest.NewSession(opened(), event.TurnStarted{Turn: 1, Text: "go"})
	inLines(t, s, func(typed func(string), wait, _ func()) { // which looks at every line
		s.Emit(asked(q)...)
		wait()
		typed("codb 5 1")
		typed("codb send")
	})
}

// TestLinesForm: a form in lines mode is filled in and sent with its code.
func TestLinesForm(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"sent", []string{"codb 1 out.csv", "codb 3 yes", "codb 4 2", "codb 5 1, 3", "codb send"}, `answer 3 as=json cols=["id","who"] name=out.csv rows=7 zip=true`},
		{"what is missing is not sent", []string{"codb 1 out.csv", "codb send"}, ""},
		{"what does not fit stays out", []string{"codb 1 x", "codb 4 7", "codb send"}, ""},
		{"cleared", []string{"codb 2", "codb 1 ab", "codb 4 1", "codb send"}, `answer 3 as=csv name=ab`},
		{"declined", []string{"codb decline"}, "answer 0"},
		{"denied", []string{"codb deny"}, "answer 0"},
		{"put away", []string{"codb away"}, "answer 0 cancelled"},
		{"allow is nothing", []string{"codb allow", "codb say x", "codb 9 x"}, ""},
		{"a key stays out", []string{"codb 1 ab", "codb 4 1", "codb 1 ghp_" + strings.Repeat("a1B2", 9), "codb send"}, `answer 3 as=csv name=ab rows=7`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tuitest.NewSession(opened(), event.TurnStarted{Turn: 1, Text: "go"})
			var got string
			out := inLines(t, s, func(typed func(string), wait, _ func()) {
				s.Emit(asked(formQuestion(allFields()...))...)
				wait()
				for _, l := range c.lines {
					typed(l)
				}
				got = toldOf(s) // before the input ends
			})
			if got != c.want {
				t.Errorf("told %q, want %q\n%s", got, c.want, out)
			}
			if strings.Contains(out, "ghp_a1B2") {
				t.Errorf("the key is echoed:\n%s", out)
			}
		})
	}
}
