package commandpolicy

// finish draws the conclusions that need the whole text.
func (w *walker) finish() {
	f := w.flow
	if f.reaches(fromNetwork, toCode) {
		w.deny(ruleRemoteCode)
	}
	if f.reaches(fromKey, toNetwork) {
		w.deny(ruleKeyLeak)
	}
	if f.reaches(fromRootNames, toDelete) {
		w.deny(ruleWipe)
	}
	if f.reaches(fromProcesses, toKill) {
		w.deny(ruleAllSignals)
	}
	if forkBomb(w.starts) {
		w.deny(ruleForkBomb)
	}
	proven := true
	for i := range w.a.Parts {
		if p := &w.a.Parts[i]; !p.Proven {
			proven = false
			for _, why := range p.Why {
				w.remark(p.label() + why)
			}
		}
	}
	w.a.ReadOnly = proven && w.a.Parsed && w.a.Catastrophe == nil
	if len(w.a.Parts) == 1 {
		w.singleGit(&w.a.Parts[0])
	}
}

func (w *walker) singleGit(p *Part) {
	if !w.a.Parsed || p.Kind != PartCall || p.Name != "git" || len(p.Wrappers) > 0 {
		return
	}
	argv := []string{"git"}
	for _, x := range p.Argv[1:] {
		if !x.Known {
			return
		}
		argv = append(argv, x.Text)
	}
	w.a.SingleGit = argv
}

func (p *Part) label() string {
	if p.Name == "" {
		return ""
	}
	return p.Name + ": "
}
