package tool

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// resolve turns a name into what it leads to in the end: a link is followed, and
// the place counts as secret or protected when either of the two is.
func resolve(ctx context.Context, v View, name string) (effect.Path, error) {
	p, err := v.Path(ctx, name)
	if err != nil || p.Type != effect.Link {
		return p, err
	}
	if p.Target == "" {
		return p, &ArgumentError{quote(p.Name) + " is a link that leads nowhere a tool may go"}
	}
	end, err := v.Path(ctx, p.Target)
	if err != nil {
		return p, err
	}
	return alsoKnownAs(end, p), nil
}

func alsoKnownAs(p, link effect.Path) effect.Path {
	p.Secret = p.Secret || link.Secret
	if p.Protected == "" {
		p.Protected = link.Protected
	}
	return p
}

// spell writes a resolved place so that View reads it as just that.
func spell(p effect.Path) string {
	switch {
	case p.Outside:
		return p.Abs
	case p.Virtual:
		return p.Name
	case strings.HasPrefix(p.Name, "~"), strings.HasPrefix(p.Name, "@"):
		return "./" + p.Name
	default:
		return p.Name
	}
}

// missing says that nothing has the name. Outside the workspace it says
// nothing: what is there is for the gate to let out.
func missing(p effect.Path) error {
	if p.Exists || p.Outside {
		return nil
	}
	return &ArgumentError{fmt.Sprintf("%s does not exist; list_files and glob show what does", quote(p.Name))}
}

// own resolves a name that is to be changed: it must lead to a place in the
// workspace that is no special file.
func own(ctx context.Context, v View, name string) (effect.Path, error) {
	p, err := resolve(ctx, v, name)
	if err != nil {
		return p, err
	}
	return p, changeable(p)
}

func changeable(p effect.Path) error {
	switch {
	case p.Virtual:
		return &ArgumentError{quote(p.Name) + " is the output of an earlier call: it can be read, not changed"}
	case p.Outside:
		return &OutsideError{quote(p.Abs)}
	case p.Name == ".":
		return &ArgumentError{"that is the workspace itself"}
	case p.Type == effect.Special:
		return &ArgumentError{quote(p.Name) + " is a device, pipe or socket"}
	}
	return nil
}

// load is own for a text file that is there, with its content. Content that
// the model may not know without being asked about, and content that changed
// since it saw it, is not compared with anything: the error would tell.
func load(ctx context.Context, v View, name string) (effect.Path, text, error) {
	p, err := own(ctx, v, name)
	if err != nil {
		return p, text{}, err
	}
	if err := missing(p); err != nil {
		return p, text{}, err
	}
	if p.Type != effect.Regular {
		return p, text{}, &ArgumentError{quote(p.Name) + " is a " + p.Type.String() + ", not a file"}
	}
	full, err := v.File(ctx, spell(p))
	if err != nil {
		return p, text{}, err
	}
	full = alsoKnownAs(full, p)
	if err := fresh(v, full, false); err != nil {
		return full, text{}, err
	}
	t, err := decodeText(full.Before)
	if err != nil {
		return full, t, unreadable(full, err)
	}
	return full, t, nil
}

// fresh says that the model's knowledge of a file is out of date or, where it
// must have some, that it has none.
func fresh(v View, p effect.Path, must bool) error {
	seen, known := v.Seen(p)
	switch {
	case known && seen == p.SHA256:
		return nil
	case known:
		return &ArgumentError{quote(p.Name) + " changed since you last saw it: read_file it again, then repeat the edit on what is there now"}
	case p.Secret:
		return &ArgumentError{quote(p.Name) + " is a secret-like file that you have not seen: read_file it first, which the user is asked about"}
	case must:
		return &ArgumentError{quote(p.Name) + " exists and you have not seen it: read_file it first, then write it whole, or change parts with str_replace"}
	default:
		return nil
	}
}

func unreadable(p effect.Path, err error) error {
	var bad *decodeError
	if errors.As(err, &bad) {
		return &ArgumentError{fmt.Sprintf("%s cannot be edited as text: %v. Nothing was changed; use execute_command with a program that knows its encoding", quote(p.Name), err)}
	}
	return &ArgumentError{fmt.Sprintf("%s cannot be edited as text: %v (%s)", quote(p.Name), err, size(p.Size))}
}

// parents are the folders that have to be made before p can be: outermost
// first.
func parents(ctx context.Context, v View, p effect.Path) ([]effect.Effect, error) {
	var out []effect.Effect
	for name := path.Dir(p.Name); name != "."; name = path.Dir(name) {
		dir, err := v.Path(ctx, spell(effect.Path{Name: name}))
		if err != nil {
			return nil, err
		}
		if dir.Exists {
			break
		}
		out = append([]effect.Effect{{Kind: effect.Mkdir, Path: &dir, Mode: folderMode}}, out...)
	}
	return out, nil
}

// Permission bits of what is new; the process's umask may take some away.
const (
	folderMode = 0o755
	fileMode   = 0o644
)

// quote writes a name for the model: as it is, or quoted where it holds white
// space, control or invisible characters.
func quote(name string) string {
	for _, r := range name {
		if !unicode.IsPrint(r) || r == ' ' || r == '"' || r == unicode.ReplacementChar {
			return strconv.Quote(name)
		}
	}
	return name
}

// read is the effect of a look at a place.
func read(p effect.Path) effect.Effect { return effect.Effect{Kind: effect.Read, Path: &p} }

// failed is the result of an act that did not come about. What changed since
// it was planned goes to the dispatcher, which decides anew.
func failed(what string, err error) (Result, error) {
	var changed *ChangedError
	var granted *NotGrantedError
	if errors.As(err, &changed) || errors.As(err, &granted) || errors.Is(err, context.Canceled) {
		return Result{}, err
	}
	return Result{Status: Error, Body: what + ": " + err.Error()}, nil
}

// hardLinks warns that a file has further names.
func hardLinks(p effect.Path) string {
	if p.Links < 2 {
		return ""
	}
	return fmt.Sprintf("note: the file has %d names (hard links); only %s gets the new content, the others keep the old\n", p.Links, quote(p.Name))
}
