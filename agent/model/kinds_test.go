package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// kind is one kind of reply, with what must come out of it in the notation of
// summary.
type kind struct {
	name     string
	protocol string // empty: openai-chat-sse
	status   int
	header   string // name: value
	profile  Profile
	body     string
	want     string
}

// summary writes a reply in lines: reasoning, text, calls, opaque blocks, stop,
// usage, error, warnings, each only if there is one.
func summary(r Reply) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if r.Reasoning != "" {
		line("thought %q", r.Reasoning)
	}
	if r.Text != "" {
		line("text %q", r.Text)
	}
	for _, c := range r.Calls {
		args := string(c.Args)
		if c.Args == nil {
			args = "-"
		}
		line("call %s %s %s", c.Name, args, strings.Join(append([]string{c.Status.String(), string(c.Origin)}, c.Repairs...), " "))
	}
	for _, o := range r.Opaque {
		line("opaque %s %s %s", o.Kind, o.ID, o.Value)
	}
	stop := "stop " + r.Stop.String()
	if r.Err != nil {
		stop += fmt.Sprintf(" %s retryable=%v", r.Err.Class, r.Err.Retryable)
		if r.Err.RetryAfter != nil {
			stop += " after=" + r.Err.RetryAfter.String()
		}
		if r.Err.Fallback != "" {
			stop += " fallback=" + r.Err.Fallback
		}
		if r.Err.Limit+r.Err.Used > 0 {
			stop += fmt.Sprintf(" limit=%d used=%d", r.Err.Limit, r.Err.Used)
		}
	}
	line("%s", stop)
	if u := r.Usage; u != nil {
		line("usage in=%d read=%d write=%d out=%d thought=%d", u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Reasoning)
	}
	for _, w := range r.Warnings {
		line("warn %s", w)
	}
	return strings.TrimSpace(b.String())
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// say is a chat stream that says text and stops.
func say(text string) string { return sayThen(text, "stop") }

