package gitsafe

import "strings"

// name notes what a call names to be read: paths, and paths inside revisions.
func (c *Call) name() {
	switch c.spec.operands {
	case mixed, revs:
		for _, w := range c.Words {
			c.Inner = append(c.Inner, inRevision(w)...)
		}
		c.Reads = append(c.Reads, c.Paths...)
	case pathsOnly:
		if c.Class == Read || c.Sub == "add" || c.Sub == "commit" {
			c.Reads = append(c.Reads, c.Paths...)
		}
	case names, files:
	default:
	}
	for _, s := range c.args.values("--source", "-s", "--reuse-message", "--ignore-rev", "--with-tree") {
		c.Inner = append(c.Inner, inRevision(s)...)
	}
}

// inRevision finds REV:PATH in a word, on both sides of a range. What follows
// a colon inside braces is no path: HEAD@{12:00}, HEAD^{/fix: it}.
// Source: gitrevisions(7).
func inRevision(word string) []string {
	var reads []string
	for _, part := range ranges(word) {
		part = strings.TrimPrefix(part, "^")
		depth := 0
		for i := 0; i < len(part); i++ {
			switch part[i] {
			case '{':
				depth++
			case '}':
				depth = max(depth-1, 0)
			case ':':
				if depth > 0 {
					continue
				}
				if p := indexPath(part, i); p != "" {
					reads = append(reads, p)
				}
				i = len(part)
			}
		}
	}
	return reads
}

// indexPath is REV:PATH for the colon at i, with an empty REV for the index.
// ":/text" searches messages, ":N:PATH" names a stage of the index, and
// ":(magic)PATH" is a pathspec.
func indexPath(part string, i int) string {
	rest := part[i+1:]
	if i > 0 {
		if rest == "" {
			return ""
		}
		return part[:i] + ":" + rest
	}
	if strings.HasPrefix(rest, "/") {
		return ""
	}
	if len(rest) > 2 && rest[0] >= '0' && rest[0] <= '3' && rest[1] == ':' {
		rest = rest[2:]
	}
	if magic, path, ok := strings.Cut(rest, ")"); ok && strings.HasPrefix(magic, "(") {
		rest = path
	}
	if rest == "" {
		return ""
	}
	return ":" + rest
}

// ranges splits A..B and A...B, outside of braces. A path that holds ".." is
// cut too; then more is named than read, which is the safe side.
func ranges(word string) []string {
	if !strings.Contains(word, "..") {
		return []string{word}
	}
	parts := []string{word}
	for part := range strings.SplitSeq(word, "..") {
		parts = append(parts, strings.TrimPrefix(part, "."))
	}
	return parts
}
