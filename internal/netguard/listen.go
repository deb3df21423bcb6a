package netguard

import "net"

// ListenHere listens on a port of 127.0.0.1 that the system chooses: reached from
// this machine alone. It is the one place of the program that listens for
// connections that are not a sandbox's.
func ListenHere() (net.Listener, error) { return net.Listen("tcp4", "127.0.0.1:0") }
