package world

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// maxCarried is how many things may move along with a folder.
const maxCarried = 20_000

// Carries is tool.View's. Without it `mv x .github` would put files into
// .github/workflows whose own names nobody asked about; a link to a folder
// does the same.
func (f *Files) Carries(ctx context.Context, from, to effect.Path) (string, error) {
	top := from.Name
	if from.Type == effect.Link {
		end, err := f.Path(ctx, from.Target)
		if err != nil || end.Outside {
			return "", err
		}
		top, from.Type = end.Name, end.Type
	}
	if from.Type != effect.Dir {
		return "", nil
	}
	d, err := f.root.Dir(top)
	if err != nil {
		return "", translate(err)
	}
	defer d.Close()
	c := carrier{ctx: ctx, f: f, from: from.Name, to: to.Name}
	if err := c.folder(d, ".", 0); err != nil && !errors.Is(err, tool.ErrStop) {
		return "", translate(err)
	}
	return c.found, nil
}

type carrier struct {
	ctx      context.Context
	f        *Files
	from, to string
	found    string
	n        int
}

func (c *carrier) folder(d *roots.Dir, name string, depth int) error {
	names, err := d.Names()
	if err != nil {
		return err
	}
	for _, base := range names {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if c.n++; c.n > maxCarried || depth > maxDepth {
			return &tool.ArgumentError{What: fmt.Sprintf("%s holds too much to look through for protected names: move its parts one by one, or use execute_command", c.from)}
		}
		below := path.Join(name, base)
		if c.found = c.f.protected(path.Join(c.from, below), path.Join(c.to, below)); c.found != "" {
			return tool.ErrStop
		}
		s, err := d.Stat(base)
		if err != nil {
			return err
		}
		if s.Type != roots.Folder {
			continue
		}
		sub, err := d.Open(base)
		if err != nil {
			return err
		}
		err = c.folder(sub, below, depth+1)
		sub.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
