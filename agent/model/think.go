package model

import (
	"slices"
	"strings"
)

// thinkTags are the pairs that models put around reasoning in their content.
var thinkTags = [][2]string{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"[THINK]", "[/THINK]"},
}

// splitThink takes reasoning off the start of content (R7): tagged blocks; or
// all before a closing tag that has no opening one; or all, where a block is
// not closed.
func splitThink(content string) (reasoning, text string) {
	var blocks []string
	text = content
	for {
		inside, rest, found := cutThink(text)
		if !found {
			break
		}
		blocks, text = append(blocks, inside), rest
	}
	if blocks == nil {
		if before, after, found := cutUnopened(content); found {
			blocks, text = []string{before}, after
		}
	}
	for i := range blocks {
		blocks[i] = strings.TrimSpace(blocks[i])
	}
	blocks = slices.DeleteFunc(blocks, func(b string) bool { return b == "" })
	return strings.Join(blocks, "\n"), text
}

// cutThink cuts one block off the start.
func cutThink(s string) (inside, rest string, found bool) {
	s = strings.TrimLeft(s, " \t\r\n")
	for _, tag := range thinkTags {
		if body, ok := strings.CutPrefix(s, tag[0]); ok {
			inside, rest, _ = strings.Cut(body, tag[1])
			return inside, rest, true
		}
	}
	return "", "", false
}

// cutUnopened cuts at a closing tag whose opening tag the server's template
// had already written. A tag that is quoted as code closes nothing.
func cutUnopened(s string) (before, after string, found bool) {
	for _, tag := range thinkTags {
		at := strings.Index(s, tag[1])
		if at < 0 || strings.Contains(s[:at], tag[0]) || quotedAt(s, at) {
			continue
		}
		return s[:at], s[at+len(tag[1]):], true
	}
	return "", "", false
}

// quotedAt says whether position at of s stands in a code fence or between
// backticks of its line.
func quotedAt(s string, at int) bool {
	var code fence
	line := 0
	for {
		end := strings.IndexByte(s[line:], '\n')
		if end < 0 || line+end >= at {
			break
		}
		code.line(s[line : line+end])
		line += end + 1
	}
	return code.open() || strings.Count(s[line:at], "`")%2 == 1
}

// endTokens end a turn in some model's template, and leak into its text.
var endTokens = []string{
	"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|endoftext|>",
	"<|end|>", "<|return|>", "<|eot|>", "<|END_OF_TURN_TOKEN|>", "<end_of_turn>",
	"<eos>", "</s>", "<｜end▁of▁sentence｜>",
}

// trimEnd removes end-of-turn tokens, and the white space between them, from
// the very end (R11). A </s> that closes an <s> of the text stays.
func trimEnd(text string) string {
	struck := strings.Count(text, "<s>") // each belongs to one </s>
	for ends := -1; ; {
		trimmed := strings.TrimRight(text, " \t\r\n")
		token := endToken(trimmed)
		if token == "</s>" {
			if ends < 0 {
				ends = strings.Count(trimmed, token)
			}
			if ends <= struck {
				return text
			}
			ends--
		}
		if token == "" {
			return text
		}
		text = trimmed[:len(trimmed)-len(token)]
	}
}

// endToken gives the token that text ends in.
func endToken(text string) string {
	for _, token := range endTokens {
		if strings.HasSuffix(text, token) {
			return token
		}
	}
	return ""
}
