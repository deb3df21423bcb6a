package commandpolicy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// TOML is the rule as it is written in a policy file.
func (r *Rule) TOML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[[%s]]\n", r.kind)
	if r.ID != "" && !strings.HasPrefix(r.ID, string(r.kind)+":") {
		field(&b, "id", quoteTOML(r.ID))
	}
	b.WriteString(r.core())
	if r.Because != "" {
		field(&b, "because", quoteTOML(r.Because))
	}
	if !r.expires.IsZero() {
		field(&b, "expires", r.expires.UTC().Format(time.RFC3339))
	}
	if !r.since.IsZero() {
		field(&b, "since", r.since.UTC().Format(time.RFC3339))
	}
	if r.source != "" {
		field(&b, "source", quoteTOML(r.source))
	}
	if r.Grade != "" {
		field(&b, "grade", quoteTOML(r.Grade))
	}
	if r.question != "" {
		field(&b, "question", quoteTOML(r.question))
	}
	return b.String()
}

// core is what the rule matches and decides: the part that makes it this rule.
func (r *Rule) core() string {
	var b strings.Builder
	switch r.kind {
	case kindRule:
		r.coreCommand(&b)
	case kindPathRule:
		field(&b, "glob", listTOML(r.globs))
		field(&b, "effect", listTOML(r.acts))
	case kindHostRule:
		field(&b, "host", listTOML(r.hosts))
		field(&b, "method", listTOML(r.methods))
	case kindMCPRule:
		field(&b, "server", quoteTOML(r.server))
		if len(r.tools) > 0 {
			field(&b, "tool", listTOML(r.tools))
		}
	}
	if r.untaintedOnly {
		field(&b, "untainted_only", "true")
	}
	if r.root != "" {
		field(&b, "root", quoteTOML(r.root))
	}
	field(&b, "decision", quoteTOML(r.Decision.String()))
	return b.String()
}

func (r *Rule) coreCommand(b *strings.Builder) {
	if len(r.cmds) == 1 {
		field(b, "cmd", quoteTOML(r.cmds[0]))
	} else {
		field(b, "cmd", listTOML(r.cmds))
	}
	if r.hasFiles {
		var files []string
		for _, name := range slices.Sorted(maps.Keys(r.files)) {
			files = append(files, quoteTOML(name)+" = "+quoteTOML(r.files[name]))
		}
		field(b, "files", "{"+strings.Join(files, ", ")+"}")
	}
	if len(r.subs) > 0 {
		subs := make([]string, len(r.subs))
		for i, s := range r.subs {
			subs[i] = strings.Join(s, " ")
		}
		field(b, "sub", listTOML(subs))
	}
	if r.exact {
		field(b, "args", listTOML(r.args))
	}
	var flags []string
	if r.hasOnly {
		flags = append(flags, "only = "+listTOML(r.only))
	}
	if len(r.forbid) > 0 {
		flags = append(flags, "forbid = "+listTOML(r.forbid))
	}
	if len(r.any) > 0 {
		flags = append(flags, "any = "+listTOML(r.any))
	}
	if len(flags) > 0 {
		field(b, "flags", "{ "+strings.Join(flags, ", ")+" }")
	}
	if r.Decision == Allow && r.anyPath {
		field(b, "paths", `"any"`)
	}
	if r.Decision != Allow && !r.anyPath {
		field(b, "paths", `"workspace"`)
	}
}

func field(b *strings.Builder, key, val string) { fmt.Fprintf(b, "%s = %s\n", key, val) }

func listTOML[S ~string](list []S) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quoteTOML(string(s))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// quoteTOML writes a basic string (TOML 1.0, String).
func quoteTOML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r > '~' && badRune(r, 2) != "":
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Summary is the rule on one line, without its remarks.
func (r *Rule) Summary() string {
	return visible(strings.Join(strings.Split(strings.TrimSpace(r.core()), "\n"), ", "))
}
