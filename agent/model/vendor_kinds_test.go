package model

import (
	"strings"
	"testing"
)

// event is one server-sent event whose name is the type of its data.
func event(kind, rest string) string {
	if rest != "" {
		rest = "," + rest
	}
	return "event: " + kind + "\ndata: {\"type\":\"" + kind + "\"" + rest + "}\n\n"
}

func block(i, start string, deltas ...string) string {
	out := event("content_block_start", `"index":`+i+`,"content_block":`+start)
	for _, d := range deltas {
		out += event("content_block_delta", `"index":`+i+`,"delta":`+d)
	}
	return out + event("content_block_stop", `"index":`+i)
}

func TestAnthropicKinds(t *testing.T) {
	const p = "anthropic-sse"
	start := event("message_start", `"message":{"model":"m","content":[],"usage":{"input_tokens":10,"output_tokens":1}}`)
	stop := func(reason string) string {
		return event("message_delta", `"delta":{"stop_reason":"`+reason+`"},"usage":{"output_tokens":20}`) + event("message_stop", "")
	}
	usage := "\nusage in=10 read=0 write=0 out=20 thought=0"
	run(t, []kind{
		{name: "text", protocol: p, body: start + block("0", `{"type":"text","text":""}`, `{"type":"text_delta","text":"hi"}`) + stop("end_turn"), want: "text \"hi\"\nstop end" + usage},
		{name: "no arguments", protocol: p, body: start + block("0", `{"type":"tool_use","id":"t","name":"todo","input":{}}`) + stop("tool_use"), want: "call todo {} ok native\nstop tool_calls" + usage},
		{name: "input at the start", protocol: p, body: start + block("0", `{"type":"tool_use","id":"t","name":"read","input":{"path":"x"}}`) + stop("tool_use"), want: "call read {\"path\":\"x\"} ok native\nstop tool_calls" + usage},
		{name: "input as text", protocol: p, body: start + block("0", `{"type":"tool_use","id":"t","name":"read","input":"{\"path\":\"x\"}"}`) + stop("tool_use"), want: "call read {\"path\":\"x\"} ok native double_encoded\nstop tool_calls" + usage},
		{name: "two calls interleaved", protocol: p, body: start +
			event("content_block_start", `"index":0,"content_block":{"type":"tool_use","id":"a","name":"read","input":{}}`) +
			event("content_block_start", `"index":1,"content_block":{"type":"tool_use","id":"b","name":"list","input":{}}`) +
			event("content_block_delta", `"index":1,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\"2\"}"}`) +
			event("content_block_delta", `"index":0,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\"1\"}"}`) +
			event("content_block_stop", `"index":0`) + event("content_block_stop", `"index":1`) + stop("tool_use"),
			want: "call read {\"path\":\"1\"} ok native\ncall list {\"path\":\"2\"} ok native\nstop tool_calls" + usage},
		{name: "signature in pieces, and redacted reasoning", protocol: p, body: start +
			block("0", `{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":"hm"}`, `{"type":"signature_delta","signature":"ab"}`, `{"type":"signature_delta","signature":"c=="}`) +
			block("1", `{"type":"redacted_thinking","data":"RRR"}`) + block("2", `{"type":"text","text":"hi"}`) + stop("end_turn"),
			want: "thought \"hm\"\ntext \"hi\"\nopaque anthropic.signature  abc==\nopaque anthropic.redacted_thinking  RRR\nstop end" + usage},
		{name: "cut by length", protocol: p, body: start + block("0", `{"type":"tool_use","id":"t","name":"write","input":{}}`, `{"type":"input_json_delta","partial_json":"{\"path\":\"x\",\"cont"}`) + stop("max_tokens"), want: "call write - truncated native\nstop length" + usage},
		{name: "the stream ends within a call", protocol: p, body: start + event("content_block_start", `"index":0,"content_block":{"type":"tool_use","id":"t","name":"todo","input":{}}`), want: "call todo - truncated native\nstop error stream_truncated retryable=true\nusage in=10 read=0 write=0 out=1 thought=0"},
		{name: "the stream ends after a whole block", protocol: p, body: start + block("0", `{"type":"tool_use","id":"t","name":"todo","input":{}}`), want: "call todo - truncated native\nstop error stream_truncated retryable=true\nusage in=10 read=0 write=0 out=1 thought=0"},
		{name: "refused", protocol: p, body: start + block("0", `{"type":"text","text":"no"}`) + stop("refusal"), want: "text \"no\"\nstop filter" + usage},
		{name: "not streamed", protocol: p, body: `{"type":"message","content":[{"type":"thinking","thinking":"hm","signature":"S"},{"type":"text","text":"hi"},{"type":"tool_use","id":"t","name":"read","input":{"path":"x"}}],"stop_reason":"tool_use","usage":{"input_tokens":10,"output_tokens":20}}`,
			want: "thought \"hm\"\ntext \"hi\"\ncall read {\"path\":\"x\"} ok native\nopaque anthropic.signature  S\nstop tool_calls" + usage},
		{name: "a block of a kind that nobody asked for", protocol: p, body: start + block("0", `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`) + block("1", `{"type":"text","text":"hi"}`) + stop("end_turn"), want: "text \"hi\"\nstop end" + usage + "\nwarn unsupported_part"},
		{name: "rate limit in the stream", protocol: p, body: start + event("error", `"error":{"type":"rate_limit_error","message":"slow down"}`), want: "stop error rate_limit retryable=true\nusage in=10 read=0 write=0 out=1 thought=0"},
		{name: "an error after a call", protocol: p, body: start + block("0", `{"type":"tool_use","id":"t","name":"todo","input":{}}`) + event("error", `"error":{"type":"api_error","message":"oops"}`), want: "call todo - truncated native\nstop error server retryable=true\nusage in=10 read=0 write=0 out=1 thought=0"},
	})
}

