package reexec

import "syscall"

// ModeRelay is the value of Trigger for the relay: a sibling of the command
// that copies connections at a loopback port to the Unix socket of the proxy.
// Many programs can be given a proxy with a port, hardly any one with a path.
const ModeRelay = "relay"

const (
	fdListen  = 3
	envSocket = "TERA_PILOT_SANDBOX_SOCKET"
	maxRelays = 64
)

// startRelay binds the port, so that the command's first connection finds it,
// and starts the relay beside the command: a child would be found by a
// program that waits for its children.
func startRelay(r Relay) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrInet4{Port: int(r.Port), Addr: [4]byte{127, 0, 0, 1}})
	}
	if err == nil {
		err = syscall.Listen(fd, maxRelays)
	}
	if err != nil {
		fail("relay port", err.(syscall.Errno))
	}
	null, err := syscall.Open("/dev/null", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		fail("relay", err.(syscall.Errno))
	}
	in := uintptr(null)
	_, err = syscall.ForkExec("/proc/self/exe", []string{"tera-pilot-relay"}, &syscall.ProcAttr{
		Env:   []string{Trigger + "=" + ModeRelay, envSocket + "=" + r.Socket},
		Files: []uintptr{in, in, in, uintptr(fd)},
		Sys:   &syscall.SysProcAttr{Cloneflags: syscall.CLONE_PARENT},
	})
	if err != nil {
		fail("relay", err.(syscall.Errno))
	}
	syscall.Close(fd)
	syscall.Close(null)
}

func relay() {
	if prctl(prSetDumpable, 0) != 0 || prctl(prSetNoNewPrivs, 1) != 0 {
		return
	}
	socket, ok := syscall.Getenv(envSocket)
	if !ok {
		return
	}
	free := make(chan struct{}, maxRelays)
	for {
		free <- struct{}{}
		conn, _, err := syscall.Accept4(fdListen, syscall.SOCK_CLOEXEC)
		if err != nil {
			<-free
			if err == syscall.EINTR || err == syscall.ECONNABORTED {
				continue
			}
			return
		}
		go func() { // ends with its connection, and all of them with this process
			defer func() { <-free }()
			join(conn, socket)
		}()
	}
}

// join connects conn with the proxy and returns when both directions ended.
func join(conn int, socket string) {
	defer syscall.Close(conn)
	up, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(up)
	if syscall.Connect(up, &syscall.SockaddrUnix{Name: socket}) != nil {
		return
	}
	back := make(chan struct{})
	go func() {
		defer close(back)
		pour(conn, up)
	}()
	pour(up, conn)
	<-back
}

// pour copies from one socket to the other, then ends that direction.
func pour(to, from int) {
	defer syscall.Shutdown(to, syscall.SHUT_WR)
	defer syscall.Shutdown(from, syscall.SHUT_RD)
	buf := make([]byte, 32<<10)
	for {
		n, err := syscall.Read(from, buf)
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 {
			return
		}
		for b := buf[:n]; len(b) > 0; {
			n, err := syscall.Write(to, b)
			if err == syscall.EINTR {
				continue
			}
			if err != nil {
				return
			}
			b = b[n:]
		}
	}
}
