package commandpolicy

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Decide is the policy's own answer about an analysed command: deny for the
// built-in list and deny rules, allow for what is proven or covered, else ask.
// Autonomy, sandbox and taint are the gate's.
func (p *Policy) Decide(a *Analysis, w When) (Decision, *Hit) {
	if a.Catastrophe != nil {
		return Deny, a.Catastrophe
	}
	s := p.Command(a, w)
	switch {
	case s.Deny != nil:
		return Deny, s.Deny
	case s.Ask != nil:
		return Ask, s.Ask
	case !a.Parsed:
		return Ask, nil
	case a.ReadOnly:
		return Allow, nil
	case s.Allow != nil:
		return Allow, s.Allow
	}
	return Ask, nil
}

// Command is the part's decoded command line, quoted so that a shell would
// read the same words. Words that are not known show as …, and characters that
// cannot be seen as escapes.
func (p *Part) Command() string {
	words := make([]string, 0, len(p.Argv))
	for _, a := range p.Argv {
		words = append(words, a.String())
	}
	text := strings.Join(words, " ")
	if p.Kind == PartRedirect {
		text = p.Name + " " + text
	}
	if len(p.Wrappers) > 0 {
		text += "   (through " + strings.Join(p.Wrappers, ", ") + ")"
	}
	return text
}

// String is the word as a shell would read it, or …
func (a Arg) String() string {
	if !a.Known {
		if a.Text != "" {
			return visible(a.Text) + "…"
		}
		return "…"
	}
	if a.Text == "" {
		return "''"
	}
	q, err := syntax.Quote(a.Text, syntax.LangBash)
	if err != nil {
		return fmt.Sprintf("%+q", a.Text)
	}
	return visible(q)
}

// visible writes what cannot be seen as escapes.
func visible(s string) string {
	if len(badBytes(s)) == 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r < ' ' || r > '~' && badRune(r, 2) != "" {
			fmt.Fprintf(&b, `\u{%X}`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Explain says in plain words what a text would do, and which rule decides.
func (p *Policy) Explain(a *Analysis, w When) string {
	var b strings.Builder
	d, hit := p.Decide(a, w)
	fmt.Fprintf(&b, "decision: %s\n", d)
	switch {
	case hit != nil:
		fmt.Fprintf(&b, "rule:     %s\n", visible(hit.String()))
		if hit.Because != "" {
			fmt.Fprintf(&b, "because:  %s\n", visible(hit.Because))
		}
	case d == Allow:
		b.WriteString("rule:     none needed: every part only reads inside the workspace and prints\n")
	default:
		b.WriteString("rule:     none speaks; the autonomy table decides\n")
	}
	for i := range a.Parts {
		explainPart(&b, i, &a.Parts[i])
	}
	if d != Allow && len(a.Problems) > 0 {
		b.WriteString("why not proven:\n")
		for _, why := range a.Problems {
			fmt.Fprintf(&b, "  - %s\n", visible(why))
		}
	}
	if a.LosesWork != "" {
		fmt.Fprintf(&b, "loses work: %s\n", visible(a.LosesWork))
	}
	return b.String()
}

func explainPart(b *strings.Builder, i int, p *Part) {
	mark := "asks"
	if p.Proven {
		mark = "reads"
	}
	text := p.Command()
	if p.Kind == PartUnknown && len(p.Why) > 0 {
		text = p.Name + " " + p.Why[0]
	}
	fmt.Fprintf(b, "part %d:   %-5s %s\n", i+1, mark, visible(strings.TrimSpace(text)))
	for _, l := range []struct {
		name string
		list []string
	}{{"reads", p.Effects.Reads}, {"writes", p.Effects.Writes}, {"deletes", p.Effects.Deletes}, {"rights", p.Effects.Chmods},
		{"runs", p.Effects.Executes}, {"network", p.Effects.Network}, {"sets", p.Effects.Env}} {
		if len(l.list) > 0 {
			fmt.Fprintf(b, "          %s: %s\n", l.name, visible(strings.Join(shorten(l.list), ", ")))
		}
	}
}

// shorten keeps a list readable.
func shorten(list []string) []string {
	const most = 12
	if len(list) <= most {
		return list
	}
	return append(list[:most:most], fmt.Sprintf("and %d more", len(list)-most))
}
