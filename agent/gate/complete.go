package gate

import (
	"net"
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// Limits of a command's run.
const (
	DefaultTimeout = 180 * time.Second
	MinTimeout     = time.Second
	MaxTimeout     = time.Hour
)

// The sandbox profiles that the gate chooses from.
const (
	ProfileObserve = "observe" // proven to read only, and run so that it can do no other
	ProfileWork    = "work"
	ProfileNet     = "net" // work, and the hosts of its grant
	ProfileOff     = "off" // no sandbox
)

// complete fills what only the gate knows of a command, in a copy: profile,
// grade, limits, and whether it is proven to read only. Hosts are those that
// the call asked for, each of which is decided on its own.
func (in Input) complete(a *act) {
	x := *a.e.Exec
	a.cmd = in.again(&x)
	x.Parsed = x.Parsed && a.cmd.Parsed
	x.Hosts = hostList(x.Hosts)
	x.ReadOnly = x.Parsed && a.cmd.ReadOnly && len(x.Hosts) == 0 && a.e.Kind == effect.Exec
	x.Profile = in.profile(a.e.Kind, a.mark, &x)
	x.Grade = in.Grade.String()
	x.Timeout = clamp(x.Timeout)
	a.e.Exec = &x
}

// profile chooses the sandbox profile. An approved start keeps the one that it
// was approved with.
func (in Input) profile(kind effect.Kind, m Mark, x *effect.Command) string {
	switch {
	case m.Leaves, in.Sandbox == SandboxOff:
		return ProfileOff
	case len(x.Hosts) > 0:
		return ProfileNet
	case kind == effect.Start && (x.Profile == ProfileObserve || x.Profile == ProfileNet):
		return x.Profile
	case x.ReadOnly:
		return ProfileObserve
	}
	return ProfileWork
}

func hostList(hosts []string) []string {
	if len(hosts) == 0 {
		return nil
	}
	out := make([]string, len(hosts))
	for i, h := range hosts {
		host, port := splitHost(h)
		if out[i] = host; port != "" {
			out[i] = net.JoinHostPort(host, port)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func clamp(t time.Duration) time.Duration {
	if t == 0 {
		return DefaultTimeout
	}
	return min(max(t, MinTimeout), MaxTimeout)
}
