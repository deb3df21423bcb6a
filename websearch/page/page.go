package page

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// A Document is a page as text.
type Document struct {
	Title     string
	Text      string // Markdown
	Links     []Link
	MoreLinks int // that are not listed
}

// A Link is one link, absolute, http or https.
type Link struct{ Text, URL string }

// Read turns text, the HTML at address, into a Document with at most links
// links.
func Read(ctx context.Context, text, address string, links int) (Document, error) {
	type answer struct {
		doc Document
		err error
	}
	done := make(chan answer, 1)
	go func() { // ends by itself, later than we wait where a page is made for that: no parser can be called off
		doc, err := read(text, address, links)
		done <- answer{doc, err}
	}()
	select {
	case a := <-done:
		return a.doc, a.err
	case <-ctx.Done():
		return Document{}, fmt.Errorf("the page is too complicated to be read in time: %w", ctx.Err())
	}
}

func read(text, address string, links int) (Document, error) {
	base, err := url.Parse(address)
	if err != nil {
		return Document{}, fmt.Errorf("address of the page: %w", err)
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return Document{Text: bare(text)}, nil
	}
	prune(root)
	doc := Document{Title: title(root)}
	doc.Links, doc.MoreLinks = collect(root, base, links)
	main := article(root, base)
	strip(main)
	if doc.Text, err = markdown(main, base); err != nil || strings.TrimSpace(doc.Text) == "" {
		doc.Text = textOf(main)
	}
	return doc, nil
}

// shortArticle is the size, in bytes of text, below which what readability
// chose is not trusted to be the page's point.
const shortArticle = 250

// article is the part of a page that is worth reading; the whole, where none
// stands out.
func article(root *html.Node, base *url.URL) *html.Node {
	found, err := readability.FromDocument(root, base) // works on a copy of its own
	if err != nil || found.Node == nil || len(textOf(found.Node)) < shortArticle {
		return root
	}
	return found.Node
}

func markdown(n *html.Node, at *url.URL) (string, error) {
	c := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	out, err := c.ConvertNode(n, converter.WithDomain(at.Scheme+"://"+at.Host))
	return string(bytes.TrimSpace(out)), err
}
