package gitsafe

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// planRemotes resolves where a Net call goes, and makes the call say so.
func planRemotes(ctx context.Context, p *Plan) error {
	if p.Class != Net {
		return nil
	}
	name, urls, err := p.addresses(ctx)
	if err != nil {
		return err
	}
	for _, u := range urls {
		r, err := parseURL(u)
		if err != nil {
			return err
		}
		r.Name, r.Push = name, p.Call.Sub == "push"
		p.Remotes = append(p.Remotes, r)
	}
	if p.Call.Sub == "push" {
		if err := p.planPush(ctx, name); err != nil {
			return err
		}
	}
	return p.packProgram(ctx)
}

// addresses are the name of the remote, and the addresses git will use after
// all rewriting.
func (p *Plan) addresses(ctx context.Context) (string, []string, error) {
	c := p.Call
	name := ""
	if len(c.Words) > 0 {
		name = c.Words[0]
	}
	if c.Sub == "push" {
		if name == "" {
			name = p.pushRemote(ctx)
		}
		if err := remoteName(name); err == nil && p.configured(name) {
			out, ok := p.look.line(ctx, "remote", "get-url", "--push", "--all", name)
			if !ok || out == "" {
				return "", nil, refuse("", "the remote %q has no address", name)
			}
			return name, strings.Split(out, "\n"), nil
		}
		if u, ok := p.pushInsteadOf(name); ok {
			return "", []string{u}, nil
		}
	}
	args := []string{"ls-remote", "--get-url"}
	if name != "" {
		args = append(args, name)
	}
	out, ok := p.look.line(ctx, args...)
	if !ok || out == "" || strings.Contains(out, "\n") || (name == "" && !p.configured(out) && out == "origin") {
		return "", nil, refuse("git remote add origin ADDRESS", "no remote to talk to")
	}
	if !p.configured(name) {
		name = ""
	}
	return name, []string{out}, nil
}

// configured says whether the configuration knows a remote of this name.
func (p *Plan) configured(name string) bool {
	return slices.ContainsFunc(p.look.records, func(r record) bool {
		return strings.HasPrefix(r.key, "remote."+name+".")
	})
}

// setting is the last value of a key.
func (l looker) setting(key string) string {
	for i := len(l.records) - 1; i >= 0; i-- {
		if l.records[i].key == key {
			return l.records[i].value
		}
	}
	return ""
}

func (p *Plan) currentBranch(ctx context.Context) string {
	ref, _ := p.look.line(ctx, "symbolic-ref", "-q", "HEAD")
	branch, _ := strings.CutPrefix(ref, "refs/heads/")
	return branch
}

// pushRemote is where a push goes that names nobody (git-config(1),
// branch.NAME.pushRemote).
func (p *Plan) pushRemote(ctx context.Context) string {
	branch := p.currentBranch(ctx)
	for _, key := range []string{"branch." + branch + ".pushremote", "remote.pushdefault", "branch." + branch + ".remote"} {
		if name := p.look.setting(key); name != "" {
			return name
		}
	}
	return "origin"
}

// pushInsteadOf rewrites an address that is pushed to without being a remote:
// git has no command that shows this. The longest prefix wins.
func (p *Plan) pushInsteadOf(address string) (string, bool) {
	best, result := "", ""
	trusted := p.look.judge().trusted
	for _, r := range p.look.records {
		section, base, variable, _ := splitKey(r.key)
		if section == "url" && variable == "pushinsteadof" && trusted(r) && len(r.value) > len(best) && strings.HasPrefix(address, r.value) {
			best, result = r.value, base+strings.TrimPrefix(address, r.value)
		}
	}
	return result, best != ""
}

