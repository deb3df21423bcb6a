package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// Bounds of a search: lines that are counted, files that are listed with their
// counts, and bytes of a line that are shown.
const (
	maxHits      = 20_000
	maxHitFiles  = 100
	maxShownLine = 500
)

type grep struct{}

type grepArgs struct {
	Pattern       string `json:"pattern"`
	Path          string `json:"path,omitempty"`
	Include       string `json:"include,omitempty"`
	CaseSensitive bool   `json:"case_sensitive,omitempty"`
	Context       int    `json:"context,omitempty"`
	MaxResults    int    `json:"max_results,omitempty"`
}

// Spec implements Tool.
func (grep) Spec() Spec {
	return Spec{
		Name: "grep", Aliases: []string{"search", "search_files", "ripgrep", "rg", "search_project"}, Category: "file", Small: true,
		Renamed: map[string]string{"query": "pattern", "directory": "path", "file_pattern": "include"},
		Description: "Search file contents with a regular expression (RE2 syntax), line by line. Shows the files with their numbers of matches, then the lines. " +
			"Files that git ignores, secret-like and binary ones are left out. path can be a folder, a file or @out/… .",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["pattern"],"properties":{
			"pattern":{"type":"string","minLength":1,"description":"regular expression; escape . ( ) [ ] { } to mean themselves"},
			"path":{"type":"string","minLength":1,"description":"folder or file, default the workspace"},
			"include":{"type":"string","minLength":1,"description":"only files whose name matches, such as *.go or src/**/*.ts"},
			"case_sensitive":{"type":"boolean","description":"default false"},
			"context":{"type":"integer","minimum":0,"maximum":10,"description":"lines to show around each match, default 0"},
			"max_results":{"type":"integer","minimum":1,"maximum":1000,"description":"lines to show, default 100"}}}`),
	}
}

func (a grepArgs) compile() (*regexp.Regexp, error) {
	pattern := a.Pattern
	if !a.CaseSensitive {
		pattern = "(?i)" + pattern
	}
	if _, err := regexp.Compile(a.Pattern); err != nil {
		return nil, &ArgumentError{fmt.Sprintf("the pattern is no regular expression of RE2 (no look-around, no back references): %v. To search for the text itself use %q",
			err, regexp.QuoteMeta(a.Pattern))}
	}
	return regexp.Compile(pattern)
}

// Plan implements Tool.
func (t grep) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	var a grepArgs
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	if _, err := a.compile(); err != nil {
		return effect.Set{}, err
	}
	if err := checkGlob(a.Include); err != nil {
		return effect.Set{}, err
	}
	if a.Path == "" {
		a.Path = "."
	}
	p, err := resolve(ctx, v, a.Path)
	if err != nil {
		return effect.Set{}, err
	}
	title := fmt.Sprintf("search for %s in %s", quote(a.Pattern), quote(p.Name))
	if p.Type == effect.Dir {
		return set(t.Spec(), title, a, effect.Effect{Kind: effect.Walk, Path: &p}), nil
	}
	if err := readable(p); err != nil {
		return effect.Set{}, err
	}
	return set(t.Spec(), title, a, read(p)), nil
}

// Run implements Tool.
func (grep) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	var a grepArgs
	if err := recall(planned, &a); err != nil {
		return Result{}, err
	}
	re, err := a.compile()
	if err != nil {
		return Result{}, err
	}
	s := search{re: re, anchored: anchored(a.Pattern), around: a.Context, most: a.MaxResults}
	if s.most == 0 {
		s.most = 100
	}
	first := planned.Effects[0]
	r := Result{Status: OK, Untrusted: fromFile}
	var left Left
	if first.Kind == effect.Walk {
		left, err = e.Walk(ctx, first, func(f Found) error {
			if f.Open == nil || a.Include != "" && !globMatch(a.Include, below(*first.Path, f.Name)) {
				return nil
			}
			return s.file(f)
		})
	} else {
		var data []byte
		if data, err = e.Read(ctx, first); err == nil {
			s.content(spell(*first.Path), data)
		}
		if first.Path.Virtual {
			r.Untrusted = fromCommand
		}
	}
	if err != nil {
		return failed("search", err)
	}
	r.Body = s.report() + left.String()
	return r, nil
}

// A search collects the matches of a regular expression.
type search struct {
	re       *regexp.Regexp
	anchored bool
	around   int // lines of context
	most     int // lines to show

	hits, shown      int
	files            []fileHits
	filesHit         int
	unread, tooLarge int
	lines            strings.Builder
	stopped          bool
}

// anchored says that a pattern may speak of the beginning or end of a line.
func anchored(pattern string) bool {
	return strings.ContainsAny(pattern, "^$") || strings.Contains(pattern, `\A`) || strings.Contains(pattern, `\z`)
}

type fileHits struct {
	name string
	n    int
}

// file searches one file of a walk. One that cannot be read is counted.
func (s *search) file(f Found) error {
	if f.Size > MaxFile {
		s.tooLarge++
		return nil
	}
	data, err := f.Open()
	if err != nil {
		s.unread++
		return nil
	}
	s.content(f.Name, data)
	if s.hits >= maxHits {
		s.stopped = true
		return ErrStop
	}
	return nil
}

func (s *search) content(name string, data []byte) {
	t, err := decodeText(data)
	var bad *decodeError
	switch {
	case errors.As(err, &bad):
		t.s = strings.ToValidUTF8(string(data), "\uFFFD")
	case err != nil:
		return // binary
	}
	if !s.anchored && !s.re.MatchString(t.s) {
		return // what a line matches without anchors, the whole matches too
	}
	lines := splitLines(t.s)
	var at []int
	for i, line := range lines {
		if s.re.MatchString(bare(line)) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return
	}
	s.hits += len(at)
	s.filesHit++
	if len(s.files) < maxHitFiles {
		s.files = append(s.files, fileHits{name, len(at)})
	}
	s.show(name, lines, at)
}

// show writes the matching lines of one file with what is around them: `12:`
// marks a match, `12-` a neighbour, `--` a gap.
func (s *search) show(name string, lines []string, at []int) {
	at = at[:min(len(at), s.most-s.shown)]
	if len(at) == 0 {
		return
	}
	s.shown += len(at)
	fmt.Fprintf(&s.lines, "\n%s\n", quote(name))
	match := map[int]bool{}
	for _, i := range at {
		match[i] = true
	}
	next := 0
	for k, i := range at {
		from, to := max(next, i-s.around), min(len(lines), i+s.around+1)
		if k > 0 && from > next && s.around > 0 {
			s.lines.WriteString("--\n")
		}
		for ; from < to; from++ {
			mark := '-'
			if match[from] {
				mark = ':'
			}
			fmt.Fprintf(&s.lines, "%d%c %s\n", from+1, mark, clip(bare(lines[from]), maxShownLine))
		}
		next = max(next, to)
	}
}

func (s *search) report() string {
	var b strings.Builder
	if s.hits == 0 {
		b.WriteString("no matches\n")
	} else {
		fmt.Fprintf(&b, "%s matching %s in %s\n", atLeast(s.hits, s.stopped), noun(s.hits, "line", "lines"), count(s.filesHit, "file", "files"))
		for _, f := range s.files {
			fmt.Fprintf(&b, "%6d %s\n", f.n, quote(f.name))
		}
		if s.filesHit > len(s.files) {
			fmt.Fprintf(&b, "       … and %d more\n", s.filesHit-len(s.files))
		}
		b.WriteString(s.lines.String())
		if s.hits > s.shown {
			fmt.Fprintf(&b, "[%d of %s matching lines; narrow the pattern, path or include, or raise max_results]\n", s.shown, atLeast(s.hits, s.stopped))
		}
	}
	if s.tooLarge > 0 {
		fmt.Fprintf(&b, "[not searched: %s over %s]\n", count(s.tooLarge, "file", "files"), size(MaxFile))
	}
	if s.unread > 0 {
		fmt.Fprintf(&b, "[could not be read: %s]\n", count(s.unread, "file", "files"))
	}
	return b.String()
}

func noun(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