func sayThen(text, finish string) string {
	return `data: {"choices":[{"index":0,"delta":{"content":` + quote(text) + `}}]}` + "\n\n" +
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"` + finish + `"}]}` + "\n\ndata: [DONE]\n\n"
}

// call is a chat stream of one native call.
func call(name, args string) string { return callThen(name, args, "tool_calls") }

func callThen(name, args, finish string) string {
	return chunk(`{"tool_calls":[{"index":0,"id":"c1","function":{"name":`+quote(name)+`,"arguments":`+quote(args)+`}}]}`) + end(finish)
}

func chunk(delta string) string {
	return `data: {"choices":[{"index":0,"delta":` + delta + `}]}` + "\n\n"
}

func end(finish string) string {
	return `data: {"choices":[{"index":0,"delta":{},"finish_reason":"` + finish + `"}]}` + "\n\ndata: [DONE]\n\n"
}

func run(t *testing.T, kinds []kind) {
	t.Helper()
	tools := suiteTools(t)
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			r := Recording{Protocol: k.protocol, Status: k.status, Header: http.Header{}, Profile: k.profile, Body: []byte(k.body), Tools: tools}
			if r.Protocol == "" {
				r.Protocol = "openai-chat-sse"
			}
			if name, value, ok := strings.Cut(k.header, ": "); ok {
				r.Header.Set(name, value)
			}
			for _, r.Chunk = range []int{0, 1, 5} {
				reply, err := Decode(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				invariants(t, reply)
				if got := summary(reply); got != strings.TrimSpace(k.want) {
					t.Fatalf("chunk %d\ngot:\n%s\nwant:\n%s\nerr: %v", r.Chunk, got, strings.TrimSpace(k.want), reply.Err)
				}
			}
		})
	}
}

// R1: the wire.
func TestWireKinds(t *testing.T) {
	hi := `{"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}`
	want := "text \"hi\"\nstop end"
	run(t, []kind{
		{name: "lines end in CR", body: "data: " + hi + "\r\rdata: [DONE]\r\r", want: want},
		{name: "no blank line at the end", body: "data: " + hi, want: want},
		{name: "byte order mark", body: "\ufeffdata: " + hi + "\n\n", want: want},
		{name: "several data lines", body: "data: {\"choices\":\ndata: [{\"index\":0,\"delta\":{\"content\":\"hi\"},\ndata: \"finish_reason\":\"stop\"}]}\n\n", want: want},
		{name: "comments, ids, retry, empty data", body: ": x\nid: 7\nretry: 10\n\ndata:\n\ndata: " + hi + "\n\n:y\n", want: want},
		{name: "end marker and no finish", body: strings.Replace("data: "+hi, `"stop"`, "null", 1) + "\n\ndata: [DONE]\n\n", want: want},
		{name: "finish and no end marker", body: "data: " + hi + "\n\n", want: want},
		{name: "neither", body: strings.Replace("data: "+hi, `"stop"`, "null", 1) + "\n\n", want: "text \"hi\"\nstop error stream_truncated retryable=true"},
		{name: "a call and an error behind the end marker", body: say("hi") + call("bash", `{"command":"x"}`) + "data: {\"error\":{\"message\":\"late\"}}\n\n", want: want},
		{name: "behind the end of Ollama's", protocol: "ollama-ndjson", body: `{"message":{"content":"hi"},"done":true,"done_reason":"stop"}` + "\n" + `{"message":{"tool_calls":[{"function":{"name":"todo"}}]},"done":true}`, want: want},
		{name: "behind the end of the Responses'", protocol: "openai-responses-sse", body: event("response.output_text.delta", `"output_index":0,"item_id":"m","delta":"hi"`) + event("response.completed", `"response":{"status":"completed"}`) +
			event("response.output_item.done", `"output_index":1,"item":{"type":"function_call","id":"f","call_id":"c","name":"todo","arguments":""}`), want: want},
		{name: "cut inside the end marker", body: "data: " + hi + "\n\ndata: [DO", want: want},
		{name: "nothing at all", body: "", want: "stop error stream_truncated retryable=true"},
		{name: "a JSON body in place of a stream", body: "\n {\"choices\":[{\"index\":0,\"message\":{\"content\":\"hi\"},\n\"finish_reason\":\"stop\"}]}\n", want: want},
		{name: "a JSON body cut", body: `{"choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"st`, want: "stop error stream_truncated retryable=true"},
		{name: "lines of JSON in place of events", body: strings.Replace(hi, `"stop"`, "null", 1) + "\n" + strings.Replace(hi, `"hi"`, `"!"`, 1) + "\n", want: "text \"hi!\"\nstop end"},
		{name: "a stream though JSON was asked for", protocol: "openai-chat-json", body: "data: " + hi + "\n\n", want: want},
		{name: "events for Ollama", protocol: "ollama-ndjson", body: "data: {\"message\":{\"content\":\"hi\"},\"done\":true,\"done_reason\":\"stop\"}\n\n", want: want},
		{name: "one document from Ollama", protocol: "ollama-ndjson", body: "{\n\"message\": {\"content\": \"hi\"},\n\"done\": true}", want: want},
		{name: "a list from Gemini", protocol: "gemini-sse", body: `[{"candidates":[{"content":{"parts":[{"text":"h"}]}}]},` + "\r\n" + `{"candidates":[{"content":{"parts":[{"text":"i"}]},"finishReason":"STOP"}]}]`, want: want},
		{name: "an event that is no JSON", body: "data: " + strings.Replace(hi, `"stop"`, "null", 1) + "\n\ndata: oops\n\ndata: [DONE]\n\n", want: "text \"hi\"\nstop error server retryable=true"},
		{name: "a surrogate pair over two events", body: chunk(`{"content":"\ud83d"}`) + chunk(`{"content":"\ude00"}`) + end("stop"), want: "text \"😀\"\nstop end"},
		{name: "a character over two events, in raw bytes", body: chunk("{\"content\":\"gr\xc3\"}") + chunk("{\"content\":\"\xbc\xc3\x9fe\"}") + end("stop"), want: "text \"grüße\"\nstop end"},
		{name: "bytes that are no text", body: chunk("{\"content\":\"a\xffb\"}") + end("stop"), want: "text \"a\ufffdb\"\nstop end\nwarn invalid_utf8"},
		{name: "bytes that are no text in arguments", body: chunk("{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"read\",\"arguments\":\"{\\\"path\\\":\\\"a\xff\\\"}\"}}]}") + end("tool_calls"), want: "call read - invalid_args native\nstop tool_calls\nwarn invalid_utf8"},
		{name: "a web page", header: "Content-Type: text/html", body: "<html>hello</html>", want: "stop error bad_request retryable=false"},
	})
}

