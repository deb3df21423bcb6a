package world

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// An Editor holds files open that may have changes which are not on disk yet.
// It is asked only for files of the workspace that are not secret-like, and
// only for plain text: a carriage return, a byte order mark or bytes that are
// no UTF-8 would not come back as they were.
//
// It opens files by name. So a link that another program puts into its way is
// followed; what it wrote is then not found beneath the root, and the call
// fails, after the fact.
type Editor interface {
	// Reads and Writes say what the editor takes. Nothing is written through
	// one that cannot be read from.
	Reads() bool
	Writes() bool
	// ReadText is the text as the person sees it.
	ReadText(ctx context.Context, abs string) (string, error)
	// WriteText gives a file new text and saves it.
	WriteText(ctx context.Context, abs, text string) error
}

// An UnsavedError says that what an editor was given is not what lies on disk.
type UnsavedError struct {
	Name       string
	Want, Disk string // SHA-256, hex
}

func (e *UnsavedError) Error() string {
	return fmt.Sprintf("%s is not on disk as it was written through the editor: sha256 %s was given, %s is there; the editor did not save it, or formats on saving: save it, then read it again",
		e.Name, e.Want, e.Disk)
}

// delegates says whether the content of a place is the editor's to know.
func (f *Files) delegates(p *effect.Path, data []byte) bool {
	return f.o.Editor != nil && f.o.Editor.Reads() && !p.Outside && !p.Virtual && !p.Secret && plainText(data)
}

// plainText says that content survives the way through an editor.
func plainText(b []byte) bool {
	return utf8.Valid(b) && bytes.IndexByte(b, '\r') < 0 && bytes.IndexByte(b, 0) < 0 && !bytes.HasPrefix(b, []byte("\xEF\xBB\xBF"))
}

// current is the content of a file as the person sees it, where data is what
// lies on disk. An editor that does not answer is an error: what it withholds
// is not read behind its back.
func (f *Files) current(ctx context.Context, p *effect.Path, data []byte) ([]byte, error) {
	if !f.delegates(p, data) {
		return data, nil
	}
	text, err := f.o.Editor.ReadText(ctx, p.Abs)
	if err != nil {
		return nil, fmt.Errorf("the editor did not give the text of %s: %w", p.Name, err)
	}
	if len(text) > tool.MaxFile {
		return nil, &tool.ArgumentError{What: fmt.Sprintf("%s has %d bytes in the editor; file tools handle files up to %d bytes", p.Name, len(text), tool.MaxFile)}
	}
	return []byte(text), nil
}

// editable is current for a plan that changes the file. Where the editor takes
// no text, its unsaved changes would be lost, or ours.
func (f *Files) editable(ctx context.Context, p *effect.Path, data []byte) ([]byte, error) {
	now, err := f.current(ctx, p, data)
	if err == nil && !bytes.Equal(now, data) && !f.o.Editor.Writes() {
		err = &tool.ArgumentError{What: fmt.Sprintf("%s has changes in the editor that are not saved: ask the user to save it, then read it again", p.Name)}
	}
	return now, err
}

// putThrough writes by way of the editor, and believes only what it then finds
// on disk.
func (v FileEnv) putThrough(ctx context.Context, e effect.Effect) (roots.State, error) {
	if err := v.asPlanned(ctx, e.Path); err != nil {
		return roots.State{}, err
	}
	if err := v.f.o.Editor.WriteText(ctx, e.Path.Abs, string(e.After.Data)); err != nil {
		return roots.State{}, fmt.Errorf("the editor did not write %s: %w", e.Path.Name, err)
	}
	data, s, err := readAt(v.f.root, e.Path.Name)
	if err != nil {
		return roots.State{}, fmt.Errorf("%s cannot be read back after the editor wrote it: %w", e.Path.Name, translate(err))
	}
	if sum := roots.Hash(data); sum != e.After.SHA256 {
		return roots.State{}, &UnsavedError{Name: e.Path.Name, Want: e.After.SHA256, Disk: sum}
	}
	if s.Mode != e.Mode {
		return v.f.root.Chmod(e.Path.Name, wantState(s, e.After.SHA256), e.Mode)
	}
	return s, nil
}

// asPlanned says that a file, on disk and in the editor, is still the one that
// was decided about.
func (v FileEnv) asPlanned(ctx context.Context, p *effect.Path) error {
	s, err := v.f.root.Stat(p.Name)
	switch {
	case err != nil:
		return translate(err)
	case !p.Exists && s.Type == roots.None:
		return nil
	case !p.Exists || s.Type != roots.Regular || s.Device != p.Device || s.Inode != p.Inode || s.Links != p.Links:
		return &tool.ChangedError{What: p.Name}
	}
	data, _, err := readAt(v.f.root, p.Name)
	if err != nil {
		return translate(err)
	}
	if data, err = v.f.current(ctx, p, data); err != nil {
		return err
	}
	if roots.Hash(data) != p.SHA256 {
		return &tool.ChangedError{What: p.Name}
	}
	return nil
}

// through says whether a file's new content goes through the editor.
func (v FileEnv) through(e effect.Effect) (bool, error) {
	ed := v.f.o.Editor
	if ed == nil || !ed.Reads() || !ed.Writes() || e.Path.Secret || !plainText(e.After.Data) {
		return false, nil
	}
	if !e.Path.Exists {
		return true, nil
	}
	data, _, err := readAt(v.f.root, e.Path.Name)
	if err != nil {
		return false, translate(err)
	}
	return plainText(data), nil
}

// wantState is a regular file that was just looked at.
func wantState(s roots.State, sum string) roots.Want {
	return roots.Want{ID: roots.ID{Device: s.Device, Inode: s.Inode}, Type: s.Type, Links: s.Links, SHA256: sum}
}
