package ossandbox

import (
	"slices"
	"strings"
)

type profileKind uint8

const (
	profileObserve profileKind = iota // the zero Profile writes nothing
	profileWork
	profileNet
	profileDebug
)

// A Profile is what one command may do: an immutable value. The zero Profile
// is Observe, the strictest.
type Profile struct {
	kind  profileKind
	hosts string // canonical, sorted, one a line: keeps the type comparable
}

// Observe lets a command read; it writes nothing but its temporary folder.
func Observe() Profile { return Profile{kind: profileObserve} }

// Work lets a command read and write the workspace; it has no network.
func Work() Profile { return Profile{kind: profileWork} }

// Debug is Work with ptrace among the command's own processes.
func Debug() Profile { return Profile{kind: profileDebug} }

// Net is Work with a proxy to the named hosts, and to none when none is named.
// A host is a name, "*.suffix", or either with ":port" (without: 443 and 80).
// New refuses hosts that it cannot read: see ParseHosts.
func Net(hosts ...string) Profile {
	h := slices.Clone(hosts)
	slices.Sort(h)
	return Profile{kind: profileNet, hosts: strings.Join(slices.Compact(h), "\n")}
}

// ParseProfile reads a profile's name as the command line and mcp.json write
// it. hosts are for net only.
func ParseProfile(name string, hosts ...string) (Profile, error) {
	switch {
	case name == "net":
		return Net(hosts...), nil
	case len(hosts) > 0:
		return Profile{}, &SetupError{Cause: "hosts are named for the profile " + name, Mend: "use the profile net"}
	case name == "observe":
		return Observe(), nil
	case name == "work":
		return Work(), nil
	case name == "debug":
		return Debug(), nil
	default:
		return Profile{}, &SetupError{Cause: "unknown profile " + name, Mend: "use observe, work, net or debug"}
	}
}

// Name is the bare name: observe, work, net or debug.
func (p Profile) Name() string {
	switch p.kind {
	case profileWork:
		return "work"
	case profileNet:
		return "net"
	case profileDebug:
		return "debug"
	default:
		return "observe"
	}
}

// Hosts are the hosts of a net profile, as they were named, sorted.
func (p Profile) Hosts() []string {
	if p.hosts == "" {
		return nil
	}
	return strings.Split(p.hosts, "\n")
}

// String is the profile in words for a question.
func (p Profile) String() string {
	switch p.kind {
	case profileWork:
		return "work: writes the workspace, no network"
	case profileDebug:
		return "debug: writes the workspace, traces its own processes, no network"
	case profileNet:
		if p.hosts == "" {
			return "net: writes the workspace, reaches no host"
		}
		return "net: writes the workspace, reaches " + strings.Join(p.Hosts(), ", ")
	default:
		return "observe: writes nothing, no network"
	}
}

// writes says whether the workspace is writable.
func (p Profile) writes() bool { return p.kind != profileObserve }
