package gitsafe

import (
	"context"
	"strings"
)

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
