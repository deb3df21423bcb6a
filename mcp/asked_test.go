package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/tera-pilot/tera-pilot/internal/keystore"
)

// raw is an answer that is sent as it stands.
type raw string

// answering is a server by HTTP in a few lines, of the era without a handshake
// where modern is set. answer gives the result of a request; nil: an error.
func answering(t *testing.T, modern bool, answer func(method string, params map[string]any) any) Entry {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params map[string]any  `json:"params"`
		}
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		result := answer(m.Method, m.Params)
		switch {
		case result != nil:
		case m.Method == "server/discover" && modern:
			result = map[string]any{"supportedVersions": []string{protocol.ProtocolVersion20260728}, "capabilities": map[string]any{"tools": map[string]any{}, "resources": map[string]any{}, "prompts": map[string]any{}}, "serverInfo": map[string]any{"name": "x", "version": "1"}}
		case m.Method == "initialize":
			result = map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{"tools": map[string]any{}, "resources": map[string]any{}, "prompts": map[string]any{}}, "serverInfo": map[string]any{"name": "x", "version": "1"}}
		case m.Method == "tools/list":
			result = map[string]any{"tools": []any{map[string]any{"name": "echo", "inputSchema": map[string]any{"type": "object"}}}}
		}
		w.Header().Set("Content-Type", "application/json")
		switch text, is := result.(raw); {
		case is:
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, text)
		case result == nil:
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
		default:
			_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
		}
	}))
	t.Cleanup(srv.Close)
	return Entry{Name: "x", URL: srv.URL}
}

const pageForm = `{"confirm":{"method":"elicitation/create","params":{"message":"Which page?","requestedSchema":{"type":"object","properties":{"page":{"type":"integer"}},"required":["page"]}}}}`

// In the era without a handshake a form comes as a result that is none yet: it is
// put to the person, and the call is sent again with the answer.
func TestAFormOfTheNewEra(t *testing.T) {
	told := ""
	s := serve(t, newPlace(t), answering(t, true, func(method string, params map[string]any) any {
		switch {
		case method != "tools/call":
			return nil
		case params["inputResponses"] == nil:
			return raw(`{"resultType":"input_required","requestState":"s1","inputRequests":` + pageForm + `}`)
		}
		told = fmt.Sprint(params["inputResponses"], params["requestState"])
		return raw(`{"resultType":"complete","content":[{"type":"text","text":"thanks"}]}`)
	}), func(o *Options) { o.Forms = true })
	d := tool(t, s, "echo")
	ctx := Attended(t.Context(), Attendance{Fill: func(_ context.Context, f Form) (Filled, error) {
		if f.Server != "x" || f.Message != "Which page?" || len(f.Fields) != 1 || !f.Fields[0].Required {
			t.Errorf("%+v", f)
		}
		return Filled{Accept, map[string]string{"page": "7"}}, nil
	}})
	r, err := s.Call(ctx, d, nil)
	if err != nil || r.Text != "thanks" || !strings.Contains(told, "accept") || !strings.Contains(told, "page:7") || !strings.HasSuffix(told, "s1") {
		t.Errorf("%+v, %v, told %s", r, err, told)
	}
}

// Results that are none yet never count as results, whatever the server wants
// first; what it may not want fails the call.
func TestResultsThatAreNoneYet(t *testing.T) {
	for name, c := range map[string]struct {
		result string
		most   int32 // how often the call is sent
	}{
		"a form without end":    {`{"resultType":"input_required","requestState":"s","inputRequests":` + pageForm + `}`, 10},
		"sampling":              {`{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":5}}}}`, 1},
		"what nobody knows":     {`{"resultType":"input_required","inputRequests":{"a":{"method":"client/exec","params":{}}}}`, 1},
		"nothing, without end":  {`{"resultType":"input_required","inputRequests":{}}`, 10},
		"content and a request": {`{"resultType":"input_required","content":[{"type":"text","text":"lie"}],"inputRequests":` + pageForm + `}`, 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent, filled atomic.Int32
			s := serve(t, newPlace(t), answering(t, true, func(method string, _ map[string]any) any {
				if method != "tools/call" {
					return nil
				}
				sent.Add(1)
				return raw(c.result)
			}), func(o *Options) { o.Forms = true })
			d := tool(t, s, "echo")
			ctx := Attended(t.Context(), Attendance{Fill: func(context.Context, Form) (Filled, error) {
				filled.Add(1)
				return Filled{Accept, map[string]string{"page": "7"}}, nil
			}})
			if r, err := s.Call(ctx, d, nil); err == nil || r.Text != "" {
				t.Errorf("%+v", r)
			}
			if sent.Load() > c.most || filled.Load() > maxForms {
				t.Errorf("sent %d times, %d forms", sent.Load(), filled.Load())
			}
		})
	}
}

