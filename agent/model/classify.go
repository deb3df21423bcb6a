package model

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/tera-pilot/tera-pilot/agent/model/wire"
)

// A complaint is what a server says about a failure, in whatever shape.
type complaint struct {
	status  int // HTTP status, or a code of that kind in the body; 0: none
	message string
	kind    string // type, code and status words of the body, in lower case
	limit   int64
	used    int64
	retry   *time.Duration
	daily   bool // a limit that only another day lifts
}

// errorBody is the union of the shapes that servers use.
type errorBody struct {
	Error    json.RawMessage `json:"error"`
	Errors   json.RawMessage `json:"errors"`
	Detail   json.RawMessage `json:"detail"`
	Message  json.RawMessage `json:"message"`
	Msg      wire.Text       `json:"msg"`
	Type     wire.Text       `json:"type"`
	Code     wire.Text       `json:"code"`
	Status   wire.Text       `json:"status"`
	NCtx     int64           `json:"n_ctx"`
	NPrompt  int64           `json:"n_prompt_tokens"`
	Details  []errorDetail   `json:"details"`
	Metadata struct {
		Raw wire.Text `json:"raw"`
	} `json:"metadata"`
}

// errorDetail is a google.rpc detail: RetryInfo or QuotaFailure.
type errorDetail struct {
	RetryDelay string `json:"retryDelay"`
	Violations []struct {
		QuotaID string `json:"quotaId"`
	} `json:"violations"`
}

// readComplaint understands the body of a failure, or an error object of a
// stream.
func readComplaint(status int, body []byte) complaint {
	c := complaint{status: status}
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("[")) {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) == nil && len(list) > 0 {
			body = list[0]
		}
	}
	if !c.read(body, 0) && !c.readStream(body) && !bytes.HasPrefix(body, []byte("<")) { // a web page says less than the status
		c.message = string(body)
	}
	if c.limit == 0 && c.used == 0 {
		c.limit, c.used = findCounts(c.message)
	}
	return c
}

// readStream reads a failure that is written as an event of a stream.
func (c *complaint) readStream(body []byte) bool {
	e, err := wire.NewReader(bytes.NewReader(body)).Next()
	return err == nil && c.read(e.Data, 0)
}

// read takes what one object of the body says, and goes into nested ones.
func (c *complaint) read(raw []byte, depth int) bool {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if !c.read([]byte(text), depth+1) {
			c.message = text
		}
		return true
	}
	var b errorBody
	if depth > 4 || !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) || json.Unmarshal(raw, &b) != nil {
		return false
	}
	for _, word := range []wire.Text{b.Type, b.Code, b.Status} {
		c.kind += " " + strings.ToLower(string(word))
	}
	if n, err := strconv.Atoi(string(b.Code)); err == nil && n >= 400 && n < 600 {
		c.status = n
	}
	c.limit, c.used = max(c.limit, b.NCtx), max(c.used, b.NPrompt)
	c.details(b.Details)
	for _, inner := range []json.RawMessage{b.Error, b.Errors, b.Detail, b.Message} {
		if len(inner) > 0 && string(inner) != "null" && c.nested(inner, depth+1) {
			break
		}
	}
	if c.message == "" {
		c.message = string(b.Msg)
	}
	if b.Metadata.Raw != "" {
		c.message += ": " + string(b.Metadata.Raw)
	}
	return true
}

// nested reads a member: text, an object, or a list of either.
func (c *complaint) nested(raw json.RawMessage, depth int) bool {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		return len(list) > 0 && c.nested(list[0], depth+1)
	}
	return depth <= 4 && c.read(raw, depth)
}

func (c *complaint) details(details []errorDetail) {
	for _, d := range details {
		if delay, err := time.ParseDuration(d.RetryDelay); err == nil && delay >= 0 {
			c.retry = &delay
		}
		for _, v := range d.Violations {
			c.daily = c.daily || strings.Contains(v.QuotaID, "PerDay")
		}
	}
}

// A failureKind is a row of the table of classes: words of the body decide
// first, since servers agree on few statuses.
type failureKind struct {
	class Class
	match *regexp.Regexp
	not   *regexp.Regexp

	most int // the words count up to this status, 0: for all
}

