package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", MaxLine+1)
	in := newLines(strings.NewReader("one\n\ntwo\r\n" + long + "\n" + long[:MaxLine] + "\nlast"))
	for _, want := range []struct {
		text string
		err  error
	}{{"one", nil}, {"", nil}, {"two", nil}, {"", errLong}, {long[:MaxLine], nil}, {"last", nil}, {"", io.EOF}, {"", io.EOF}} {
		line, err := in.next()
		if string(line) != want.text || !errors.Is(err, want.err) {
			t.Fatalf("got %d bytes and %v, want %d and %v", len(line), err, len(want.text), want.err)
		}
	}
}

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		line string
		kind kind
		code int
		id   string
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"m"}`, request, 0, "1"},
		{`{"jsonrpc":"2.0","id":"a b","method":"m","params":{"x":[1]}}`, request, 0, `"a b"`},
		{`{"jsonrpc":"2.0","id":-7,"method":"m","more":true}`, request, 0, "-7"},
		{`{"jsonrpc":"2.0","method":"m"}`, notification, 0, ""},
		{`{"jsonrpc":"2.0","id":1,"result":null}`, response, 0, "1"},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m"}}`, response, 0, "1"},
		{`{"jsonrpc":"2.0","id":1,"error":"x","result":{}}`, response, 0, "1"},
		{`{"jsonrpc":"2.0","id":1}`, response, 0, "1"},
		{``, noMessage, CodeParse, ""},
		{`{"jsonrpc":"2.0","id":7,"method":"m", oops`, noMessage, CodeParse, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"m"}{}`, noMessage, CodeParse, ""},
		{`[{"jsonrpc":"2.0","id":1,"method":"m"}]`, noMessage, CodeRequest, ""},
		{`"m"`, noMessage, CodeRequest, ""},
		{`null`, noMessage, CodeRequest, ""},
		{`{"jsonrpc":"1.0","id":1,"method":"m"}`, noMessage, CodeRequest, "1"},
		{`{"id":1,"method":"m"}`, noMessage, CodeRequest, "1"},
		{`{"jsonrpc":2.0,"id":1,"method":"m"}`, noMessage, CodeRequest, "1"},
		{`{"JSONRPC":"2.0","id":1,"method":"m"}`, noMessage, CodeRequest, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, noMessage, CodeRequest, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":""}`, noMessage, CodeRequest, "1"},
		{`{"jsonrpc":"2.0","id":null,"method":"m"}`, noMessage, CodeRequest, ""},
		{`{"jsonrpc":"2.0","id":1.5,"method":"m"}`, noMessage, CodeRequest, ""},
		{`{"jsonrpc":"2.0","id":[1],"method":"m"}`, noMessage, CodeRequest, ""},
		{`{"jsonrpc":"2.0"}`, noMessage, CodeRequest, ""},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}`, noMessage, CodeRequest, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"m","method":"n"}`, noMessage, CodeRequest, ""},
		{strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000), noMessage, CodeParse, ""},
	} {
		m, bad := decode([]byte(tt.line))
		code := 0
		if bad != nil {
			code = bad.Code
		}
		if m.kind != tt.kind || code != tt.code || string(m.id) != tt.id {
			t.Errorf("%.60s: kind %d, code %d, id %s", tt.line, m.kind, code, m.id)
		}
		if bad != nil && m.kind != noMessage {
			t.Errorf("%.60s: a message that is wrong would be handled", tt.line)
		}
	}
}

