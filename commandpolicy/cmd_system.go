package commandpolicy

import "strings"

// kill sends a signal; -1 as a target means every process.
func (j *judged) kill() bool {
	j.call = &call{operands: j.args}
	j.refuse("signals processes")
	words := j.args
	for len(words) > 0 {
		t := words[0].text
		switch {
		case t == "-l" || t == "-L" || t == "--list":
			j.why = nil
			return true
		case t == "-s" || t == "-n" || t == "--signal" || t == "-q":
			words = words[min(2, len(words)):]
			continue
		case t == "--":
			words = words[1:]
		case len(t) > 1 && t[0] == '-' && len(words) > 1:
			words = words[1:]
			if len(words) > 0 && words[0].text == "--" {
				words = words[1:]
			}
		}
		break
	}
	for _, x := range words {
		for _, t := range append([]string{x.text}, x.alts...) {
			if t == "-1" {
				j.w.deny(ruleAllSignals)
			}
		}
		j.w.flow.edge(x.node, j.d)
	}
	j.w.flow.mark(j.d, toKill)
	return true
}

// pkill with a pattern that fits every name signals every process.
func (j *judged) pkill() bool {
	c := j.call
	everything := c.has("--inverse")
	for _, x := range c.operands {
		switch strings.Trim(x.text, "^$") {
		case "", ".", ".*", ".+", "..*", "[a-z]", "[a-z]*":
			everything = everything || x.known
		}
	}
	if len(c.operands) == 0 && c.has("--uid", "--euid", "--user", "--group") && !c.has("--list-name") {
		everything = true
	}
	if everything && j.name != "pgrep" {
		j.w.deny(ruleAllSignals)
	}
	if everything {
		j.w.flow.mark(j.d, fromProcesses)
	}
	return false
}

// ps lists processes; all of them unless some are chosen.
func (j *judged) ps() bool {
	j.call = generic(j.args)
	j.refuse("shows other processes")
	for _, x := range j.args {
		if t := strings.TrimLeft(x.text, "-"); strings.ContainsAny(t, "eAax") {
			j.w.flow.mark(j.d, fromProcesses)
		}
	}
	return true
}

// powerVerbs are what systemctl and loginctl do to the machine.
var powerVerbs = setOf(`poweroff reboot halt suspend hibernate hybrid-sleep suspend-then-hibernate kexec rescue emergency exit soft-reboot
default isolate`)

func (j *judged) systemctl() bool {
	if ops := j.call.operands; len(ops) > 0 && powerVerbs[ops[0].text] {
		j.w.deny(rulePower)
	}
	return false
}

func (j *judged) initLevel() bool {
	j.call = generic(j.args)
	j.refuse("changes the run level")
	for _, x := range j.args {
		switch x.text {
		case "0", "1", "6", "s", "S", "u", "U", "q", "Q":
			j.w.deny(rulePower)
		}
	}
	return true
}

// crontab installs, edits or removes what runs by the clock; -l lists it.
func (j *judged) crontab() bool {
	j.refuse("the table of commands that run by the clock")
	if !j.call.has("-l") {
		j.w.deny(ruleLogin)
	}
	return false
}

// date sets the clock with an operand that does not begin with +.
func (j *judged) date() bool {
	for _, x := range j.call.operands {
		if !strings.HasPrefix(x.text, "+") {
			j.refuse("sets the clock")
		}
	}
	return false
}

func (j *judged) printenv() bool {
	if len(j.call.operands) == 0 {
		j.refuse("prints all variables")
	}
	for _, x := range j.call.operands {
		if !x.known || !harmlessVariables[x.text] {
			j.refuse("prints a variable that may hold a secret")
		}
	}
	return false
}

// own judges this very program: an agent must not use it to change what guards
// it.
func (j *judged) own() bool {
	j.call = generic(j.args)
	j.refuse("runs the agent itself")
	words := make([]string, 0, 2)
	for _, x := range j.call.operands[:min(2, len(j.call.operands))] {
		words = append(words, x.text)
	}
	switch strings.Join(words, " ") {
	case "audit redact", "audit key", "policy forget", "keys set", "keys remove", "mcp approve", "mcp add", "mcp remove":
		j.w.deny(ruleOwnState)
	}
	if len(words) > 0 && words[0] == "purge" {
		j.w.deny(ruleOwnState)
	}
	return true
}

// goTool judges go(1) by its subcommand.
func (j *judged) goTool() bool {
	if len(j.args) == 0 || !j.args[0].known {
		j.refuse("go without a subcommand")
		return true
	}
	sub := j.args[0].text
	s := grammars()["go "+sub]
	if s == nil {
		j.call = generic(j.args)
		j.unknown("go " + sub + " is not known")
		return true
	}
	c := s.take("go "+sub, j.args[1:])
	c.info = false
	j.apply(s, c)
	j.call = &call{spec: s, sub: s, flags: c.flags, operands: append([]word{j.args[0]}, c.operands...), broken: c.broken}
	return true
}

// fuser -k on a root signals everything that has a file open.
func (j *judged) fuser() bool {
	if j.call.has("--kill") {
		for _, x := range j.call.operands {
			if x.text == "/" {
				j.w.deny(ruleAllSignals)
			}
		}
	}
	return false
}

// disks judges programs that write disks: denied on a raw device unless they
// only list.
func (j *judged) disks() bool {
	j.refuse("works on disks")
	if j.call.reads {
		return false
	}
	careful := j.name == "hdparm" || j.name == "nvme"
	for _, x := range j.call.operands {
		for _, p := range j.paths(x, true) {
			if isRawDevice(p) && !careful {
				j.w.deny(ruleDisk)
			}
		}
	}
	for _, x := range j.args {
		t := strings.ToLower(x.text)
		if strings.Contains(t, "erase") || t == "format" || t == "sanitize" || t == "zerodisk" || t == "partitiondisk" {
			j.w.deny(ruleDisk)
		}
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
