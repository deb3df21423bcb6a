package main

import "testing"

// second opens another session in the same process.
func (e *editor) second() string {
	e.t.Helper()
	r, ok := e.call("session/new", map[string]any{"cwd": e.root, "mcpServers": []any{}})["result"].(map[string]any)
	if !ok {
		e.t.Fatal("no second session")
	}
	return r["sessionId"].(string)
}

// question waits for a permission request of a session.
func (e *editor) question(session string) map[string]any {
	e.t.Helper()
	return e.until("a question of "+session, func(m map[string]any) bool {
		p, _ := m["params"].(map[string]any)
		return m["method"] == "session/request_permission" && p["sessionId"] == session
	})
}

// TestACPTwoSessionsDoNotAnswerForEachOther: with a question open in each of two
// sessions of one process, no option of the one is a yes in the other, and what
// ends the one leaves the other as it is.
func TestACPTwoSessionsDoNotAnswerForEachOther(t *testing.T) {
	e := newEditor(t, writes(2))
	e.begin(nil)
	one, two := e.session, e.second()
	both := func() (a, b map[string]any) {
		e.session = one
		e.request("session/prompt", e.promptParams("go"))
		a = e.question(one)
		e.session = two
		e.request("session/prompt", e.promptParams("go"))
		return a, e.question(two)
	}
	over := func() {
		e.until("the end of a turn", func(m map[string]any) bool { r, _ := m["result"].(map[string]any); return r["stopReason"] != nil })
	}
	allowed := func(q map[string]any) any { return allow(q["params"].(map[string]any)) }
	a, b := both()
	e.reply(a["id"], allowed(b))
	e.reply(b["id"], allowed(a))
	over()
	over()
	if e.exists("f0.txt") || e.exists("f1.txt") {
		t.Error("an option of the other session was a yes")
	}
	a, b = both()
	e.notify("session/cancel", map[string]any{"sessionId": one})
	over()
	e.reply(a["id"], allowed(a)) // too late
	e.reply(b["id"], allowed(b))
	over()
	if !e.exists("f1.txt") {
		t.Error("the end of one session's turn took the other's question along")
	}
}

// TestACPASubAgentAsksUnderItsParent: the editor hears of one session alone, and
// of a call that it knows.
func TestACPASubAgentAsksUnderItsParent(t *testing.T) {
	e := newEditor(t, `{"steps":[{"calls":[{"tool":"spawn_subagent","args":{"role":"implementer","goal":"write it"}}]},{"calls":[{"tool":"write_file","args":{"path":"made.txt","content":"x"}}]},{"say":"written"},{"say":"over"}]}`)
	e.begin(nil)
	e.answer = allow
	e.turn("go")
	known := map[any]bool{}
	for _, m := range e.updates("tool_call") {
		known[m["toolCallId"]] = true
	}
	for _, p := range e.asked {
		if p["sessionId"] != e.session || !known[p["toolCall"].(map[string]any)["toolCallId"]] {
			t.Errorf("%v", p)
		}
	}
	if len(e.asked) != 2 || !e.exists("made.txt") {
		t.Errorf("%d questions, made %v", len(e.asked), e.exists("made.txt"))
	}
}