// R2 and R3: grouping and ids.
func TestGroupingKinds(t *testing.T) {
	run(t, []kind{
		{name: "id and name in every piece", body: chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\""}}]}`) +
			chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":":\"x\"}"}}]}`) + end("tool_calls"),
			want: "call read {\"path\":\"x\"} ok native\nstop tool_calls"},
		{name: "another id in every piece, and no name", body: chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\""}}]}`) +
			chunk(`{"tool_calls":[{"index":0,"id":"b","function":{"arguments":":\"x\"}"}}]}`) + end("tool_calls"),
			want: "call read {\"path\":\"x\"} ok native\nstop tool_calls"},
		{name: "by id without index, interleaved", body: chunk(`{"tool_calls":[{"id":"a","function":{"name":"read","arguments":"{\"path\":"}},{"id":"b","function":{"name":"list","arguments":"{\"path\":"}}]}`) +
			chunk(`{"tool_calls":[{"id":"b","function":{"arguments":"\"2\"}"}},{"id":"a","function":{"arguments":"\"1\"}"}}]}`) + end("tool_calls"),
			want: "call read {\"path\":\"1\"} ok native\ncall list {\"path\":\"2\"} ok native\nstop tool_calls"},
		{name: "no id and no index, two calls in pieces", body: chunk(`{"tool_calls":[{"function":{"name":"read","arguments":"{\"path\":"}}]}`) +
			chunk(`{"tool_calls":[{"function":{"arguments":"\"1\"}"}}]}`) + chunk(`{"tool_calls":[{"function":{"name":"list","arguments":"{\"path\":\"2\"}"}}]}`) + end("tool_calls"),
			want: "call read {\"path\":\"1\"} ok native\ncall list {\"path\":\"2\"} ok native\nstop tool_calls"},
		{name: "index 0 for all, no ids, arguments whole", body: chunk(`{"tool_calls":[{"index":0,"function":{"name":"read","arguments":"{\"path\":\"1\"}"}}]}`) +
			chunk(`{"tool_calls":[{"index":0,"function":{"name":"read","arguments":"{\"path\":\"2\"}"}}]}`) + end("tool_calls"),
			want: "call read {\"path\":\"1\"} ok native\ncall read {\"path\":\"2\"} ok native\nstop tool_calls"},
		{name: "the same id for two calls", body: chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\":\"1\"}"}},{"index":1,"id":"a","function":{"name":"read","arguments":"{\"path\":\"2\"}"}}]}`) + end("tool_calls"),
			want: "call read {\"path\":\"1\"} ok native\ncall read {\"path\":\"2\"} ok native\nstop tool_calls"},
		{name: "null where text should be", body: chunk(`{"content":null,"tool_calls":[{"index":0,"id":null,"type":null,"function":{"name":"read","arguments":"{\"path\":\"1\"}"}}]}`) + chunk(`{"tool_calls":null}`) + end("tool_calls"),
			want: "call read {\"path\":\"1\"} ok native\nstop tool_calls"},
		{name: "an index that is text", body: chunk(`{"tool_calls":[{"index":"0","id":7,"function":{"name":"read","arguments":"{\"path\":\"1\"}"}}]}`) + end("tool_calls"),
			want: "call read {\"path\":\"1\"} ok native\nstop tool_calls"},
		{name: "function_call of old", body: chunk(`{"function_call":{"name":"read","arguments":"{\"path\":"}}`) + chunk(`{"function_call":{"arguments":"\"1\"}"}}`) + end("function_call"),
			want: "call read {\"path\":\"1\"} ok native\nstop tool_calls"},
		{name: "other choices do not count", body: `data: {"choices":[{"index":1,"delta":{"content":"no","tool_calls":[{"index":0,"id":"z","function":{"name":"bash","arguments":"{\"command\":\"x\"}"}}]}},{"index":0,"delta":{"content":"yes"},"finish_reason":"stop"}]}` + "\n\n",
			want: "text \"yes\"\nstop end"},
		{name: "a whole message after deltas is a repetition", body: chunk(`{"content":"hi"}`) + `data: {"choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\n",
			want: "text \"hi\"\nstop end"},
		{name: "text between calls", body: chunk(`{"content":"one "}`) + chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\":\"1\"}"}}]}`) + chunk(`{"content":"two"}`) + end("tool_calls"),
			want: "text \"one two\"\ncall read {\"path\":\"1\"} ok native\nstop tool_calls"},
	})
}

