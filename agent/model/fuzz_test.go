package model

import (
	"strings"
	"testing"
)

// FuzzDecode: whatever a server sends, the invariants hold, and how the body
// was cut into packets changes nothing.
func FuzzDecode(f *testing.F) {
	for i, p := range RecordingProtocols() {
		for _, c := range replyCases(f) {
			if c.Protocol == p {
				f.Add(i, c.HTTP.Status, []byte(strings.Join(c.Chunks, "")))
			}
		}
	}
	tools := suiteTools(f)
	f.Fuzz(func(t *testing.T, protocol, status int, body []byte) {
		all := RecordingProtocols()
		if len(body) > 64<<10 || status < 200 || status > 599 {
			return
		}
		r := Recording{Protocol: all[(protocol%len(all)+len(all))%len(all)], Status: status, Body: body, Tools: tools}
		whole, err := Decode(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		invariants(t, whole)
		r.Chunk = 1
		cut, err := Decode(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := summary(whole), summary(cut); a != b {
			t.Fatalf("in one piece:\n%s\nbyte by byte:\n%s", a, b)
		}
	})
}

// FuzzTextCalls: recovered calls all run, stand at the end, and their markup is
// gone; else the text is as it was.
func FuzzTextCalls(f *testing.F) {
	for _, c := range replyCases(f) {
		f.Add(strings.Join(c.Chunks, ""))
	}
	for _, s := range []string{
		"x\n<tool_call>{\"name\":\"list\",\"arguments\":{\"path\":\".\"}}</tool_call>", "[list(path='.')]", "```\n{\"name\":\"list\",\"parameters\":{\"path\":\".\"}}\n```",
		"<function=list><parameter=path>.</parameter></function>", "[TOOL_CALLS][{\"name\":\"list\",\"arguments\":{\"path\":\".\"}}]",
	} {
		f.Add(s)
	}
	tools, err := newToolset(suiteTools(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		prose, calls := tools.recoverCalls(text)
		if calls == nil {
			return
		}
		for _, c := range calls {
			if c.Status != CallOK || c.Origin != OriginText || tools.exact[c.Name] == nil {
				t.Fatalf("%q: %+v", text, c.Call)
			}
		}
		if !strings.HasPrefix(strings.TrimSpace(text), prose) {
			t.Fatalf("%q became %q", text, prose)
		}
		if again, more := tools.recoverCalls(prose); more != nil {
			t.Fatalf("%q: calls are left in %q: %q", text, prose, again)
		}
	})
}
