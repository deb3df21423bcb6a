package agent

import (
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
)

// TestCutPrompt: where the server cut the prompt, the person is told, nothing
// is learnt from its count, and the older part is summed up before more is sent.
func TestCutPrompt(t *testing.T) {
	cut := 0
	r, m := talking(t, func(n int, q model.Request) (model.Reply, error) {
		if q.Tools == nil {
			return answers("Goal: go on.\nOpen: nothing"), nil
		}
		reply, err := long(n, q, 8)
		if len(reply.Calls) > 0 {
			return reply, err
		}
		if cut++; cut == 1 {
			reply.Warnings, reply.Usage = []string{model.WarnPromptTruncated}, &model.Usage{Input: 500}
		}
		return reply, err
	}, func(o *Options) { o.Window = 1 << 20 })
	defer r.stop()
	files(r, 12)
	r.turn("read")
	before, err := r.session.mind()
	if err != nil {
		t.Fatal(err)
	}
	if before.known.Factor != 0 {
		t.Errorf("learnt from a cut prompt: %+v", before.known)
	}
	sent := len(m.asked)
	r.turn("and on")
	if got := find[event.Compacted](t, r); len(got) != 1 {
		t.Errorf("%d compactions after the prompt was cut (%d requests, then %d)", len(got), sent, len(m.asked)-sent)
	}
	r.folds()
}

// TestHintsAreSaidOnce: what is to be known of a model is said in words, once
// for each model, and what matters to nobody is not said.
func TestHintsAreSaidOnce(t *testing.T) {
	r, _ := talking(t, func(int, model.Request) (model.Reply, error) { return answers("x"), nil }, nil)
	defer r.stop()
	_, live, cancel, err := r.session.Subscribe(0)
	if err != nil {
		t.Fatal(err)
	}
	defer cancel()
	for range 3 {
		for _, w := range []string{model.WarnNoTools, model.WarnTextTools, model.WarnInvalidUTF8} {
			r.session.hint("m", w)
		}
	}
	r.session.hint("other", model.WarnNoTools)
	r.session.hint("m", model.WarnPromptTruncated)
	var said []string
	for e := range live {
		n, ok := e.Body.(event.Notice)
		if !ok || !strings.HasPrefix(n.Key, "model-") {
			continue
		}
		said = append(said, strings.TrimPrefix(n.Key, "model-"))
		if n.Key == "model-"+model.WarnPromptTruncated {
			break
		}
	}
	if got := strings.Join(said, " "); got != "no_tools text_tools no_tools prompt_truncated_by_server" {
		t.Errorf("said %s", got)
	}
}
