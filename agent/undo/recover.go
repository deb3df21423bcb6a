package undo

import "fmt"

// A Place tells what stands in the workspace now.
type Place interface {
	// Look tells what is at a path, and a file's content where it is no larger
	// than Limits.File. No link is followed. Nothing there is no error.
	Look(path string) (Entry, []byte, error)
	// Names lists what is in a folder.
	Names(folder string) ([]string, error)
}

// Recover settles the calls that a dead process left without an end: by
// looking, never by guessing. What cannot be told to be the call's own work is
// marked as unsure.
func (s *Store) Recover(p Place, survey Survey) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.records {
		if !r.open {
			continue
		}
		if err := s.writable(); err != nil {
			return err
		}
		l := line{Kind: "end", ID: r.ID, Recovered: true}
		switch {
		case r.survey && len(s.tree) == 0:
			l.Left = []string{"the program ended in the middle of this call, and what it changed is not known"}
		case r.survey:
			before, err := s.refresh(survey)
			if err != nil {
				return err
			}
			l.Changes, l.Left = differences(before, s.tree)
			for i := range l.Changes {
				l.Changes[i].Unsure = true
			}
		default:
			changes, err := s.compare(r.planned, p)
			if err != nil {
				return err
			}
			l.Changes, l.Left = s.settled(r, changes)
		}
		if err := s.append(l, true); err != nil {
			return err
		}
		s.end(r, l)
	}
	return nil
}

// compare finds out which of the planned changes came about.
func (s *Store) compare(planned []Change, p Place) ([]Change, error) {
	var out []Change
	for _, c := range planned {
		now, _, err := p.Look(string(c.Path))
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", c.Path, err)
		case same(now, c.After):
			out = append(out, c)
		case sameContent(now, c.After) && !sameContent(now, c.Before): // the umask had its say about the mode
			c.After = now
			out = append(out, c)
		case same(now, c.Before): // it did not come to that
		default:
			c.After, c.Unsure = now, true
			out = append(out, c)
		}
	}
	return out, nil
}

// At is the entry of a thing, and a file's content where it is no larger than
// most.
func At(t Thing, most int64) (Entry, []byte, error) {
	e := Entry{Type: t.Type, Left: t.Left}
	switch t.Type {
	case Folder:
		e.Mode = t.Mode
		return e, nil, nil
	case Link:
		text, err := t.Text()
		e.Text = name(text)
		return e, nil, err
	case File:
		e.Mode, e.Size = t.Mode, t.Size
	case None, Special:
		return e, nil, nil
	}
	if e.Left == "" && t.Size > most {
		e.Left = "larger than " + bytesWord(most)
	}
	if e.Left != "" {
		return e, nil, nil
	}
	data, err := t.Read()
	if err != nil {
		return e, nil, err
	}
	e.Size, e.SHA256 = int64(len(data)), hashOf(data)
	return e, data, nil
}
