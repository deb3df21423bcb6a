// Package editor has a person edit a text in the editor of their own.
//
// # Promised
//
// To the person, against the repository and the model: the editor is the one
// that the person's environment names, found on an absolute path, started
// without a shell. The text lies in a new folder that nobody else can enter,
// under a file name that means nothing to a shell, and is the editor's working
// folder: what editors load from the folder they are started in is not the
// repository's. The folder is gone afterwards.
//
// # Not promised
//
// What the editor does. It is the person's program, outside of the sandbox.
package editor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

// A Session is one editing of one text. Run it once, then take its Text.
type Session struct {
	cmd  *exec.Cmd
	dir  string
	file string
}

// maxText is how much is taken back, in bytes.
const maxText = 8 << 20

// Open puts text into a file whose name ends like name, and finds the editor:
// VISUAL, else EDITOR, of env. tty is the terminal that it is to use.
func Open(env []string, name, text string, tty *os.File) (*Session, error) {
	argv, err := program(env)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tera-pilot-edit-")
	if err != nil {
		return nil, fmt.Errorf("a private folder for the editor: %w", err)
	}
	s := &Session{dir: dir, file: filepath.Join(dir, plain(name))}
	if err := s.write(text); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.cmd = &exec.Cmd{Path: argv[0], Args: append(argv, s.file), Env: env, Dir: dir, Stdin: tty, Stdout: tty, Stderr: tty}
	return s, nil
}

func (s *Session) write(text string) error {
	f, err := os.OpenFile(s.file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("the file for the editor: %w", err)
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// program is the editor that env names, by its absolute path.
func program(env []string) ([]string, error) {
	words := []string{}
	for _, name := range []string{"VISUAL", "EDITOR"} {
		for _, kv := range env {
			if v, ok := strings.CutPrefix(kv, name+"="); ok && len(words) == 0 {
				words = strings.Fields(v)
			}
		}
	}
	if len(words) == 0 {
		return nil, errors.New("no editor is named: set VISUAL or EDITOR, as in EDITOR=vim")
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return nil, fmt.Errorf("the editor %q was not found: set VISUAL or EDITOR to one that is on the PATH", words[0])
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, fmt.Errorf("the editor %q: %w", words[0], err)
	}
	return append([]string{path}, words[1:]...), nil
}

// plain is the last part of a name with nothing in it that is special to
// anybody: editors choose colours by its end.
func plain(name string) string {
	out := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_':
			return c
		default:
			return '_'
		}
	}, filepath.Base(name))
	out = strings.TrimLeft(out[max(0, len(out)-64):], ".")
	if out == "" {
		return "text"
	}
	return out
}

// Run starts the editor and waits until it ends.
func (s *Session) Run() error {
	if err := s.cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(s.cmd.Path), err)
	}
	return nil
}

// SetStdin, SetStdout and SetStderr do nothing: the editor has the terminal.

// SetStdin does nothing.
func (s *Session) SetStdin(io.Reader) {}

// SetStdout does nothing.
func (s *Session) SetStdout(io.Writer) {}

// SetStderr does nothing.
func (s *Session) SetStderr(io.Writer) {}

// Text is what the editor saved. It removes the folder.
func (s *Session) Text() (string, error) {
	text, err := s.read()
	return text, errors.Join(err, os.RemoveAll(s.dir))
}

func (s *Session) read() (string, error) {
	// A link would bring in what no editor wrote, and a pipe would never end.
	f, err := os.OpenFile(s.file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", fmt.Errorf("what the editor saved: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(errors.New("what the editor saved is no file any more"), err)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxText+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("what the editor saved: %w", err)
	case len(b) > maxText:
		return "", errors.New("what the editor saved is longer than 8 MiB: make it shorter")
	case !utf8.Valid(b):
		return "", errors.New("what the editor saved is not UTF-8: save it as such")
	}
	return string(b), nil
}