func TestAnswersThatAreTwoThingsFail(t *testing.T) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"error":{"code":-1},"result":{}}`, `{"jsonrpc":"2.0","id":1}`,
		`{"jsonrpc":"2.0","id":1,"error":null}`, `{"jsonrpc":"2.0","id":1,"error":[]}`,
	} {
		if m, bad := decode([]byte(line)); bad != nil || m.err == nil || m.result != nil {
			t.Errorf("%s: %+v, %v", line, m, bad)
		}
	}
}

// FuzzLines holds that a stream of any bytes gives its lines, each at most
// once, in order, and ends.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\nc"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := newLines(iotest{bytes.NewReader(b)})
		var got []string
		for {
			line, err := in.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(line))
		}
		want := strings.Split(string(b), "\n")
		last := len(want) - 1
		for i := range want[:last] {
			want[i] = strings.TrimSuffix(want[i], "\r")
		}
		if want[last] == "" {
			want = want[:last]
		}
		if strings.Join(got, "\x00\n") != strings.Join(want, "\x00\n") || len(got) != len(want) {
			t.Errorf("%q: got %q", b, got)
		}
	})
}

// iotest gives one byte a read.
type iotest struct{ r io.Reader }

func (i iotest) Read(b []byte) (int, error) { return i.r.Read(b[:min(1, len(b))]) }

// FuzzDecode holds that a message that would be handled says itself what it
// is, once.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"x","result":{}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"id":2}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, bad := decode(b)
		if bad != nil {
			return
		}
		if m.kind == noMessage {
			t.Fatalf("%q is nothing, and no error", b)
		}
		var again map[string]json.RawMessage
		if err := json.Unmarshal(b, &again); err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if string(again["jsonrpc"]) != `"2.0"` || string(again["id"]) != string(m.id) || string(again["params"]) != string(m.params) {
			t.Errorf("%q was read as %+v", b, m)
		}
	})
}

// A peer is the other side of a connection.
type peer struct {
	t    *testing.T
	conn *Conn
	in   *io.PipeWriter
	out  *bufio.Reader
	raw  *io.PipeReader
	done chan struct{}
}

// echo answers every request with its method.
type echo struct{ got chan string }

func (e echo) Request(r *Request) {
	if r.Method == "fails" {
		r.Fail(CodeParams, "no")
		r.Reply("twice")
		return
	}
	r.Reply(r.Method)
}

func (e echo) Notification(method string, _ json.RawMessage) { e.got <- method }

func newPeer(t *testing.T) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{t: t, conn: New(inR, outW), in: inW, out: bufio.NewReader(outR), raw: outR, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.conn.Run(t.Context(), echo{make(chan string, 16)})
		p.conn.Close(time.Second)
	}()
	t.Cleanup(func() { inW.Close(); outR.Close(); <-p.done })
	return p
}

func (p *peer) write(lines ...string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, strings.Join(lines, "\n")+"\n"); err != nil {
		p.t.Error(err) // it may be called beside the test
	}
}

func (p *peer) read() string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

func TestConversation(t *testing.T) {
	p := newPeer(t)
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"é\u00e9","method":"hello"}`:               `{"jsonrpc":"2.0","id":"é\u00e9","result":"hello"}`,
		`{"jsonrpc":"2.0","id":10000000000000000000001,"method":"fails"}`: `{"jsonrpc":"2.0","id":10000000000000000000001,"error":{"code":-32602,"message":"no"}}`,
		`nonsense`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line is not JSON"}}`,
		`[]`:       `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is not one JSON object with distinct members"}}`,
	} {
		p.write(line)
		if got := p.read(); got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
}

func TestLongLineIsSkippedAndAnswered(t *testing.T) {
	p := newPeer(t)
	go p.write(`{"jsonrpc":"2.0","id":1,"method":"`+strings.Repeat("x", MaxLine)+`"}`, `{"jsonrpc":"2.0","id":2,"method":"alive"}`)
	if got := p.read(); !strings.Contains(got, "-32600") || !strings.Contains(got, `"id":null`) {
		t.Error(got)
	}
	if got := p.read(); !strings.Contains(got, `"alive"`) {
		t.Error(got)
	}
}

func TestAnswersAreTakenOnceAndOnlyIfAwaited(t *testing.T) {
	p := newPeer(t)
	got := make(chan string, 10)
	done := func(r json.RawMessage, err *Error) { got <- fmt.Sprintf("%s %v", r, err) }
	go p.conn.Start("ask", nil, done)
	var asked struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(p.read()), &asked); err != nil || len(asked.ID) < 20 {
		t.Fatalf("id %s, %v", asked.ID, err)
	}
	p.write(`{"jsonrpc":"2.0","id":1,"result":"guessed"}`, `{"jsonrpc":"2.0","id":`+string(asked.ID)+`,"result":"mine"}`,
		`{"jsonrpc":"2.0","id":`+string(asked.ID)+`,"result":"again"}`, `{"jsonrpc":"2.0","id":9,"method":"after"}`)
	p.read() // all before it was handled
	if len(got) != 1 {
		t.Fatalf("%d answers", len(got))
	}
	if a := <-got; a != `"mine" <nil>` {
		t.Error(a)
	}
}

func TestCallEndsWithItsContext(t *testing.T) {
	p := newPeer(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan *Error, 1)
	go func() { _, err := p.conn.Call(ctx, "ask", nil); ended <- err }()
	p.read()
	cancel()
	if got := p.read(); !strings.Contains(got, `"$/cancel_request"`) {
		t.Error(got)
	}
	if err := <-ended; err == nil || err.Code != CodeCancelled {
		t.Errorf("%v", err)
	}
}

func TestWhoLeavesAnswersNothing(t *testing.T) {
	for name, leave := range map[string]func(*peer){
		"its input": func(p *peer) { p.in.Close() }, "its output": func(p *peer) { p.raw.Close(); p.in.Write([]byte("{}\n")) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(t)
			failed := make(chan *Error, 2)
			done := func(_ json.RawMessage, err *Error) { failed <- err }
			go p.conn.Start("ask", nil, done)
			p.read()
			leave(p)
			if err := <-failed; err == nil {
				t.Error("an answer came of nothing")
			}
			<-p.done
			p.conn.Start("ask", nil, done)
			if err := <-failed; err == nil {
				t.Error("an answer came of nothing")
			}
		})
	}
}

func TestWhatWasSaidBeforeTheEndIsAnswered(t *testing.T) {
	var out bytes.Buffer
	c := New(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"one"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"two"}`), &out)
	c.Run(t.Context(), echo{})
	c.Close(time.Second)
	if got := strings.Count(out.String(), "\n"); got != 2 {
		t.Errorf("%d answers: %s", got, out.String())
	}
}
