package gate_test

// A facet is one row of the table that an effect comes under, and what a rule
// would have to name.
type facet struct {
	row   string
	kind  string   // of rules that can speak
	on    []string // each of these names has to be allowed
	how   string
	also  []string // further acts that a deny or an ask may name
	words string   // of the command or git call
	host  string
}

func (s scene) facets(d deed) []facet {
	file := func(row, name, act string, also ...string) facet {
		if things[name].protected && row != "read" && row != "secret or outside read" {
			row = "protected"
		}
		return facet{row: row, kind: "path", on: []string{name}, how: act, also: also}
	}
	switch d.kind {
	case "read", "walk":
		if things[d.on].secret || things[d.on].outside {
			return []facet{file("secret or outside read", d.on, "read")}
		}
		return []facet{file("read", d.on, "read")}
	case "create", "mkdir":
		return []facet{file("new file", d.on, "create")}
	case "write", "delete", "chmod":
		return []facet{file("change", d.on, d.kind)}
	case "memory":
		f := file("protected", d.on, "write")
		f.row = "protected"
		return []facet{f}
	case "rename":
		second := "create"
		if d.toExists {
			second = "write"
		}
		out := []facet{file("change", d.on, "rename", "delete"), file("change", d.to, "rename", second)}
		if things[d.on].secret && !things[d.to].secret {
			out = append(out, file("secret or outside read", d.on, "read"))
		}
		return out
	case "exec":
		return s.commandFacets(d)
	case "gitread":
		return append([]facet{{row: "git reads", kind: "command", words: "git status"}}, gitPlace(d)...)
	case "gitwrite":
		return append([]facet{{row: "git writes", kind: "command", words: "git commit"}}, gitPlace(d)...)
	case "gitpush":
		return []facet{
			{row: "git writes", kind: "command", words: "git push"},
			{row: "network", kind: "host", host: d.host, how: "PUSH", words: "git push"},
		}
	case "gitfetch":
		return []facet{
			{row: "git writes", kind: "command", words: "git fetch"},
			{row: "network", kind: "host", host: d.host, how: "GET"},
		}
	case "fetch", "search":
		return []facet{{row: "network", kind: "host", host: d.host, how: "GET"}}
	case "mcp":
		return []facet{{row: "mcp", kind: "mcp", on: []string{d.on}, how: "query"}}
	case "spawn":
		return []facet{{row: "spawn"}}
	case "start":
		return []facet{{row: "start", kind: "command", words: "db-mcp serve"}}
	case "free":
		return []facet{{row: "free"}}
	}
	return nil
}

// gitPlace: a git call is given the machine's own folders, never private ones.
func gitPlace(d deed) []facet {
	at := things[d.on]
	f := facet{kind: "path", on: []string{d.on}}
	switch {
	case !d.touches:
		return nil
	case d.kind == "gitread" && (at.secret || at.outside):
		f.row, f.how = "secret or outside read", "read"
	case d.kind == "gitwrite" && at.outside:
		f.row, f.how = "outside change", "write"
	case d.kind == "gitwrite" && at.protected:
		f.row, f.how = "protected", "write"
	default:
		return nil
	}
	return []facet{f}
}

// commandFacets: the command, each host, and the paths that the parse found.
func (s scene) commandFacets(d deed) []facet {
	sc := scripts[d.on]
	out := []facet{{row: "command", kind: "command", words: d.on}}
	if sc.broken { // nobody knows what it does: no rule can speak about it
		out[0].kind = ""
	}
	if d.host != "" {
		out = append(out, facet{row: "network", kind: "host", host: d.host, how: "CONNECT"})
	}
	for _, name := range sc.reads {
		f := facet{row: "secret or outside read", kind: "path", on: []string{name}, how: "read"}
		if things[name].shown && s.boxed() {
			f.row = "shown to every command"
		}
		out = append(out, f)
	}
	for _, name := range sc.writes {
		f := facet{row: "protected", kind: "path", on: []string{name}, how: "write"}
		if things[name].outside {
			f.row = "outside change"
		}
		if things[name].temp && s.boxed() && s.grade != "B" { // in B /tmp is the machine's
			f.row = "shown to every command"
		}
		out = append(out, f)
	}
	return out
}

func (s scene) boxed() bool {
	switch s.setting {
	case "auto":
		return s.grade == "A" || s.grade == "A-" || s.grade == "B"
	case "on":
		return s.grade == "A" || s.grade == "A-"
	}
	return false
}

// tableOf is the table of the page, row by row.
func tableOf(row, level string) string {
	columns := map[string][3]string{
		"free":                   {"allow", "allow", "allow"},
		"read":                   {"allow", "allow", "allow"},
		"secret or outside read": {"ask", "ask", "deny, liftable"},
		"outside change":         {"ask", "ask", "deny, liftable"},
		"shown to every command": {"ask", "ask", "allow"},
		"new file":               {"ask", "allow", "allow"},
		"change":                 {"ask", "ask", "allow"},
		"protected":              {"ask", "ask", "deny, liftable"},
		"command":                {"ask", "ask", "allow"},
		"git reads":              {"allow", "allow", "allow"},
		"git writes":             {"ask", "ask", "allow"},
		"network":                {"ask", "ask", "deny, liftable"},
		"mcp":                    {"ask", "ask", "deny, liftable"},
		"start":                  {"allow", "allow", "allow"},
		"spawn":                  {"ask", "ask", "allow"},
	}
	return columns[row][map[string]int{"always_ask": 0, "new_files_only": 1, "never_ask": 2}[level]]
}

func (f facet) names() []string {
	switch f.kind {
	case "command":
		return []string{f.words}
	case "host":
		return []string{f.host}
	}
	return f.on
}
