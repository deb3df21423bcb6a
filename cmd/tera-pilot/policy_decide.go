package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/commandpolicy"
)

// decideRequest is one line of `policy decide`.
type decideRequest struct {
	ID      json.RawMessage `json:"id"`
	Command string          `json:"command"`
	Setup   *decideSetup    `json:"setup"`
}

// decideSetup is what the workspace is to be thought to hold.
type decideSetup struct {
	Files    names             `json:"files"`
	Symlinks map[string]string `json:"symlinks"`
}

// names are the names of a list, or the keys of an object.
type names []string

// UnmarshalJSON implements [json.Unmarshaler].
func (n *names) UnmarshalJSON(b []byte) error {
	var list []string
	if json.Unmarshal(b, &list) == nil {
		*n = list
		return nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(b, &object); err != nil {
		return errors.New("files is neither a list of names nor an object with names as keys")
	}
	for name := range object {
		*n = append(*n, name)
	}
	return nil
}

// decideAnswer is the line that answers one.
type decideAnswer struct {
	ID       json.RawMessage        `json:"id"`
	Decision commandpolicy.Decision `json:"decision"`
	Error    string                 `json:"error,omitempty"`
}

// policyDecide answers line by line. A line that cannot be read is answered
// with ask, and makes the exit code 2 in the end.
func (a *app) policyDecide() error {
	pol, where, err := a.loadPolicy()
	if err != nil {
		return err
	}
	in := bufio.NewReader(a.stdin)
	out := bufio.NewWriter(a.stdout)
	broken := 0
	for {
		line, readErr := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			answer := decideLine(pol, where, line)
			if answer.Error != "" {
				broken++
			}
			if err := json.NewEncoder(out).Encode(answer); err != nil {
				return fmt.Errorf("policy decide: %w", err)
			}
			if err := out.Flush(); err != nil {
				return fmt.Errorf("policy decide: %w", err)
			}
		}
		if errors.Is(readErr, io.EOF) {
			break
		}
		if readErr != nil {
			return fmt.Errorf("policy decide: %w", readErr)
		}
	}
	if broken > 0 {
		return usage("policy decide: %s could not be read, answered with ask", counted(broken, "line"))
	}
	return nil
}

func decideLine(pol *commandpolicy.Policy, where commandpolicy.Context, line []byte) decideAnswer {
	var req decideRequest
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(&req)
	answer := decideAnswer{ID: req.ID, Decision: commandpolicy.Ask}
	if answer.ID == nil {
		answer.ID = json.RawMessage("null")
	}
	if err == nil && !utf8.Valid(line) {
		err = errors.New("the line is not UTF-8")
	}
	if err != nil {
		answer.Error = err.Error()
		return answer
	}
	if req.Setup != nil {
		where.Look = req.Setup.over(where)
	}
	answer.Decision, _ = pol.Decide(commandpolicy.Parse(req.Command, where), policyWhen())
	return answer
}

// over is the real workspace with the setup's files and links in it.
func (s *decideSetup) over(where commandpolicy.Context) commandpolicy.Look {
	o := commandpolicy.Overlay{Base: where.Look, Files: map[string]bool{}, Links: map[string]string{}}
	for _, f := range s.Files {
		o.Files[decidePath(f, where)] = true
	}
	for link, target := range s.Symlinks {
		o.Links[decidePath(link, where)] = target
	}
	return o
}

func decidePath(name string, where commandpolicy.Context) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(where.Home, rest)
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(where.Workspace, name)
}
