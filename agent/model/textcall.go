package model

import (
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/model/mend"
)

// recoverCalls finds the calls that a reply without native ones ends in (R6).
// All of them must name offered tools and fit their schemas, and nothing may
// follow them; else there is none, and the text stays as it is.
func (t *toolset) recoverCalls(text string) (prose string, calls []judged) {
	body := strings.TrimSpace(text)
	if inner, ok := wholeFence(body); ok {
		return "", t.judgeRun(inner)
	}
	const most = 200 // places that are tried
	for n, at := range callStarts(body) {
		if n >= most {
			break
		}
		if calls := t.judgeRun(body[at:]); calls != nil && !endsInCall(body[:at]) {
			return body[:at], calls
		}
	}
	return "", nil
}

// judgeRun reads s as calls from the first byte to the last.
func (t *toolset) judgeRun(s string) []judged {
	p := &runParser{s: s}
	if !p.run() {
		return nil
	}
	var calls []judged
	for _, raw := range p.calls {
		j := t.judge(raw, OriginText, false)
		if j.Status != CallOK {
			return nil
		}
		calls = append(calls, j)
	}
	return calls
}

// wholeFence gives the inside of a code fence that is the whole of s.
func wholeFence(s string) (inner string, ok bool) {
	first, rest, _ := strings.Cut(s, "\n")
	var code fence
	if mark, _ := fenceMark(first); mark == 0 || !code.line(first) {
		return "", false
	}
	lines := strings.Split(rest, "\n")
	for i, line := range lines {
		if code.line(line) {
			return strings.Join(lines[:i], "\n"), i == len(lines)-1
		}
	}
	return "", false
}

// callMarks begin calls anywhere in a line; JSON and Python lists only do at
// its start.
var callMarks = []string{tagOpen, functionOpen, mistralMark, "<|tool_call_start|>", "<|python_tag|>", "<|python_start|>"}

const (
	tagOpen      = "<tool_call>"
	tagClose     = "</tool_call>"
	functionOpen = "<function="
	mistralMark  = "[TOOL_CALLS]"
)

// wrappers are special tokens around a list of calls. The second of a pair may
// be missing.
var wrappers = [][2]string{
	{"<|tool_call_start|>", "<|tool_call_end|>"},
	{"<|python_tag|>", ""},
	{"<|python_start|>", "<|python_end|>"},
}

// maxStarts bounds the places that are looked at.
const maxStarts = 1000

// callStarts lists the places of s where a call may begin: outside code fences
// and code spans, quotations and unclosed reasoning.
func callStarts(s string) []int {
	var starts []int
	var code fence
	blank := true // the line before is empty, or there is none
	for line := 0; line < len(s) && len(starts) < maxStarts; {
		end := len(s)
		if i := strings.IndexByte(s[line:], '\n'); i >= 0 {
			end = line + i
		}
		text := s[line:end]
		if !code.line(text) && !code.open() && !(blank && indented(text)) {
			starts = append(starts, lineStarts(s[:end], line)...)
		}
		blank = strings.TrimSpace(text) == "" || blank && indented(text)
		line = end + 1
	}
	slices.Sort(starts)
	for _, tag := range thinkTags {
		starts = outside(s, starts, tag)
	}
	return starts
}

// outside cuts the list at the first place that lies behind an opening tag and
// before the closing one.
func outside(s string, starts []int, tag [2]string) []int {
	thinking, from := false, 0
	for i, at := range starts {
		opened, closed := strings.LastIndex(s[from:at], tag[0]), strings.LastIndex(s[from:at], tag[1])
		if opened != closed {
			thinking = opened > closed
		}
		if thinking {
			return starts[:i]
		}
		from = at
	}
	return starts
}

// indented says that a line stands so far to the right that it is code, where
// it follows an empty one.
func indented(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
}

// lineStarts lists the places in the last line of s, which begins at line.
func lineStarts(s string, line int) (starts []int) {
	text := s[line:]
	first := strings.TrimLeft(text, " \t")
	if strings.HasPrefix(first, ">") {
		return nil
	}
	if strings.HasPrefix(first, "{") || strings.HasPrefix(first, "[") {
		starts = append(starts, len(s)-len(first))
	}
	ticks, from := 0, 0
	for from < len(text) && len(starts) < maxStarts {
		at, mark := nextMark(text, from)
		if at < 0 {
			break
		}
		ticks += strings.Count(text[from:at], "`")
		if ticks%2 == 0 {
			starts = append(starts, line+at)
		}
		from = at + len(mark)
	}
	return starts
}

// nextMark finds the first mark of a call from a place on.
func nextMark(text string, from int) (at int, mark string) {
	for at = from; at < len(text); at++ {
		if c := text[at]; c != '<' && c != '[' {
			continue
		}
		for _, mark := range callMarks {
			if strings.HasPrefix(text[at:], mark) {
				return at, mark
			}
		}
	}
	return -1, ""
}

// holdsCallMark says that text looks as if a call was meant: the markup of one
// stands in it, and not as code or a quotation.
func holdsCallMark(text string) bool {
	return slices.ContainsFunc(callStarts(text), func(at int) bool {
		return slices.ContainsFunc(callMarks, func(mark string) bool { return strings.HasPrefix(text[at:], mark) })
	})
}

// endsInCall says that prose ends in the markup of a call: then the calls after
// it are the rest of a run that did not count as a whole.
func endsInCall(prose string) bool {
	prose = strings.TrimSpace(prose)
	for _, end := range []string{tagOpen, tagClose, "</function>", mistralMark} {
		if strings.HasSuffix(prose, end) {
			return true
		}
	}
	for _, w := range wrappers {
		if strings.HasSuffix(prose, w[0]) || w[1] != "" && strings.HasSuffix(prose, w[1]) {
			return true
		}
	}
	last := strings.TrimSpace(prose[strings.LastIndexByte(prose, '\n')+1:])
	v, _, err := mend.Parse(last)
	return err == nil && (v.Kind == mend.Object || v.Kind == mend.Array)
}