// R4: arguments.
func TestArgumentKinds(t *testing.T) {
	ok := func(args string) string { return "call write " + args + " ok native" }
	xy := `{"path":"x","content":"y"}`
	bad := "call write - invalid_args native\nstop tool_calls"
	kinds := []kind{}
	for _, k := range [][3]string{
		{"single quotes", `{'path':'x','content':'y'}`, ok(xy) + " json"},
		{"a quote in single quotes", `{'path':'x','content':'it\'s "y"'}`, ok(`{"path":"x","content":"it's \"y\""}`) + " json"},
		{"bare keys", `{path:"x",content:"y"}`, ok(xy) + " json"},
		{"trailing commas inside", `{"path":"x","content":"y",}`, ok(xy) + " json"},
		{"a fence", "```json\n" + xy + "\n```", ok(xy) + " json"},
		{"a fence without a name", "```\n" + xy + "\n```", ok(xy) + " json"},
		{"double and broken", quote(`{"path":"x","content":"y",}`), ok(xy) + " double_encoded json"},
		{"white space around", "\n " + xy + "\n", ok(xy)},
		{"escapes stay", `{"path":"x","content":"\u00e9\n\\\/\ud83d\ude00"}`, ok(`{"path":"x","content":"é\n\\/😀"}`)},
		{"a raw NUL in a string", "{\"path\":\"x\",\"content\":\"a\x00b\"}", ok(`{"path":"x","content":"a\u0000b"}`) + " json"},
		{"twice encoded twice", quote(quote(xy)), bad},
		{"two values", xy + xy, bad},
		{"two values on lines", xy + "\n" + xy, bad},
		{"words before", "Here: " + xy, bad},
		{"an open string", `{"path":"x","content":"y`, bad},
		{"an open string and brackets", `{"path":"x","content":"y}`, bad},
		{"an open single quote", `{'path':'x','content':'y}`, bad},
		{"no value", `{"path":"x","content":}`, bad},
		{"no value at the end", `{"path":"x","content":`, bad},
		{"a missing comma", `{"path":"x" "content":"y"}`, bad},
		{"one bracket too many", xy + "}", bad},
		{"one key twice", `{"path":"x","content":"y","content":"z"}`, bad},
		{"half a pair", `{"path":"x","content":"\ud83d"}`, bad},
		{"a list", `["x","y"]`, bad},
		{"a number", `7`, bad},
		{"an escape that is none", `{"path":"x","content":"\d"}`, bad},
		{"a comment", `{"path":"x", /* or z */ "content":"y"}`, bad},
		{"nothing but a bracket", `{`, bad},
	} {
		want := k[2]
		if !strings.Contains(want, "stop") {
			want += "\nstop tool_calls"
		}
		kinds = append(kinds, kind{name: k[0], body: call("write", k[1]), want: want})
	}
	kinds = append(kinds,
		kind{name: "closing brackets inside", body: call("grep", `{"pattern":"x","glob":["*.go"}`), want: "call grep {\"pattern\":\"x\",\"glob\":[\"*.go\"]} ok native json\nstop tool_calls"},
		kind{name: "closing brackets at the end", body: call("grep", `{"pattern":"x","glob":["*.go"`), want: "call grep {\"pattern\":\"x\",\"glob\":[\"*.go\"]} ok native json\nstop tool_calls"},
		kind{name: "null is empty", body: call("todo", `null`), want: "call todo {} ok native empty_args\nstop tool_calls"},
		kind{name: "empty, and a field is required", body: call("read", ``), want: "call read {} invalid_args native empty_args\nstop tool_calls"},
		kind{name: "an object", body: chunk(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"read","arguments":{"path":"x"}}}]}`) + end("tool_calls"), want: "call read {\"path\":\"x\"} ok native object_args\nstop tool_calls"},
		kind{name: "no arguments at all", body: chunk(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"todo"}}]}`) + end("tool_calls"), want: "call todo {} ok native empty_args\nstop tool_calls"},
		kind{name: "text where Ollama has an object", protocol: "ollama-ndjson", body: `{"message":{"tool_calls":[{"function":{"name":"read","arguments":"{\"path\":\"x\"}"}}]},"done":true,"done_reason":"stop"}`, want: "call read {\"path\":\"x\"} ok native double_encoded\nstop tool_calls"},
		kind{name: "cut by length, brackets missing", body: callThen("write", `{"path":"x","content":"y"`, "length"), want: "call write - truncated native\nstop length"},
		kind{name: "cut by length, empty", body: callThen("todo", ``, "length"), want: "call todo - truncated native\nstop length"},
		kind{name: "length after whole arguments", body: callThen("write", xy, "length"), want: "call write " + xy + " ok native\nstop length"},
		kind{name: "filtered in the middle", body: callThen("write", `{"path":"x","content":"y"`, "content_filter"), want: "call write - truncated native\nstop tool_calls"},
		kind{name: "a later finish does not undo length", body: callThen("write", `{"path":"x"`, "length") + end("tool_calls"), want: "call write - truncated native\nstop length"},
		kind{name: "the stream ends after whole arguments", body: chunk(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"write","arguments":` + quote(xy) + `}}]}`), want: "call write - truncated native\nstop error stream_truncated retryable=true"},
	)
	run(t, kinds)
}

// R5: names.
func TestNameKinds(t *testing.T) {
	const args = `{"path":"x"}`
	var kinds []kind
	for name, want := range map[string]string{
		"read": "read ok", "READ": "read ok name", "tools.read": "read ok name", "default_api.read": "read ok name",
		"functions.Read": "read ok name", "read_file": "read ok name", "Read-File": "read ok name", "functions.read_file": "read ok name",
		"functions.tools.read": "unknown_tool", "evil.read": "unknown_tool", "reed": "unknown_tool", "ReadFile": "unknown_tool",
		"read ": "unknown_tool", "": "unknown_tool", "read\u200b": "unknown_tool", "reads": "unknown_tool",
	} {
		tool, status, _ := strings.Cut(want, " ")
		line := "call " + tool + " " + args + " " + strings.Replace(status, "ok", "ok native", 1)
		if want == "unknown_tool" {
			line = "call " + name + " " + args + " unknown_tool native"
		}
		kinds = append(kinds, kind{name: fmt.Sprintf("%q", name), body: call(name, args), want: line + "\nstop tool_calls"})
	}
	run(t, kinds)
}

// R6 and R8: calls in prose.
func TestTextCallKinds(t *testing.T) {
	list := "call list {\"path\":\".\"} ok text"
	const js = `{"name":"list","arguments":{"path":"."}}`
	yes := func(prose string, calls ...string) string {
		if prose != "" {
			prose = fmt.Sprintf("text %q\n", prose)
		}
		return prose + strings.Join(calls, "\n") + "\nstop tool_calls"
	}
	var kinds []kind
	for _, k := range [][3]string{
		{"tags after prose on the line", "Look: <tool_call>" + js + "</tool_call>", yes("Look:", list)},
		{"two in tags", "<tool_call>" + js + "</tool_call>\n<tool_call>" + `{"name":"read","arguments":{"path":"a"}}` + "</tool_call>", yes("", list, "call read {\"path\":\"a\"} ok text")},
		{"an end token after", "<tool_call>" + js + "</tool_call><|im_end|>", yes("", list)},
		{"parameters in tags", `<tool_call>{"name":"list","parameters":{"path":"."}}</tool_call>`, yes("", list)},
		{"no arguments in tags", `<tool_call>{"name":"todo"}</tool_call>`, yes("", "call todo {} ok text empty_args")},
		{"arguments as text", `<tool_call>{"name":"list","arguments":"{\"path\":\".\"}"}</tool_call>`, yes("", list+" double_encoded")},
		{"a list in tags", `<tool_call>[` + js + `,{"name":"read","arguments":{"path":"a"}}]</tool_call>`, yes("", list, "call read {\"path\":\"a\"} ok text")},
		{"a brace missing in tags", `<tool_call>{"name":"list","arguments":{"path":"."}</tool_call>`, yes("", list+" json")},
		{"the closing tag in a string", `<tool_call>{"name":"write","arguments":{"path":"a","content":"</tool_call>"}}</tool_call>`, yes("", `call write {"path":"a","content":"</tool_call>"} ok text`)},
		{"an alias", `<tool_call>{"name":"ls","arguments":{"path":"."}}</tool_call>`, yes("", list+" name")},
		{"function with JSON", `<function=list>{"path":"."}</function>`, yes("", list)},
		{"function without a closing tag", "<function=list>\n<parameter=path>\n.\n</parameter>\n", yes("", list)},
		{"parameters keep their inside", "<function=write><parameter=path>a</parameter><parameter=content>\n\n x\n</parameter></function>", yes("", `call write {"path":"a","content":"\n x"} ok text`)},
		{"a list in a parameter", "<function=grep><parameter=pattern>x</parameter><parameter=glob>[\"*.go\"]</parameter></function>", yes("", `call grep {"pattern":"x","glob":["*.go"]} ok text coerce:glob`)},
		{"marker and one object", "[TOOL_CALLS]" + js, yes("", list)},
		{"marker and two", "[TOOL_CALLS] [" + js + `, {"name":"read","arguments":{"path":"a"}}]</s>`, yes("", list, "call read {\"path\":\"a\"} ok text")},
		{"Python without tokens", "[list(path='.')]", yes("", list)},
		{"Python after prose", "I look.\n[list(path=\".\")]", yes("I look.", list)},
		{"Python values", `[grep(pattern="x", glob=["a", 'b']), bash(command='make', background=True, timeout_s=None)]`,
			yes("", `call grep {"pattern":"x","glob":["a","b"]} ok text`, `call bash {"command":"make","background":true} ok text drop_null:timeout_s`)},
		{"python tag and JSON", "<|python_tag|>" + js + "<|eom_id|>", yes("", list)},
		{"bare JSON after prose", "I look.\n\n" + js, yes("I look.", list)},
		{"two bare ones", js + "\n" + `{"name":"read","arguments":{"path":"a"}}`, yes("", list, "call read {\"path\":\"a\"} ok text")},
		{"a fence with a tag in it", "```xml\n<tool_call>" + js + "</tool_call>\n```", yes("", list)},
		{"a call twice", "<tool_call>" + js + "</tool_call><tool_call>" + js + "</tool_call>", yes("", list, `call list {"path":"."} duplicate text`)},
		{"after reasoning", "<think>hm</think>" + js, "thought \"hm\"\n" + yes("", list)},
		// What follows is no call, and stays text as it is.
		{"words after", "<tool_call>" + js + "</tool_call>\nI did it.", ""},
		{"in a fence after prose", "I run:\n```json\n" + js + "\n```", ""},
		{"in a fence that is not closed", "Like this:\n```\n<tool_call>" + js + "</tool_call>", ""},
		{"in a longer fence that a shorter one does not close", "````\n```\n<tool_call>" + js + "</tool_call>", ""},
		{"in a fence that the other mark does not close", "See\n```\n~~~\n<tool_call>" + js + "</tool_call>", ""},
		{"in a fence that words do not close", "See\n```\n```sh\n<tool_call>" + js + "</tool_call>", ""},
		{"in the fence of a list item", "1. See\n\n    ```\n    <tool_call>" + js + "</tool_call>", ""},
		{"in a fence at the mark of a list item", "- ```\n  <tool_call>" + js + "</tool_call>", ""},
		{"indented as code", "See:\n\n    <tool_call>" + js + "</tool_call>", ""},
		{"after a fence that is closed by a longer one", "See\n```\nx\n`````\n<tool_call>" + js + "</tool_call>", yes("See\n```\nx\n`````", list)},
		{"after a line of code in a line", "```x``` is it.\n<tool_call>" + js + "</tool_call>", yes("```x``` is it.", list)},
		{"in reasoning of another tag that opens late", "Well. [THINK]maybe <tool_call>" + js + "</tool_call>", ""},
		{"two fences", "```json\n" + js + "\n```\n```json\n" + js + "\n```", ""},
		{"a fence with words in it", "```\nthen\n" + js + "\n```", ""},
		{"in a code span", "Write `<tool_call>" + js + "</tool_call>`", ""},
		{"in a code span that is not closed", "Write `<tool_call>" + js + "</tool_call>", ""},
		{"quoted", "> <tool_call>" + js + "</tool_call>", ""},
		{"bare JSON within a line", "The form is " + js, ""},
		{"JSON with more than a call has", `{"name":"list","arguments":{"path":"."},"born":1815}`, ""},
		{"both arguments and parameters", `{"name":"list","arguments":{"path":"."},"parameters":{"path":"/"}}`, ""},
		{"bare JSON without arguments", `{"name":"todo"}`, ""},
		{"an unknown name", `<tool_call>{"name":"deploy","arguments":{}}</tool_call>`, ""},
		{"arguments that do not fit", `<tool_call>{"name":"read","arguments":{"file":"a"}}</tool_call>`, ""},
		{"an open string", `<tool_call>{"name":"bash","arguments":{"command":"rm -rf build`, ""},
		{"the second of two is unknown", "<tool_call>" + js + `</tool_call><tool_call>{"name":"deploy","arguments":{}}</tool_call>`, ""},
		{"the first of two is unknown", `<tool_call>{"name":"deploy","arguments":{}}</tool_call><tool_call>` + js + "</tool_call>", ""},
		{"the first of two bare ones is none", `{"name":"Ada","arguments":{}}` + "\n" + js, ""},
		{"Python with a position", "[list('.')]", ""},
		{"Python that is an expression", "[list(path='.' + x)]", ""},
		{"a list that is no call", "[1, 2, 3]", ""},
		{"a parameter twice", "<function=list><parameter=path>a</parameter><parameter=path>b</parameter></function>", ""},
		{"a parameter not closed", "<function=list><parameter=path>.</function>", ""},
		{"in reasoning that opens late", "Well. <think>maybe <tool_call>" + js + "</tool_call>", ""},
	} {
		want := k[2]
		if want == "" {
			want = fmt.Sprintf("text %q\nstop end", k[1])
			switch k[0] {
			case "words after", "an unknown name", "arguments that do not fit", "an open string", "the second of two is unknown",
				"the first of two is unknown", "a parameter twice", "a parameter not closed":
				want += "\nwarn text_call_unusable"
			}
		}
		kinds = append(kinds, kind{name: k[0], body: say(k[1]), want: want})
	}
	kinds = append(kinds,
		kind{name: "in an unclosed think", body: say("<think>I run <tool_call>" + js + "</tool_call>"), want: fmt.Sprintf("thought %q\nstop end", "I run <tool_call>"+js+"</tool_call>")},
		kind{name: "in a reasoning field", body: chunk(`{"reasoning_content":`+quote("<tool_call>"+js+"</tool_call>")+`}`) + say("No."), want: fmt.Sprintf("thought %q\ntext \"No.\"\nstop end", "<tool_call>"+js+"</tool_call>")},
		kind{name: "beside a native call", body: chunk(`{"content":`+quote("<tool_call>"+js+"</tool_call>")+`}`) + call("read", `{"path":"a"}`), want: fmt.Sprintf("text %q\ncall read {\"path\":\"a\"} ok native\nstop tool_calls", "<tool_call>"+js+"</tool_call>")},
		kind{name: "cut by length", body: sayThen("<tool_call>"+js+"</tool_call>", "length"), want: fmt.Sprintf("text %q\nstop length", "<tool_call>"+js+"</tool_call>")},
		kind{name: "cut by the end of the stream", body: chunk(`{"content":` + quote("<tool_call>"+js+"</tool_call>") + `}`), want: fmt.Sprintf("text %q\nstop error stream_truncated retryable=true", "<tool_call>"+js+"</tool_call>")},
		kind{name: "off", profile: Profile{TextCalls: TextCallsOff}, body: say(js), want: fmt.Sprintf("text %q\nstop end", js)},
		kind{name: "in Ollama's content", protocol: "ollama-ndjson", body: `{"message":{"content":` + quote(js) + `},"done":true,"done_reason":"stop"}`, want: yes("", list)},
	)
	run(t, kinds)
}

