package model

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func BenchmarkDecode(b *testing.B) {
	tools := suiteTools(b)
	cases := replyCases(b)
	for b.Loop() {
		for _, c := range cases[:10] {
			if _, err := Decode(b.Context(), c.recording(tools)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkStream reads a reply of 200 KB in deltas of a word.
func BenchmarkStream(b *testing.B) {
	var body strings.Builder
	for i := range 40_000 {
		body.WriteString(chunk(`{"content":` + quote([]string{"word ", "other\n", "next ", "last. "}[i%4]+string(rune('a'+i%26))) + `}`))
	}
	body.WriteString(end("stop"))
	r := Recording{Protocol: "openai-chat-sse", Body: []byte(body.String()), Tools: suiteTools(b)}
	b.SetBytes(int64(body.Len()))
	for b.Loop() {
		if _, err := Decode(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// TestTimeIsLinear: bodies that are made to be slow take four times as long when
// they are four times as large, and not sixteen times.
func TestTimeIsLinear(t *testing.T) {
	tools := suiteTools(t)
	for name, body := range map[string]func(n int) string{
		"lines of JSON":   func(n int) string { return say(strings.Repeat("{\"name\":\"list\"}\n[1]\n", n/2)) },
		"marks on a line": func(n int) string { return say(strings.Repeat("<tool_call>`", n)) },
		"marks and a call": func(n int) string {
			return say(strings.Repeat("<function=", n) + `<tool_call>{"name":"list","arguments":{"path":"."}}</tool_call>`)
		},
		"open brackets": func(n int) string { return say(strings.Repeat("{\"a\":\n", n)) },
		"held text": func(n int) string {
			return chunk(`{"content":"{ "}`) + chunk(`{"content":"abcde"}`) + strings.Join(wordsOf(n), "") + end("stop")
		},
		"end tokens":   func(n int) string { return say(strings.Repeat("<|im_end|>", n)) },
		"closing tags": func(n int) string { return say(strings.Repeat("</s>", n)) },
		"think tags":   func(n int) string { return say(strings.Repeat("<think></think>", n/2)) },
		"pieces of one call": func(n int) string {
			return chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"write","arguments":"{\"content\":\""}}]}`) +
				strings.Repeat(chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"abcde"}}]}`), n) + end("tool_calls")
		},
		"many calls": func(n int) string {
			return strings.Repeat(chunk(`{"tool_calls":[{"function":{"name":"todo","arguments":"{}"}}]}`), n/2) + end("tool_calls")
		},
	} {
		const small, times, most = 8_000, 4, 9
		var ratio float64
		for range 4 { // what else runs here disturbs single tries
			if ratio = decodeTime(t, body(small*times), tools) / decodeTime(t, body(small), tools); ratio < most {
				break
			}
		}
		if ratio >= most {
			t.Errorf("%s: %d times the text took %.1f times as long", name, times, ratio)
		}
	}
}

// decodeTime is the processor time that a reply costs, in seconds.
func decodeTime(t *testing.T, body string, tools []ToolSpec) float64 {
	t.Helper()
	used := func() float64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	}
	runtime.GC()
	start := used()
	reply, err := Decode(t.Context(), Recording{Protocol: "openai-chat-sse", Body: []byte(body), Tools: tools})
	if err != nil {
		t.Fatal(err)
	}
	invariants(t, reply)
	return used() - start
}

// wordsOf gives deltas that are all different.
func wordsOf(n int) []string {
	var out []string
	for i := range n {
		out = append(out, chunk(`{"content":`+quote(fmt.Sprintf("w%d ", i))+`}`))
	}
	return out
}
