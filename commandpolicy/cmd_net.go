package commandpolicy

import (
	"path"
	"strings"
)

// hostOf is the host that a word names: a URL, user@host:path, or host:path.
func hostOf(s string) string {
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		if scheme == "file" {
			return ""
		}
		host, _, _ := cutAt(rest, "/?#")
		if i := strings.LastIndexByte(host, '@'); i >= 0 {
			host = host[i+1:]
		}
		if strings.HasPrefix(host, "[") {
			in, _, _ := strings.Cut(host[1:], "]")
			return strings.ToLower(in)
		}
		host, _, _ = strings.Cut(host, ":")
		return strings.ToLower(host)
	}
	if host, _, ok := strings.Cut(s, ":"); ok && host != "" && !strings.Contains(host, "/") {
		if i := strings.LastIndexByte(host, '@'); i >= 0 {
			host = host[i+1:]
		}
		return strings.ToLower(host)
	}
	return ""
}

func (e *effects) host(x word) {
	h := "*"
	if x.known {
		h = strings.ToLower(x.text)
		if i := strings.LastIndexByte(h, '@'); i >= 0 {
			h = h[i+1:]
		}
	}
	e.network(h)
	e.refuse("talks to " + h)
}

// url notes a URL operand; file: URLs read, a bare word is a host.
func (e *effects) url(x word) {
	if !x.known {
		e.network("*")
		return
	}
	if p, ok := strings.CutPrefix(x.text, "file://"); ok {
		e.use(kindRead, x.cut("/"+strings.TrimLeft(p, "/")), "")
		return
	}
	h := hostOf(x.text)
	if h == "" {
		h, _, _ = cutAt(strings.ToLower(x.text), "/?#")
	}
	e.network(h)
}

// upload notes text that is sent, or the file that it names: @file, name=@file
// and name=<file, as curl has it.
func (e *effects) upload(x word) {
	texts := append([]string{x.text}, x.alts...)
	for _, t := range texts {
		i := strings.LastIndexAny(t, "@<")
		if i < 0 || i > 0 && t[i-1] != '=' && !isName(t[:i]) {
			continue
		}
		file, _, _ := strings.Cut(t[i+1:], ";")
		if rest, ok := strings.CutPrefix(file, "~/"); ok && e.w.places.home != "" {
			file = e.w.places.home + "/" + rest
		}
		if file != "-" && file != "" {
			y := x.cut(strings.Trim(file, `"`))
			y.known = true
			e.use(kindRead, y, "")
		}
	}
}

func isName(s string) bool {
	for _, c := range s {
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// curl writes a file for -O, named by the URL.
func (j *judged) curl() bool {
	if j.call.has("--remote-name", "--remote-name-all", "--remote-header-name") {
		j.remoteName(j.call.operands, "")
	}
	return false
}

// wget writes a file named by the URL unless told otherwise.
func (j *judged) wget() bool {
	if !j.call.has("--output-document") {
		dir := ""
		if u, ok := j.call.flag("--directory-prefix"); ok {
			dir = u.value.text
		}
		j.remoteName(j.call.operands, dir)
	}
	return false
}

func (j *judged) remoteName(urls []word, dir string) {
	for _, x := range urls {
		p, _, _ := cutAt(x.text, "?#")
		name := path.Base(p)
		if hostOf(p) == name || name == "" || name == "." || name == "/" {
			name = "index.html"
		}
		if dir != "" {
			name = dir + "/" + name
		}
		j.use(kindWrite, known(name), "")
	}
}

// ssh runs its operands on another machine; its options can run here.
func (j *judged) ssh() bool {
	c := j.call
	j.sshOptions(c)
	if len(c.command) > 0 && c.command[0].text == "--" {
		c.command = c.command[1:]
	}
	if len(c.command) > 0 {
		words := make([]string, 0, len(c.command))
		for _, x := range c.command {
			words = append(words, x.text)
			j.w.flow.edge(x.node, j.d)
		}
		j.elsewhere(strings.Join(words, " "))
	}
	c.command = nil
	return false
}

// sshOptions walks the commands that -o names, of ssh, scp and sftp.
func (j *judged) sshOptions(c *call) {
	for _, u := range c.flags {
		if u.name == "-o" && u.has {
			name, text, _ := cutAt(u.value.text, "= ")
			if strings.HasSuffix(strings.ToLower(name), "command") && len(text) > 1 {
				j.refuse("ssh -o " + name + " runs a command here")
				j.w.nested(text[1:], "ssh "+name)
			}
		}
	}
}

// elsewhere looks at shell text that runs on another machine: its files are not
// ours, but what ruins any machine is denied there too.
func (j *judged) elsewhere(text string) {
	a := Parse(text, Context{Workspace: "/remote", Home: j.w.places.home})
	if a.Catastrophe == nil {
		return
	}
	switch id := ruleID(a.Catastrophe.ID); id {
	case ruleWipe, ruleDisk, ruleForkBomb, ruleRemoteCode, ruleRights:
		j.w.deny(id)
	}
}

// transfer judges scp, rsync and sftp: an operand with a host is remote, the
// last one is written.
func (j *judged) transfer() bool {
	c := j.call
	if j.name != "rsync" {
		j.sshOptions(c)
	}
	remote := false
	for i, x := range c.operands {
		h := ""
		if x.known {
			h = hostOf(x.text)
		}
		switch {
		case h != "":
			remote = true
			j.network(h)
		case i == len(c.operands)-1:
			if j.name != "sftp" {
				j.use(kindWrite, x, "")
				j.intoFolder(x, c.operands[:i])
			}
		default:
			j.use(kindWalk, x, "")
		}
	}
	if remote || j.name != "rsync" {
		j.network("*")
	}
	if len(c.operands) > 0 && c.has("--delete", "--delete-before", "--delete-after", "--delete-during", "--delete-excluded", "--del") {
		j.use(kindDelete, c.operands[len(c.operands)-1], "")
	}
	if u, ok := c.flag("--rsh"); ok {
		j.w.nested(u.value.text, j.name)
	}
	rest := *c
	rest.operands = nil
	j.refuse("copies files")
	j.apply(c.spec, &rest)
	return true
}

// netcat and its like connect a program to the network with -e or -c.
func (j *judged) netcat() bool {
	for _, u := range j.call.flags {
		if u.name == "-e" || u.name == "--exec" || u.name == "-c" || u.name == "--sh-exec" {
			j.w.flow.mark(j.d, fromNetwork)
			j.w.flow.edge(j.d, j.codeNode())
		}
	}
	for _, x := range j.call.operands {
		if up := strings.ToUpper(x.text); strings.Contains(up, "EXEC:") || strings.Contains(up, "SYSTEM:") {
			j.w.flow.mark(j.d, fromNetwork)
			j.w.flow.edge(j.d, j.codeNode())
		} else if _, name, ok := strings.Cut(up, "OPEN:"); ok && name != "" {
			_, file, _ := strings.Cut(x.text, ":")
			j.use(kindRead, known(file), "")
		} else if strings.HasPrefix(up, "FILE:") {
			j.use(kindRead, known(x.text[5:]), "")
		}
	}
	return false
}

// openssl talks to the network for a few of its subcommands; with the others
// it works on keys that are named to it.
func (j *judged) openssl() bool {
	for _, x := range j.args {
		switch x.text {
		case "s_client", "s_server", "s_time", "ocsp", "cmp", "ts":
			return false
		}
	}
	j.refuse("works on keys and certificates")
	j.call = generic(j.args)
	for _, x := range j.args {
		j.w.flow.edge(x.node, j.d)
		j.touchesOwn(x)
	}
	return true
}
