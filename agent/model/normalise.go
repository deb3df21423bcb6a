package model

import (
	"errors"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/model/mend"
	"github.com/tera-pilot/tera-pilot/agent/model/wire"
)

// assembly makes one Reply of the deltas of one stream. It is where all the
// rules from R2 on are applied, for every protocol alike.
type assembly struct {
	tools    *toolset
	profile  Profile
	ids      idSource
	segments []*segment
	group    *grouping
	stop     Stop
	finished bool // a finish reason came, or an end marker
	ended    bool // the end marker came: nothing after it counts
	usage    *Usage
	warnings []string
	model    string
	loop     repetition
}

// A segment is a stretch of the reply of one kind.
type segment struct {
	kind   PartKind
	text   strings.Builder
	opaque *Opaque
}

// errRepetition ends a stream in which the model repeats itself.
var errRepetition = errors.New("the model repeats itself")

func newAssembly(tools *toolset, profile Profile, ids idSource) *assembly {
	return &assembly{tools: tools, profile: profile, ids: ids, group: newGrouping(), stop: StopEnd}
}

// add takes one delta. Errors are errRepetition and errTooManyCalls.
func (a *assembly) add(d Delta) error {
	switch d.Kind {
	case DeltaText:
		a.write(PartText, d.Text)
		if a.loop.add(d.Text) {
			return errRepetition
		}
	case DeltaReasoning:
		a.write(PartReasoning, d.Text)
		if a.loop.add(d.Text) {
			return errRepetition
		}
	case DeltaCall:
		begun, err := a.group.add(*d.Call)
		if begun != nil {
			a.segments = append(a.segments, &segment{kind: PartCall})
		}
		return err
	case DeltaOpaque:
		a.segments = append(a.segments, &segment{kind: PartOpaque, opaque: d.Opaque})
	case DeltaUsage:
		a.usage = d.Usage
	case DeltaStop:
		a.finished = true
		if a.stop != StopLength && a.stop != StopFilter { // a later reason does not undo a cut
			a.stop = d.Stop
		}
	case deltaEnd:
		a.finished, a.ended = true, true
	case deltaModel:
		a.model = printable(d.Text)
	case DeltaWarning:
		a.warn(d.Text)
	}
	return nil
}

func (a *assembly) warn(w string) {
	if !slices.Contains(a.warnings, w) {
		a.warnings = append(a.warnings, w)
	}
}

// write adds text to the last segment, if it is of the same kind.
func (a *assembly) write(kind PartKind, text string) {
	if text == "" {
		return
	}
	if n := len(a.segments); n == 0 || a.segments[n-1].kind != kind {
		a.segments = append(a.segments, &segment{kind: kind})
	}
	a.segments[len(a.segments)-1].text.WriteString(text)
}

// reply ends the assembly. failed is what broke the stream, or nil.
func (a *assembly) reply(failed *Error) Reply {
	if failed == nil && !a.finished {
		failed = errTruncated()
	}
	r := Reply{Stop: a.stop, Usage: a.usage, Err: failed, Model: a.model}
	if failed != nil {
		r.Stop = StopError
	}
	a.parts(&r)
	a.settle(&r)
	a.checkPrompt()
	r.Warnings = a.warnings
	return r
}

// parts makes the parts of the reply: reasoning taken out of the content, end
// tokens gone, calls judged, in order.
func (a *assembly) parts(r *Reply) {
	a.addContent(r)
	if len(a.group.calls) == 0 && a.mayRecover(r) {
		prose, calls := a.tools.recoverCalls(r.Text)
		switch {
		case calls != nil:
			a.replaceText(r, prose, calls)
		case len(a.tools.exact) > 0 && holdsCallMark(r.Text):
			a.warn(WarnTextCall)
		}
	}
	a.finishCalls(r)
	for _, p := range r.Parts {
		if p.Kind == PartOpaque {
			r.Opaque = append(r.Opaque, *p.Opaque)
		}
	}
}

func (a *assembly) mayRecover(r *Reply) bool {
	return a.profile.TextCalls != TextCallsOff && r.Err == nil && (a.stop == StopEnd || a.stop == StopToolCalls)
}

