package page

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// unseen are the elements whose content no reader sees.
var unseen = []atom.Atom{
	atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Iframe, atom.Object, atom.Embed, atom.Applet,
	atom.Svg, atom.Math, atom.Canvas, atom.Audio, atom.Video, atom.Noframes, atom.Noembed, atom.Datalist, atom.Input, atom.Base, atom.Meta, atom.Link,
	atom.Progress, atom.Meter, atom.Rp, // shown where a browser does not know them
}

// nothing is a size, or a share, that nobody sees.
const nothing = `(0*\.?0+|0*\.0\d*|[\d.]+e-\d+|calc\(0[a-z%]*\))([a-z]+|%)?(;|$|!)`

// hiding are styles that keep an element from being seen.
var hiding = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|;)(` + strings.Join([]string{
		`display:none`, `visibility:(hidden|collapse)`, `content-visibility:hidden`,
		`(opacity|zoom|scale|font-size|(max-)?(width|height|inline-size|block-size)):` + nothing, `font-size:(1|0?\.\d+|1\.\d+)(px|pt|%)(;|$|!)`, `font:[01](px)?/`, `filter:opacity\(0`,
		`(left|top|right|bottom|inset|text-indent|margin-left|margin-top|translate):-(\d{3,}|\d{2,}(em|rem|vw|vh))`,
		`transform:(scale[xy]?\(0[,)]|matrix\(0,|translate[xy]?\(-\d{3,})`,
		`clip:rect\(0`, `clip-path:(inset\((50|100)%|circle\(0|ellipse\(0|polygon\(0(px|%)?0(px|%)?\))`,
		`(-webkit-text-fill-)?color:(transparent|#[0-9a-f]{3}0(;|$|!)|#[0-9a-f]{6}00|(rgb|hsl)a?\((([^,)]*,){3}|[^,/)]*/)(0|0?\.0\d*)%?\))`,
	}, "|") + `)`)
})

// prune removes what no reader sees, in place. It does not recurse: nesting is
// the page's choice.
func prune(root *html.Node) {
	for n := root; n != nil; {
		gone := n != root && hidden(n)
		next := following(root, n, gone)
		if gone {
			n.Parent.RemoveChild(n)
		}
		n = next
	}
}

// following is the node after n in the order of the document; beneath n only
// when its own content is not skipped.
func following(root, n *html.Node, skip bool) *html.Node {
	if !skip && n.FirstChild != nil {
		return n.FirstChild
	}
	for ; n != nil && n != root; n = n.Parent {
		if n.NextSibling != nil {
			return n.NextSibling
		}
	}
	return nil
}

func hidden(n *html.Node) bool {
	switch n.Type {
	case html.CommentNode, html.DoctypeNode:
		return true
	case html.ElementNode:
	default:
		return false
	}
	if slices.Contains(unseen, n.DataAtom) {
		return true
	}
	for _, a := range n.Attr {
		switch strings.ToLower(a.Key) {
		case "hidden", "inert", "popover":
			return true
		case "aria-hidden":
			if !strings.EqualFold(a.Val, "false") {
				return true
			}
		case "style":
			if css := plainCSS(a.Val); hiding().MatchString(css) || unreadable(css) {
				return true
			}
		}
	}
	return n.DataAtom == atom.Dialog && !has(n, "open")
}

var comment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)/\*.*?\*/`) })

// escape is a character of CSS by its number, or after a backslash.
var escape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\([0-9A-Fa-f]{1,6}\s?|[^0-9A-Fa-f])`) })

// plainCSS is a style without comments, escapes and white space.
func plainCSS(css string) string {
	css = escape().ReplaceAllStringFunc(comment().ReplaceAllString(css, ""), func(m string) string {
		n, err := strconv.ParseUint(strings.TrimSpace(m[1:]), 16, 32)
		if err != nil || n > unicode.MaxRune {
			return m[1:]
		}
		return string(rune(n))
	})
	return strings.Join(strings.Fields(strings.ToLower(css)), "")
}

var colours = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|;)(color|background|background-color):([^;!]+)`)
})

// unreadable says that a text has the colour of its own background.
func unreadable(css string) bool {
	text, behind := "", "-"
	for _, m := range colours().FindAllStringSubmatch(css, -1) {
		c := strings.NewReplacer("white", "#ffffff", "black", "#000000", "rgb(255,255,255)", "#ffffff", "rgb(0,0,0)", "#000000").Replace(m[2])
		if len(c) == 4 && c[0] == '#' {
			c = string([]byte{'#', c[1], c[1], c[2], c[2], c[3], c[3]})
		}
		if m[1] == "color" {
			text = c
		} else {
			behind = c
		}
	}
	return text == behind
}

// told are the attributes that say something of what a reader sees.
var told = []string{"href", "src", "start", "colspan", "rowspan", "align"}

// language is the class that names the language of code.
var language = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(language|lang)-[A-Za-z0-9+#]{1,12}$`) })

// strip takes the attributes away whose text the conversion would keep.
func strip(root *html.Node) {
	each(root, func(n *html.Node) {
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool {
			return !slices.Contains(told, strings.ToLower(a.Key)) && (a.Key != "class" || !language().MatchString(a.Val))
		})
	})
}

func has(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return strings.EqualFold(a.Key, key) })
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if strings.EqualFold(a.Key, key) {
			return a.Val
		}
	}
	return ""
}

// each visits the nodes below root in order, without recursion.
func each(root *html.Node, visit func(*html.Node)) {
	for n := root; n != nil; n = following(root, n, false) {
		visit(n)
	}
}

func title(root *html.Node) string {
	found := ""
	each(root, func(n *html.Node) {
		if n.DataAtom == atom.Title && found == "" {
			found = textOf(n)
		}
	})
	return found
}

// blocks are elements that begin a new line.
var blocks = []atom.Atom{
	atom.P, atom.Div, atom.Br, atom.Li, atom.Tr, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Pre, atom.Blockquote, atom.Section,
}

// textOf is the text of a node, with a line a block.
func textOf(root *html.Node) string {
	var b strings.Builder
	each(root, func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case slices.Contains(blocks, n.DataAtom):
			b.WriteByte('\n')
		}
	})
	var lines []string
	for _, line := range strings.Split(b.String(), "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// collect lists the links of a page once each, absolute; it counts those beyond
// most.
func collect(root *html.Node, base *url.URL, most int) (out []Link, more int) {
	seen := map[string]bool{}
	each(root, func(n *html.Node) {
		if n.DataAtom != atom.A {
			return
		}
		u, err := base.Parse(strings.TrimSpace(attr(n, "href")))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			return
		}
		u.Fragment = ""
		if address := u.String(); !seen[address] && address != base.String() {
			seen[address] = true
			if len(out) == most {
				more++
				return
			}
			out = append(out, Link{textOf(n), address})
		}
	})
	return out, more
}

// bare is the text of a document that cannot be parsed, without its tags.
func bare(text string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(text))
	skip := false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(b.String()), " ")
		case html.TextToken:
			if !skip {
				b.Write(z.Text())
				b.WriteByte(' ')
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			skip = slices.Contains(unseen, atom.Lookup(name))
		case html.EndTagToken:
			skip = false
		case html.SelfClosingTagToken, html.CommentToken, html.DoctypeToken:
		}
	}
}
