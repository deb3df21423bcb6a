package ossandbox

import (
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/tera-pilot/tera-pilot/ossandbox/reexec"
)

// Where the command finds the proxy.
const (
	proxyPort   = 3128
	proxyFolder = "/run/tera-pilot-proxy"
)

// openEgress starts the proxy of one command on a Unix socket in a folder of
// its own, which the plan mounts. The path of a Unix socket is short, and that
// of our state folder may be long: it is bound through a descriptor.
func (s *Sandbox) openEgress(c *Command) (e *egress, dir string, err error) {
	parent := filepath.Join(s.keep.dir, "proxies")
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, "", &SetupError{Cause: "the folder of the proxy cannot be made", Err: err}
	}
	sweepCopies(parent)
	dir = filepath.Join(parent, ownedName())
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, "", &SetupError{Cause: "the folder of the proxy cannot be made", Err: err}
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, "", &SetupError{Cause: "the folder of the proxy cannot be opened", Err: err}
	}
	defer f.Close()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) + "/proxy.sock"})
	if err != nil {
		os.RemoveAll(dir)
		return nil, "", &SetupError{Cause: "the proxy cannot listen", Err: err}
	}
	l.SetUnlinkOnClose(false) // by then the descriptor's number means something else
	if e, err = newEgress(c.Profile, s.cfg.Egress, l, c.OnRequest); err != nil {
		l.Close()
		os.RemoveAll(dir)
		return nil, "", err
	}
	return e, dir, nil
}

func (s *Sandbox) closeEgress(e *egress, dir string) {
	e.close()
	os.RemoveAll(dir)
	os.Remove(filepath.Dir(dir))
}

// throughEgress adds the proxy to the plan and the spec.
func (p *Plan) throughEgress(e *egress, dir string, spec *reexec.Spec) {
	// Before the last step, which seals the root.
	last := len(p.mounts) - 1
	p.mounts = append(p.mounts[:last:last], mount{op: opShow, src: dir, dst: proxyFolder, why: "proxy"}, p.mounts[last])
	spec.Relay = reexec.Relay{Port: proxyPort, Socket: proxyFolder + "/proxy.sock"}
	spec.Env = append(spec.Env, proxyEnvironment(e.url("127.0.0.1:"+strconv.Itoa(proxyPort)))...)
}
