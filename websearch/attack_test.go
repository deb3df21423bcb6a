package websearch

import (
	"net/http"
	"strings"
	"testing"
)

// A secret in two halves is seen when the second would leave, whichever comes
// first, in whatever part of the address.
func TestASecretInTwoRequests(t *testing.T) {
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	const known = "correct-horse-battery"
	for name, c := range map[string]struct{ first, second string }{
		"query":        {"https://pub.example.com/?a=" + token[:18], "https://pub.example.com/?b=" + token[18:]},
		"backwards":    {"https://pub.example.com/?a=" + token[18:], "https://pub.example.com/?b=" + token[:18]},
		"path, query":  {"https://pub.example.com/" + token[:18], "https://pub.example.com/x?b=" + token[18:]},
		"two hosts":    {"https://pub.example.com/?a=" + token[:18], "https://other.example.com/?b=" + token[18:]},
		"known secret": {"https://pub.example.com/" + known[:10], "https://pub.example.com/" + known[10:]},
	} {
		s := newStage(t, func(w http.ResponseWriter, _ *http.Request) { write(w, "text/plain", "x") })
		s.opts.Secrets.Add(known)
		if a, err := s.web.Plan(c.first); err != nil || len(a.Suspicious) > 0 {
			t.Errorf("%s: the first half alone: %v, %v", name, a.Suspicious, err)
		}
		if _, err := s.fetch(c.first); err != nil {
			t.Fatal(err)
		}
		for range 2 { // planning twice changes nothing
			if a, err := s.web.Plan(c.second); err != nil || len(a.Suspicious) == 0 {
				t.Errorf("%s: the second half is not seen: %v", name, err)
			}
		}
		if a, err := s.web.Plan("https://pub.example.com/docs/install.html?version=1.2.3-beta"); err != nil || len(a.Suspicious) > 0 {
			t.Errorf("%s: a page is suspicious: %v, %v", name, a.Suspicious, err)
		}
	}
}

// A secret in two halves in one address, and over two searches.
func TestASecretInTwoPartsOfOne(t *testing.T) {
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	s := newStage(t, func(w http.ResponseWriter, _ *http.Request) { write(w, "text/plain", "x") })
	for _, address := range []string{"?a=" + token[:18] + "&b=" + token[18:], token[18:] + "/x/" + token[:18], token[:18] + "?" + token[18:]} {
		if a, err := s.web.Plan("https://pub.example.com/" + address); err != nil || len(a.Suspicious) == 0 {
			t.Errorf("%s: not seen: %v", address, err)
		}
	}
	s.opts.Secrets.Sent("how to install " + token[:18])
	if a, err := s.web.Plan("https://pub.example.com/" + token[18:]); err != nil || len(a.Suspicious) == 0 {
		t.Errorf("after a search: not seen: %v", err)
	}
}

// Another port of the same host is another service: the redirect is told, not
// followed. From http to https it is the same.
func TestRedirectsToAnotherPort(t *testing.T) {
	s := newStage(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://pub.example.com:8443/admin", http.StatusFound)
	}, func(o *Options) { o.Ports = []uint16{8443} })
	p, err := s.fetch("https://pub.example.com/")
	if err != nil || p.Redirect != "https://pub.example.com:8443/admin" || s.got.Load() != 1 {
		t.Errorf("%+v, %v, %d connections", p, err, s.got.Load())
	}
	s = newStage(t, func(w http.ResponseWriter, r *http.Request) {
		if r.TLS == nil {
			http.Redirect(w, r, "https://pub.example.com/", http.StatusMovedPermanently)
			return
		}
		write(w, "text/plain", "safe")
	})
	if p, err := s.fetch("http://pub.example.com/"); err != nil || p.Text != "safe" {
		t.Errorf("%+v, %v", p, err)
	}
}

// What a page hides in another encoding is decoded before it is read as HTML,
// so that no tag appears behind the reader's back.
func TestEncodingsHideNothing(t *testing.T) {
	for name, c := range map[string]struct{ kind, body string }{
		"UTF-7 tags":            {"text/html; charset=utf-7", "+ADw-script+AD4-x+ADw-/script+AD4- words"},
		"ISO-2022-JP":           {"text/html; charset=iso-2022-jp", "\x1b$B\x1b(B<p hidden>SECRET</p> words"},
		"ISO-2022-JP in a tag":  {"text/html; charset=iso-2022-jp", "<p \x1b$B\x1b(Bhidden>SECRET</p> words"},
		"a meta that disagrees": {"text/html; charset=utf-8", "<meta charset=utf-16><p hidden>SECRET</p> words"},
		"hz is no encoding":     {"text/html; charset=hz-gb-2312", "~{<p>SECRET~} words"},
		"utf-16 without a mark": {"text/html; charset=utf-16le", "<\x00p\x00 \x00h\x00i\x00d\x00d\x00e\x00n\x00>\x00S\x00E\x00C\x00R\x00E\x00T\x00"},
		"unknown":               {"text/html; charset=x-made-up", "<p hidden>SECRET</p> words"},
	} {
		s := newStage(t, func(w http.ResponseWriter, _ *http.Request) { write(w, c.kind, c.body) })
		p, err := s.fetch("https://pub.example.com/")
		if strings.Contains(p.Text, "SECRET") || strings.Contains(p.Text, "<script>") {
			t.Errorf("%s: %q, %v", name, p.Text, err)
		}
	}
}

// Lists of encodings, and a cache that is asked for by another spelling.
func TestOddAnswers(t *testing.T) {
	for _, enc := range []string{"gzip, gzip", "gzip, identity", "br", "identity, gzip", "deflate", "x-made-up", "gzip;q=1"} {
		s := newStage(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", enc)
			write(w, "text/plain", "raw bytes")
		})
		if p, err := s.fetch("https://pub.example.com/"); err == nil {
			t.Errorf("%s: %q", enc, p.Text)
		}
	}
	s := newStage(t, func(w http.ResponseWriter, r *http.Request) { write(w, "text/plain", "page of "+r.Host) })
	for _, raw := range []string{"https://pub.example.com/", "https://other.example.com/", "https://PUB.example.com/", "https://pub.example.com./"} {
		p, err := s.fetch(raw)
		if err == nil && (p.Cached || strings.Contains(raw, "other") != strings.Contains(p.Text, "other")) {
			t.Errorf("%s: cached %v, %q", raw, p.Cached, p.Text)
		}
	}
	for _, raw := range []string{
		"https://\u0430pple.example.com/", "https://xn--a.example.com/", "https://xn--.example.com/", "https://ex\u00adample.com/",
		"https://pub\u3002example.com/", "https://\uff50ub.example.com/", "https://pub.example.com\u2044x/", "https://127.1/", "https://[::ffff:1.2.3.4]/",
	} {
		if a, err := s.web.Plan(raw); err == nil {
			t.Errorf("%s is taken as %s", raw, a.Host)
		}
	}
}
