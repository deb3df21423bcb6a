package commandpolicy

import "strings"

// A node is a place that content passes through: a pipe, a file, a variable,
// the input or the output of a command. Zero is no place.
type node int32

// mark bits of a node.
const (
	fromNetwork   = 1 << iota // content that came from the network
	fromKey                   // a private key, credentials or shell history
	fromRootNames             // the names of everything in a system folder or home
	fromProcesses             // the numbers of all processes
	toCode                    // content that an interpreter runs
	toNetwork                 // content that leaves the machine
	toDelete                  // names of files to be deleted
	toKill                    // numbers of processes to be killed
)

// maxKnownText bounds the text that is followed through pipes and variables.
const maxKnownText = 64 << 10

// flow is the graph of where content goes. It serves the deny list (downloaded
// text into an interpreter, keys to the network) and carries text that is known
// before the run (echo … | sh).
type flow struct {
	to    [][]node
	marks []uint16
	text  []*pipeText
	files map[string]node
	names map[string]node
}

// pipeText is what is known of the content of a node.
type pipeText struct {
	b      strings.Builder
	opaque bool // something unknown was written too
}

func newFlow() *flow {
	return &flow{to: make([][]node, 1), marks: make([]uint16, 1), text: make([]*pipeText, 1),
		files: map[string]node{}, names: map[string]node{}}
}

func (f *flow) node() node {
	f.to = append(f.to, nil)
	f.marks = append(f.marks, 0)
	f.text = append(f.text, nil)
	return node(len(f.to) - 1)
}

func (f *flow) edge(from, to node) {
	if from != 0 && to != 0 && from != to {
		f.to[from] = append(f.to[from], to)
	}
}

func (f *flow) mark(n node, bits uint16) {
	if n != 0 {
		f.marks[n] |= bits
	}
}

// file is the node of a file's content, one for each path.
func (f *flow) file(path string) node { return f.named(f.files, path) }

// variable is the node of all that a variable ever holds.
func (f *flow) variable(name string) node { return f.named(f.names, name) }

func (f *flow) named(m map[string]node, key string) node {
	n, ok := m[key]
	if !ok {
		n = f.node()
		m[key] = n
	}
	return n
}

// write appends known text to a node; ok is false for text that is not known.
func (f *flow) write(n node, text string, ok bool) {
	if n == 0 {
		return
	}
	if f.text[n] == nil {
		f.text[n] = &pipeText{}
	}
	t := f.text[n]
	if !ok || t.opaque || t.b.Len()+len(text) > maxKnownText {
		t.opaque = true
		return
	}
	t.b.WriteString(text)
}

// known is the whole content of a node, if it is known.
func (f *flow) known(n node) (string, bool) {
	if n == 0 || f.text[n] == nil || f.text[n].opaque {
		return "", false
	}
	return f.text[n].b.String(), true
}

// reaches reports whether content of a node marked from can come to one marked
// to. Both bits on one node count: nc(1) is a source and a sink.
func (f *flow) reaches(from, to uint16) bool {
	seen := make([]bool, len(f.to))
	var stack []node
	for n := range f.to {
		if f.marks[n]&from != 0 {
			stack = append(stack, node(n))
		}
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		if f.marks[n]&to != 0 {
			return true
		}
		stack = append(stack, f.to[n]...)
	}
	return false
}
