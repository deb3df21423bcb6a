package merkle

import (
	"crypto/sha256"
	"fmt"
	"math/bits"
	"testing"
)

// slow is the definition of RFC 6962, 2.1, word by word.
func slow(leaves [][]byte) Hash {
	switch n := len(leaves); n {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return Leaf(leaves[0])
	default:
		k := 1 << (bits.Len(uint(n-1)) - 1)
		return Node(slow(leaves[:k]), slow(leaves[k:]))
	}
}

func slowPath(m int, leaves [][]byte) []Hash {
	n := len(leaves)
	if n == 1 {
		return nil
	}
	k := 1 << (bits.Len(uint(n-1)) - 1)
	if m < k {
		return append(slowPath(m, leaves[:k]), slow(leaves[k:]))
	}
	return append(slowPath(m-k, leaves[k:]), slow(leaves[:k]))
}

func TestEverySmallTree(t *testing.T) {
	var leaves [][]byte
	for n := range 70 {
		all := make([]int64, n)
		for i := range all {
			all[i] = int64(i)
		}
		p := NewProver(int64(n), all)
		var tree Tree
		for _, l := range leaves {
			tree.Add(Leaf(l), p.Seen)
		}
		if got, want := tree.Root(), slow(leaves); got != want {
			t.Fatalf("root of %d leaves: %x, want %x", n, got, want)
		}
		for i := range n {
			path := p.Path(&tree, int64(i))
			if got, want := fmt.Sprintf("%x", path), fmt.Sprintf("%x", slowPath(i, leaves)); got != want && len(path) > 0 {
				t.Fatalf("path of %d in %d: %s, want %s", i, n, got, want)
			}
			if !Included(Leaf(leaves[i]), int64(i), int64(n), path, tree.Root()) {
				t.Fatalf("path of %d in %d does not prove it", i, n)
			}
			refuseWrongPaths(t, leaves, i, n, path, tree.Root())
		}
		leaves = append(leaves, fmt.Appendf(nil, "leaf %d", n))
	}
}

func refuseWrongPaths(t *testing.T, leaves [][]byte, i, n int, path []Hash, root Hash) {
	t.Helper()
	leaf := Leaf(leaves[i])
	if n > 1 && Included(leaf, int64(i+1)%int64(n), int64(n), path, root) {
		t.Fatalf("path of %d in %d proves another place", i, n)
	}
	if len(path) > 0 && Included(leaf, int64(i), int64(n), path[1:], root) {
		t.Fatalf("shortened path of %d in %d is accepted", i, n)
	}
	if Included(leaf, int64(i), int64(n), append(append([]Hash(nil), path...), Hash{}), root) {
		t.Fatalf("lengthened path of %d in %d is accepted", i, n)
	}
	if Included(leaf, -1, int64(n), path, root) || Included(leaf, int64(n), int64(n), path, root) {
		t.Fatalf("a leaf outside the tree of %d is accepted", n)
	}
}

// A tree whose beginning is known by its subtrees alone still proves the rest.
func TestProofsAfterTheBeginningIsGone(t *testing.T) {
	const n = 61
	for cut := range n {
		var whole, start Tree
		p := NewProver(n, []int64{int64(cut), n - 1})
		for i := range n {
			if i == cut {
				start, _ = FromEdges(whole.Size(), whole.Edges())
				p.Start(&start)
			}
			leaf := Leaf(fmt.Append(nil, i))
			whole.Add(leaf, nil)
			if i >= cut {
				start.Add(leaf, p.Seen)
			}
		}
		if start.Root() != whole.Root() {
			t.Fatalf("cut at %d: another root", cut)
		}
		for _, i := range []int64{int64(cut), n - 1} {
			if !Included(Leaf(fmt.Append(nil, i)), i, n, p.Path(&start, i), whole.Root()) {
				t.Fatalf("cut at %d: leaf %d is not proven", cut, i)
			}
		}
	}
}

func TestFromEdgesChecksTheirNumber(t *testing.T) {
	if _, ok := FromEdges(3, make([]Hash, 1)); ok {
		t.Error("a tree of 3 leaves has 2 edges")
	}
	if _, ok := FromEdges(-1, nil); ok {
		t.Error("no tree has less than no leaf")
	}
}