func TestResponsesKinds(t *testing.T) {
	const p = "openai-responses-sse"
	done := event("response.completed", `"response":{"status":"completed","usage":{"input_tokens":10,"output_tokens":20}}`)
	usage := "\nusage in=10 read=0 write=0 out=20 thought=0"
	run(t, []kind{
		{name: "text in deltas, then whole", protocol: p, body: event("response.output_text.delta", `"output_index":0,"item_id":"m","delta":"h"`) + event("response.output_text.delta", `"output_index":0,"item_id":"m","delta":"i"`) +
			event("response.output_text.done", `"output_index":0,"item_id":"m","text":"hi"`) + event("response.output_item.done", `"output_index":0,"item":{"type":"message","id":"m","content":[{"type":"output_text","text":"hi"}]}`) + done, want: "text \"hi\"\nstop end" + usage},
		{name: "whole items only", protocol: p, body: event("response.output_item.done", `"output_index":0,"item":{"type":"message","id":"m","content":[{"type":"output_text","text":"hi"}]}`) +
			event("response.output_item.done", `"output_index":1,"item":{"type":"function_call","id":"f","call_id":"c","name":"read","arguments":"{\"path\":\"x\"}"}`) + done, want: "text \"hi\"\ncall read {\"path\":\"x\"} ok native\nstop tool_calls" + usage},
		{name: "everything in the last event", protocol: p, body: event("response.completed", `"response":{"status":"completed","output":[{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"E"},{"type":"message","id":"m","content":[{"type":"output_text","text":"hi"}]}],"usage":{"input_tokens":10,"output_tokens":20}}`),
			want: "thought \"hm\"\ntext \"hi\"\nopaque openai.reasoning r E\nstop end" + usage},
		{name: "done says more than the deltas", protocol: p, body: event("response.output_item.added", `"output_index":0,"item":{"type":"function_call","id":"f","call_id":"c","name":"read","arguments":""}`) +
			event("response.function_call_arguments.delta", `"output_index":0,"item_id":"f","delta":"{\"pa"`) + event("response.function_call_arguments.done", `"output_index":0,"item_id":"f","arguments":"{\"path\":\"x\"}"`) + done, want: "call read {\"path\":\"x\"} ok native\nstop tool_calls" + usage},
		{name: "no output_index", protocol: p, body: event("response.output_item.added", `"item":{"type":"function_call","id":"f","call_id":"c","name":"read","arguments":""}`) +
			event("response.function_call_arguments.delta", `"item_id":"f","delta":"{\"path\":"`) + event("response.function_call_arguments.delta", `"item_id":"f","delta":"\"x\"}"`) + done, want: "call read {\"path\":\"x\"} ok native\nstop tool_calls" + usage},
		{name: "summary in parts", protocol: p, body: event("response.reasoning_summary_text.delta", `"output_index":0,"delta":"a"`) + event("response.reasoning_summary_part.done", `"output_index":0`) + event("response.reasoning_summary_text.delta", `"output_index":0,"delta":"b"`) +
			event("response.output_item.done", `"output_index":0,"item":{"type":"reasoning","id":"r","summary":[{"text":"a"},{"text":"b"}]}`) + done, want: "thought \"a\\n\\nb\"\nstop end" + usage},
		{name: "incomplete by length", protocol: p, body: event("response.output_item.added", `"output_index":0,"item":{"type":"function_call","id":"f","call_id":"c","name":"write","arguments":""}`) + event("response.function_call_arguments.delta", `"output_index":0,"delta":"{\"path\":\"x\""`) +
			event("response.incomplete", `"response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"usage":{"input_tokens":10,"output_tokens":20}}`), want: "call write - truncated native\nstop length" + usage},
		{name: "incomplete by filter", protocol: p, body: event("response.output_text.delta", `"output_index":0,"delta":"hi"`) + event("response.incomplete", `"response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}`), want: "text \"hi\"\nstop filter"},
		{name: "failed", protocol: p, body: event("response.failed", `"response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow"}}`), want: "stop error rate_limit retryable=true"},
		{name: "error event", protocol: p, body: event("error", `"code":"server_error","message":"oops"`), want: "stop error server retryable=true"},
		{name: "ends without completed", protocol: p, body: event("response.output_item.done", `"output_index":0,"item":{"type":"function_call","id":"f","call_id":"c","name":"read","arguments":"{\"path\":\"x\"}"}`), want: "call read - truncated native\nstop error stream_truncated retryable=true"},
		{name: "not streamed", protocol: p, body: `{"object":"response","status":"completed","output":[{"type":"function_call","id":"f","call_id":"c","name":"read","arguments":"{\"path\":\"x\"}"}],"usage":{"input_tokens":10,"output_tokens":20}}`, want: "call read {\"path\":\"x\"} ok native\nstop tool_calls" + usage},
		{name: "a refusal", protocol: p, body: event("response.refusal.delta", `"output_index":0,"delta":"no"`) + done, want: "text \"no\"\nstop end" + usage + "\nwarn refusal"},
		{name: "arguments as an object", protocol: p, body: event("response.output_item.done", `"output_index":0,"item":{"type":"function_call","id":"f","call_id":"c","name":"read","arguments":{"path":"x"}}`) + done, want: "call read {\"path\":\"x\"} ok native object_args\nstop tool_calls" + usage},
	})
}

