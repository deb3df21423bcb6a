package tool

import (
	"fmt"
	"strings"
)

// Most lines that a similar region shows, and how many of them around it.
const (
	maxRegion = 40
	around    = 2
)

// nearest shows the lines of s that share most with old, with their numbers,
// or nothing when no line does. Lines are compared without regard to white
// space.
func nearest(s, old string) string {
	have, want := splitLines(s), splitLines(old)
	at := map[string][]int{}
	for i, line := range have {
		if key := squeeze(line); key != "" && len(at[key]) < maxPlaces {
			at[key] = append(at[key], i)
		}
	}
	votes := map[int]int{} // where old would begin, and how many lines say so
	for k, line := range want {
		for _, i := range at[squeeze(line)] {
			votes[i-k]++
		}
	}
	best, most := 0, 0
	for begin, n := range votes {
		if n > most || n == most && begin < best {
			best, most = begin, n
		}
	}
	if most == 0 {
		if best = likeFirst(have, want); best < 0 {
			return ""
		}
	}
	from := max(0, best-around)
	to := min(len(have), best+len(want)+around, from+maxRegion)
	return number(have[from:to], from+1)
}

// likeFirst finds the line that shares the longest beginning with the first
// line of want that has a word in it; -1 when it is shorter than a few letters.
func likeFirst(have, want []string) int {
	const least = 6
	for _, w := range want {
		key := squeeze(w)
		if len(key) < least {
			continue
		}
		best, most := -1, least-1
		for i, line := range have {
			if head, _ := common(squeeze(line), key); head > most {
				best, most = i, head
			}
		}
		return best
	}
	return -1
}

func squeeze(line string) string { return strings.Join(strings.Fields(line), " ") }

// maxLine is how many bytes of a line are shown.
const maxLine = 2000

// number writes lines with their numbers, as read_file does.
func number(lines []string, first int) string {
	width := len(fmt.Sprint(first + len(lines) - 1))
	var b strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&b, "%*d\t%s\n", width, first+i, clip(bare(line), maxLine))
	}
	return b.String()
}
