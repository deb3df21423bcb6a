package commandpolicy

import (
	"encoding/base64"
	"encoding/hex"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// builtinNames are the commands that bash runs itself (bash(1), SHELL BUILTIN
// COMMANDS).
var builtinNames = setOf(`: . [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown
echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd
pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias
unset wait`)

func isBuiltin(name string) bool { return builtinNames[name] }

// text joins the words of a command that prints them; ok is false when one is
// not known. A word that could give a secret away is refused.
func (j *judged) text(words []word) (string, bool) {
	ok := true
	var b strings.Builder
	for i, x := range words {
		j.w.flow.edge(x.node, j.d)
		if !x.known {
			ok = false
			if !x.plain {
				j.unknown("prints what is not known before the run")
			}
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(x.text)
	}
	return b.String(), ok
}

func (j *judged) echo() bool {
	words := j.args
	newline, escapes := "\n", false
	for len(words) > 0 && words[0].known && len(words[0].text) > 1 && words[0].text[0] == '-' && strings.Trim(words[0].text[1:], "neE") == "" {
		if strings.Contains(words[0].text, "n") {
			newline = ""
		}
		escapes = escapes || strings.Contains(words[0].text, "e")
		words = words[1:]
	}
	text, ok := j.text(words)
	if escapes {
		text = ansiC(text)
	}
	j.output, j.ok = text+newline, ok
	j.call = &call{operands: j.args}
	return true
}

func (j *judged) printf() bool {
	j.call = &call{operands: j.args}
	words := j.args
	if len(words) > 0 && words[0].known && words[0].text == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return true
	}
	if f := words[0]; !f.known || strings.HasPrefix(f.text, "-") {
		j.refuse("printf with an option, or a format that is not known")
		j.w.vars.lost = true
		return true
	}
	if printfSets().MatchString(ansiC(words[0].text)) {
		j.refuse("printf with %n, which sets a variable")
		j.w.vars.lost, j.w.pathChanged, j.w.ifsChanged = true, true, true
	}
	_, ok := j.text(words)
	j.output, j.ok = "", ok
	if ok {
		j.output, j.ok = formatted(words)
	}
	return true
}

// printfSets finds %n in a format of printf, with its flags.
var printfSets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[-+ #0'*.0-9hjlLtqz]*n`) })

// formatted is what printf prints for formats of %s, %b, %d and %%.
func formatted(words []word) (string, bool) {
	format, rest := ansiC(words[0].text), words[1:]
	var b strings.Builder
	for {
		used := 0
		for i := 0; i < len(format); i++ {
			if format[i] != '%' {
				b.WriteByte(format[i])
				continue
			}
			if i++; i >= len(format) {
				return "", false
			}
			arg := ""
			if used < len(rest) {
				arg = rest[used].text
			}
			switch format[i] {
			case '%':
				b.WriteByte('%')
				continue
			case 's', 'd':
				b.WriteString(arg)
			case 'b':
				b.WriteString(ansiC(arg))
			default:
				return "", false
			}
			used++
		}
		if used == 0 || used >= len(rest) {
			return b.String(), true
		}
		rest = rest[used:]
	}
}

// cat passes known text on; everything else is the grammar's.
func (j *judged) cat() bool {
	if len(j.args) == 0 {
		j.output, j.ok = j.w.flow.known(j.w.io.in)
	}
	return false
}

// decode follows known text through base64 -d, xxd -r and rev, as attackers
// write it.
func (j *judged) decode() bool {
	in, ok := j.w.flow.known(j.w.io.in)
	if !ok || len(j.call.operands) > 0 {
		return false
	}
	switch {
	case j.name == "rev":
		r := []rune(strings.TrimSuffix(in, "\n"))
		for a, b := 0, len(r)-1; a < b; a, b = a+1, b-1 {
			r[a], r[b] = r[b], r[a]
		}
		j.output, j.ok = string(r)+"\n", true
	case j.name == "xxd":
		if j.call.has("-r") && j.call.has("-p") {
			out, err := hex.DecodeString(strings.Join(strings.Fields(in), ""))
			j.output, j.ok = string(out), err == nil
		}
	case j.call.has("--decode"):
		out, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(in), ""))
		j.output, j.ok = string(out), err == nil
	}
	return false
}

