package agent

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/event"
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

// A picture that comes with a message is kept, shown to a model that takes
// pictures with every request, and taints; what is none, or says to be another
// kind, is left out, and the message goes on.
func TestAttachedPictures(t *testing.T) {
	png, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	huge := append([]byte{}, png...)
	copy(huge[16:], "\x00\x01\x00\x00\x00\x01\x00\x00") // 65,536 pixels a side
	many := slices.Repeat([]event.Image{{Name: "m", MediaType: "image/png", Data: png}}, maxAttached+3)
	for _, tt := range []struct {
		name   string
		takes  bool
		images []event.Image
		kept   int
		told   bool // a notice
	}{
		{"one", true, []event.Image{{Name: "dot\x1b[2J.png", MediaType: "image/png", Data: png}}, 1, false},
		{"a model without eyes", false, []event.Image{{MediaType: "image/png", Data: png}}, 1, true},
		{"another kind", true, []event.Image{{MediaType: "image/jpeg", Data: png}}, 0, true},
		{"a page", true, []event.Image{{MediaType: "image/svg+xml", Data: []byte("<svg onload='x'/>")}}, 0, true},
		{"nothing", true, []event.Image{{MediaType: "image/png"}}, 0, true},
		{"many pixels", true, []event.Image{{MediaType: "image/png", Data: huge}}, 0, true},
		{"many bytes", true, []event.Image{{MediaType: "image/png", Data: append(slices.Clip(png), make([]byte, 5<<20)...)}}, 0, true},
		{"many", true, many, maxAttached, true},
	} {
		var w *watched
		r := newRig(t, []step{{Say: "a dot"}, {Say: "still a dot"}}, func(o *Options) {
			w = &watched{Provider: o.Provider}
			o.Provider, o.Images = w, tt.takes
		})
		r.start("")
		_, live, cancel, err := r.session.Subscribe(0)
		if err != nil {
			t.Fatal(err)
		}
		told := false
		if err := r.session.Send(event.Submit{Text: "look", Images: tt.images}); err != nil {
			t.Fatal(err)
		}
		for e := range live {
			if n, ok := e.Body.(event.Notice); ok && n.Key == "images" {
				told = true
			}
			if _, ok := e.Body.(event.TurnEnded); ok {
				break
			}
		}
		cancel()
		r.turn("and again")
		state := must(r.session.State())
		r.stop()
		if got := len(state.Messages[0].Images); got != tt.kept || told != tt.told || (len(state.Taint) > 0) != (tt.kept > 0) {
			t.Errorf("%s: %d kept, told %v, taint %v", tt.name, got, told, state.Taint)
		}
		for i, req := range w.sent {
			shown := 0
			for _, p := range req.Messages[0].Parts {
				if p.Image != nil && string(p.Image.Data) == string(png) {
					shown++
				}
			}
			if want := map[bool]int{true: tt.kept}[tt.takes]; shown != want {
				t.Errorf("%s: request %d shows %d pictures", tt.name, i, shown)
			}
		}
		r.verify()
	}
}
