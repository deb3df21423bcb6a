package commandpolicy

import "slices"

// stdinCode notes that the input is run; known text is walked.
func (j *judged) stdinCode() {
	in := j.w.io.in
	j.w.flow.edge(in, j.codeNode())
	j.executes("code:" + j.name)
	j.pin("") // what it is fed stands in no rule
	text, ok := j.w.flow.known(in)
	switch {
	case ok && (isShell(j.name) || j.name == "at" || j.name == "batch" || j.name == "parallel"):
		j.w.nested(text, "the input of "+j.name)
	case ok:
		j.w.shellWithin(j.name, text)
	}
}

// interpreter judges python, perl, node and their like: without code or a
// script of its own, the input is code.
func (j *judged) interpreter() bool {
	c := j.call
	if c.info {
		return true
	}
	code := hasCode(c)
	if c.testRunner() && !code {
		j.testsOf(c)
		return true
	}
	for _, u := range c.flags {
		if isModule(u) {
			j.pinModule(u.value)
		}
	}
	if code {
		// The operands of -c, -e and -m are words for the program.
		for _, x := range c.operands {
			j.w.flow.edge(x.node, j.d)
			j.touchesOwn(x)
			if c.has("-i") {
				j.use(kindWrite, x, "")
			}
		}
		j.applyOptions(c)
		return true
	}
	script := len(c.operands) > 0 && c.operands[0].text != "-"
	if !script || slices.ContainsFunc(c.operands, func(x word) bool { return x.text == "-" && x.known }) {
		j.stdinCode()
	}
	if c.has("-i") {
		for _, x := range c.operands {
			j.use(kindWrite, x, "")
		}
	}
	return false
}

// testsOf judges a run of the project's tests. The operands are what it looks
// for tests in. A yes is about them as they are; a rule is about the run, as
// with pytest, and outlives that tests change.
func (j *judged) testsOf(c *call) {
	pinned, pins := j.part.pinned, j.part.Pins
	for _, x := range c.operands {
		j.w.flow.edge(x.node, j.d)
		j.use(kindScript, x, "")
	}
	j.part.pinned, j.part.Pins = pinned, pins
	j.applyOptions(c)
}

// testRunner says that an interpreter was told to run the project's tests. The
// grammar knows such an option of node alone.
func (c *call) testRunner() bool {
	return slices.ContainsFunc(c.flags, func(u flagUse) bool { return u.opt != nil && u.name == "--test" })
}

// hasCode says that an option gives the code, or names the module that has it.
func hasCode(c *call) bool {
	return slices.ContainsFunc(c.flags, func(u flagUse) bool { return u.opt != nil && (u.opt.kind == kindCode || isModule(u)) })
}

func isModule(u flagUse) bool { return u.name == "-m" || u.name == "--module" }