// planPush writes the branches out: what the configuration would choose is
// chosen here, and shown.
func (p *Plan) planPush(ctx context.Context, name string) error {
	c := p.Call
	if name == "" && len(c.Words) > 0 {
		name = c.Words[0]
	}
	if name == "" || strings.HasPrefix(name, "-") { // it may come from the configuration
		return refuse("", "git push: %q is no remote", name)
	}
	var specs []refspec
	for i, w := range c.Words {
		if i == 0 {
			continue
		}
		s, err := p.refspec(ctx, w)
		if err != nil {
			return err
		}
		specs = append(specs, s)
	}
	if len(specs) == 0 && !c.args.has("--tags") {
		branch := p.currentBranch(ctx)
		if branch == "" {
			return refuse("name the branches: git push REMOTE BRANCH", "HEAD is on no branch")
		}
		if up := p.look.setting("branch." + branch + ".merge"); up != "" && up != "refs/heads/"+branch &&
			p.look.setting("branch."+branch+".remote") == name {
			return refuse("name both: git push "+name+" "+branch+":"+strings.TrimPrefix(up, "refs/heads/"),
				"%s follows a branch of another name, %s", branch, up)
		}
		specs = append(specs, refspec{src: "refs/heads/" + branch, dst: "refs/heads/" + branch})
	}
	p.pushes = specs
	p.argv = append(strings.Fields(c.Sub+" "+c.spec.forced), p.pushOptions(ctx, name, specs)...)
	p.argv = append(p.argv, name)
	for _, s := range specs {
		p.argv = append(p.argv, s.String())
	}
	return nil
}

// A refspec is one ref of a push, both sides written out. An empty src deletes.
type refspec struct {
	src, dst string
	force    bool
	remove   bool   // given with --delete
	lease    string // object that the remote is known to hold
}

func (s refspec) String() string {
	switch {
	case s.remove:
		return s.dst
	case s.force && s.lease == "":
		return "+" + s.src + ":" + s.dst
	}
	return s.src + ":" + s.dst
}

func (p *Plan) refspec(ctx context.Context, w string) (refspec, error) {
	text, plus := strings.CutPrefix(w, "+")
	s := refspec{force: plus || p.Call.args.has("-f", "--force", "--force-with-lease")}
	var both bool
	if s.src, s.dst, both = strings.Cut(text, ":"); both {
		if s.dst == "" {
			return s, refuse("", "git push: %q names no branch of the remote", w)
		}
		if strings.ContainsAny(s.src+s.dst, "*") {
			return s, refuse("name the branches one by one", "git push: the pattern %q is not accepted", w)
		}
		s.dst = fullName(s.dst)
		s.force = s.force || s.src == "" // it deletes
		return s, nil
	}
	if p.Call.args.has("-d", "--delete") {
		return refspec{dst: fullName(text), remove: true, force: true}, nil
	}
	full, ok := p.look.line(ctx, "rev-parse", "--symbolic-full-name", text)
	if text == "HEAD" || text == "@" {
		full, ok = p.look.line(ctx, "symbolic-ref", "-q", "HEAD")
	}
	if !ok || !strings.HasPrefix(full, "refs/") || strings.Contains(full, "\n") {
		return s, refuse("name both sides: git push REMOTE "+text+":BRANCH", "git push: %q is no branch or tag", text)
	}
	s.src, s.dst = full, full
	return s, nil
}

// fullName completes the name of a branch on the far side.
func fullName(name string) string {
	if strings.HasPrefix(name, "refs/") {
		return name
	}
	return "refs/heads/" + name
}

// pushOptions are the options as given, but for force: a forced push is tied
// to what the remote was last seen to hold, so that what is lost is what the
// plan lists.
func (p *Plan) pushOptions(ctx context.Context, remote string, specs []refspec) []string {
	var out []string
	for _, it := range p.Call.args.items {
		switch it.name {
		case "", "-f", "--force", "--force-with-lease", "--no-force-with-lease", "--force-if-includes", "--no-force-if-includes":
		default:
			out = append(out, it.String())
		}
	}
	for i := range specs {
		s := &specs[i]
		if p.Call.args.has("-f", "--force", "--force-with-lease") {
			s.force = true
		}
		branch, isBranch := strings.CutPrefix(s.dst, "refs/heads/")
		if !s.force || !isBranch || remote == "" {
			continue
		}
		if id, ok := p.look.line(ctx, "rev-parse", "--verify", "-q", "refs/remotes/"+remote+"/"+branch); ok {
			s.lease = id
			out = append(out, "--force-with-lease="+s.dst+":"+id)
		}
	}
	return out
}

