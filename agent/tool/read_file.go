package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// Bounds of one call of read_file.
const (
	maxReadLines = 2000
	maxReadBytes = 50 << 10
)

type readFile struct{}

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

// Spec implements Tool.
func (readFile) Spec() Spec {
	return Spec{
		Name: "read_file", Aliases: []string{"read", "cat", "view", "open_file"}, Category: "file", Small: true,
		Description: "Read a text file, with line numbers, or a picture: at most 2,000 lines or 50 KiB a call, go on with offset. " +
			"Leave the numbers and the tab behind them out when you quote lines. Also reads @out/… , the whole of an output that was cut.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["path"],"properties":{
			"path":{"type":"string","minLength":1,"description":"file, relative to the workspace"},
			"offset":{"type":"integer","minimum":1,"description":"first line, default 1"},
			"limit":{"type":"integer","minimum":1,"maximum":2000,"description":"number of lines, default 2000"}}}`),
	}
}

// Plan implements Tool.
func (t readFile) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a readArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	p, err := resolve(ctx, v, a.Path)
	if err != nil {
		return effect.Set{}, err
	}
	if err := readable(p); err != nil {
		return effect.Set{}, err
	}
	return set(t.Spec(), "read "+quote(p.Name), a, read(p)), nil
}

// readable says why a place has no content to show.
func readable(p effect.Path) error {
	if err := missing(p); err != nil {
		return err
	}
	switch {
	case p.Type == effect.Dir:
		return &ArgumentError{quote(p.Name) + " is a folder: use list_files, or grep with it as path"}
	case p.Type == effect.Special:
		return &ArgumentError{quote(p.Name) + " is a device, pipe or socket: it has no content to show"}
	case p.Size > MaxFile:
		return &ArgumentError{fmt.Sprintf("%s has %s; file tools handle files up to %s. Use execute_command, for example: sed -n '1,200p' FILE",
			quote(p.Name), size(p.Size), size(MaxFile))}
	}
	return nil
}

// Run implements Tool.
func (readFile) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	var a readArgs
	if err := recall(planned, &a); err != nil {
		return Result{}, err
	}
	p := *planned.Effects[0].Path
	data, err := e.Read(ctx, planned.Effects[0])
	if err != nil {
		return failed("read "+quote(p.Name), err)
	}
	r := Result{Status: OK, Untrusted: fromFile}
	if p.Virtual {
		r.Untrusted = fromCommand
	}
	t, err := decodeText(data)
	if err != nil && !p.Virtual {
		if shown, ok := shownPicture(p.Name, data); ok {
			return shown, nil
		}
	}
	var bad *decodeError
	switch {
	case errors.Is(err, errBinary):
		r.Untrusted = ""
		r.Body = fmt.Sprintf("%s is a binary file: %s, %s\n", quote(p.Name), size(int64(len(data))), sniff(data))
		return r, nil
	case errors.As(err, &bad):
		r.Body = fmt.Sprintf("note: byte %d is not UTF-8. Such bytes are shown as \uFFFD; the file can be read, not edited.\n", bad.offset)
		t.s = strings.ToValidUTF8(string(data), "\uFFFD")
	case !p.Virtual:
		p.SHA256, p.Size = hash(data), int64(len(data))
		r.see(p, p.SHA256)
	}
	return page(r, t.s, a), nil
}

// page shows a range of lines and says how to go on.
func page(r Result, s string, a readArgs) Result {
	lines := splitLines(s)
	first, limit := max(a.Offset, 1), a.Limit
	if limit == 0 {
		limit = maxReadLines
	}
	switch {
	case len(lines) == 0:
		r.Body += "(the file is empty)\n"
		return r
	case first > len(lines):
		return Result{Status: Error, Body: fmt.Sprintf("the file has %s; offset %d is behind its end", count(len(lines), "line", "lines"), first)}
	}
	lines, total := lines[first-1:], len(lines)
	n, bytes := 0, 0
	for n < len(lines) && n < limit {
		bytes += min(len(lines[n]), maxLine)
		if bytes > maxReadBytes && n > 0 {
			break
		}
		n++
	}
	r.Body += number(lines[:n], first)
	if last := first + n - 1; last < total {
		r.Body += fmt.Sprintf("[lines %d to %d of %d; go on with offset %d]\n", first, last, total, last+1)
	}
	return r
}

// sniff names a few common kinds of binary content by their first bytes.
func sniff(data []byte) string {
	for _, k := range []struct{ magic, name string }{
		{"\x89PNG\r\n", "a PNG image"}, {"\xFF\xD8\xFF", "a JPEG image"}, {"GIF8", "a GIF image"}, {"RIFF", "RIFF (WebP, WAV or AVI)"},
		{"%PDF-", "a PDF document"}, {"PK\x03\x04", "a ZIP archive (or a document made as one)"}, {"\x1F\x8B", "gzip data"},
		{"\x7FELF", "an ELF program or library"}, {"\xCF\xFA\xED\xFE", "a Mach-O program or library"}, {"\x00asm", "WebAssembly"},
		{"SQLite format 3\x00", "an SQLite database"},
	} {
		if strings.HasPrefix(string(data[:min(len(data), 16)]), k.magic) {
			return k.name
		}
	}
	return "of an unknown kind"
}
