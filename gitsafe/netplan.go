package gitsafe

import (
	"context"
	"slices"
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
			out, err := p.look.oneLine(ctx, "remote", "get-url", "--push", "--all", name)
			if err == nil && out == "" {
				err = refuse("", "the remote %q has no address", name)
			}
			return name, strings.Split(out, "\n"), err
		}
		if u, ok := p.pushInsteadOf(name); ok {
			return "", []string{u}, nil
		}
	}
	args := []string{"ls-remote", "--get-url"}
	if name != "" {
		args = append(args, name)
	}
	out, err := p.look.oneLine(ctx, args...)
	if err != nil {
		return "", nil, err
	}
	if out == "" || strings.Contains(out, "\n") || (name == "" && !p.configured(out) && out == "origin") {
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
