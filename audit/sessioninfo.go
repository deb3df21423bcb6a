package audit

import (
	"errors"
	"fmt"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

func (d drafter) sessionInfo(s *Session, i SessionInfo) (jcs.Builder, error) {
	var b jcs.Builder
	switch i.Front {
	case FrontTUI, FrontRun, FrontACP, FrontMCP, FrontDemo, FrontCLI:
	default:
		return b, fmt.Errorf("a session needs a front end, and %.80q is none", string(i.Front))
	}
	for name, s := range map[string]string{"binary": i.Binary, "policy": i.Policy, "settings": i.Settings} {
		if _, err := digest(name, s); err != nil {
			return b, err
		}
	}
	b.Text("session", d.text(i.Session, longWord))
	b.Text("tool", d.text(orElse(i.Tool, "tera-pilot"), longWord))
	b.Text("version", d.text(i.Version, longWord))
	b.Text("binary", i.Binary)
	b.Text("host", d.text(i.Host, longWord))
	b.Text("user", d.text(i.User, longWord))
	b.Text("front", string(i.Front))
	b.Text("workspace", d.text(i.Workspace, longText))
	b.Text("head", d.text(i.Head, longWord))
	b.Text("level", d.text(i.Level, longWord))
	b.True("noconfirm", i.NoConfirm)
	b.Text("policy", i.Policy)
	b.Text("settings", i.Settings)
	b.Text("redaction", d.mask.ID())
	var box jcs.Builder
	box.Text("setting", d.text(i.Sandbox.Setting, longWord))
	box.Text("grade", d.text(i.Sandbox.Grade, longWord))
	b.Object("sandbox", box)
	if p := i.Parent; p != nil {
		if !hexDigits([]byte(p.Sid), 32) || !hexDigits([]byte(p.Record), 64) {
			return b, errors.New("the parent of a session is a sid and the hash of a record")
		}
		var parent jcs.Builder
		parent.Text("sid", p.Sid)
		parent.Text("record", p.Record)
		b.Object("parent", parent)
	}
	return b, nil
}