// failureKinds is compiled at the first failure, not at every start.
var failureKinds = sync.OnceValue(func() []failureKind {
	return []failureKind{
		{class: ClassToolsUnsupported, match: regexp.MustCompile(
			`(does not|doesn't|do not|not) support(ed)?( the)? (tools?\b|tool us|tool call|function call)|(tools?|tool use|tool calling|function calling) (is|are) not supported|support tool use|requires --jinja|--enable-auto-tool-choice|tools param requires`)},
		{class: ClassContextOverflow, match: regexp.MustCompile(
			`exceed_context_size|context_length_exceeded|exceeds? the (available |maximum |model'?s? )?context|maximum context length|max(imum)? prompt length|context (window|length|size)( is| was)? (exceeded|full)|prompt is too long|prompt too long|input (is )?too long|too many (input )?tokens|input token count|exceeds? the (max(imum)? )?(number of )?(input |prompt )?tokens|exceeds? the limit of [0-9]+|context the overflows|larger than the context|request_too_large|token limit exceeded|exceeded max context length|exceeds? the context window|reduce the length of the (messages|prompt|input)|input tokens exceed|inputs? tokens \+ max_new_tokens`),
			not: regexp.MustCompile(`per (minute|day|hour)|\btpm\b|rate limit`)},
		{class: ClassModelLoading, match: regexp.MustCompile(`(model|server) (is )?(currently |still )?loading|loading model|unavailable_error.*loading|warming up|model is not ready`)},
		{class: ClassQuota, most: 499, match: regexp.MustCompile(
			`insufficient_quota|insufficient[ _](balance|credit|funds)|credit balance is too low|exceeded your current quota|billing_hard_limit|billing_not_active|payment[ _]required|out of credits|not enough credits|requires more credits|billing_error|spend(ing)? limit|usage limit`)},
		{class: ClassModelNotFound, most: 499, match: regexp.MustCompile(
			`model_not_found|model[^{}\n]{0,160}(not found|does not exist|doesn't exist|not exist|no longer available|is not available|unknown)|(no such|unknown|invalid) model|not a valid model|models?/\S+ is not found|try pulling it|no models loaded|not_found_error`)},
		{class: ClassOverloaded, match: regexp.MustCompile(`overloaded|over capacity|at capacity|capacity_exceeded|insufficient_system_resource|server busy|servers? (is|are) (currently )?busy|too busy|engine_overloaded|model is overloaded`)},
		{class: ClassRateLimit, most: 499, match: regexp.MustCompile(`rate[ _]?limit|too many requests|tokens per minute|requests per minute|resource_exhausted|throttl`)},
		{class: ClassAuth, most: 499, match: regexp.MustCompile(`invalid[ _]api[ _]?key|incorrect api key|authentication_error|invalid x-api-key|permission_error|api key not valid|api_key_invalid|unauthori[sz]ed|unauthenticated|permission_denied|no auth credentials`)},
	}
})

// classOf sorts a complaint.
func (c complaint) classOf() Class {
	words := strings.ReplaceAll(strings.ToLower(c.message), "`", "") + c.kind
	for _, k := range failureKinds() {
		if k.most > 0 && c.status > k.most || !k.match.MatchString(words) || k.not != nil && k.not.MatchString(words) {
			continue
		}
		if k.class == ClassQuota && c.status == http.StatusTooManyRequests && c.retry != nil && !c.daily {
			return ClassRateLimit // Gemini says "quota" of limits a minute, and when to come back
		}
		if c.status == http.StatusUnauthorized && k.class.passes() {
			continue // a key that is refused stays refused, whatever else is said about limits
		}
		if k.class == ClassModelNotFound && c.status != 0 && c.status != 404 && c.status != 400 && c.status != 422 && c.status != 403 {
			continue
		}
		return k.class
	}
	return classOfStatus(c.status, c.kind)
}

// classOfStatus sorts what the words did not tell.
func classOfStatus(status int, kind string) Class {
	switch {
	case status == 401, status == 403:
		return ClassAuth
	case status == 402:
		return ClassQuota
	case status == 413:
		return ClassContextOverflow
	case status == 429:
		return ClassRateLimit
	case status == 498, status == 503, status == 529:
		return ClassOverloaded
	case status == 408, status == 409, status == 425, status >= 500:
		return ClassServer
	case status >= 300, strings.Contains(kind, "invalid_request"), strings.Contains(kind, "invalid_argument"):
		return ClassBadRequest
	default:
		return ClassServer
	}
}