func (j *judged) pwd() bool {
	if len(j.w.dirs) == 1 {
		j.output, j.ok = j.w.dirs[0]+"\n", true
	}
	return false
}

// cd follows the current folder.
func (j *judged) cd() bool {
	if j.run.external {
		return false
	}
	j.here()
	w := j.w
	to, sure := j.cdTargets()
	for _, d := range to {
		j.use(kindMeta, known(d), "")
		if len(w.been) < 4*maxDirs && !slices.Contains(w.been, d) {
			w.been = append(w.been, d)
		}
	}
	w.old = w.dirs
	if !sure || len(to) == 0 {
		j.unknown("a folder that is not known before the run")
		w.dirs, w.passed = nil, nil
		return true
	}
	w.passed = to
	w.dirs = unite(w.dirs, to)
	return true
}

// cdTargets are the folders that cd leads to; they are only guesses when not
// sure.
func (j *judged) cdTargets() (to []string, sure bool) {
	w, ops := j.w, j.call.operands
	if j.call.broken != "" || len(ops) > 1 || j.name == "popd" {
		return nil, false
	}
	if len(ops) == 0 {
		home := w.variable("HOME")
		return append(home.alts, home.text), home.known && j.name == "cd"
	}
	switch x := ops[0]; {
	case !x.known:
		for _, alt := range x.alts {
			to = append(to, path.Join("/", alt))
		}
		return to, false
	case x.text == "-":
		return w.old, true
	case path.IsAbs(x.text):
		return []string{path.Clean(x.text)}, !strings.HasPrefix(x.text, "+")
	default:
		for _, d := range w.somewhere() {
			to = append(to, j.cdTo(d, x.text))
		}
		return to, len(w.dirs) > 0 && !w.cdpathChanged && !strings.HasPrefix(x.text, "+")
	}
}

// cdTo is where cd leads: without -P bash takes .. off the name of the folder,
// links or no.
func (j *judged) cdTo(dir, name string) string {
	if !j.call.has("-P") {
		return path.Join(dir, name)
	}
	real, _ := j.w.places.resolve(dir+"/"+name, true)
	return real
}

// eval runs its words as shell text in this shell.
func (j *judged) eval() bool {
	j.quiet = true
	words, ok := make([]string, len(j.args)), true
	for i, x := range j.args {
		j.w.flow.edge(x.node, j.codeNode())
		ok = ok && x.known
		words[i] = x.text
	}
	if ok {
		j.w.inline(strings.Join(words, " "), "eval")
		return true
	}
	j.unknown("eval of text that is not known before the run")
	for _, x := range j.args {
		for _, alt := range x.alts {
			j.w.nested(alt, "eval")
		}
	}
	j.w.vars.lost = true
	j.w.dirs = nil
	return true
}

func (j *judged) source() bool {
	if len(j.args) == 0 {
		return true
	}
	j.script(j.args[0])
	for _, x := range j.args[1:] {
		j.w.flow.edge(x.node, j.codeNode())
	}
	j.w.vars.lost = true
	j.w.dirs = nil
	j.w.pathChanged = true
	j.call = generic(j.args)
	return true
}

func (j *judged) command() bool {
	c := j.call
	if c.has("-v", "-V") {
		return false
	}
	if len(c.command) == 0 {
		return true
	}
	if c.broken != "" {
		j.unknown(c.broken)
	}
	j.quiet = true
	r := j.run
	r.argv, r.noFunc = c.command, true
	if j.name == "exec" {
		r.external = true
	}
	r.wrappers = append(r.wrappers[:len(r.wrappers):len(r.wrappers)], j.name)
	j.w.start(r)
	return true
}

func (j *judged) trap() bool {
	ops := j.call.operands
	if len(ops) > 1 && !(ops[0].known && (ops[0].text == "-" || ops[0].text == "")) {
		j.quiet = true
		j.w.subshell(func() { j.w.elsewhen(func() { j.shellText(ops[0], "trap") }) })
		for _, sig := range ops[1:] {
			if sig.text != "EXIT" && sig.text != "0" {
				// The text runs in this shell between any two of the commands
				// that follow, and may change what they are.
				j.w.vars.lost, j.w.dirs, j.w.passed = true, nil, nil
			}
		}
		return true
	}
	return false
}