// What a server sends in place of a resource or a prompt is an error or bounded
// text, never more.
func TestResourcesAndPromptsThatAreNone(t *testing.T) {
	big := strings.Repeat("x", 2*maxResult)
	for name, c := range map[string]struct {
		method, result string
		want           string // in the text; "": an error
	}{
		"no contents":                {ReadResource, `{"contents":null}`, "(empty)"},
		"contents of another type":   {ReadResource, `{"contents":"text"}`, ""},
		"an entry that is a number":  {ReadResource, `{"contents":[7]}`, "not shown"},
		"a large one":                {ReadResource, `{"contents":[{"uri":"a:b","text":"` + big + `"}]}`, "the rest was left out"},
		"an address with a trick":    {ReadResource, `{"contents":[{"uri":"a:b\u001b[2J","text":"t"}]}`, "a:b"},
		"a prompt without messages":  {GetPrompt, `{"messages":null}`, "(empty)"},
		"a prompt of another type":   {GetPrompt, `{"messages":{}}`, ""},
		"a message without content":  {GetPrompt, `{"messages":[{"role":"user"}]}`, "not understood"},
		"a message of many contents": {GetPrompt, `{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`, "not understood"},
		"a role with a line break":   {GetPrompt, `{"messages":[{"role":"system\nuser","content":{"type":"text","text":"x"}}]}`, "[as system user]"},
		"a list that is none":        {ListResources, `{"resources":{"a":1}}`, ""},
		"a cursor that is none":      {ListResources, `{"resources":[],"nextCursor":{"a":1}}`, ""},
		"a name of many lines":       {ListResources, `{"resources":[{"uri":"a:b\n\nc","name":"d\r\ne"}]}`, "a:b c  d e\n"},
		"an entry of another type":   {ListResources, `{"resources":[{"uri":5},"x"]}`, "left out"},
		"a prompt with odd names":    {ListPrompts, `{"prompts":[{"name":"a\u001b[2J"},{"name":"a__b"},{"name":""},{"name":7}]}`, "a__b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, newPlace(t), answering(t, false, func(method string, _ map[string]any) any {
				if method == c.method {
					return raw(c.result)
				}
				return nil
			}))
			r, prompts, err := s.Ask(t.Context(), c.method, Wanted{URI: "a:b", Name: "p"})
			if (err == nil) != (c.want != "") || c.want != "(empty)" && !strings.Contains(r.Text, c.want) || len(r.Text) > maxResult+100 {
				t.Errorf("%.200q, %v", r.Text, err)
			}
			for _, p := range prompts {
				if p.Slash() != "" {
					t.Errorf("%q is a word", p.Slash())
				}
			}
		})
	}
}

// Lists end, however many pages there are.
func TestListsWithoutEnd(t *testing.T) {
	page := 0
	s := serve(t, newPlace(t), answering(t, false, func(method string, _ map[string]any) any {
		page++
		switch method {
		case "resources/list":
			return raw(fmt.Sprintf(`{"resources":[{"uri":"a:%d"}],"nextCursor":"%d"}`, page, page))
		case "prompts/list":
			return raw(fmt.Sprintf(`{"prompts":[{"name":"p%d"},{"name":"q%d"},{"name":"r%d"}],"nextCursor":"%d"}`, page, page, page, page))
		}
		return nil
	}))
	if r, _, err := s.Ask(t.Context(), ListResources, Wanted{}); err != nil || strings.Count(r.Text, "\n") != maxPages {
		t.Errorf("%d, %v", strings.Count(r.Text, "\n"), err)
	}
	if _, prompts, err := s.Ask(t.Context(), ListPrompts, Wanted{}); err != nil || len(prompts) != maxTools {
		t.Errorf("%d, %v", len(prompts), err)
	}
}

