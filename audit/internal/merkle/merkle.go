// Package merkle computes tree hashes and inclusion proofs as RFC 6962,
// section 2.1, defines them, reading the leaves once and in order.
package merkle

import (
	"crypto/sha256"
	"math/bits"
)

// A Hash is the hash of a subtree.
type Hash = [sha256.Size]byte

// Leaf is the hash of a leaf with this content.
func Leaf(content []byte) Hash {
	h := sha256.New()
	h.Write([]byte{0})
	h.Write(content)
	var out Hash
	h.Sum(out[:0])
	return out
}

// Node is the hash of two subtrees.
func Node(left, right Hash) Hash {
	var b [1 + 2*sha256.Size]byte
	b[0] = 1
	copy(b[1:], left[:])
	copy(b[1+sha256.Size:], right[:])
	return sha256.Sum256(b[:])
}

// A Tree is the right edge of a tree: the hashes of its complete subtrees, the
// largest first. The zero Tree is empty.
type Tree struct {
	size  int64
	edges []Hash
}

// FromEdges is the tree of this size with these subtrees, and whether their
// number fits the size.
func FromEdges(size int64, edges []Hash) (Tree, bool) {
	if size < 0 || bits.OnesCount64(uint64(size)) != len(edges) {
		return Tree{}, false
	}
	return Tree{size, append([]Hash(nil), edges...)}, true
}

// Size is the number of leaves.
func (t *Tree) Size() int64 { return t.size }

// Edges are the hashes of the complete subtrees, the largest first.
func (t *Tree) Edges() []Hash { return append([]Hash(nil), t.edges...) }

// Clone is a copy that can grow by itself.
func (t *Tree) Clone() Tree { return Tree{t.size, t.Edges()} }

// Add appends a leaf. Each subtree that becomes complete is shown to seen, when
// that is not nil: it covers the leaves index<<level to (index+1)<<level.
func (t *Tree) Add(leaf Hash, seen func(level uint, index int64, h Hash)) {
	h := leaf
	if seen != nil {
		seen(0, t.size, h)
	}
	level := uint(0)
	for ; t.size>>level&1 == 1; level++ {
		last := len(t.edges) - 1
		h = Node(t.edges[last], h)
		t.edges = t.edges[:last]
		if seen != nil {
			seen(level+1, t.size>>(level+1), h)
		}
	}
	t.edges = append(t.edges, h)
	t.size++
}

// Root is the tree hash. That of the empty tree is the hash of nothing.
func (t *Tree) Root() Hash { return t.rootFrom(0) }

// rootFrom is the hash of the subtrees from the i-th on.
func (t *Tree) rootFrom(i int) Hash {
	n := len(t.edges)
	if i >= n {
		return sha256.Sum256(nil)
	}
	h := t.edges[n-1]
	for j := n - 2; j >= i; j-- {
		h = Node(t.edges[j], h)
	}
	return h
}

// A Prover collects, while a tree is built, what the inclusion proofs of some
// leaves need.
type Prover struct {
	size   int64
	wanted map[place]Hash
}

type place struct {
	level uint
	index int64
}

// NewProver prepares proofs of leaves in the tree of the given size.
func NewProver(size int64, leaves []int64) *Prover {
	p := &Prover{size, map[place]Hash{}}
	for _, leaf := range leaves {
		p.siblings(leaf, func(at place, whole bool) Hash {
			if whole {
				p.wanted[at] = Hash{}
			}
			return Hash{}
		})
	}
	return p
}

// Start takes the subtrees of a tree that begins the one to be proven, when its
// leaves cannot be read any more.
func (p *Prover) Start(t *Tree) {
	first := int64(0)
	for i, rest := 0, uint64(t.size); rest != 0; i++ {
		level := uint(bits.Len64(rest) - 1)
		p.Seen(level, first>>level, t.edges[i])
		first += 1 << level
		rest &^= 1 << level
	}
}

// Seen is to be called with each complete subtree: see [Tree.Add].
func (p *Prover) Seen(level uint, index int64, h Hash) {
	if _, ok := p.wanted[place{level, index}]; ok {
		p.wanted[place{level, index}] = h
	}
}

// Path is the inclusion proof of a leaf, once t has grown to the size that the
// prover was made for.
func (p *Prover) Path(t *Tree, leaf int64) []Hash {
	path := []Hash{}
	p.siblings(leaf, func(at place, whole bool) Hash {
		h := p.wanted[at]
		if !whole {
			h = t.rootFrom(t.edgeAt(at.index << at.level))
		}
		path = append(path, h)
		return h
	})
	return path
}

// edgeAt is the number of the edge subtree that begins with this leaf.
func (t *Tree) edgeAt(leaf int64) int {
	first := int64(0)
	for i, rest := 0, uint64(t.size); rest != 0; i++ {
		if first >= leaf {
			return i
		}
		level := uint(bits.Len64(rest) - 1)
		first += 1 << level
		rest &^= 1 << level
	}
	return len(t.edges)
}

// siblings visits the subtrees that stand beside the way from a leaf up to the
// root, from below. One that reaches beyond the size is not whole: it is what
// remains at the right edge.
func (p *Prover) siblings(leaf int64, visit func(at place, whole bool) Hash) {
	for level := uint(0); (p.size-1)>>level > 0; level++ {
		at := place{level, leaf>>level ^ 1}
		from, to := at.index<<level, (at.index+1)<<level
		if from >= p.size {
			continue // nothing stands there: the leaf is at the right edge
		}
		visit(at, to <= p.size)
	}
}

// Included reports whether path proves that the tree of this size and root
// holds the leaf at index (RFC 9162, 2.1.3.2).
func Included(leaf Hash, index, size int64, path []Hash, root Hash) bool {
	if index < 0 || index >= size {
		return false
	}
	node, last, h := index, size-1, leaf
	for _, p := range path {
		if last == 0 {
			return false
		}
		if node&1 == 1 || node == last {
			h = Node(p, h)
			for node&1 == 0 && node != 0 {
				node >>= 1
				last >>= 1
			}
		} else {
			h = Node(h, p)
		}
		node >>= 1
		last >>= 1
	}
	return last == 0 && h == root
}