func TestGeminiAndOllamaKinds(t *testing.T) {
	const g, o = "gemini-sse", "ollama-ndjson"
	parts := func(parts, finish string) string {
		if finish != "" {
			finish = `,"finishReason":"` + finish + `"`
		}
		return `data: {"candidates":[{"content":{"role":"model","parts":[` + parts + `]}` + finish + `}]}` + "\r\n\r\n"
	}
	run(t, []kind{
		{name: "thoughts, text and signature", protocol: g, body: parts(`{"text":"hm","thought":true}`, "") + parts(`{"text":"h"}`, "") + parts(`{"text":"i","thoughtSignature":"S"}`, "STOP"), want: "thought \"hm\"\ntext \"hi\"\nopaque gemini.thought_signature  S\nstop end"},
		{name: "two calls of one name", protocol: g, body: parts(`{"functionCall":{"name":"read","args":{"path":"1"}}},{"functionCall":{"name":"read","args":{"path":"2"}}}`, "STOP"), want: "call read {\"path\":\"1\"} ok native\ncall read {\"path\":\"2\"} ok native\nstop tool_calls"},
		{name: "no arguments", protocol: g, body: parts(`{"functionCall":{"name":"todo"}}`, "STOP"), want: "call todo {} ok native\nstop tool_calls"},
		{name: "signature in an empty part at the end", protocol: g, body: parts(`{"text":"hi"}`, "") + parts(`{"text":"","thoughtSignature":"S"}`, "STOP"), want: "text \"hi\"\nopaque gemini.thought_signature  S\nstop end"},
		{name: "safety", protocol: g, body: parts(`{"text":"h"}`, "SAFETY"), want: "text \"h\"\nstop filter"},
		{name: "prompt blocked", protocol: g, body: `data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}` + "\n\n", want: "stop filter"},
		{name: "length", protocol: g, body: parts(`{"text":"h"}`, "MAX_TOKENS"), want: "text \"h\"\nstop length"},
		{name: "malformed call", protocol: g, body: parts(``, "MALFORMED_FUNCTION_CALL"), want: "stop error server retryable=true"},
		{name: "no finish", protocol: g, body: parts(`{"functionCall":{"name":"todo"}}`, ""), want: "call todo - truncated native\nstop error stream_truncated retryable=true"},
		{name: "an error in the stream", protocol: g, body: parts(`{"text":"h"}`, "") + `data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}` + "\n\n", want: "text \"h\"\nstop error overloaded retryable=true"},
		{name: "code that the server ran", protocol: g, body: parts(`{"executableCode":{"language":"PYTHON","code":"1"}},{"text":"hi"}`, "STOP"), want: "text \"hi\"\nstop end\nwarn unsupported_part"},

		{name: "two calls in lines of their own", protocol: o, body: `{"message":{"content":"","tool_calls":[{"function":{"name":"read","arguments":{"path":"1"}}}]},"done":false}` + "\n" + `{"message":{"content":"","tool_calls":[{"function":{"name":"read","arguments":{"path":"2"}}}]},"done":false}` + "\n" + `{"done":true,"done_reason":"stop"}`, want: "call read {\"path\":\"1\"} ok native\ncall read {\"path\":\"2\"} ok native\nstop tool_calls"},
		{name: "length", protocol: o, body: `{"message":{"content":"h"},"done":true,"done_reason":"length"}`, want: "text \"h\"\nstop length"},
		{name: "no done", protocol: o, body: `{"message":{"content":"h"},"done":false}` + "\n", want: "text \"h\"\nstop error stream_truncated retryable=true"},
		{name: "an error line", protocol: o, body: `{"message":{"content":"h"},"done":false}` + "\n" + `{"error":"an error was encountered while running the model"}` + "\n", want: "text \"h\"\nstop error server retryable=true"},
		{name: "think tags in the content", protocol: o, body: `{"message":{"content":"<think>a</think>b"},"done":true,"done_reason":"stop"}`, want: "thought \"a\"\ntext \"b\"\nstop end"},
		{name: "blank lines between", protocol: o, body: "\n\n" + `{"message":{"content":"h"},"done":false}` + "\r\n\r\n" + `{"done":true,"done_reason":"stop"}` + "\n", want: "text \"h\"\nstop end"},
	})
}

