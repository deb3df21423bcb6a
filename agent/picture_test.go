package agent

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/model"
)

// watched keeps the requests that a model gets.
type watched struct {
	model.Provider
	sent []model.Request
}

func (w *watched) Complete(ctx context.Context, r model.Request, f func(model.Delta)) (model.Reply, error) {
	w.sent = append(w.sent, r)
	return w.Provider.Complete(ctx, r, f)
}

// A picture that is read is kept with the session and shown to a model that
// takes pictures, behind all results of the reply; another one is told so.
func TestPictures(t *testing.T) {
	png, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	for _, takes := range []bool{true, false} {
		var w *watched
		look := []call{{"read_file", map[string]any{"path": "p.png"}}, {"read_file", map[string]any{"path": "q.txt"}}}
		r := newRig(t, []step{{Calls: look}, {Say: "a dot"}}, func(o *Options) {
			w = &watched{Provider: o.Provider}
			o.Provider, o.Images = w, takes
		})
		r.write("p.png", string(png))
		r.write("q.txt", "text\n")
		r.start("")
		r.turn("look")
		res, state := r.results()[0], must(r.session.State())
		r.stop()
		if len(res.Images) != 1 || res.Images[0].Size != int64(len(png)) || len(state.Taint) == 0 {
			t.Fatalf("%+v", res)
		}
		kept, err := os.ReadFile(filepath.Join(r.state, "sessions", state.ID, "blobs", res.Images[0].SHA256))
		if err != nil || string(kept) != string(png) {
			t.Errorf("kept: %v", err)
		}
		last := w.sent[len(w.sent)-1].Messages
		end := last[len(last)-1]
		shown := end.Role == model.RoleUser && len(end.Parts) == 2 && end.Parts[1].Image != nil && string(end.Parts[1].Image.Data) == string(png)
		said := strings.Contains(last[len(last)-2].Parts[0].Text, "this model takes no pictures")
		if shown != takes || said == takes {
			t.Errorf("takes %v: shown %v, said %v: %+v", takes, shown, said, end)
		}
		for _, m := range last {
			if m.Role == model.RoleTool && len(m.Parts) != 1 {
				t.Errorf("a result has %d parts", len(m.Parts))
			}
		}
		r.verify()
	}
}
