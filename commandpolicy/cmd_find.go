package commandpolicy

import (
	"path"
	"strings"
)

// findArgs are the expressions of find(1) that take a value, and how it is
// used; findPlain those that take none. What stands in neither is refused.
var findArgs = map[string]kind{
	"-name": kindText, "-iname": kindText, "-path": kindText, "-ipath": kindText, "-wholename": kindText, "-iwholename": kindText,
	"-regex": kindText, "-iregex": kindText, "-regextype": kindText, "-lname": kindText, "-ilname": kindText, "-type": kindText,
	"-xtype": kindText, "-maxdepth": kindText, "-mindepth": kindText, "-size": kindText, "-mtime": kindText, "-atime": kindText,
	"-ctime": kindText, "-mmin": kindText, "-amin": kindText, "-cmin": kindText, "-perm": kindText, "-user": kindText, "-group": kindText,
	"-uid": kindText, "-gid": kindText, "-links": kindText, "-inum": kindText, "-fstype": kindText, "-used": kindText, "-newermt": kindText,
	"-printf": kindText, "-context": kindText,
	"-newer": kindMeta, "-anewer": kindMeta, "-cnewer": kindMeta, "-samefile": kindMeta,
	"-fprint": kindWrite, "-fprint0": kindWrite, "-fls": kindWrite, "-files0-from": kindAsk,
}

var findPlain = setOf(`-print -print0 -ls -prune -quit -empty -readable -writable -executable -nouser -nogroup -true -false -not -and -or
-a -o ! ( ) , -depth -d -mount -xdev -daystart -noleaf -ignore_readdir_race -noignore_readdir_race -warn -nowarn -help --help -version --version`)

// findNarrow are the tests that pick some files out of many.
var findNarrow = setOf(`-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -size -mtime -atime -ctime -mmin
-amin -cmin -perm -user -group -uid -gid -links -inum -newer -anewer -cnewer -newermt -samefile -empty -nouser -nogroup`)

// finder reads the words of find.
type finder struct {
	*judged
	starts []word
	narrow bool // some test picks files out
	files  bool // only plain files are passed on
	secret bool // a test names secrets
	or     bool
}

func (j *judged) find() bool {
	f := &finder{judged: j}
	f.call = generic(j.args)
	f.call.broken = ""
	i := f.options()
	for i < len(j.args) && !isFindExpr(j.args[i]) {
		f.starts = append(f.starts, j.args[i])
		i++
	}
	if len(f.starts) == 0 {
		f.starts = []word{known(".")}
	}
	f.survey(j.args[i:])
	for _, s := range f.starts {
		j.use(kindList, s, "")
	}
	for i < len(j.args) {
		i = f.expression(i)
	}
	j.here()
	return true
}

// options reads -H, -L, -P, -D and -O, which come first.
func (f *finder) options() int {
	i := 0
	for ; i < len(f.args) && f.args[i].known; i++ {
		switch t := f.args[i].text; {
		case t == "-P" || t == "-H" || strings.HasPrefix(t, "-O"):
		case t == "-L":
			f.follow = true
		case t == "-D":
			i++
		case t == "--":
			return i + 1
		default:
			return i
		}
	}
	return i
}

func isFindExpr(x word) bool {
	return x.known && (strings.HasPrefix(x.text, "-") && len(x.text) > 1 || x.text == "(" || x.text == "!" || x.text == ",")
}

// survey looks at the whole expression, before its actions are judged.
func (f *finder) survey(words []word) {
	for i, x := range words {
		f.narrow = f.narrow || findNarrow[x.text] && !(i+1 < len(words) && words[i+1].text == "*")
		f.or = f.or || x.text == "-o" || x.text == "-or" || x.text == ","
		f.follow = f.follow || x.text == "-follow"
		if i+1 >= len(words) {
			continue
		}
		val := words[i+1].text
		switch x.text {
		case "-type":
			f.files = f.files || val == "f"
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex":
			f.secret = f.secret || namesSecret(val, f.w.places.home) || mentionsSecret(val)
		}
	}
	f.files = f.files && !f.or && !f.follow
}

// mentionsSecret is a coarse look for names of secrets in a longer pattern.
func mentionsSecret(s string) bool {
	s = strings.ToLower(s)
	for _, n := range []string{".env", "id_rsa", "id_ed25519", ".pem", ".ssh", ".aws", "credentials", "secret", ".netrc", ".npmrc", ".key", "_history"} {
		if strings.Contains(s, n) {
			return true
		}
	}
	return false
}

// expression judges the expression at i and returns where the next begins.
func (f *finder) expression(i int) int {
	x := f.args[i]
	if !x.known {
		f.unknown("a word that is not known before the run may be an action")
		return i + 1
	}
	switch x.text {
	case "-exec", "-execdir", "-ok", "-okdir":
		return f.exec(i)
	case "-delete":
		f.deletes()
		return i + 1
	case "-fprintf":
		if i+1 < len(f.args) {
			f.use(kindWrite, f.args[i+1], "")
		}
		f.refuse("writes a file")
		return i + 3
	case "-follow":
		return i + 1
	}
	if findPlain[x.text] {
		return i + 1
	}
	k, ok := findArgs[x.text]
	if !ok && strings.HasPrefix(x.text, "-newer") && len(x.text) == 8 {
		k, ok = kindMeta, true
	}
	if !ok || i+1 >= len(f.args) {
		f.unknown("find " + x.text + " is not known")
		return i + 1
	}
	f.use(k, f.args[i+1], "find "+x.text)
	return i + 2
}

func (f *finder) deletes() {
	f.refuse("deletes")
	for _, s := range f.starts {
		for _, p := range f.paths(s, true) {
			if f.narrow {
				p = path.Join(p, "…")
			}
			f.changePath(kindDelete, p)
		}
	}
}

// exec judges the command of -exec and its like: {} is a path beneath a start.
func (f *finder) exec(i int) int {
	end := i + 1
	for end < len(f.args) && f.args[end].text != ";" && !(f.args[end].text == "+" && f.args[end-1].text == "{}") {
		end++
	}
	argv := f.args[i+1 : end]
	if strings.HasPrefix(f.args[i].text, "-ok") || strings.HasSuffix(f.args[i].text, "dir") {
		f.refuse("runs a command in every folder, or asks on the terminal")
	}
	if f.secret {
		f.refuse("a pattern for files that hold secrets")
	}
	var out []word
	for _, x := range argv {
		if strings.Contains(x.text, "{}") {
			out = append(out, f.found(x)...)
			continue
		}
		out = append(out, x)
	}
	if len(out) == 0 || end >= len(f.args) {
		f.unknown("find without an end of its command")
		return end + 1
	}
	r := run{argv: out, depth: f.run.depth, noFunc: true, external: true, lookup: f.run.lookup}
	r.wrappers = append(f.run.wrappers[:len(f.run.wrappers):len(f.run.wrappers)], "find "+f.args[i].text)
	f.w.start(r)
	return end + 1
}

// found is what {} stands for, once for each start.
func (f *finder) found(x word) []word {
	var out []word
	for _, s := range f.starts {
		y := word{node: x.node, plain: true}
		if x.text == "{}" && s.known {
			y.text = join(s.text, "")
			switch {
			case f.files && !strings.HasPrefix(s.text, "-"):
				y.under = s.text
			case f.narrow:
				y.alts = []string{join(s.text, "…")}
			default:
				y.alts = []string{s.text}
			}
		} else if s.known {
			y.alts = []string{strings.ReplaceAll(x.text, "{}", s.text)}
		}
		out = append(out, y)
	}
	return out
}
