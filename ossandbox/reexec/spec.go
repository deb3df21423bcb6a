package reexec

// Trigger is the variable that makes a program the inner stage.
const Trigger = "TERA_PILOT_SANDBOX_STAGE"

// ModeCommand is the value of Trigger for the stage that becomes the command.
const ModeCommand = "command"

// ExitSetup is the exit status of a stage that could not do its work.
const ExitSetup = 125

// Descriptors that the stage finds open.
const (
	FDStatus = 4 // write end of a pipe: one of the Status bytes, then text
	FDStderr = 5 // the command's own stderr; 2 is the sandbox's until then
	FDSpec   = 6 // the encoded Spec
)

// First bytes on the status pipe. A pipe that closes after StatusReached alone
// means that the command runs.
const (
	StatusReached  = '+' // the stage was reached: what follows comes from it
	StatusFailed   = 'E' // a step failed: text
	StatusNotFound = 'N' // the command was not found: its name
	StatusNoExec   = 'X' // the command was found and could not be executed: text
)

// A Spec is what the stage does before it becomes the command.
type Spec struct {
	Argv  []string // the command
	Env   []string // its whole environment; its PATH finds the command
	Dir   string   // its working folder
	Umask uint32

	Checks   []Identity
	Rlimits  []Rlimit
	Plain    bool // run the command as it is, without any restriction (the setting off)
	DropCaps bool // give up every capability (where no namespace has done so)
	Landlock Landlock
	Seccomp  []byte // struct sock_filter[], in the machine's byte order; empty is none
	Relay    Relay
}

// An Identity is a file that must stand at a path when the stage gets there. A
// command that runs at the same time can swap folders of the workspace for
// links while the mounts are made; what was mounted then is something else.
type Identity struct {
	Path     string
	Dev, Ino uint64
}

// A Rlimit is one call of setrlimit, soft and hard.
type Rlimit struct{ Resource, Value uint64 }

// A Landlock ruleset: see landlock(7). No rights handled means no Landlock.
type Landlock struct {
	FS, Net, Scope uint64 // rights that are denied unless a rule grants them
	Rules          []PathRule
	Ports          []PortRule
	Streams        uint64 // rights on the files that stdin, stdout and stderr are
}

// A PathRule grants rights beneath a path.
type PathRule struct {
	Access uint64
	Path   string
}

// A PortRule grants rights on a TCP port.
type PortRule struct{ Access, Port uint64 }

// A Relay copies connections at a loopback port to a Unix socket, for the
// proxy of the profile net. Port 0 is none.
type Relay struct {
	Port   uint64
	Socket string
}

const magic = "tera-pilot stage 1\n"

// Encode is the Spec as the stage reads it.
func (s *Spec) Encode() []byte {
	b := append(make([]byte, 0, 4096+len(s.Seccomp)), magic...)
	b = putStrings(b, s.Argv)
	b = putStrings(b, s.Env)
	b = putString(b, s.Dir)
	b = putUint(b, uint64(s.Umask))
	b = putUint(b, uint64(len(s.Checks)))
	for _, c := range s.Checks {
		b = putUint(putUint(putString(b, c.Path), c.Dev), c.Ino)
	}
	b = putUint(b, uint64(len(s.Rlimits)))
	for _, r := range s.Rlimits {
		b = putUint(putUint(b, r.Resource), r.Value)
	}
	b = putUint(b, flag(s.Plain)|flag(s.DropCaps)<<1)
	l := &s.Landlock
	b = putUint(putUint(putUint(putUint(b, l.FS), l.Net), l.Scope), l.Streams)
	b = putUint(b, uint64(len(l.Rules)))
	for _, r := range l.Rules {
		b = putString(putUint(b, r.Access), r.Path)
	}
	b = putUint(b, uint64(len(l.Ports)))
	for _, r := range l.Ports {
		b = putUint(putUint(b, r.Access), r.Port)
	}
	b = putString(b, string(s.Seccomp))
	b = putUint(b, s.Relay.Port)
	return putString(b, s.Relay.Socket)
}

// Decode reads what Encode wrote. ok is false, and s empty, for anything else.
func Decode(b []byte) (s Spec, ok bool) {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return Spec{}, false
	}
	d := decoder{b: b[len(magic):]}
	s.Argv = d.strings()
	s.Env = d.strings()
	s.Dir = d.string()
	umask := d.uint()
	s.Umask = uint32(umask)
	for n := d.count(24); n > 0; n-- {
		s.Checks = append(s.Checks, Identity{d.string(), d.uint(), d.uint()})
	}
	for n := d.count(16); n > 0; n-- {
		s.Rlimits = append(s.Rlimits, Rlimit{d.uint(), d.uint()})
	}
	flags := d.uint()
	s.Plain, s.DropCaps = flags&1 != 0, flags&2 != 0
	l := &s.Landlock
	l.FS, l.Net, l.Scope, l.Streams = d.uint(), d.uint(), d.uint(), d.uint()
	for n := d.count(16); n > 0; n-- {
		l.Rules = append(l.Rules, PathRule{d.uint(), d.string()})
	}
	for n := d.count(16); n > 0; n-- {
		l.Ports = append(l.Ports, PortRule{d.uint(), d.uint()})
	}
	if p := d.string(); p != "" {
		s.Seccomp = []byte(p)
	}
	s.Relay.Port, s.Relay.Socket = d.uint(), d.string()
	if d.bad || len(d.b) > 0 || flags > 3 || umask > 0o777 {
		return Spec{}, false
	}
	return s, true
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func putUint(b []byte, v uint64) []byte {
	for i := 0; i < 64; i += 8 {
		b = append(b, byte(v>>i))
	}
	return b
}

func putString(b []byte, s string) []byte { return append(putUint(b, uint64(len(s))), s...) }

func putStrings(b []byte, l []string) []byte {
	b = putUint(b, uint64(len(l)))
	for _, s := range l {
		b = putString(b, s)
	}
	return b
}

// decoder reads little-endian words and counted bytes; bad is sticky.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uint() (v uint64) {
	if d.bad || len(d.b) < 8 {
		d.bad = true
		return 0
	}
	for i := range 8 {
		v |= uint64(d.b[i]) << (8 * i)
	}
	d.b = d.b[8:]
	return v
}

// count is a number of items of at least size bytes each, which must be there.
func (d *decoder) count(size uint64) uint64 {
	n := d.uint()
	if d.bad || n > uint64(len(d.b))/size {
		d.bad = true
		return 0
	}
	return n
}

func (d *decoder) string() string {
	n := d.count(1)
	if d.bad {
		return ""
	}
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

func (d *decoder) strings() (l []string) {
	for n := d.count(8); n > 0 && !d.bad; n-- {
		l = append(l, d.string())
	}
	return l
}
