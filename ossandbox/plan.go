package ossandbox

import (
	"fmt"
	"slices"
	"strings"
)

// A Plan is the view of the machine that a command gets.
type Plan struct {
	view    *view
	profile Profile
	mounts  []mount
	rights  []right
	env     Environment
}

// A mount is one step of building the command's file tree.
type mount struct {
	op   mountOp
	src  string // of a bind: a host path; of a link: its target
	dst  string
	size int64  // bytes, of a tmpfs
	data []byte // of a copy
	perm string // octal, of a tmpfs or a copy; "" is 0755 or 0666
	why  string
}

type mountOp uint8

const (
	opShow  mountOp = iota + 1 // read-only bind
	opOpen                     // writable bind
	opEmpty                    // a tmpfs
	opCopy                     // a file with our content, on a tmpfs
	opLink
	opDev
	opProc
	opSeal // make a mount read-only
)

// A right is a Landlock rule to be: what the command may do beneath a path.
type right struct {
	path   string
	access uint64
}

// Writable are the folders that the command can write, without its private
// temporary folders.
func (p *Plan) Writable() []string {
	var l []string
	if p.view.writes {
		l = append(l, p.view.work)
		l = append(l, p.view.gits...)
	}
	for _, b := range p.view.binds {
		if b.Writable {
			l = append(l, b.Target)
		}
	}
	return l
}

// ReadOnly are the paths below the writable folders that it cannot write.
func (p *Plan) ReadOnly() []string {
	var l []string
	for _, c := range p.view.covers {
		l = append(l, c.path)
	}
	slices.Sort(l)
	return slices.Compact(l)
}

// Hidden are the files of the workspace whose content it cannot read.
func (p *Plan) Hidden() []string { return slices.Clone(p.view.hidden) }

// Notes are remarks for the person: what could not be looked at, or was left
// out of PATH.
func (p *Plan) Notes() []string { return slices.Clone(p.view.notes) }

// Environment is what the command finds in its environment.
func (p *Plan) Environment() Environment { return p.env }

// String lists the plan, a line a path, for doctor and the question.
func (p *Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "profile   %s\n", p.profile)
	for _, w := range p.Writable() {
		fmt.Fprintf(&b, "writes    %s\n", w)
	}
	for _, r := range p.ReadOnly() {
		fmt.Fprintf(&b, "covers    %s\n", r)
	}
	for _, h := range p.Hidden() {
		fmt.Fprintf(&b, "hides     %s\n", h)
	}
	for _, t := range slices.Concat(p.view.tools, p.view.extra) {
		fmt.Fprintf(&b, "shows     %s\n", t)
	}
	for _, n := range p.Notes() {
		fmt.Fprintf(&b, "note      %s\n", n)
	}
	return b.String()
}
