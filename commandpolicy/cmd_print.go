package commandpolicy

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strings"
	"sync"
)

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
		for _, x := range words[:min(2, len(words))] { // -v NAME, or -vNAME
			j.w.evaluatedValue(x.value())
		}
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
