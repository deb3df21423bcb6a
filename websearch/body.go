package websearch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
	"github.com/tera-pilot/tera-pilot/websearch/page"
	"golang.org/x/net/html/charset"
)

// read takes the body of an answer into p.
func (w *Web) read(ctx context.Context, resp *http.Response, p *Page) error {
	body, wire, cut, err := w.decoded(resp)
	p.Size, p.Cut = wire, cut
	if err != nil {
		return fmt.Errorf("%s: %w", clip(p.URL), err)
	}
	if p.Type == "" {
		p.Type = mediaType(http.DetectContentType(body))
	}
	if !textual(p.Type) || binary(body) {
		return nil // type and size say all
	}
	text, err := utf8Text(body, resp.Header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("%s: the text's encoding is not understood: %w", clip(p.URL), err)
	}
	if !slices.Contains([]string{"text/html", "application/xhtml+xml"}, p.Type) {
		p.Text = text
		w.bound(p)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, w.o.Limits.Convert)
	defer cancel()
	doc, err := page.Read(ctx, text, p.URL, w.o.Limits.Links)
	if err != nil {
		return fmt.Errorf("%s: %w", clip(p.URL), err)
	}
	p.Title, p.Text, p.More = doc.Title, doc.Text, doc.MoreLinks
	for _, l := range doc.Links {
		p.Links = append(p.Links, Link(l))
	}
	w.bound(p)
	return nil
}

// bound cuts the text at a line.
func (w *Web) bound(p *Page) {
	most := w.o.Limits.Text
	if len(p.Text) <= most {
		return
	}
	p.Cut = true
	text := p.Text[:most]
	if i := strings.LastIndexByte(text, '\n'); i > most/2 {
		text = text[:i]
	}
	p.Text = strings.ToValidUTF8(text, "")
}

// decoded reads a body under both caps: as sent, and unpacked. A longer one is
// cut, not refused: the beginning of a page is worth reading.
func (w *Web) decoded(resp *http.Response) (body []byte, wire int64, cut bool, err error) {
	sent := &counter{r: io.LimitReader(resp.Body, w.o.Limits.Wire)}
	var r io.Reader = sent
	switch enc := strings.ToLower(strings.TrimSpace(strings.Join(resp.Header.Values("Content-Encoding"), ","))); enc {
	case "", "identity":
	case "gzip", "x-gzip":
		unpacked, err := gzip.NewReader(sent)
		if err != nil {
			return nil, sent.n, false, fmt.Errorf("the body is not gzip, though it says so: %w", err)
		}
		r = unpacked
	default:
		return nil, 0, false, fmt.Errorf("the body is packed as %q, which was not asked for", clip(enc))
	}
	body, err = io.ReadAll(io.LimitReader(r, w.o.Limits.Decoded+1))
	switch {
	case int64(len(body)) > w.o.Limits.Decoded:
		return body[:w.o.Limits.Decoded], sent.n, true, nil
	case sent.n >= w.o.Limits.Wire || errors.Is(err, netguard.ErrTooLarge):
		return body, sent.n, true, nil
	case err != nil:
		return nil, sent.n, false, fmt.Errorf("the body ends before its time: %w", err)
	}
	return body, sent.n, false, nil
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

func mediaType(header string) string {
	t, _, err := mime.ParseMediaType(header)
	if err != nil {
		t, _, _ = strings.Cut(header, ";")
	}
	return strings.ToLower(strings.TrimSpace(t))
}

// textual says that a media type is one whose bodies are read as text.
func textual(t string) bool {
	switch {
	case strings.HasPrefix(t, "text/"), strings.HasSuffix(t, "+json"), strings.HasSuffix(t, "+xml"):
		return !strings.HasPrefix(t, "image/")
	}
	return slices.Contains([]string{
		"application/json", "application/xml", "application/xhtml+xml", "application/javascript",
		"application/toml", "application/yaml", "application/x-yaml", "application/x-ndjson",
	}, t)
}

// binary says that what claims to be text is none: it holds a NUL and has no
// mark of UTF-16.
func binary(b []byte) bool {
	head := b[:min(len(b), 8<<10)]
	if bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}) {
		return false
	}
	return bytes.IndexByte(head, 0) >= 0
}

// utf8Text decodes by mark, header and meta element, in this order.
func utf8Text(body []byte, contentType string) (string, error) {
	enc, name, certain := charset.DetermineEncoding(body, contentType)
	if !certain && utf8.Valid(body) {
		name = "utf-8"
	}
	if name != "utf-8" {
		plain, err := enc.NewDecoder().Bytes(body)
		if err != nil {
			return "", err
		}
		body = plain
	}
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	return strings.ToValidUTF8(string(body), "\ufffd"), nil
}