// R10: errors, in the shapes and words of servers.
func TestErrorKinds(t *testing.T) {
	e := func(name string, status int, header, body, want string) kind {
		return kind{name: name, protocol: "http-error", status: status, header: header, body: body, want: "stop error " + want}
	}
	run(t, []kind{
		e("OpenAI key", 401, "", `{"error":{"message":"Incorrect API key provided: sk-xx. You can find your API key at …","type":"invalid_request_error","code":"invalid_api_key"}}`, "auth retryable=false"),
		e("Gemini key", 400, "", `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`, "auth retryable=false"),
		e("forbidden", 403, "", `{"error":{"message":"Country, region, or territory not supported"}}`, "auth retryable=false"),
		e("payment", 402, "", `{"error":{"message":"Insufficient Balance"}}`, "quota retryable=false"),
		e("credit", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, "quota retryable=false"),
		e("limit with milliseconds", 429, "retry-after-ms: 1500", `{"error":{"message":"Rate limit reached"}}`, "rate_limit retryable=true after=1.5s"),
		e("limit with a fraction", 429, "Retry-After: 0.5", `{}`, "rate_limit retryable=true after=500ms"),
		e("limit with nonsense", 429, "retry-after: soon", `{}`, "rate_limit retryable=true"),
		e("Gemini, a minute", 429, "", `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"17s"}]}}`, "rate_limit retryable=true after=17s"),
		e("Gemini, a day", 429, "", `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel"}]},{"retryDelay":"17s"}]}}`, "quota retryable=false"),
		e("Gemini in a list", 429, "", `[{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}]`, "rate_limit retryable=true"),
		e("tokens a minute", 429, "", `{"error":{"message":"Rate limit reached for gpt-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000.","type":"tokens","code":"rate_limit_exceeded"}}`, "rate_limit retryable=true"),
		e("overloaded", 529, "", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "overloaded retryable=true"),
		e("unavailable", 503, "", `Service Unavailable`, "overloaded retryable=true"),
		e("loading", 503, "", `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, "model_loading retryable=true"),
		e("server", 500, "", `{"error":{"message":"The server had an error","type":"server_error"}}`, "server retryable=true"),
		e("gateway", 502, "", "<html><body><h1>502 Bad Gateway</h1></body></html>", "server retryable=true"),
		e("no body", 504, "", "", "server retryable=true"),
		e("OpenAI window", 400, "", `{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).","type":"invalid_request_error","code":"context_length_exceeded"}}`, "context_overflow retryable=false fallback=compact limit=8192 used=9000"),
		e("Anthropic window", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, "context_overflow retryable=false fallback=compact limit=200000 used=210000"),
		e("Gemini window", 400, "", `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, "context_overflow retryable=false fallback=compact limit=1048576 used=1200000"),
		e("LM Studio window", 400, "", `{"error":"Trying to keep the first 9120 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}`, "context_overflow retryable=false fallback=compact limit=4096 used=9120"),
		e("vLLM window", 400, "", `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion). Please reduce the length of the messages or completion.","type":"BadRequestError","code":400}`, "context_overflow retryable=false fallback=compact limit=4096 used=5000"),
		e("body too large", 413, "", `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, "context_overflow retryable=false fallback=compact"),
		e("llama.cpp says it in words", 400, "", `{"error":{"code":400,"message":"request (9120 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"invalid_request_error"}}`, "context_overflow retryable=false fallback=compact limit=4096 used=9120"),
		e("vLLM without a parser", 400, "", `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","code":400}`, "tools_unsupported retryable=false fallback=text_calls"),
		e("llama-server without jinja", 500, "", `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, "tools_unsupported retryable=false fallback=text_calls"),
		e("OpenRouter without tools", 404, "", `{"error":{"message":"No endpoints found that support tool use. Try disabling \"read\".","code":404}}`, "tools_unsupported retryable=false fallback=text_calls"),
		e("OpenAI model", 404, "", `{"error":{"message":"The model 'gpt-9.5' does not exist or you do not have access to it.","type":"invalid_request_error","code":"model_not_found"}}`, "model_not_found retryable=false"),
		e("Ollama model", 404, "", `{"error":"model \"llama9.1:8b\" not found, try pulling it first"}`, "model_not_found retryable=false"),
		e("Anthropic model", 404, "", `{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}`, "model_not_found retryable=false"),
		e("a wrong path", 404, "", "404 page not found", "bad_request retryable=false"),
		e("text-generation-inference's window", 422, "", "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 100 `max_new_tokens`\",\"error_type\":\"validation\"}", "context_overflow retryable=false fallback=compact limit=4097 used=5000"),
		e("a key that is refused, with words on limits", 401, "", `{"error":{"message":"Invalid API key; see the page on rate limits"}}`, "auth retryable=false"),
		e("a bad request", 400, "", `{"error":{"message":"temperature must be at most 2","type":"invalid_request_error"}}`, "bad_request retryable=false"),
		e("FastAPI", 422, "", `{"detail":[{"loc":["body","messages"],"msg":"field required","type":"value_error.missing"}]}`, "bad_request retryable=false"),
		e("an event in the body", 429, "", "event: error\ndata: {\"error\":{\"code\":\"insufficient_quota\"}}\n\n", "quota retryable=false"),
		e("a redirect", 302, "Location: http://127.0.0.1/", "", "bad_request retryable=false"),
		e("words that mean nothing", 418, "", `{"error":{"message":"short and stout"}}`, "bad_request retryable=false"),
		{name: "limit by date", protocol: "http-error", status: 429, header: "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT", body: "{}", want: "stop error rate_limit retryable=true after=0s"},
		{name: "an error object with status 200", body: `{"error":{"message":"Model is loading","code":503}}`, want: "stop error model_loading retryable=true"},
		{name: "an error event in words", body: "event: error\ndata: upstream overloaded\n\n", want: "stop error overloaded retryable=true"},
	})
}

// TestErrorTextIsALine: whatever a server says, the text is one line that is
// short, printable, and holds no key.
func TestErrorTextIsALine(t *testing.T) {
	e := readComplaint(500, []byte(`{"error":{"message":"a\u001b[31mb\nc\u202ed`+strings.Repeat(" long", 400)+`"}}`)).toError()
	if strings.ContainsAny(e.Error(), "\x1b\n\u202e") || len(e.Error()) > 600 {
		t.Errorf("%q", e.Error())
	}
}

func TestWebPageSaysLess(t *testing.T) {
	if e := readComplaint(502, []byte("<html><body>\n<h1>Bad</h1>")).toError(); e.Message != "502 Bad Gateway" {
		t.Errorf("%q", e.Message)
	}
}
