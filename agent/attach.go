package agent

import (
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// maxAttached is how many pictures come with one message.
const maxAttached = 8

// attach keeps the pictures of a message with the session, in the owner's
// goroutine. One that is none, or that no service takes, is left out, and the
// person is told. A picture can hold words that the person did not write: it
// taints the session.
func (s *Session) attach(o *owned, images []event.Image) (refs []event.ImageRef) {
	leave := func(name, why string) {
		o.tell(event.Notice{Severity: "warn", Key: "images", Text: fmt.Sprintf("the picture %q is not sent: %s", clip(name, 100), why), Hint: "PNG, JPEG, GIF and WebP are taken"})
	}
	for i, img := range images {
		if i >= maxAttached {
			leave(img.Name, fmt.Sprintf("%d come with one message at most", maxAttached))
			break
		}
		kind, err := tool.CheckPicture(img.Data)
		if err == nil && kind != img.MediaType {
			err = fmt.Errorf("it is %s, and not %s as was said", kind, clip(img.MediaType, 40))
		}
		if err != nil {
			leave(img.Name, err.Error())
			continue
		}
		sum, err := o.log.KeepBlob(img.Data)
		if err != nil {
			leave(img.Name, "it cannot be kept: "+err.Error())
			continue
		}
		refs = append(refs, event.ImageRef{Name: clip(img.Name, 200), MediaType: kind, SHA256: sum, Size: int64(len(img.Data))})
	}
	if len(refs) > 0 && !o.mind.Images {
		o.tell(event.Notice{Severity: "warn", Key: "images", Text: o.mind.Model + " takes no pictures: the model is told that there was one", Hint: "choose another model"})
	}
	if len(refs) > 0 {
		s.handle(o, event.Attached{Source: "file", What: "a picture that came with a message"})
	}
	return refs
}
