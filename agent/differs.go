package agent

import (
	"reflect"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// differs says which effect is another one than it was, and in what.
func differs(before, after effect.Set) string {
	for i, e := range before.Effects {
		if i >= len(after.Effects) {
			return describe(e) + " is not planned any more"
		}
		if after.Effects[i].Digest() != e.Digest() {
			return describe(e) + " is not what it was: " + strings.Join(members(e, after.Effects[i]), ", ")
		}
	}
	return "the effects are not what they were"
}

// members names what is different between two effects, in words of the
// question.
func members(a, b effect.Effect) (out []string) {
	differ := func(name string, x, y any) {
		if !reflect.DeepEqual(x, y) {
			out = append(out, name)
		}
	}
	differ("kind", a.Kind, b.Kind)
	differ("mode afterwards", a.Mode, b.Mode)
	if a.After != nil && b.After != nil {
		differ("new content", a.After.SHA256, b.After.SHA256)
	}
	for _, p := range []struct {
		name string
		a, b *effect.Path
	}{{"", a.Path, b.Path}, {"target ", a.To, b.To}} {
		if p.a != nil && p.b != nil {
			differ(p.name+"path", [2]any{p.a.Name, p.a.Abs}, [2]any{p.b.Name, p.b.Abs})
			differ(p.name+"kind of file", [2]any{p.a.Type, p.a.Exists}, [2]any{p.b.Type, p.b.Exists})
			differ(p.name+"file (device and inode)", [2]any{p.a.Device, p.a.Inode}, [2]any{p.b.Device, p.b.Inode})
			differ(p.name+"number of links", p.a.Links, p.b.Links)
			differ(p.name+"mode", p.a.Mode, p.b.Mode)
			differ(p.name+"content", p.a.SHA256, p.b.SHA256)
			differ(p.name+"link", p.a.Target, p.b.Target)
		}
	}
	if x, y := a.Exec, b.Exec; x != nil && y != nil {
		differ("command", [2]any{x.Script, x.Argv}, [2]any{y.Script, y.Argv})
		differ("programs and scripts that it runs", [2]any{x.Program, x.Programs}, [2]any{y.Program, y.Programs})
		differ("folder", x.Dir, y.Dir)
		differ("environment", [2]any{x.Set, x.Dropped}, [2]any{y.Set, y.Dropped})
		differ("stdin", string(x.Stdin), string(y.Stdin))
		differ("sandbox", [2]any{x.Profile, x.Grade}, [2]any{y.Profile, y.Grade})
		differ("network", x.Hosts, y.Hosts)
		differ("time limit", x.Timeout, y.Timeout)
		differ("paths that it reads or changes", [4]any{x.Reads, x.Writes, x.Deletes, x.Chmods}, [4]any{y.Reads, y.Writes, y.Deletes, y.Chmods})
	}
	if a.Git != nil && b.Git != nil {
		differ("git call", *a.Git, *b.Git)
	}
	if a.Net != nil && b.Net != nil {
		differ("address", *a.Net, *b.Net)
	}
	if a.MCP != nil && b.MCP != nil {
		differ("server's tool", *a.MCP, *b.MCP)
	}
	if len(out) == 0 {
		out = []string{"what it depends on"}
	}
	return out
}
