package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// Bounds of a client.
const (
	maxLine  = 16 << 20 // bytes of one message
	maxCalls = 32       // that wait at once
)

// A Tool is one that is offered.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage
	ReadOnly          bool
}

// Options of a server.
type Options struct {
	In      io.Reader
	Out     io.Writer // nothing else may write to it
	Version string
	Tools   []Tool
	Caller  Caller
}

// host serves one client.
type host struct {
	o      Options
	server *server.MCPServer

	turn chan struct{} // holds one: calls run one after the other, and whoever waits can be cancelled
	work sync.WaitGroup
	out  *writer

	mu      sync.Mutex
	running map[string]context.CancelFunc // requests by their id
}

// Run serves one client until its input ends or ctx does. The error is about
// reading or writing.
func Run(ctx context.Context, o Options) error {
	h := &host{o: o, turn: make(chan struct{}, 1), running: map[string]context.CancelFunc{}}
	h.server = server.NewMCPServer("tera-pilot", o.Version, server.WithToolCapabilities(false), server.WithRecovery(),
		server.WithInstructions("Tools over one folder. What would need a person's yes is denied; the answer names the rule that would allow it."))
	for _, t := range o.Tools {
		h.server.AddTool(protocol.Tool{
			Name: t.Name, Description: t.Description, RawInputSchema: t.Schema,
			Annotations: protocol.ToolAnnotation{ReadOnlyHint: &t.ReadOnly},
		}, h.tool)
	}
	ctx, cancel := context.WithCancel(ctx)
	h.out = newWriter(ctx, o.Out)
	defer h.out.end()
	defer h.work.Wait()
	defer cancel()
	lines := make(chan []byte)
	failed := make(chan error, 1)
	go func() { failed <- h.read(ctx, lines) }() // may outlive us, in a read that nobody can end
	for {
		select {
		case line := <-lines:
			h.message(ctx, line)
		case err := <-h.out.failed:
			return err
		case err := <-failed:
			if errors.Is(err, io.EOF) || ctx.Err() != nil {
				return nil
			}
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// read passes lines on. One that is too long is answered and skipped.
func (h *host) read(ctx context.Context, to chan<- []byte) error {
	in := bufio.NewReaderSize(h.o.In, 64<<10)
	for {
		line, err := oneLine(in)
		if errors.Is(err, errLong) {
			h.write(protocol.NewJSONRPCError(protocol.NewRequestId(nil), protocol.INVALID_REQUEST, "the message is too long", nil))
			continue
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			select {
			case to <- line:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err != nil {
			return err
		}
	}
}

var errLong = errors.New("a line is too long")

// oneLine reads to the next line feed, and keeps no more than maxLine of it.
func oneLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && err == nil:
			return nil, errLong
		case long:
			return nil, err
		default:
			return line, err
		}
	}
}

// message handles one message. Calls run beside the reading, so that they can
// be cancelled; all else is answered in its order.
func (h *host) message(ctx context.Context, line []byte) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			RequestID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	if line[0] != '{' || json.Unmarshal(line, &m) != nil || m.Method != "tools/call" || m.ID == nil {
		if m.Method == "notifications/cancelled" {
			h.cancel(string(m.Params.RequestID))
		}
		h.answer(h.server.HandleMessage(ctx, line))
		return
	}
	id := string(m.ID)
	ctx, cancel := context.WithCancel(ctx)
	if !h.begin(id, cancel) {
		cancel()
		h.write(json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"the id is in use, or too many calls wait"}}`, id, protocol.INVALID_REQUEST)))
		return
	}
	h.work.Go(func() {
		defer cancel()
		answer := h.server.HandleMessage(ctx, line)
		h.end(id)
		h.answer(answer)
	})
}

func (h *host) begin(id string, cancel context.CancelFunc) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, twice := h.running[id]; twice || len(h.running) >= maxCalls {
		return false
	}
	h.running[id] = cancel
	return true
}

func (h *host) end(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.running, id)
}

func (h *host) cancel(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if stop, ok := h.running[id]; ok {
		stop()
	}
}

// answer writes what the library answers; nil is the answer to a notification.
func (h *host) answer(m protocol.JSONRPCMessage) {
	if m != nil {
		h.write(m)
	}
}

func (h *host) write(v any) {
	line, err := json.Marshal(v)
	if err != nil { // what the library answers is made of texts and numbers
		line = []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"the answer cannot be written as JSON"}}`)
	}
	h.out.write(line)
}

// tool makes one call, when its turn comes.
func (h *host) tool(ctx context.Context, q protocol.CallToolRequest) (*protocol.CallToolResult, error) {
	args, err := json.Marshal(q.GetRawArguments())
	if err != nil {
		return nil, err
	}
	if string(args) == "null" {
		args = json.RawMessage("{}")
	}
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return protocol.NewToolResultError("cancelled before it began"), nil
	}
	out, err := h.o.Caller.Call(ctx, q.Params.Name, args)
	if err != nil {
		return nil, err
	}
	result := protocol.NewToolResultText(out.text())
	result.IsError = out.Result.Status != "ok"
	return result, nil
}

// text is what the client reads: what came of the call, and of one that was not
// made why, with the rule that would have allowed it.
func (o Outcome) text() string {
	body := visible.Prose(o.Result.Body)
	if o.Result.Untrusted != "" && body != "" {
		mark := o.Result.Boundary
		body = "<untrusted from=" + o.Result.Untrusted + " " + mark + ">\n" + strings.TrimRight(body, "\n") + "\n</untrusted " + mark + ">"
	}
	if o.Decided.Allow != "" && o.Result.Status != "ok" {
		body += "\nThis rule in policy.toml would allow it:\n" + o.Decided.Allow
	}
	return body
}
