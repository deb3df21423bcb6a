package tui_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/tuitest"
)

// drawn is a screen at a size in a theme: its text, and the looks it uses.
func drawn(t *testing.T, sc screen, size tui.Size, name string) (text string, looks []string) {
	t.Helper()
	tuitest.Bubble(t, func(t *testing.T) {
		story := sc.story()
		s := tuitest.NewSession(story[0])
		p := tuitest.Open(t, size.Width, size.Height, tui.Options{Session: s, Desk: testDesk(), Theme: name})
		s.Emit(story[1:]...)
		p.Wait(200 * time.Millisecond)
		if sc.then != nil {
			sc.then(p, s)
		}
		text = p.Screen.Text()
		_, after, _ := strings.Cut(p.Screen.Styled(), "\ncursor ")
		looks = strings.Split(strings.TrimSpace(after), "\n")[1:]
		p.Quit()
	})
	return text, looks
}

// TestEveryScreenInEveryTheme: a theme changes no character, and its colours
// are its own. (The looks of each style are held by the goldens of one screen.)
func TestEveryScreenInEveryTheme(t *testing.T) {
	if raceDetector {
		t.Skip("the same code runs in TestScreens")
	}
	colour := regexp.MustCompile(`#[0-9a-f]{6}`)
	for _, sc := range screens() {
		want, _ := drawn(t, sc, sizes[0], "dark")
		for _, name := range theme.Names()[1:] {
			got, looks := drawn(t, sc, sizes[0], name)
			if got != strings.ReplaceAll(want, "the theme is dark", "the theme is "+name) && !strings.HasPrefix(sc.name, "palette") {
				t.Errorf("%s in %s has another text:\n%s\nwant:\n%s", sc.name, name, got, want)
			}
			own := theme.Named(name)
			for _, l := range looks {
				for _, c := range colour.FindAllString(l, -1) {
					if !own.Uses(c) {
						t.Errorf("%s in %s uses %s", sc.name, name, c)
					}
				}
				if name == "mono" && strings.Contains(l, "#") {
					t.Errorf("%s in mono has a colour: %s", sc.name, l)
				}
			}
		}
	}
}

// TestNoKeyOfAListAnswers: a question that comes while a list is open is not
// answered by what is pressed there.
func TestNoKeyOfAListAnswers(t *testing.T) {
	for _, open := range []string{"ctrl+k", "ctrl+s", "ctrl+z", "f3", "f2", "f1"} {
		for _, delay := range []time.Duration{0, 200, 400, 1000, 2000} {
			s := tuitest.NewSession(finished()...)
			tuitest.Play(t, 100, 30, tui.Options{Session: s, Desk: testDesk()}, func(p *tuitest.Program) {
				p.Keys(open)
				s.Emit(asked(commandQuestion())...)
				p.Wait(delay * time.Millisecond)
				for _, k := range []string{"a", "x", "r", "enter", "space", "y", "a"} {
					p.Keys(k)
					p.Wait(300 * time.Millisecond)
				}
				if n := len(s.Answers()); n > 0 {
					t.Errorf("%s, then %v: %d answers", open, delay, n)
				}
			})
		}
	}
}

// TestStoppingAJob says which.
func TestStoppingAJob(t *testing.T) {
	s := tuitest.NewSession(append(finished(), event.JobChanged{Job: "j7", Title: "run npm run dev", Status: "running"})...)
	tuitest.Play(t, 100, 30, tui.Options{Session: s}, func(p *tuitest.Program) {
		p.Type("/jobs")
		p.Keys("enter", "x")
		if got := commands(s); got != "event.StopJob{j7}" || !strings.Contains(p.Screen.Text(), "npm run dev") {
			t.Errorf("told %q:\n%s", got, p.Screen.Text())
		}
	})
}
