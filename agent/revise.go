package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// reviewed says that an effect gives a file other content, or takes it away:
// what a review can choose from.
func reviewed(e effect.Effect) bool {
	switch e.Kind {
	case effect.Create, effect.Write, effect.Memory:
		return e.Path != nil && e.After != nil
	case effect.Delete:
		return e.Path != nil && e.Path.Type == effect.Regular && e.Path.Before != nil
	default:
		return false
	}
}

// next makes a revision of what the person wants of the question about p. The
// error says what cannot be done.
func (p proposal) next(want event.Revise) (*revision, error) {
	out := &revision{by: thePerson, files: map[string]fileRevision{}, args: p.call.Args}
	if p.revision == nil || p.revision.args == nil {
		out.args = nil
	} else {
		out.args = p.revision.args
	}
	for _, c := range p.changes() {
		out.files[c.effect.Path.Name] = c.revision
	}
	for _, w := range want.Files {
		var err error
		switch {
		case w.Text == nil:
			err = p.leave(out, w.Drop)
		case w.Path == "":
			err = p.rewrite(out, *w.Text)
		default:
			err = p.replace(out, w.Path, *w.Text)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// changes are the content effects as the model proposed them, with what has
// been made of them.
func (p proposal) changes() []change {
	var out []change
	for _, e := range p.model.Effects {
		if !reviewed(e) {
			continue
		}
		if c, ok := p.revision.change(e); ok {
			out = append(out, c)
		}
	}
	return out
}

// leave leaves out the lines that the question shows at these indexes, and
// takes back all others.
func (p proposal) leave(r *revision, drop []int) error {
	left := map[string]map[int]bool{}
	for _, i := range drop {
		ref, ok := p.refs[i]
		if !ok {
			return fmt.Errorf("line %d of the question is none that could be left out", i+1)
		}
		if left[ref.file] == nil {
			left[ref.file] = map[int]bool{}
		}
		left[ref.file][ref.line] = true
	}
	for name, f := range r.files {
		f.choice = choice{left: left[name], yours: f.choice.yours}
		r.files[name] = f
	}
	return nil
}

// replace gives a file the text of the person's editor.
func (p proposal) replace(r *revision, name, text string) error {
	if err := reviewable(text); err != nil {
		return err
	}
	for _, c := range p.changes() {
		if c.effect.Path.Name != name {
			continue
		}
		write, err := writer(c.effect)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		f := c.revision
		f.whole, f.choice = write(text), choice{}
		edited, ok := readBoth(c.effect.Path.Before, f.whole)
		if !ok {
			return fmt.Errorf("%s: the edited text cannot be reviewed as lines", name)
		}
		f.choice.yours = yours(c, edited)
		r.files[name] = f
		return nil
	}
	return fmt.Errorf("the question is not about a text of %s", name)
}

// writer encodes a text as the proposal for the file is encoded.
func writer(e effect.Effect) (func(string) []byte, error) {
	model := e.Path.Before
	if e.After != nil {
		model = e.After.Data
	}
	_, _, write, err := tool.ReadText(model)
	return write, err
}

// yours are the lines of the diff that the model did not propose.
func yours(c change, edited reading) map[int]bool {
	model := ""
	if c.effect.After != nil {
		if r, ok := readBoth(c.effect.Path.Before, c.effect.After.Data); ok {
			model = r.after
		}
	}
	fresh := map[int]bool{} // by number in the edited text
	for _, l := range lineDiff([]byte(model), []byte(edited.after)) {
		if l.op == '+' {
			fresh[l.new] = true
		}
	}
	out := map[int]bool{}
	for i, l := range lineDiff([]byte(edited.before), []byte(edited.after)) {
		if l.op == '+' && fresh[l.new] {
			out[i] = true
		}
	}
	return out
}

// rewrite puts another text in the place of the command's.
func (p proposal) rewrite(r *revision, text string) error {
	member, _, ok := p.commandText()
	if !ok {
		return errors.New("the question is not about a command that could be edited")
	}
	if text = strings.TrimRight(text, "\r\n"); strings.TrimSpace(text) == "" {
		return errors.New("the edited command is empty: reject it instead")
	}
	if err := reviewable(text); err != nil {
		return err
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(p.arguments(), &args); err != nil {
		return err
	}
	raw, err := json.Marshal(text)
	if err != nil {
		return err
	}
	args[member] = raw
	r.args, err = json.Marshal(args)
	return err
}

// arguments are those that the call was planned with.
func (p proposal) arguments() json.RawMessage {
	if p.revision != nil && p.revision.args != nil {
		return p.revision.args
	}
	return p.call.Args
}

// commandText is the command of the call and the argument it stands in.
func (p proposal) commandText() (member, text string, ok bool) {
	runs := slices.ContainsFunc(p.model.Effects, func(e effect.Effect) bool { return e.Kind == effect.Exec || e.Kind == effect.Git })
	var args map[string]json.RawMessage
	if !runs || json.Unmarshal(p.arguments(), &args) != nil {
		return "", "", false
	}
	for _, member := range []string{"command", "code"} {
		if raw, found := args[member]; found && json.Unmarshal(raw, &text) == nil {
			return member, text, true
		}
	}
	return "", "", false
}

// reviewable says why a text of the person cannot stand in a proposal.
func reviewable(text string) error {
	switch {
	case strings.Contains(text, "\x00"):
		return errors.New("the edited text holds a NUL character: nothing was changed")
	case len(text) > maxRevised:
		return fmt.Errorf("the edited text has %s, and the most is %s: nothing was changed", size(int64(len(text))), size(maxRevised))
	}
	return nil
}

// proposals are the texts that an editor can open.
func (p proposal) proposals() []event.Proposal {
	if _, text, ok := p.commandText(); ok {
		return []event.Proposal{{Text: text}}
	}
	var out []event.Proposal
	for _, c := range p.changes() {
		text := event.Proposal{Path: c.effect.Path.Name}
		text.Text, _, _, _ = tool.ReadText(c.bytes()) // what is no text gives "", and replace refuses it
		out = append(out, text)
	}
	return out
}

// thePerson is who revised, in the words of a result.
const thePerson = "the person"

// deviation tells the model how what was done differs from its proposal, "" when
// it does not.
func (p proposal) deviation() string {
	if p.revision == nil {
		return ""
	}
	var b strings.Builder
	if p.revision.args != nil {
		plainDiff(&b, "the arguments", indented(p.call.Args), indented(p.revision.args))
	}
	for _, c := range p.changes() {
		model := change{effect: c.effect}
		var proposed []byte
		if c.effect.After != nil {
			proposed = c.effect.After.Data
		}
		model.reading, _ = readBoth(proposed, c.bytes())
		plainDiff(&b, c.effect.Path.Name, model.reading.before, model.reading.after)
	}
	if b.Len() == 0 {
		return ""
	}
	return p.revision.by + " changed your proposal; what was done differs from it as follows (- is what you proposed, + what was done instead). Keep to it, and do not undo it unasked.\n" + b.String()
}

// plainDiff writes the lines that differ.
func plainDiff(b *strings.Builder, name, before, after string) {
	if before == after {
		return
	}
	fmt.Fprintf(b, "%s:\n", name)
	for _, l := range lineDiff([]byte(before), []byte(after)) {
		if l.op != ' ' {
			fmt.Fprintf(b, "%c %s", l.op, l.text)
			if !strings.HasSuffix(l.text, "\n") {
				b.WriteString("\n")
			}
		}
	}
}

// indented writes arguments one member a line.
func indented(raw json.RawMessage) string {
	var args map[string]any
	if json.Unmarshal(raw, &args) != nil {
		return string(raw)
	}
	out, err := json.MarshalIndent(args, "", " ")
	if err != nil {
		return string(raw)
	}
	return string(out)
}
