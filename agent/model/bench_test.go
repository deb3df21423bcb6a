package model

import (
	"strings"
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
