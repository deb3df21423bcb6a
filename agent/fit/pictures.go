package fit

import (
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/picture"
)

// Pictures says what a picture of a width and a height, in pixels, costs a
// model, in tokens. The zero Pictures are those of models with open weights.
type Pictures func(width, height int) int64

// unreadSide is taken for both sides of a picture whose head does not say them.
const unreadSide = 2048

// PicturesOf is the rule of thumb for a model, by its maker as the name tells
// it: gateways offer models of many. docs/context.md has where they are from.
func PicturesOf(provider, model string) Pictures {
	name := strings.ToLower(model[strings.LastIndex(model, "/")+1:])
	small := strings.Contains(name, "mini") || strings.Contains(name, "nano")
	switch {
	case provider == "anthropic", strings.HasPrefix(name, "claude"):
		return byArea
	case strings.HasPrefix(name, "gemini-3"):
		return func(int, int) int64 { return 1120 }
	case provider == "gemini", strings.HasPrefix(name, "gemini"):
		return func(w, h int) int64 { return 258 * count(w, 768) * count(h, 768) }
	case strings.HasPrefix(name, "gpt-4o-mini"):
		return func(w, h int) int64 { return 2833 + 5667*tiles(w, h) }
	case small && (strings.HasPrefix(name, "gpt-") || strings.HasPrefix(name, "o4")):
		return byPatches
	case provider == "openai", strings.HasPrefix(name, "gpt-"), strings.HasPrefix(name, "o1"), strings.HasPrefix(name, "o3"):
		return func(w, h int) int64 { return 85 + 170*tiles(w, h) }
	default:
		return openWeights
	}
}

// of is what a picture costs, by its bytes.
func (p Pictures) of(data []byte) int64 {
	_, w, h, ok := picture.Look(data)
	if !ok {
		w, h = unreadSide, unreadSide
	}
	if p == nil {
		p = openWeights
	}
	return max(1, p(w, h))
}

// byArea is a token for 750 pixels, of a picture whose longer side is at most
// 2,576 and that has at most 4,784 tokens; larger ones are made smaller first.
func byArea(w, h int) int64 {
	w, h = atMost(w, h, 2576)
	return min(ceil(int64(w)*int64(h), 750), 4784)
}

// tiles are the squares of 512 pixels of a picture that was made to fit into
// 2,048 by 2,048 and then to have a shorter side of at most 768.
func tiles(w, h int) int64 {
	w, h = atMost(w, h, 2048)
	if short := min(w, h); short > 768 {
		w, h = w*768/short, h*768/short
	}
	return count(w, 512) * count(h, 512)
}

// byPatches is 2.46 tokens, the most that is known, for each square of 32
// pixels, of which there are at most 1,536.
func byPatches(w, h int) int64 { return ceil(min(count(w, 32)*count(h, 32), 1536)*246, 100) }

// openWeights is a token for each square of 28 pixels, as the Qwen family
// counts. Others have a fixed number, mostly 256 to 1,024.
func openWeights(w, h int) int64 { return min(max(count(w, 28)*count(h, 28), 256), 4096) }

// atMost makes a size smaller, until its longer side is at most so long.
func atMost(w, h, long int) (int, int) {
	if side := max(w, h); side > long {
		return max(1, w*long/side), max(1, h*long/side)
	}
	return w, h
}

// count is how many pieces of a length cover a side.
func count(side, piece int) int64 { return ceil(int64(side), int64(piece)) }

func ceil(a, b int64) int64 { return (a + b - 1) / b }
