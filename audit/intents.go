package audit

import (
	"bytes"
	"errors"
	"os"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

// readIntent reads an open intent back from its place.
func (w *writer) readIntent(in *openIntent) (OpenIntent, error) {
	out := OpenIntent{Session: in.session, Sid: in.sid, Hash: hashText(in.hash), Seq: in.seq}
	f, err := w.l.layer.Open(segmentName(in.at.segment), os.O_RDONLY)
	if err != nil {
		return out, err
	}
	line, _, whole, err := newLineReader(f, in.at.offset, jcs.MaxInt, maxRecord).next()
	var rec record
	if err == nil {
		line = bytes.Clone(line)
		if f := rec.parse(line, true); !whole || f != nil || rec.hash != in.hash {
			err = &DamagedError{in.seq, "an open intent is not where it was"}
		}
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return out, err
	}
	values, err := w.disclosedBy(in)
	out.Intent = decodeIntent(rec.doc.Root(), values)
	return out, err
}

// disclosedBy gives the committed values of a record that are still there, by
// their digests.
func (w *writer) disclosedBy(in *openIntent) (map[string]string, error) {
	values := map[string]string{}
	err := eachDisclosure(w.l.layer, in.at.segment, func(d disclosed, _ int64, _ int) error {
		if d.seq == in.seq {
			if _, value, ok := openDisclosure(d.text); ok {
				values[d.digest()] = string(bytes.Trim(value, `"`))
			}
		}
		return nil
	})
	return values, err
}

// decodeIntent reads the plain members of an intent. Digests of secret files
// are plain again where they can be disclosed, else they are empty.
func decodeIntent(v jcs.Value, values map[string]string) Intent {
	text := func(v jcs.Value, name string) string { s, _ := v.Get(name).Text(); return s }
	list := func(name string) (out []string) {
		for _, item := range v.Get(name).All {
			s, _ := item.Text()
			out = append(out, s)
		}
		return out
	}
	files := func(name string) (out []FileRef) {
		for _, item := range v.Get(name).All {
			f := FileRef{Path: text(item, "path"), SHA256: text(item, "sha256"), Mode: parseMode(text(item, "mode"))}
			f.Size, _ = item.Get("size").Int()
			if !hexDigits([]byte(f.SHA256), 64) && f.SHA256 != "" {
				f.SHA256, f.Secret = values[f.SHA256], true
			}
			out = append(out, f)
		}
		return out
	}
	in := Intent{
		AID: text(v, "aid"), Agent: text(v, "agent"), Category: Category(text(v, "cat")), Tool: text(v, "tool"), Title: text(v, "title"),
		Paths: list("paths"), Command: text(v, "cmd"), Origin: Origin(text(v, "origin")), Decision: Decision(text(v, "decision")),
		By: By(text(v, "by")), Reason: text(v, "reason"), Policy: text(v, "policy"), Taint: list("taint"), Level: text(v, "level"),
		Sandbox: Profile{text(v.Get("sandbox"), "profile"), text(v.Get("sandbox"), "grade")}, Net: list("net"),
		Pre: files("pre"), Want: files("want"),
	}
	if r := v.Get("rule"); r.Kind() == jcs.Object {
		line, _ := r.Get("line").Int()
		in.Rule = &Rule{text(r, "id"), text(r, "file"), int(line)}
	}
	return in
}