// addContent writes the segments as parts, calls as they are. Text and
// reasoning of the reply are their joined texts.
func (a *assembly) addContent(r *Reply) {
	first, last := -1, -1
	for i, s := range a.segments {
		if s.kind == PartText {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	var text, reasoning []string
	add := func(kind PartKind, s string, into *[]string) {
		if strings.TrimSpace(s) != "" {
			r.Parts = append(r.Parts, Part{Kind: kind, Text: s})
		}
		*into = append(*into, s)
	}
	for i, s := range a.segments {
		switch s.kind {
		case PartReasoning:
			add(PartReasoning, a.clean(s.text.String()), &reasoning)
		case PartCall:
			r.Parts = append(r.Parts, Part{Kind: PartCall})
		case PartOpaque:
			r.Parts = append(r.Parts, Part{Kind: PartOpaque, Opaque: s.opaque})
		case PartText:
			content := a.clean(s.text.String())
			if i == first {
				var thought string
				thought, content = splitThink(content)
				if thought != "" {
					add(PartReasoning, thought, &reasoning)
				}
				content = strings.TrimLeft(content, " \t\r\n")
			}
			if i == last {
				content = strings.TrimRight(trimEnd(content), " \t\r\n")
			}
			add(PartText, content, &text)
		}
	}
	r.Text = strings.TrimSpace(strings.Join(text, ""))
	r.Reasoning = strings.TrimSpace(strings.Join(reasoning, ""))
}

// clean makes text of what the stream held, and says so if it had to.
func (a *assembly) clean(s string) string {
	s, replaced := wire.Clean(s)
	if replaced {
		a.warn(WarnInvalidUTF8)
	}
	return s
}

// replaceText puts prose and recovered calls in the place of all text.
func (a *assembly) replaceText(r *Reply, prose string, calls []judged) {
	prose = strings.TrimSpace(prose)
	r.Parts = slices.DeleteFunc(r.Parts, func(p Part) bool { return p.Kind == PartText })
	if prose != "" {
		r.Parts = append(r.Parts, Part{Kind: PartText, Text: prose})
	}
	r.Text = prose
	for _, j := range calls {
		r.Parts = append(r.Parts, Part{Kind: PartCall})
		r.Calls = append(r.Calls, j.Call)
	}
	markDuplicates(r.Calls, calls)
}

// finishCalls judges native calls, gives every call its id, and fills the call
// parts in.
func (a *assembly) finishCalls(r *Reply) {
	if r.Calls == nil {
		var all []judged
		for _, call := range a.group.calls {
			j := a.judgeNative(call.raw(), r)
			all = append(all, j)
			r.Calls = append(r.Calls, j.Call)
		}
		markDuplicates(r.Calls, all)
	}
	next := 0
	for i := range r.Parts {
		p := &r.Parts[i]
		if p.Kind != PartCall {
			continue
		}
		c := &r.Calls[next]
		next++
		c.ID = a.ids.take(c.ID)
		p.CallID, p.Name, p.Args = c.ID, c.Name, c.Args
		if p.Args == nil {
			p.Args = []byte("{}")
		}
	}
}

// judgeNative judges one native call of a reply that may have been cut.
func (a *assembly) judgeNative(raw rawCall, r *Reply) judged {
	var bad bool
	raw.args, bad = wire.Clean(raw.args)
	raw.name = a.clean(raw.name)
	strict := r.Stop == StopLength || r.Stop == StopFilter
	j := a.tools.judge(raw, OriginNative, strict)
	switch {
	case r.Err != nil:
		j = judged{Call: Call{ID: raw.id, Name: j.Name, Origin: OriginNative, Status: CallTruncated,
			Problem: "the reply broke off before it was complete"}}
	case bad:
		a.warn(WarnInvalidUTF8)
		j.Status, j.Args, j.value = CallInvalidArgs, nil, nil
		j.Problem = "the arguments hold bytes that are no text"
	}
	return j
}

// markDuplicates finds calls that equal an earlier one (R13).
func markDuplicates(calls []Call, all []judged) {
	for i := range all {
		for k := range i {
			a, b := all[k], all[i]
			if a.Name == b.Name && a.value != nil && b.value != nil && mend.Equal(a.value, b.value) {
				calls[i].Status = CallDuplicate
				calls[i].Problem = "the same call stands earlier in this reply"
			}
		}
	}
}

// settle makes the stop reason fit what is there (R9).
func (a *assembly) settle(r *Reply) {
	switch {
	case r.Err != nil, r.Stop == StopLength:
	case len(r.Calls) > 0:
		r.Stop = StopToolCalls
	case r.Stop == StopToolCalls:
		r.Stop = StopEnd
		a.warn(WarnNoCalls)
	}
}

// checkPrompt warns when the server seems to have cut the prompt: it counts
// exactly its window, or far less than was sent to a window that was too small.
// Servers that count only new tokens make this a hint and no more.
func (a *assembly) checkPrompt() {
	if a.usage == nil {
		return
	}
	prompt := a.usage.Input + a.usage.CacheRead + a.usage.CacheWrite
	window, estimate := a.profile.NumCtx, a.profile.EstimatedPromptTokens
	full := window > 0 && prompt >= window
	far := estimate > 0 && prompt > 0 && prompt < estimate/2 && (window == 0 || estimate > window)
	if full || far {
		a.warn(WarnPromptTruncated)
	}
}