// harmlessSettings are the letters and names that set may take.
var harmlessSettings = setOf(`errexit nounset pipefail xtrace verbose noclobber errtrace functrace noglob`)

func (j *judged) set() bool {
	j.call = &call{operands: j.args}
	if len(j.args) == 0 {
		j.refuse("prints all variables")
	}
	for i := 0; i < len(j.args); i++ {
		x := j.args[i]
		if !x.known || x.text == "--" || x.text == "-" || x.text == "" || x.text[0] != '-' && x.text[0] != '+' {
			j.setArgs(j.args[i:])
			return true
		}
		if strings.Trim(x.text[1:], "euxvCETfo") != "" {
			j.refuse("set " + x.text)
		}
		j.w.globChanged = j.w.globChanged || strings.Contains(x.text, "f")
		if strings.HasSuffix(x.text, "o") {
			i++
			if i >= len(j.args) || !j.args[i].known || !harmlessSettings[j.args[i].text] {
				j.refuse("set -o with a setting that is not known to be harmless")
			} else if j.args[i].text == "noglob" {
				j.w.globChanged = true
			}
		}
	}
	return true
}

func (j *judged) setArgs(words []word) {
	n := j.w.flow.node()
	j.w.flow.edge(j.w.args, n)
	j.w.args = n
	j.passes(words, n)
}

var harmlessShopts = setOf(`nullglob globstar dotglob failglob nocaseglob globskipdots inherit_errexit`)

func (j *judged) shopt() bool {
	j.w.globChanged = true
	for _, x := range j.call.operands {
		if !x.known || !harmlessShopts[x.text] {
			j.refuse("a shell option that is not known to be harmless")
		}
	}
	return false
}

func (j *judged) read() bool {
	j.w.setNames(j.call.operands, value{plain: true, node: j.w.io.in})
	j.names(j.call.operands)
	return false
}

// names refuses what is no plain name: bash evaluates subscripts in it.
func (j *judged) names(words []word) {
	for _, x := range words {
		if !x.known || !syntax.ValidName(x.text) {
			j.refuse("a variable name that bash may evaluate")
		} else if !ownName(x.text) && len(x.text) > 1 && x.text != "REPLY" {
			j.refuse("sets the variable " + x.text)
		}
	}
}

func (w *walker) setNames(words []word, v value) {
	for _, x := range words {
		if x.known && syntax.ValidName(x.text) {
			w.assign(x.text, v)
			continue
		}
		w.vars.lost = true
	}
}

func (j *judged) unset() bool {
	for _, x := range j.call.operands {
		delete(j.w.sure, x.text)
	}
	j.w.setNames(j.call.operands, value{unset: true})
	j.names(j.call.operands)
	return false
}

func (j *judged) alias() bool {
	for _, x := range j.args {
		if _, text, ok := strings.Cut(x.text, "="); ok && x.known {
			j.w.nested(text, "alias")
		}
	}
	j.refuse("changes what names mean, or prints it")
	j.call = generic(j.args)
	return true
}

// export handles export, declare and their like where the parser did not see
// them as such (`builtin export X=1`).
func (j *judged) export() bool {
	for _, x := range j.args {
		name, text, _ := strings.Cut(x.text, "=")
		if x.known && syntax.ValidName(name) {
			j.w.assign(name, value{text: text, known: true, node: x.node})
			continue
		}
		j.w.vars.lost = true
	}
	j.refuse("sets or prints variables")
	j.call = generic(j.args)
	return true
}

func (j *judged) hashCommand() bool {
	if j.call.has("-p") {
		j.w.pathChanged = true
	}
	return false
}

// gpg hands out private keys when it is asked for them.
func (j *judged) gpg() bool {
	for _, x := range j.args {
		if strings.HasPrefix(x.text, "--export-secret") {
			j.w.flow.mark(j.d, fromKey)
		}
	}
	return false
}

func (j *judged) history() bool {
	j.w.flow.mark(j.d, fromKey)
	return false
}
