package tool

import (
	"context"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// A patchSet turns the patches of one diff into a row of effects. No file may
// come twice, whatever its names: the second patch would be of a text that is
// not there yet.
type patchSet struct {
	view    View
	several bool // the diff is about more than one file
	effects []effect.Effect
	taken   []effect.Path // the places that patches change
	titles  []string
	notes   []string
}

// add plans one patch. unfit is the file in which a hunk finds no place.
func (s *patchSet) add(ctx context.Context, name string, p patch) (unfit *effect.Path, err error) {
	if name == "" {
		if name, err = p.name(); err != nil {
			return nil, err
		}
	}
	if p.creates() {
		return nil, s.create(ctx, name, p)
	}
	file, old, err := load(ctx, s.view, name)
	if err != nil {
		return nil, err
	}
	if err := s.take(file); err != nil {
		return nil, err
	}
	done := patched{text: old.s}
	if len(p.hunks) > 0 {
		if done, err = p.apply(old.s); err != nil {
			return &file, nil
		}
	}
	s.note(file, done)
	after := content(old.encode(done.text))
	switch {
	case p.deletes() && done.text != "":
		return nil, &ArgumentError{"the diff deletes " + quote(file.Name) + " (+++ /dev/null) but leaves lines of it: take away all of them, or use delete_file"}
	case p.deletes():
		s.plan("delete "+quote(file.Name), effect.Effect{Kind: effect.Delete, Path: &file})
		return nil, nil
	case after.SHA256 == file.SHA256 && p.from == "":
		return nil, &ArgumentError{"the diff would change nothing in " + quote(file.Name)}
	case after.Size > MaxFile:
		return nil, &ArgumentError{fmt.Sprintf("%s would have %s; the most is %s", quote(file.Name), size(after.Size), size(MaxFile))}
	case p.from != "":
		return nil, s.rename(ctx, file, p.to, after)
	}
	s.plan(fmt.Sprintf("patch %s (%s)", quote(file.Name), diffText(old.s, done.text)),
		effect.Effect{Kind: effect.Write, Path: &file, After: after, Mode: file.Mode})
	return nil, nil
}

// name is the file that a patch is about, as its head says.
func (p patch) name() (string, error) {
	if p.from != "" {
		return p.from, nil
	}
	before, after := p.oldName, p.newName
	if p.creates() {
		before = after
	}
	if p.deletes() {
		after = before
	}
	if before == "" || after == "" || p.creates() && p.deletes() {
		return "", &ArgumentError{"the diff does not say which file it is about: give path, or --- and +++ lines"}
	}
	if !p.creates() {
		before = strings.TrimPrefix(before, "a/")
	} else {
		before = strings.TrimPrefix(before, "b/")
	}
	if p.deletes() {
		after = before
	} else {
		after = strings.TrimPrefix(after, "b/")
	}
	if before != after && p.oldName != p.newName {
		return "", &ArgumentError{fmt.Sprintf("the diff says %s before and %s after: a file is moved by `rename from` and `rename to`", quote(p.oldName), quote(p.newName))}
	}
	return after, nil
}

// create plans a new file with the folders that it needs.
func (s *patchSet) create(ctx context.Context, name string, p patch) error {
	file, err := newPlace(ctx, s.view, name)
	if err != nil {
		return err
	}
	if file.Exists {
		return &ArgumentError{quote(file.Name) + " exists, and the diff makes a new file (--- /dev/null): give the diff against what is there"}
	}
	done, err := p.apply("")
	if err != nil {
		return &ArgumentError{"the diff makes a new file (--- /dev/null): it can have one hunk with added lines only"}
	}
	if err := s.take(file); err != nil {
		return err
	}
	if err := s.folders(ctx, file); err != nil {
		return err
	}
	s.note(file, done)
	lines := len(splitLines(done.text))
	s.plan(fmt.Sprintf("create %s (%s)", quote(file.Name), count(lines, "line", "lines")),
		effect.Effect{Kind: effect.Create, Path: &file, After: content([]byte(done.text)), Mode: fileMode})
	return nil
}

// rename plans a move and, where the text changes too, the write after it.
func (s *patchSet) rename(ctx context.Context, file effect.Path, name string, after *effect.Bytes) error {
	to, err := newPlace(ctx, s.view, name)
	if err != nil {
		return err
	}
	if to.Exists {
		return &ArgumentError{quote(to.Name) + " exists already: a rename never overwrites"}
	}
	if err := s.take(to); err != nil {
		return err
	}
	if err := s.folders(ctx, to); err != nil {
		return err
	}
	s.plan(fmt.Sprintf("rename %s to %s", quote(file.Name), quote(to.Name)), effect.Effect{Kind: effect.Rename, Path: &file, To: &to})
	if after.SHA256 == file.SHA256 {
		return nil
	}
	moved := alsoKnownAs(file, to)
	moved.Name, moved.Abs, moved.Target = to.Name, to.Abs, ""
	if to.Protected != "" {
		moved.Protected = to.Protected
	}
	s.effects = append(s.effects, effect.Effect{Kind: effect.Write, Path: &moved, After: after, Mode: file.Mode})
	return nil
}

// folders plans the folders that a new place needs, each once.
func (s *patchSet) folders(ctx context.Context, p effect.Path) error {
	made, err := parents(ctx, s.view, p)
	for _, m := range made {
		known := false
		for _, e := range s.effects {
			known = known || e.Kind == effect.Mkdir && e.Path.Name == m.Path.Name
		}
		if !known {
			s.effects = append(s.effects, m)
		}
	}
	return err
}

// take notes that a patch changes a place. One that another patch changes, by
// this name, a link or a hard link, is refused.
func (s *patchSet) take(p effect.Path) error {
	for _, q := range s.taken {
		if q.Abs == p.Abs || q.Exists && p.Exists && p.Inode != 0 && q.Inode == p.Inode && q.Device == p.Device {
			return &ArgumentError{fmt.Sprintf("the diff changes %s in two places (as %s too): put all hunks of a file under one head", quote(p.Name), quote(q.Name))}
		}
	}
	s.taken = append(s.taken, p)
	return nil
}

func (s *patchSet) note(file effect.Path, done patched) {
	for _, n := range done.notes {
		if s.several {
			n = quote(file.Name) + ": " + n
		}
		s.notes = append(s.notes, n)
	}
}

func (s *patchSet) plan(title string, e effect.Effect) {
	s.titles, s.effects = append(s.titles, title), append(s.effects, e)
}

// title counts the files of the set and names the first: a row cuts its end.
func (s *patchSet) title() string {
	const named = 3
	switch n := len(s.titles); {
	case n == 1:
		return s.titles[0]
	case n <= named:
		return fmt.Sprintf("%d files: %s", n, strings.Join(s.titles, ", "))
	default:
		return fmt.Sprintf("%d files: %s and %d more", n, strings.Join(s.titles[:named], ", "), n-named)
	}
}