// packProgram names the program on the far side, which the repository could
// otherwise choose. For a folder of this machine that program runs here, under
// the configuration of the target: it gets a hardened one, too.
func (p *Plan) packProgram(ctx context.Context) error {
	verb, option := "upload-pack", "--upload-pack"
	if p.Call.Sub == "push" {
		verb, option = "receive-pack", "--receive-pack"
	}
	program := "git-" + verb
	var schemes []string
	for i, r := range p.Remotes {
		schemes = append(schemes, r.Scheme)
		if r.Scheme != "file" {
			continue
		}
		if len(p.Remotes) > 1 {
			return refuse("push to one at a time", "one of several addresses is a folder of this machine")
		}
		target, settings, err := p.look.target(ctx, p.base(), r.Path)
		if err != nil {
			return err
		}
		p.Remotes[i].Path = target
		program = shellSettings(settings) + "git " + verb
		if r.Push {
			p.Writes = append(p.Writes, target)
		} else {
			p.Reads = append(p.Reads, target)
		}
	}
	n := len(strings.Fields(p.Call.Sub + " " + p.Call.spec.forced))
	p.argv = slices.Insert(p.argv, n, option+"="+program)
	p.look.schemes = schemes
	return nil
}

// base is where relative addresses count from: git goes to the top first.
func (p *Plan) base() string {
	if p.Repo.Top != "" {
		return p.Repo.Top
	}
	return p.dir
}

// target finds the repository behind a path, and the settings under which a
// git may serve it.
func (l looker) target(ctx context.Context, base, path string) (string, []setting, error) {
	root := against(base, path)
	dir := ""
	for _, suffix := range []string{"/.git", "", ".git/.git", ".git"} { // path.c, enter_repo
		if real, err := filepath.EvalSymlinks(root + suffix); err == nil && isGitDir(real) {
			dir = real
			break
		}
	}
	if dir == "" {
		return "", nil, refuse("", "no repository at %s", root)
	}
	repo := Repo{Top: dir, GitDir: dir, CommonDir: dir}
	if err := preflight(ctx, repo); err != nil {
		return "", nil, err
	}
	inner, err := l.g.looker(Repo{}, dir)
	if err != nil {
		return "", nil, err
	}
	inner.env.add("GIT_DIR", dir)
	records, err := inner.settings(ctx)
	if err != nil {
		return "", nil, err
	}
	v := inner.judge().neutralise(records)
	if len(v.never) > 0 {
		return "", nil, refuse("", "the repository %s sets %s, which cannot be overridden", dir, v.never[0])
	}
	fixed := []setting{{"receive.denycurrentbranch", "refuse"}, {"receive.autogc", "false"}, {"core.alternaterefscommand", "true"}}
	return dir, slices.Concat(baseline, v.settings, fixed), nil
}

// shellSettings writes settings as assignments in front of a command: git
// clears its variables for the far side, and starts it through a shell.
func shellSettings(settings []setting) string {
	var b strings.Builder
	b.WriteString("GIT_CONFIG_COUNT=" + strconv.Itoa(len(settings)))
	for i, s := range settings {
		n := strconv.Itoa(i)
		b.WriteString(" GIT_CONFIG_KEY_" + n + "=" + shellQuote(s.key))
		b.WriteString(" GIT_CONFIG_VALUE_" + n + "=" + shellQuote(s.value))
	}
	return b.String() + " "
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
