package fakemodel

import (
	"bytes"
	"context"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/internal/scenario"
)

// deliver writes the frames as the shape says: with a delay before each, and
// with the fault where it strikes.
func deliver(ctx context.Context, w http.ResponseWriter, s scenario.Shape, frames [][]byte) {
	if s.Fault == scenario.FaultBadUTF8 {
		frames = spoil(frames)
	}
	total := 0
	for _, f := range frames {
		total += len(f)
	}
	at := total // bytes before the fault
	if s.Fault == scenario.FaultCut || s.Fault == scenario.FaultStall {
		if at = s.At; at == 0 {
			at = total / 2
		}
	}
	flush := http.NewResponseController(w)
	for _, f := range frames {
		if !pause(ctx, s.Delay) {
			return
		}
		n := min(len(f), at)
		at -= n
		if _, err := w.Write(f[:n]); err != nil {
			return
		}
		_ = flush.Flush() // a writer that cannot flush sends all at the end
		if n == len(f) {
			continue
		}
		if s.Fault == scenario.FaultStall {
			<-ctx.Done()
		}
		panic(http.ErrAbortHandler) // the server's way of cutting a connection
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// contentMarks stand before content in the protocols' frames.
var contentMarks = []string{`"content":"`, `"text":"`, `"delta":"`, `"partial_json":"`, `"arguments":"`, `"args":{"`, `"arguments":{"`}

// spoil puts a byte that is no text into every frame that holds content.
func spoil(frames [][]byte) [][]byte {
	var out [][]byte
	for _, f := range frames {
		for _, mark := range contentMarks {
			at := bytes.Index(f, []byte(mark)) + len(mark)
			if at >= len(mark) && at < len(f) && f[at] != '"' {
				f = append(append(bytes.Clone(f[:at]), 0xff), f[at:]...)
				break
			}
		}
		out = append(out, f)
	}
	return out
}

// pieces cuts text into parts of at least n bytes, between characters.
func pieces(text string, n int) []string {
	if n <= 0 || text == "" {
		return []string{text}
	}
	var out []string
	for len(text) > n {
		cut := n
		for cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut++
		}
		out = append(out, text[:cut])
		text = text[cut:]
	}
	if text != "" {
		out = append(out, text)
	}
	return out
}

// sse writes one server-sent event.
func sse(event string, v any) []byte {
	var b bytes.Buffer
	if event != "" {
		b.WriteString("event: " + event + "\n")
	}
	b.WriteString("data: ")
	b.Write(marshal(v))
	b.WriteString("\n\n")
	return b.Bytes()
}
