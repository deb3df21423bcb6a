package commandpolicy

import (
	"path"
	"regexp"
	"strings"
	"sync"
)

// maxWithin bounds how many words, and lines of the input, are looked at.
const maxWithin = 32

// within looks for commands in the words and the input of a program that may
// run them (vim -c '!…', npx rm …, sqlite3 '.shell …'), for the deny list
// alone: what looks like a command may be none.
func (j *judged) within() {
	j.wordsWithin()
	if text, ok := j.w.flow.known(j.w.io.in); ok {
		for _, line := range strings.SplitN(text, "\n", maxWithin) {
			j.textWithin(line)
		}
	}
}

// wordsWithin is within without the input.
func (j *judged) wordsWithin() {
	for i, x := range j.args[:min(len(j.args), maxWithin)] {
		if !x.known {
			continue
		}
		j.textWithin(x.text)
		name := x.text
		if dir, base := path.Split(name); systemBin[path.Clean(dir)] && dir != "" {
			name = base
		}
		if strings.HasPrefix(name, "-") || specFor(name) == nil {
			continue
		}
		tail := make([]string, 0, maxWithin)
		for _, y := range j.args[i:min(len(j.args), i+maxWithin)] {
			tail = append(tail, shellQuote(y.text))
		}
		j.w.elsewhereHere(strings.Join(tail, " "))
	}
}

// shellEscapes are the ways by which editors, pagers, debuggers and database
// clients are told to run what follows.
var shellEscapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[+:]*\s*(?:silent!?\s+)?(?:!+|\.shell\s|\.system\s|\\!|shell\s|system\s|sh\s)\s*(.+)$`)
})

func (j *judged) textWithin(text string) {
	if !strings.ContainsAny(text, " \t") {
		return
	}
	if m := shellEscapes().FindStringSubmatch(text); m != nil {
		j.w.elsewhereHere(m[1])
	} else {
		j.w.elsewhereHere(text)
	}
	j.w.shellWithin(j.name, text)
}

// argvCalls are the calls that take a command as a list of strings.
var argvCalls = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:exec[a-z]*|system|spawn[A-Za-z]*|posix_spawn|run|call|Popen|check_output|check_call|execFile|execFileSync)\b[\s(\[]*`)
})

// argvWithin looks at commands that code gives as lists: run(["rm", "-rf", "/"]).
func (w *walker) argvWithin(code string) {
	for _, at := range argvCalls().FindAllStringIndex(code, 16) {
		if words := stringList(code[at[1]:]); len(words) > 1 {
			for i := range words {
				words[i] = shellQuote(words[i])
			}
			w.elsewhereHere(strings.Join(words, " "))
		}
	}
}

// stringList reads the string literals that s begins with, separated by commas
// and brackets.
func stringList(s string) []string {
	var out []string
	for len(out) < maxWithin {
		s = strings.TrimLeft(s, " \t\n,[(")
		if s == "" || s[0] != '"' && s[0] != '\'' {
			break
		}
		end := strings.IndexByte(s[1:], s[0])
		if end < 0 {
			break
		}
		out = append(out, s[1:end+1])
		s = s[end+2:]
	}
	return out
}

var (
	backticks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`([^`]+)`|(?:%x|qx)\\s*[({\\[|!/]([^)}\\]|!]+)") })
	tclCalls  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[;\[{\n])\s*(?:exec|spawn|system)\s+([^;\]}\n]+)()`)
	})
	noShell = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`$^`) })
)

// quotedShell finds what a language runs as a command without a call.
func quotedShell(name string) *regexp.Regexp {
	s := specFor(name)
	if s == nil {
		return noShell()
	}
	switch s.name {
	case "perl", "ruby", "php":
		return backticks()
	case "tclsh":
		return tclCalls()
	}
	return noShell()
}

// shellQuote makes one word of s.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// shellCalls are the calls by which other languages start a shell, and those
// that delete a tree, with a string as what follows.
var shellCalls = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(system|popen|shell_exec|passthru|execSync|exec|spawnSync|spawn|getoutput|check_output|check_call|call|run|execute|e?syscmd|shell-command|do shell script|qx|%x|rmtree|rmSync|rm_rf|rm_r|remove_tree|RemoveAll)" +
		"\\s*[({\\[]*\\s*(?:\"([^\"]*)\"|'([^']*)'|`([^`]*)`|\\{([^}]*)\\})")
})

// shellWithin looks for shell text within code of another language, for the
// deny list. It finds the plain forms only: deny rules are no wall.
func (w *walker) shellWithin(name, code string) {
	for _, m := range shellCalls().FindAllStringSubmatch(code, 16) {
		text := m[2] + m[3] + m[4] + m[5]
		switch m[1] {
		case "rmtree", "rmSync", "rm_rf", "rm_r", "remove_tree", "RemoveAll":
			text = "rm -rf -- '" + strings.ReplaceAll(text, "'", "") + "'"
		}
		w.elsewhereHere(text)
	}
	w.argvWithin(code)
	for _, m := range quotedShell(name).FindAllStringSubmatch(code, 16) {
		w.elsewhereHere(strings.Join(m[1:], ""))
	}
}

// elsewhereHere analyses text apart from the rest, and takes over a denial
// alone: what looks like a call may be none.
func (w *walker) elsewhereHere(text string) {
	c := w.a.where
	if c.within++; c.within > 4 || len(text) > w.budget {
		return
	}
	w.budget -= len(text)
	if len(w.dirs) == 1 {
		c.Dir = w.dirs[0]
	}
	if a := Parse(text, c); a.Catastrophe != nil {
		w.deny(ruleID(a.Catastrophe.ID))
	}
}