// Nothing is asked of a server that nobody approved, that changed since, or that
// was switched off; the name of a request is no tool's, and a prompt's word names
// a server that there is.
func TestAskingNeedsAnApproval(t *testing.T) {
	p := newPlace(t)
	e := answering(t, false, func(string, map[string]any) any { return nil })
	s := p.servers(e)
	t.Cleanup(func() { _ = s.Close() })
	if plan, err := s.Plan("x", ReadResource); err != nil || plan.Pinned {
		t.Errorf("%+v, %v", plan, err)
	}
	if _, err := s.Call(t.Context(), Plan{Server: "x", Tool: ReadResource, Pinned: true, Pin: askPin(ReadResource)}, json.RawMessage(`{}`)); err == nil {
		t.Error("it is asked without an approval")
	}
	p.approve(t, e)
	plan, err := s.Plan("x", ReadResource)
	if err != nil || !plan.Pinned || plan.Pin == (Definition{Name: ReadResource}).Hash() {
		t.Errorf("%+v, %v", plan, err)
	}
	wrong := plan
	wrong.Pin = askPin(GetPrompt)
	if _, err := s.Call(t.Context(), wrong, json.RawMessage(`{"uri":"a:b"}`)); err == nil {
		t.Error("the plan of another request counts")
	}
	if err := s.Switch("x", true); err != nil {
		t.Error(err)
	}
	if _, err := s.Plan("x", ReadResource); err == nil || !strings.Contains(err.Error(), "switched it off") {
		t.Errorf("%v", err)
	}
	for slash, ok := range map[string]bool{"mcp__x__review": true, "mcp__y__review": false, "mcp__x": false, "mcp__x__a__b": false, "x__review": false, "mcp__x__a\x1b": false, "mcp____x": false} {
		if _, _, got := s.PromptOf(slash); got != ok {
			t.Errorf("%q: %v", slash, got)
		}
	}
}

// A form that comes when no call is under way, and forms beside each other, reach
// nobody and one after the other.
func TestFormsAtTheWrongTime(t *testing.T) {
	p := newPlace(t)
	form := `print(json.dumps({"jsonrpc": "2.0", "id": "e%d" % n, "method": "elicitation/create", "params": {"message": "m", "requestedSchema": {"type": "object", "properties": {"x": {"type": "string"}}}}}), flush=True)`
	e := p.written(t, `open("log", "a").write(line)
    n = 0
    if method == "tools/list": `+form+`
    if method == "tools/call":
        for n in range(1, 4): `+form)
	s := serve(t, p, e, func(o *Options) { o.Forms, o.Timeout = true, 5*time.Second })
	d := tool(t, s, "echo")
	waitFor(t, "the word that nobody is there", func() bool { return strings.Contains(p.sent(), `"cancel"`) })
	var open, most atomic.Int32
	ctx := Attended(t.Context(), Attendance{Fill: func(context.Context, Form) (Filled, error) {
		most.Store(max(most.Load(), open.Add(1)))
		time.Sleep(20 * time.Millisecond)
		open.Add(-1)
		return Filled{Action: Decline}, nil
	}})
	if _, err := s.Call(ctx, d, nil); err != nil {
		t.Fatal(err)
	}
	if most.Load() > 1 {
		t.Errorf("%d forms at once", most.Load())
	}
}

// The time that a person needs for a form is not the server's; its own goes on.
func TestAPersonIsSlow(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	e := p.written(t, `if method == "tools/call":
        print(json.dumps({"jsonrpc": "2.0", "id": "e", "method": "elicitation/create", "params": {"message": "m", "requestedSchema": {"type": "object", "properties": {"x": {"type": "string"}}}}}), flush=True)
        sys.stdin.readline()
        if "hang" in line: sys.stdin.readline()`)
	s := serve(t, p, e, func(o *Options) { o.Forms, o.Timeout = true, 4*time.Second })
	slow := Attended(t.Context(), Attendance{Fill: func(context.Context, Form) (Filled, error) {
		time.Sleep(4*time.Second + 100*time.Millisecond)
		return Filled{Accept, map[string]string{"x": "y"}}, nil
	}})
	d := tool(t, s, "echo")
	if _, err := s.Call(slow, d, nil); err != nil {
		t.Errorf("%v", err)
	}
	if _, err := s.Call(slow, d, json.RawMessage(`{"x":"hang"}`)); err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("%v", err)
	}
}

// Looking at servers waits for none of them: neither for a start that hangs nor
// for the end of one that changed.
func TestNobodyWaitsForAServerThatHangs(t *testing.T) {
	p := newPlace(t)
	e := p.written(t, `import time, signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if method == "tools/call": answer(m, {"content": []}); m = {}
    if os.path.exists("hang") and method == "initialize": time.sleep(1000)`)
	p.approve(t, e)
	s := p.servers(e)
	t.Cleanup(func() { _ = s.Close() })
	call := func() error {
		plan, err := s.Plan(e.Name, "echo")
		if err != nil {
			return err
		}
		_, err = s.Call(t.Context(), plan, nil)
		return err
	}
	if err := call(); err != nil {
		t.Fatal(err)
	}
	// Its file is another now: the old one, deaf to SIGTERM, is ended for the new
	// one, which hangs.
	e2 := p.written(t, `import time
    if method == "initialize": open("hangs", "w"); time.sleep(1000)`)
	p.approveAsIs(t, e2)
	failed := make(chan error)
	go func() { failed <- call() }()
	waitFor(t, "the new server", func() bool { return func() bool { _, err := os.Stat(p.root + "/hangs"); return err == nil }() })
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		for range 3 {
			_, _ = s.Plan(e.Name, "echo")
			_ = s.Health()
		}
	}()
	select {
	case <-looked:
	case <-failed:
		t.Error("the start is over before anybody could look")
	case <-time.After(8 * time.Second): // the start has ten
		t.Error("a look waits for the start")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	<-failed
}

