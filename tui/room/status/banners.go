package status

import (
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/tui/safe"
	"github.com/tera-pilot/tera-pilot/tui/theme"
	"github.com/tera-pilot/tera-pilot/tui/view"
)

// maxBanners is how many notices are on the screen, the newest ones.
const maxBanners = 3

// An Act is what a letter in a banner does. The zero Act is none.
type Act uint8

// Acts of banners.
const (
	Nothing    Act = iota
	OtherModel     // choose another model
	Details        // look at the log
	Changes        // look at what can be taken back
	Again          // read the policy again
)

// A Key is a letter that a banner offers. Each letter stands in one banner: the
// newest that has it.
type Key struct {
	Row    int // of the banner
	Letter string
	Does   Act
	Says   safe.Text
}

// keyOf is the letter of a notice; false for one without a next step that a key
// can take.
func keyOf(n event.Notice) (Key, bool) {
	switch bad := n.Severity != "info"; {
	case n.Key == "retry", n.Key == "model" && bad, n.Key == "images" && bad, strings.HasPrefix(n.Key, "model-") && bad:
		return Key{Letter: "m", Does: OtherModel, Says: safe.Lit("another model")}, true
	case n.Key == "undo" && bad:
		return Key{Letter: "u", Does: Changes, Says: safe.Lit("what can be undone")}, true
	case n.Key == "policy" && n.Severity == "error":
		return Key{Letter: "r", Does: Again, Says: safe.Lit("read it again")}, true
	}
	return Key{}, false
}

// Keys are the letters of the banners that Banners shows.
func Keys(head event.AuditHead, notices []event.Notice) (out []Key) {
	first := 0
	if head.Broken != "" {
		out = append(out, Key{Letter: "d", Does: Details, Says: safe.Lit("details")})
		first = 1
	}
	notices = newest(notices)
	for i := len(notices) - 1; i >= 0; i-- {
		if k, ok := keyOf(notices[i]); ok && !slices.ContainsFunc(out, func(o Key) bool { return o.Letter == k.Letter }) {
			k.Row = first + i
			out = append(out, k)
		}
	}
	return out
}

func newest(notices []event.Notice) []event.Notice { return notices[max(0, len(notices)-maxBanners):] }

// Banners are what the person should know now: they never hide the composer.
// live says that their letters count.
func Banners(head event.AuditHead, notices []event.Notice, live bool, width int, w view.Widths) []view.Line {
	var out []view.Line
	letter := func(row int) view.Line {
		for _, k := range Keys(head, notices) {
			if live && k.Row == row {
				return view.Join(view.Lit(theme.Key, safe.Strict(k.Letter)), view.Lit(theme.Dim, safe.Join(safe.Lit(" "), k.Says)))
			}
		}
		return nil
	}
	if head.Broken != "" {
		l := banner(theme.Bad, safe.Lit("log cannot be written"), safe.Strict(head.Broken), safe.Lit("nothing is done until it can"))
		out = append(out, w.Ends(l, letter(0), width, 20))
	}
	for _, n := range newest(notices) {
		style := theme.Warn
		switch n.Severity {
		case "error":
			style = theme.Bad
		case "info":
			style = theme.Dim
		}
		l := banner(style, safe.Strict(n.Text), safe.Lit(""), safe.Strict(n.Hint))
		out = append(out, w.Ends(l, letter(len(out)), width, 20))
	}
	return out
}

func banner(style theme.Style, what, why, hint safe.Text) view.Line {
	mark := safe.Lit(" ! ")
	if style == theme.Dim {
		mark = safe.Lit(" - ")
	}
	l := view.Join(view.Lit(style, mark), view.Text(style, what))
	for _, t := range []safe.Text{why, hint} {
		if !t.Empty() {
			l = view.Join(l, view.Spaces(3), view.Text(theme.Plain, t))
		}
	}
	return l
}