// R7, R9, R11, R13 and R15.
func TestShapeKinds(t *testing.T) {
	run(t, []kind{
		{name: "two think blocks", body: say("<think>a</think>\n<think>b</think>\nc"), want: "thought \"a\\nb\"\ntext \"c\"\nstop end"},
		{name: "thinking tag", body: say("<thinking>a</thinking>b"), want: "thought \"a\"\ntext \"b\"\nstop end"},
		{name: "Mistral's think tag", body: say("[THINK]a[/THINK]b"), want: "thought \"a\"\ntext \"b\"\nstop end"},
		{name: "an unclosed think", body: say("<think>a"), want: "thought \"a\"\nstop end"},
		{name: "an empty think", body: say("<think>\n\n</think>\n\nb"), want: "text \"b\"\nstop end"},
		{name: "a think in the middle is text", body: say("a <think>b</think> c"), want: "text \"a <think>b</think> c\"\nstop end"},
		{name: "a closing tag as code is text", body: say("Close it with `</think>` at the end."), want: "text \"Close it with `</think>` at the end.\"\nstop end"},
		{name: "reasoning in two fields", body: chunk(`{"reasoning":"a","reasoning_content":"a"}`) + say("b"), want: "thought \"a\"\ntext \"b\"\nstop end"},
		{name: "content in parts", body: chunk(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]},{"type":"text","text":"b"}]}`) + end("stop"), want: "thought \"a\"\ntext \"b\"\nstop end"},
		{name: "signed details", body: chunk(`{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","signature":"S"}]}`) + say("b"),
			want: "thought \"a\"\ntext \"b\"\nopaque openai-chat.reasoning_details  [{\"type\":\"reasoning.text\",\"text\":\"a\",\"signature\":\"S\"}]\nstop end"},
		{name: "finish says calls, and there are none", body: sayThen("hi", "tool_calls"), want: "text \"hi\"\nstop end\nwarn finish_without_calls"},
		{name: "filtered", body: sayThen("hi", "content_filter"), want: "text \"hi\"\nstop filter"},
		{name: "an unknown finish", body: sayThen("hi", "weird"), want: "text \"hi\"\nstop end\nwarn unknown_finish"},
		{name: "finish says error", body: sayThen("hi", "error"), want: "text \"hi\"\nstop error server retryable=true"},
		{name: "end tokens in a row", body: say("hi</s> <|eot_id|>\n<|im_end|>"), want: "text \"hi\"\nstop end"},
		{name: "an end token within stays", body: say("the token <|im_end|> ends a turn"), want: "text \"the token <|im_end|> ends a turn\"\nstop end"},
		{name: "a tag that looks like an end token", body: say("<s>struck</s>"), want: "text \"<s>struck</s>\"\nstop end"},
		{name: "a duplicate by worth", body: chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\":\"x\",\"limit\":1}"}},{"index":1,"id":"b","function":{"name":"read_file","arguments":"{\"limit\":\"1\",\"path\":\"x\"}"}}]}`) + end("tool_calls"),
			want: "call read {\"path\":\"x\",\"limit\":1} ok native\ncall read {\"limit\":1,\"path\":\"x\"} duplicate native name coerce:limit\nstop tool_calls"},
		{name: "an unknown field", body: call("read", `{"path":"x","why":"because"}`), want: "call read {\"path\":\"x\"} ok native drop_extra:why\nstop tool_calls"},
		{name: "null for a required field", body: call("read", `{"path":null}`), want: "call read {\"path\":null} invalid_args native\nstop tool_calls"},
		{name: "text that is no number", body: call("read", `{"path":"x","limit":"many"}`), want: "call read {\"path\":\"x\",\"limit\":\"many\"} invalid_args native\nstop tool_calls"},
		{name: "a fraction", body: call("read", `{"path":"x","limit":1.5}`), want: "call read {\"path\":\"x\",\"limit\":1.5} invalid_args native\nstop tool_calls"},
		{name: "a whole number with a point", body: call("read", `{"path":"x","limit":10.0}`), want: "call read {\"path\":\"x\",\"limit\":10} ok native coerce:limit\nstop tool_calls"},
		{name: "a number where text is wanted", body: call("read", `{"path":5}`), want: "call read {\"path\":5} invalid_args native\nstop tool_calls"},
		{name: "a boolean as text", body: call("bash", `{"command":"x","background":"True"}`), want: "call bash {\"command\":\"x\",\"background\":true} ok native coerce:background\nstop tool_calls"},
		{name: "a list as text", body: call("grep", `{"pattern":"x","glob":"[\"a\",\"b\"]"}`), want: "call grep {\"pattern\":\"x\",\"glob\":[\"a\",\"b\"]} ok native coerce:glob\nstop tool_calls"},
		{name: "a list of the wrong kind", body: call("grep", `{"pattern":"x","glob":[1]}`), want: "call grep {\"pattern\":\"x\",\"glob\":[1]} invalid_args native\nstop tool_calls"},
		{name: "the model repeats a line", body: say(strings.Repeat("I will do it now.\n", 80)), want: fmt.Sprintf("text %q\nstop length\nwarn repetition_stopped", strings.TrimSpace(strings.Repeat("I will do it now.\n", 80)))},
		{name: "a long rule is no repetition", body: say(strings.Repeat("-", 2000)), want: fmt.Sprintf("text %q\nstop end", strings.Repeat("-", 2000))},
	})
}

// R16: usage.
func TestUsageKinds(t *testing.T) {
	use := func(u string) string {
		return say("x") + `data: {"choices":[],"usage":` + u + "}\n\n"
	}
	run(t, []kind{
		{name: "DeepSeek", body: use(`{"prompt_tokens":100,"completion_tokens":9,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}`), want: "text \"x\"\nstop end\nusage in=36 read=64 write=0 out=9 thought=0"},
		{name: "reasoning within output", body: use(`{"prompt_tokens":100,"completion_tokens":30,"total_tokens":130,"completion_tokens_details":{"reasoning_tokens":20}}`), want: "text \"x\"\nstop end\nusage in=100 read=0 write=0 out=30 thought=20"},
		{name: "reasoning beside output", body: use(`{"prompt_tokens":100,"completion_tokens":10,"total_tokens":130,"completion_tokens_details":{"reasoning_tokens":20}}`), want: "text \"x\"\nstop end\nusage in=100 read=0 write=0 out=30 thought=20"},
		{name: "in every event, the last counts", body: strings.Replace(say("x"), `{"choices"`, `{"usage":{"prompt_tokens":9,"completion_tokens":1},"choices"`, 1) + `data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4}}` + "\n\n", want: "text \"x\"\nstop end\nusage in=9 read=0 write=0 out=4 thought=0"},
		{name: "null", body: use(`null`), want: "text \"x\"\nstop end"},
		{name: "Gemini with a cache", protocol: "gemini-sse", body: `data: {"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":90,"cachedContentTokenCount":50,"candidatesTokenCount":8,"thoughtsTokenCount":2}}` + "\n\n", want: "text \"x\"\nstop end\nusage in=40 read=50 write=0 out=10 thought=2"},
		{name: "far under the estimate", protocol: "ollama-ndjson", profile: Profile{NumCtx: 4096, EstimatedPromptTokens: 9000}, body: `{"message":{"content":"x"},"done":true,"done_reason":"stop","prompt_eval_count":2048,"eval_count":1}`, want: "text \"x\"\nstop end\nusage in=2048 read=0 write=0 out=1 thought=0\nwarn prompt_truncated_by_server"},
		{name: "few new tokens after a cache hit", protocol: "ollama-ndjson", profile: Profile{NumCtx: 32768, EstimatedPromptTokens: 9000}, body: `{"message":{"content":"x"},"done":true,"done_reason":"stop","prompt_eval_count":12,"eval_count":1}`, want: "text \"x\"\nstop end\nusage in=12 read=0 write=0 out=1 thought=0"},
	})
}