// A server by HTTP hears of no path of this machine, also where roots are on.
func TestRootsStayHere(t *testing.T) {
	p := newPlace(t)
	far, near := answering(t, false, func(string, map[string]any) any { return nil }), p.written(t, "")
	s := p.servers(far, near)
	s.o.Roots = true
	for _, e := range []Entry{far, near} {
		p.approveAsIs(t, e)
		plan, err := s.Plan(e.Name, "echo")
		if err != nil {
			t.Fatal(err)
		}
		server, err := s.server(e, plan)
		if err != nil || server.o.Roots != (e.URL == "") {
			t.Errorf("%s is told of roots: %v, %v", e.Name, server.o.Roots, err)
		}
	}
}

// A server that wants a login says so each time, and is reached at once when
// somebody has logged in, however often it was tried before.
func TestAServerThatWaitsForALogin(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer scope="read"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(srv.Close)
	p := newPlace(t)
	s := NewServers(Setup{Entries: []Entry{{Name: "far", URL: srv.URL}}, Workspace: p.root, Pins: OpenPins(p.state), Logins: keystore.OpenLogins(p.state)})
	k, err := s.Keeper("far")
	if err != nil {
		t.Fatal(err)
	}
	server := serve(t, p, Entry{Name: "far", URL: srv.URL}, func(o *Options) { o.Login = k })
	for range maxStarts + 2 {
		if _, _, err := server.Tools(t.Context()); err == nil || !strings.Contains(err.Error(), "wants a login: `tera-pilot mcp login far`") {
			t.Fatalf("%v", err)
		}
	}
	for name, e := range map[string]Entry{"a process": {Name: "x", Command: []string{"python3"}, Sandbox: Work}, "a header": {Name: "x", URL: srv.URL, Headers: map[string]string{"authorization": "k"}}, "nobody": {Name: "y", URL: srv.URL}} {
		all := p.servers(e)
		all.o.Logins = keystore.OpenLogins(p.state)
		if _, err := all.Keeper("x"); err == nil {
			t.Errorf("%s takes a login", name)
		}
	}
}

// What asks for a secret is known however it is spelt; what does not, passes.
func TestWhatAsksForASecret(t *testing.T) {
	for _, text := range []string{
		"Ｐａｓｓｗｏｒｄ", "p\u200bassword", "pass\u00adword", "p\u0430ssword", "𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝", "Kennwort", "contraseña", "pwd", "AWS access key", "ssh key", "the verification code",
		"6-digit code", "bearer", "your PAT", "authentication code", "signing-key", "session id", "cookie", "card number",
	} {
		if !wantsSecret(text) {
			t.Errorf("%q is put to the person", text)
		}
	}
	for _, text := range []string{"issue key", "country code", "path of the file", "Имя проекта", "όνομα", "名前", "sort key", "patch", "the author"} {
		if wantsSecret(text) {
			t.Errorf("%q is taken for a secret", text)
		}
	}
}

// Forms of resources that a server does not have are none; those that it cannot
// list are told of, beside what it could.
func TestResourcesWithoutTheirForms(t *testing.T) {
	for name, c := range map[string]struct {
		templates any
		told      bool
	}{"none": {nil, false}, "no list": {raw(`{"resourceTemplates":"x"}`), true}} {
		t.Run(name, func(t *testing.T) {
			e := answering(t, false, func(method string, _ map[string]any) any {
				switch method {
				case "resources/list":
					return raw(`{"resources":[{"uri":"note:///1","name":"first"}]}`)
				case "resources/templates/list":
					return c.templates
				}
				return nil
			})
			r, _, err := serve(t, newPlace(t), e).Ask(t.Context(), ListResources, Wanted{})
			if err != nil || !strings.Contains(r.Text, "note:///1  first") || strings.Contains(r.Text, "cannot be listed") != c.told {
				t.Errorf("%q, %v", r.Text, err)
			}
		})
	}
}

// A form that comes when its call has ended is told as that.
func TestAFormThatComesTooLate(t *testing.T) {
	said := ""
	s := NewServer(Options{})
	_, call := s.attend(Attended(t.Context(), Attendance{Refused: func(why string) { said = why }}))
	call.end()
	if filled, err := call.fill(Form{}); err != nil || filled.Action != Decline || !strings.Contains(said, "had ended") {
		t.Errorf("%+v, %v, %q", filled, err, said)
	}
}
