package model

import (
	"fmt"
	"strings"
	"testing"
	"time"
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

// TestTimeIsLinear: bodies that are made to be slow take no longer than others
// of their size.
func TestTimeIsLinear(t *testing.T) {
	tools := suiteTools(t)
	deltas := func(piece string, n int) string {
		return strings.Repeat(chunk(`{"content":`+quote(piece)+`}`), n)
	}
	for name, body := range map[string]string{
		"lines of JSON":      say(strings.Repeat("{\"name\":\"list\"}\n[1]\n", 20_000)),
		"marks on a line":    say(strings.Repeat("<tool_call>`", 40_000)),
		"marks and a call":   say(strings.Repeat("<function=", 40_000) + `<tool_call>{"name":"list","arguments":{"path":"."}}</tool_call>`),
		"open brackets":      say(strings.Repeat("{\"a\":\n", 40_000)),
		"held text":          chunk(`{"content":"{ "}`) + deltas("abcde", 1) + strings.Join(wordsOf(60_000), "") + end("stop"),
		"end tokens":         say(strings.Repeat("<|im_end|>", 40_000)),
		"closing tags":       say(strings.Repeat("</s>", 40_000)),
		"think tags":         say(strings.Repeat("<think></think>", 20_000)),
		"pieces of one call": chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"write","arguments":"{\"content\":\""}}]}`) + strings.Repeat(chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"abcde"}}]}`), 60_000) + end("tool_calls"),
		"many calls":         strings.Repeat(chunk(`{"tool_calls":[{"function":{"name":"todo","arguments":"{}"}}]}`), 20_000) + end("tool_calls"),
	} {
		start := time.Now()
		reply, err := Decode(t.Context(), Recording{Protocol: "openai-chat-sse", Body: []byte(body), Tools: tools})
		if err != nil {
			t.Fatal(err)
		}
		invariants(t, reply)
		if took := time.Since(start); took > 20*time.Second { // a second or so on a quiet machine; minutes if it were quadratic
			t.Errorf("%s: %d bytes took %s", name, len(body), took)
		} else {
			t.Logf("%s: %d bytes, %s", name, len(body), took.Round(time.Millisecond))
		}
	}
}

// wordsOf gives deltas that are all different.
func wordsOf(n int) []string {
	var out []string
	for i := range n {
		out = append(out, chunk(`{"content":`+quote(fmt.Sprintf("w%d ", i))+`}`))
	}
	return out
}