// countPatterns find the window and the size of the prompt in words; the first
// group is named limit or used.
var countPatterns = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`(?i)maximum context length (?:is|of) (?P<limit>[0-9,]+)(?:.*?(?:requested|resulted in|request has|contains(?: at least)?) (?P<used>[0-9,]+))?`),
		regexp.MustCompile(`(?i)(?P<used>[0-9,]+) tokens? > (?P<limit>[0-9,]+) maximum`),
		regexp.MustCompile(`(?i)input token count \(?(?P<used>[0-9,]+)\)? exceeds the maximum number of tokens allowed \(?(?P<limit>[0-9,]+)`),
		regexp.MustCompile(`(?i)maximum prompt length is (?P<limit>[0-9,]+).*?contains (?P<used>[0-9,]+)`),
		regexp.MustCompile(`(?i)\(?(?P<used>[0-9,]+) tokens\)? exceeds the available context size \(?(?P<limit>[0-9,]+)`),
		regexp.MustCompile(`(?i)first (?P<used>[0-9,]+) tokens when context.*?context length of only (?P<limit>[0-9,]+)`),
		regexp.MustCompile(`(?i)prompt contains (?P<used>[0-9,]+) tokens.*?(?P<limit>[0-9,]+) maximum context`),
		regexp.MustCompile(`(?i)limit of (?P<limit>[0-9,]+) tokens.*?resulted in (?P<used>[0-9,]+)`),
		regexp.MustCompile(`(?i)must be <= (?P<limit>[0-9,]+)\. Given: (?P<used>[0-9,]+)`),
	}
})

func findCounts(message string) (limit, used int64) {
	if len(message) > 4<<10 {
		return 0, 0
	}
	for _, p := range countPatterns() {
		m := p.FindStringSubmatch(message)
		if m == nil {
			continue
		}
		number := func(name string) int64 {
			n, err := strconv.ParseInt(strings.ReplaceAll(m[p.SubexpIndex(name)], ",", ""), 10, 64)
			if err != nil {
				return 0
			}
			return n
		}
		return number("limit"), number("used")
	}
	return 0, 0
}

// toError makes the error that callers see.
func (c complaint) toError() *Error {
	e := &Error{Class: c.classOf(), Status: c.status, Message: printable(c.message)}
	if e.Message == "" && c.status != 0 {
		e.Message = strings.TrimSpace(strconv.Itoa(c.status) + " " + http.StatusText(c.status))
	}
	switch {
	case e.Class.passes():
		e.Retryable, e.RetryAfter = true, c.retry
	case e.Class == ClassContextOverflow:
		e.Fallback, e.Limit, e.Used = FallbackCompact, c.limit, c.used
	case e.Class == ClassToolsUnsupported:
		e.Fallback = FallbackTextCalls
	}
	e.Hint = hints[e.Class]
	return e
}

// hints say what a person can do next.
var hints = map[Class]string{
	ClassAuth:             "check the key: tera-pilot keys list, then keys set",
	ClassQuota:            "waiting does not help: look at the plan or the balance of the account, or take another model; nothing goes to another provider by itself",
	ClassRateLimit:        "wait, or take another model; nothing goes to another provider by itself",
	ClassOverloaded:       "try again in a while, or take another model; nothing goes to another provider by itself",
	ClassContextOverflow:  "make the conversation shorter, or choose a model with a larger window",
	ClassToolsUnsupported: "choose a model that takes tools, or let the tools be described as text",
	ClassModelNotFound:    "tera-pilot models list shows which models there are",
	ClassModelLoading:     "wait until the server has loaded the model",
	ClassBadRequest:       "the server does not take this request: check its address and the model",
	ClassServer:           "the fault is the server's: try again, or look at its log",
	ClassStreamTruncated:  "the reply broke off: try again",
	ClassNetwork:          "check the address and whether the server runs",
}

// printable makes one short line of a server's words.
func printable(s string) string {
	s, _ = wire.Clean(s)
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	const most = 300
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + cutMark
	}
	return s
}

// cutMark ends a text that was cut.
const cutMark = "…"

// retryAfter reads when a server wants to be asked again: retry-after-ms, or
// retry-after in seconds or as a date (RFC 9110, 10.2.3).
func retryAfter(h http.Header, now time.Time) *time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64); err == nil && ms >= 0 && ms < 1e12 {
		d := time.Duration(ms * float64(time.Millisecond))
		return &d
	}
	text := strings.TrimSpace(h.Get("retry-after"))
	if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 && s < 1e9 {
		d := time.Duration(s * float64(time.Second))
		return &d
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return nil
	}
	if date, err := http.ParseTime(h.Get("date")); err == nil {
		now = date
	}
	d := max(0, at.Sub(now))
	return &d
}

func errTruncated() *Error {
	return &Error{Class: ClassStreamTruncated, Message: "the stream ended before the reply did", Retryable: true, Hint: hints[ClassStreamTruncated]}
}
