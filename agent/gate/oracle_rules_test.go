package gate_test

// speaks: the strictest that one layer says about the facet, "" for nothing.
func (s scene) speaks(f facet, who agent, layer, name string, acts ...string) string {
	said := []string{}
	for _, r := range who.rules {
		inForce := r.layer == layer || r.layer == "pending" && layer == "project" && r.says != "allow"
		if !inForce || r.kind != f.kind || r.obsolete || r.clean && who.tainted {
			continue
		}
		if r.atGrade != "" && worse(s.grade, r.atGrade) {
			continue
		}
		for _, act := range acts {
			if r.on == name && r.how == act {
				said = append(said, r.says)
			}
		}
	}
	if len(said) == 0 {
		return ""
	}
	return strictest(said...)
}

func worse(grade, than string) bool {
	rank := map[string]int{"none": 0, "B": 1, "A-": 2, "A": 3}
	return rank[grade] < rank[than]
}

var layerNames = []string{"user", "project", "remembered", "session"}

// saysAnywhere: some layer denies, or asks.
func (s scene) saysAnywhere(f facet, who agent, word string) bool {
	for _, layer := range layerNames {
		for _, name := range f.names() {
			for _, act := range append([]string{f.how}, f.also...) {
				if s.speaks(f, who, layer, name, act) == word {
					return true
				}
			}
		}
	}
	return false
}

// allowsIn: the layer allows what the facet names.
func (s scene) allowsIn(f facet, who agent, layer string) bool {
	for _, name := range f.names() {
		if s.speaks(f, who, layer, name, f.how) != "allow" {
			return false
		}
	}
	return len(f.names()) > 0
}

// callAllowed: a push needs, beside its host, a rule for the git call.
func (s scene) callAllowed(f facet, who agent, layers ...string) bool {
	if f.kind != "host" || f.how != "PUSH" {
		return true
	}
	for _, layer := range layers {
		if s.allowsIn(facet{kind: "command", words: f.words}, who, layer) {
			return true
		}
	}
	return false
}

// lifts: an allow rule of the user's own, about just this kind of effect.
func (s scene) lifts(f facet, who agent) bool {
	if f.row == "protected" && who.tainted {
		return false
	}
	return f.kind != "command" && f.kind != "" && s.allowsIn(f, who, "user") && s.callAllowed(f, who, "user")
}

// hasAllow: step 3.
func (s scene) hasAllow(d deed, f facet, who agent) bool {
	for _, layer := range layerNames {
		kept := layer == "remembered" || layer == "session"
		if kept && f.row == "protected" {
			continue
		}
		if f.kind != "" && s.allowsIn(f, who, layer) && s.callAllowed(f, who, layerNames...) {
			return true
		}
	}
	if s.granted(f, who) {
		return true
	}
	if f.row == "command" && s.isProven(d) && !s.confirmReads && s.setting != "off" && !d.leaves {
		return true
	}
	return s.windowCovers(d, f, who)
}

func (s scene) granted(f facet, who agent) bool {
	for _, h := range who.grants {
		if f.kind == "host" && f.how == "GET" && f.host == h {
			return true
		}
	}
	return false
}

func (s scene) windowCovers(d deed, f facet, who agent) bool {
	if who.window == "" || who.windowOver || !s.atTerminal() || worse(s.grade, who.windowGrade) {
		return false
	}
	switch f.row {
	case "command":
		return s.boxed()
	case "new file", "change", "git writes":
		return true
	case "mcp":
		return who.window == "unsafe"
	case "network":
		if who.window != "unsafe" {
			return false
		}
		for _, layer := range layerNames {
			if s.speaks(f, who, layer, f.host, f.how) == "allow" {
				return true
			}
		}
	}
	return false
}

// hasAsk: step 4.
func (s scene) hasAsk(d deed, f facet, who agent) bool {
	if s.saysAnywhere(f, who, "ask") || s.review == "modify" || s.review == "failed" {
		return true
	}
	for _, h := range s.hooks {
		if h == "raise" {
			return true
		}
	}
	return s.taintAsks(d, f, who) || s.builtInAsks(d, f, who)
}

func (s scene) taintAsks(d deed, f facet, who agent) bool {
	if !who.tainted {
		return false
	}
	if f.row == "protected" {
		return true
	}
	if f.row == "network" || f.row == "mcp" && d.http {
		return !s.userNames(f, who) && !s.granted(f, who)
	}
	return false
}

// userNames: a [[host]] or [[mcp]] rule of policy.toml, or a remembered one
// that names exactly one host (GET) or one tool.
func (s scene) userNames(f facet, who agent) bool {
	for _, name := range f.names() {
		if s.speaks(f, who, "user", name, f.how) == "allow" {
			return true
		}
		exact := f.kind == "mcp" || f.how == "GET"
		for _, layer := range []string{"remembered", "session"} {
			if exact && s.speaks(f, who, layer, name, f.how) == "allow" {
				return true
			}
		}
	}
	return false
}

func (s scene) builtInAsks(d deed, f facet, who agent) bool {
	sc := scripts[d.on]
	sends := d.host != "" || d.kind == "mcp" && d.http
	readsSecret := false
	network := false
	for _, other := range s.does {
		for _, g := range s.facets(other) {
			if (g.row == "secret or outside read") && things[g.on[0]].secret {
				readsSecret = true
			}
		}
		network = network || other.host != "" && other.kind != "start" || other.kind == "mcp" && other.http
	}
	mine := false
	for _, g := range s.facets(d) {
		mine = mine || g.row == "secret or outside read" && things[g.on[0]].secret
	}
	writesRunsSends := d.kind != "read" && d.kind != "walk" && d.kind != "gitread" && d.kind != "free"
	covered := s.granted(f, who)
	for _, layer := range layerNames {
		covered = covered || s.allowsIn(f, who, layer)
	}
	switch {
	case d.kind == "exec" && sc.broken:
		return true
	case d.leak && sends:
		return true
	case d.kind == "fetch" && d.redirect && !covered:
		return true
	case d.loses || sc.loses:
		return true
	case d.kind == "delete" && d.noUndo, d.kind == "rename" && d.toExists && d.noUndo:
		return true
	case readsSecret && network && (mine || sends):
		return true
	case d.leaves:
		return true
	case s.asText && !s.textIsFine && writesRunsSends:
		return true
	case d.kind == "exec" && s.setting == "off":
		return true
	}
	return false
}
