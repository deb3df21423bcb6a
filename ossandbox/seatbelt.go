package ossandbox

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A seatbelt is a macOS sandbox profile: a text in the language of
// sandbox-exec(1), and the paths that it names as parameters. No path is ever
// written into the text, so none can end a string in it.
type seatbelt struct {
	text   strings.Builder
	params []string // NAME=path, in order
	known  map[string]string
}

// A seatbeltView is what the profile is written from: real, canonical paths.
type seatbeltView struct {
	work, temp, cache, home string
	reads                   []string // further folders to read
	writes                  []string // further folders to write (git dirs)
	covers                  []string // not to be written in what is writable
	hidden                  []string // not to be read in what is readable
	secrets                 []string // below the home: denied last, whatever came before
	observe, debug          bool
	proxyPort               int // 0: no network
}

// macReads are the parts of the system that programs need to start and build.
var macReads = []string{
	"/usr", "/bin", "/sbin", "/System", "/Library/Developer", "/Library/Apple", "/Library/Frameworks", "/opt/homebrew", "/opt/local",
	"/private/etc", "/private/var/db/timezone", "/private/var/select", "/private/var/db/dyld", "/Applications/Xcode.app", "/nix/store",
}

// machServices are the system services that ordinary tools look up. There is
// no pasteboard, no Apple Events, no window server and no key chain among them.
var machServices = []string{
	"com.apple.system.opendirectoryd.libinfo", "com.apple.system.opendirectoryd.membership", "com.apple.cfprefsd.daemon", "com.apple.cfprefsd.agent",
	"com.apple.system.logger", "com.apple.system.notification_center", "com.apple.logd", "com.apple.diagnosticd",
}

// newSeatbelt writes the profile. In this language the last rule that matches
// counts, so that what is denied stands after what is allowed.
func newSeatbelt(v seatbeltView) *seatbelt {
	s := &seatbelt{known: map[string]string{}}
	s.line("(version 1)")
	s.line("(deny default)")
	s.line("(allow process-fork)")
	s.line("(allow process-exec)")
	s.line("(allow signal (target same-sandbox))")
	s.line("(allow process-info* (target same-sandbox))")
	if v.debug {
		s.line("(allow mach-priv-task-port (target same-sandbox))")
	}
	s.line("(allow sysctl-read)")
	s.line("(allow pseudo-tty)")
	s.line(`(allow file-ioctl (literal "/dev/tty") (regex #"^/dev/ttys[0-9]+$") (literal "/dev/ptmx"))`)
	s.line("(allow ipc-posix-sem)")
	s.line("(allow ipc-posix-shm)")
	s.machServices(v)
	s.reads(v)
	s.writes(v)
	s.denials(v)
	s.network(v)
	return s
}

func (s *seatbelt) line(format string, args ...any) { fmt.Fprintf(&s.text, format+"\n", args...) }

// param is the name of a path in the text.
func (s *seatbelt) param(path string) string {
	name, ok := s.known[path]
	if !ok {
		name = fmt.Sprintf("P%d", len(s.params))
		s.known[path] = name
		s.params = append(s.params, name+"="+path)
	}
	return `(param "` + name + `")`
}

// each writes one rule with a filter for every path.
func (s *seatbelt) each(rule, filter string, paths []string) {
	if len(paths) == 0 {
		return
	}
	s.line("(%s", rule)
	for _, p := range paths {
		s.line("  (%s %s)", filter, s.param(p))
	}
	s.line(")")
}

func (s *seatbelt) machServices(v seatbeltView) {
	s.line("(allow mach-lookup")
	for _, m := range machServices {
		s.line("  (global-name %q)", m)
	}
	if v.proxyPort != 0 {
		s.line("  (global-name %q)", "com.apple.trustd.agent") // TLS certificates in Go and curl
	}
	s.line(")")
}

func (s *seatbelt) reads(v seatbeltView) {
	s.line("(allow file-read-metadata)")
	s.line(`(allow file-read* (literal "/") (literal "/dev/null") (literal "/dev/zero") (literal "/dev/random") (literal "/dev/urandom") (literal "/dev/tty") (literal "/dev/ptmx") (literal "/dev/dtracehelper") (regex #"^/dev/ttys[0-9]+$") (subpath "/dev/fd"))`)
	s.each("allow file-read*", "subpath", slices.Concat(macReads, []string{v.work, v.temp, v.cache}, v.writes, v.reads))
}

func (s *seatbelt) writes(v seatbeltView) {
	s.line(`(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx") (literal "/dev/dtracehelper") (regex #"^/dev/ttys[0-9]+$") (subpath "/dev/fd"))`)
	writable := []string{v.temp}
	if !v.observe {
		writable = slices.Concat(writable, []string{v.work, v.cache}, v.writes)
	}
	s.each("allow file-write*", "subpath", writable)
}

// denials take out of the above what must not be written or read. Volumes are
// case-insensitive as a rule: both spellings of a name are denied. A folder on
// the way must not be renamed away, with another put in its place.
func (s *seatbelt) denials(v seatbeltView) {
	s.line("(deny file-link)")
	s.line("(deny file-write-setugid)")
	var covers, above []string
	for _, c := range v.covers {
		dir, base := filepath.Split(c)
		covers = append(covers, c)
		for _, other := range []string{strings.ToLower(base), strings.ToUpper(base)} {
			if other != base {
				covers = append(covers, dir+other)
			}
		}
		above = append(above, between(append([]string{v.work}, v.writes...), c)...)
	}
	slices.Sort(above)
	above = slices.Compact(append(above, append([]string{v.work}, v.writes...)...))
	s.each("deny file-write*", "literal", covers)
	s.each("deny file-write*", "subpath", covers)
	s.each("deny file-write-unlink", "literal", above)
	s.each("deny file-read-data file-write*", "literal", v.hidden)
	s.each("deny file-read* file-write*", "subpath", v.secrets)
}

// network is loopback among the command's own processes, or the one port of
// the proxy. Unix sockets are a matter of the network here: those of daemons
// stay out of reach, also where their files can be read.
func (s *seatbelt) network(v seatbeltView) {
	if v.proxyPort != 0 {
		s.line(`(allow network-outbound (remote ip "localhost:%d"))`, v.proxyPort)
	} else {
		s.line(`(allow network-bind network-inbound (local ip "localhost:*"))`)
		s.line(`(allow network-outbound (remote ip "localhost:*"))`)
	}
	s.each("allow network-bind network-outbound", "subpath", []string{v.temp})
	s.line("(allow system-socket (socket-domain AF_UNIX))")
}
