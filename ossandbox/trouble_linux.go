package ossandbox

import (
	"os"
	"strings"
)

// facts are what the kernel and the surroundings say about namespaces.
type facts struct {
	appArmor  string // kernel.apparmor_restrict_unprivileged_userns
	maxUserNS string // user.max_user_namespaces
	cloneUser string // kernel.unprivileged_userns_clone
	container bool
	nested    bool // inside another sandbox already
}

func hostFacts() facts {
	read := func(p string) string {
		b, _ := os.ReadFile(p)
		return strings.TrimSpace(string(b))
	}
	f := facts{
		appArmor:  read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
		maxUserNS: read("/proc/sys/user/max_user_namespaces"),
		cloneUser: read("/proc/sys/kernel/unprivileged_userns_clone"),
		container: exists("/.dockerenv") || exists("/run/.containerenv") || os.Getenv("container") != "",
	}
	status := read("/proc/self/status")
	f.nested = strings.Contains(status, "NoNewPrivs:\t1") && len(strings.Fields(read("/proc/self/uid_map"))) == 3 &&
		!strings.HasSuffix(read("/proc/self/uid_map"), "4294967295")
	return f
}

// explain turns what bubblewrap said into a cause and a mend.
func explain(program, diag string, f facts) Trouble {
	diag = strings.TrimSpace(strings.ReplaceAll(diag, "bwrap: ", ""))
	said := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(diag, p) {
				return true
			}
		}
		return false
	}
	noNamespace := said("uid map", "RTM_NEWADDR", "No permissions to create", "Creating new namespace failed", "Operation not permitted", "Permission denied")
	switch {
	case said("Unknown option"):
		return Trouble{Cause: "bubblewrap is too old: " + diag, Mend: "install version 0.8 or later"}
	case said("No space left", "max_user_namespaces"):
		return Trouble{Cause: "no more namespaces may be made: " + diag, Mend: "raise the sysctls user.max_user_namespaces, user.max_pid_namespaces and user.max_net_namespaces"}
	case f.maxUserNS == "0":
		return Trouble{Cause: "user namespaces are switched off (user.max_user_namespaces is 0)", Mend: "set the sysctl user.max_user_namespaces to 10000 or more"}
	case noNamespace && f.cloneUser == "0":
		return Trouble{Cause: "user namespaces are for root only (kernel.unprivileged_userns_clone is 0)", Mend: "set that sysctl to 1"}
	case noNamespace && f.appArmor == "1":
		return Trouble{Cause: "AppArmor keeps bubblewrap from making user namespaces (kernel.apparmor_restrict_unprivileged_userns is 1)", Mend: "load an AppArmor profile for it, which doctor --sandbox prints, or set that sysctl to 0", File: appArmorProfile(program)}
	case said("mount proc", "proc on"):
		return Trouble{Cause: "no /proc of its own can be mounted: " + diag, Mend: "in a container, start it with an unmasked /proc (--security-opt systempaths=unconfined)"}
	case f.nested:
		return Trouble{Cause: "this program runs inside another sandbox, which lets it make none of its own: " + diag, Mend: "start it outside"}
	case (said("make / slave") || noNamespace) && f.container:
		return Trouble{Cause: "the container forbids namespaces or mounts: " + diag, Mend: "start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined, or run outside the container"}
	case diag == "":
		return Trouble{Cause: "ended without a word", Mend: "run it by hand to see why"}
	default:
		return Trouble{Cause: diag}
	}
}

// appArmorProfile is the text of a profile that lets the bubblewrap at path
// make user namespaces, for systems that keep unknown programs from it. It is
// printed by doctor, and never installed by us.
func appArmorProfile(path string) string {
	return `abi <abi/4.0>,
include <tunables/global>

profile tera-pilot-bwrap ` + path + ` flags=(unconfined) {
  userns,
  include if exists <local/tera-pilot-bwrap>
}
`
}
