//go:build !linux

package ossandbox

// ownerGone: there are no cgroups to own.
func ownerGone(string) bool { return true }
