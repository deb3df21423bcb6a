package websearch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/netguard"
)

func TestAPageComesBackAsText(t *testing.T) {
	s := newStage(t, func(w http.ResponseWriter, r *http.Request) {
		if len(r.Cookies())+len(r.Header["Authorization"])+len(r.Header["Referer"]) > 0 {
			t.Errorf("the request carries more than it should: %v", r.Header)
		}
		w.Header().Set("Set-Cookie", "a=b")
		write(w, "text/html; charset=utf-8", `<title>A title</title><body><h1>Head</h1><p>Some <b>bold</b> words.</p>
			<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
			<a href="/next#part">next</a> <a href="javascript:alert(1)">no</a></body>`)
	})
	p, err := s.fetch("https://pub.example.com/x")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Head", "**bold**", "| a", "| 1"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q lacks %q", p.Text, want)
		}
	}
	if p.Title != "A title" || len(p.Links) != 1 || p.Links[0].URL != "https://pub.example.com/next" {
		t.Errorf("title %q, links %v", p.Title, p.Links)
	}
	if again, err := s.fetch("https://pub.example.com/x"); err != nil || !again.Cached || s.got.Load() != 1 {
		t.Errorf("the second time: cached %v, %d connections, %v", again.Cached, s.got.Load(), err)
	}
}

func TestRedirects(t *testing.T) {
	long := "/" + strings.Repeat("a", 9<<10)
	for _, c := range []struct {
		name, location string
		want           string // part of the error; "" is none
		redirect       string // the other host's URL that is reported
	}{
		{"to loopback by address", "http://127.0.0.1/", "refused", ""},
		{"to loopback by name", "http://localhost/", "refused", ""},
		{"to a name of loopback", "https://f.example.com/", "", "https://f.example.com/"},
		{"without a scheme", "//127.0.0.1/", "refused", ""},
		{"metadata", "http://169.254.169.254/latest/meta-data/", "refused", ""},
		{"a number", "http://2130706433/", "refused", ""},
		{"another host", "https://other.example.com/a", "", "https://other.example.com/a"},
		{"another host with user", "https://u:p@other.example.com/a", "refused", ""},
		{"file", "file:///etc/passwd", "refused", ""},
		{"data", "data:text/html,x", "refused", ""},
		{"gopher", "gopher://other.example.com/", "refused", ""},
		{"nothing", "", "names no address", ""},
		{"very long", long, "refused", ""},
		{"from https to http", "http://pub.example.com/", "https to http", ""},
		{"to itself", "/start", "circle", ""},
		{"another port", "https://pub.example.com:8443/", "refused", ""},
	} {
		for _, code := range []int{301, 302, 303, 307, 308} {
			t.Run(fmt.Sprintf("%s %d", c.name, code), func(t *testing.T) {
				s := newStage(t, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Location", c.location)
					w.WriteHeader(code)
				})
				p, err := s.fetch("https://pub.example.com/start")
				if p.Redirect != c.redirect {
					t.Errorf("the page leads to %q", p.Redirect)
				}
				if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v", err)
				}
				if n := s.asked["f.example.com"]; n > 0 {
					t.Errorf("the other host was looked up %d times before anybody was asked", n)
				}
			})
		}
	}
}

func TestARedirectedHostIsKnownAsOne(t *testing.T) {
	s := newStage(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://other.example.com/", http.StatusFound)
	})
	if _, err := s.fetch("https://pub.example.com/"); err != nil {
		t.Fatal(err)
	}
	a, err := s.web.Plan("https://other.example.com/anything")
	if err != nil || !a.Redirected {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := s.web.Plan("https://third.example.com/"); err != nil || a.Redirected {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestChainOfRedirects(t *testing.T) {
	for n, ok := range map[int]bool{0: true, 5: true, 6: false} {
		s := newStage(t, func(w http.ResponseWriter, r *http.Request) {
			var at int
			_, _ = fmt.Sscanf(r.URL.Path, "/%d", &at)
			if at == 0 {
				write(w, "text/plain", "end")
				return
			}
			http.Redirect(w, r, fmt.Sprintf("/%d", at-1), http.StatusFound)
		})
		p, err := s.fetch(fmt.Sprintf("http://pub.example.com/%d", n))
		if (err == nil) != ok || ok && p.Text != "end" {
			t.Errorf("%d hops: %q, %v", n, p.Text, err)
		}
		if n == 5 && s.asked["pub.example.com"] != 6 {
			t.Errorf("%d look-ups for 6 hops", s.asked["pub.example.com"])
		}
	}
}

// What the resolver says is checked on every hop, and what was checked is
// dialled.
func TestNamesThatChange(t *testing.T) {
	for name, c := range map[string]struct {
		answers [][]string
		url     string
		ok      bool
	}{
		"the second query is private":   {[][]string{{publicIP}, {loopIP}}, "http://pub.example.com/", true},
		"private after a hop":           {[][]string{{publicIP}, {loopIP}}, "http://pub.example.com/hop", false},
		"mixed, public first":           {[][]string{{publicIP, loopIP}}, "http://pub.example.com/", false},
		"mixed, public last":            {[][]string{{loopIP, publicIP}}, "http://pub.example.com/", false},
		"IPv6 loopback beside a public": {[][]string{{publicIP, "::1"}}, "http://pub.example.com/", false},
		"mapped":                        {[][]string{{"::ffff:127.0.0.1"}}, "http://pub.example.com/", false},
		"too many":                      {[][]string{strings.Fields(strings.Repeat(publicIP+" ", 10000))}, "http://pub.example.com/", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/hop" {
					http.Redirect(w, r, "/", http.StatusFound)
					return
				}
				write(w, "text/plain", "public")
			})
			s.answers["pub.example.com"] = c.answers
			p, err := s.fetch(c.url)
			if (err == nil) != c.ok || strings.Contains(p.Text, "FORBIDDEN") {
				t.Errorf("%q, %v", p.Text, err)
			}
		})
	}
}

func TestNoConnectionIsUsedTwice(t *testing.T) {
	s := newStage(t, func(w http.ResponseWriter, _ *http.Request) { write(w, "text/plain", "x") })
	for i := range 3 {
		if _, err := s.fetch(fmt.Sprintf("http://pub.example.com/%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if s.got.Load() != 3 || s.asked["pub.example.com"] != 3 {
		t.Errorf("%d connections and %d look-ups for 3 fetches", s.got.Load(), s.asked["pub.example.com"])
	}
}

func TestTheEnvironmentNamesNoProxy(t *testing.T) {
	s := newStage(t, func(w http.ResponseWriter, _ *http.Request) { write(w, "text/plain", "direct") })
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:9")
		t.Setenv(strings.ToLower(name), "http://127.0.0.1:9")
	}
	if p, err := s.fetch("http://pub.example.com/"); err != nil || p.Text != "direct" {
		t.Errorf("%q, %v", p.Text, err)
	}
}

func TestWhatAPageAsksForIsNotDone(t *testing.T) {
	s := newStage(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Refresh", "0; url=http://f.example.com/")
		w.Header().Set("Alt-Svc", `h2="f.example.com:443"`)
		w.Header().Set("Link", "<http://f.example.com/x>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		write(w, "text/html", `<base href="http://f.example.com/"><meta http-equiv=refresh content="0;url=http://f.example.com/">
			<iframe src="http://f.example.com/"></iframe><img src="http://f.example.com/i.png"><script src="http://f.example.com/s.js"></script><p>text</p>`)
	})
	if _, err := s.fetch("http://pub.example.com/"); err != nil {
		t.Fatal(err)
	}
	if s.asked["f.example.com"] > 0 || s.got.Load() != 1 {
		t.Errorf("%d look-ups, %d connections", s.asked["f.example.com"], s.got.Load())
	}
}

func TestSlowServersMeetOneDeadline(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"no headers": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"a byte at a time": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("x"))
				_ = http.NewResponseController(w).Flush()
				time.Sleep(20 * time.Millisecond)
			}
		},
		"redirects for ever": func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(300 * time.Millisecond)
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, h, func(o *Options) { o.Limits.Total = 500 * time.Millisecond })
			_, err := s.fetch("http://pub.example.com/")
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestBombs(t *testing.T) {
	zeros := func(n int64) []byte {
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		_, _ = io.CopyN(z, zero(0), n)
		_ = z.Close()
		return b.Bytes()
	}
	bomb := zeros(256 << 20)
	twice := func() []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(bomb)
		_ = z.Close()
		return b.Bytes()
	}()
	packed := func(enc string, body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", enc)
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write(body)
		}
	}
	for name, c := range map[string]struct {
		h    http.HandlerFunc
		want string // part of the error; "" for a cut page
	}{
		"gzip":        {packed("gzip", bomb), ""},
		"gzip in it":  {packed("gzip, gzip", twice), "packed as"},
		"brotli":      {packed("br", []byte("x")), "packed as"},
		"zstd":        {packed("zstd", []byte("x")), "packed as"},
		"not gzip":    {packed("gzip", []byte("plain")), "not gzip"},
		"endless":     {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.CopyN(w, zero('a'), 64<<20) }, ""},
		"long header": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) }, "cannot be fetched"},
		"many headers": {func(w http.ResponseWriter, _ *http.Request) {
			for i := range 100000 {
				w.Header().Set(fmt.Sprintf("X-%d", i), "y")
			}
		}, "cannot be fetched"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, c.h)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p, err := s.fetch("http://pub.example.com/")
			runtime.ReadMemStats(&after)
			if c.want == "" && (err != nil || !p.Cut) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("cut %v, %v", p.Cut, err)
			}
			if len(p.Text) > 64<<10 {
				t.Errorf("%d bytes of text", len(p.Text))
			}
			if grown := int64(after.TotalAlloc - before.TotalAlloc); grown > 96<<20 {
				t.Errorf("%d MiB were allocated", grown>>20)
			}
		})
	}
}

type zero byte

func (z zero) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(z)
	}
	return len(b), nil
}

func TestTypes(t *testing.T) {
	for _, c := range []struct {
		contentType, body string
		text              bool
	}{
		{"text/plain", "words", true},
		{"text/markdown", "# x", true},
		{"application/json", `{"a":1}`, true},
		{"application/ld+json", `{"a":1}`, true},
		{"application/xhtml+xml", `<p>x</p>`, true},
		{"", "<!doctype html><p>guessed</p>", true},
		{"image/png", "\x89PNG\r\n", false},
		{"image/svg+xml", "<svg/>", false},
		{"application/pdf", "%PDF-1.7", false},
		{"application/octet-stream", "words", false},
		{"text/plain", "a\x00b", false},
		{"", "\x7fELF\x00", false},
		{"garbage;;;", "words", false},
	} {
		s := newStage(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{c.contentType}
			if c.contentType == "" {
				w.Header()["Content-Type"] = nil
			}
			_, _ = w.Write([]byte(c.body))
		})
		p, err := s.fetch("http://pub.example.com/")
		if err != nil || (p.Text != "") != c.text || p.Size != int64(len(c.body)) {
			t.Errorf("%q: %q, %d bytes, %v", c.contentType, p.Text, p.Size, err)
		}
	}
}

func TestCharsets(t *testing.T) {
	for name, c := range map[string]struct{ contentType, body string }{
		"header":   {"text/plain; charset=iso-8859-1", "gr\xfc\xdfe"},
		"meta":     {"text/html", "<meta charset=windows-1252><p>gr\xfc\xdfe</p>"},
		"mark":     {"text/plain", "\xef\xbb\xbfgrüße"},
		"UTF-16":   {"text/plain", "\xff\xfeg\x00r\x00\xfc\x00\xdf\x00e\x00"},
		"UTF-16BE": {"text/plain", "\xfe\xff\x00g\x00r\x00\xfc\x00\xdf\x00e"},
		"none":     {"text/plain", "grüße"},
		"GBK":      {"text/plain; charset=gbk", "gr\xa8\xb9\xa1\xaae"},
	} {
		s := newStage(t, func(w http.ResponseWriter, _ *http.Request) { write(w, c.contentType, c.body) })
		p, err := s.fetch("http://pub.example.com/")
		want := "grüße"
		if name == "GBK" {
			want = "grü―e"
		}
		if err != nil || strings.TrimSpace(p.Text) != want && name != "GBK" || !strings.Contains(p.Text, "grü") {
			t.Errorf("%s: %q, %v", name, p.Text, err)
		}
	}
	s := newStage(t, func(w http.ResponseWriter, _ *http.Request) { write(w, "text/plain; charset=utf-8", "a\xff\xfeb") })
	if p, err := s.fetch("http://pub.example.com/"); err != nil || p.Text != "a\ufffdb" {
		t.Errorf("%q, %v", p.Text, err)
	}
}

// A known secret, in any of its spellings, is seen before anybody is asked for
// an address; the fetch itself is the gate's to refuse.
func TestSecretsAreSeenBeforeALookUp(t *testing.T) {
	const key = "sk-live-4f9a8b7c6d5e4f3a2b1c"
	s := newStage(t, func(http.ResponseWriter, *http.Request) {})
	s.opts.Secrets.Add(key)
	for _, raw := range []string{
		"https://pub.example.com/?k=" + key,
		"https://pub.example.com/" + key,
		"https://pub.example.com/?k=sk%2Dlive%2D4f9a8b7c6d5e4f3a2b1c",
		"https://pub.example.com/?k=sk%252Dlive%252D4f9a8b7c6d5e4f3a2b1c",
		"https://pub.example.com/?k=c2stbGl2ZS00ZjlhOGI3YzZkNWU0ZjNhMmIxYw",
		"https://pub.example.com/c2stbGl2ZS00ZjlhOGI3YzZkNWU0ZjNhMmIxYw==/x",
		"https://sk-live-4f9a8b7c.6d5e4f3a2b1c.example.com/",
		"https://pub.example.com/?q=ghp_0123456789abcdefghijABCDEFGHIJ012345",
		"https://pub.example.com/?d=" + "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1ub3A",
		"https://aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ0NTY3.example.com/",
		"https://6465616462656566646561646265656664656164.example.com/",
		"https://746865206b657920.6f6620746865.20686f757365206973.756e646572.example.com/",
		"https://pub.example.com/?d=746865206b6579206f662074686520686f757365206973",
	} {
		a, err := s.web.Plan(raw)
		if err == nil && len(a.Suspicious) == 0 {
			t.Errorf("%s is not suspicious", raw)
		}
		if err == nil {
			if v := s.web.Check(context.Background(), raw); v.Allowed {
				t.Errorf("%s passes with nobody to ask", raw)
			}
		}
	}
	for _, raw := range []string{
		"https://pub.example.com/", "https://pub.example.com/a/b.html?page=2&lang=en",
		"https://pub.example.com/commit/0123456789abcdef0123456789abcdef01234567",
		"https://pub.example.com/blog/how-we-made-the-parser-of-our-compiler-ten-times-faster-with-arenas",
		"https://d1a2b3c4e5f6g7.cdn.example.com/", "https://ec2-52-12-34-56.us-west-2.compute.example.com/", "https://1234567890.example.com/",
		"https://pub.example.com/search?q=how+to+read+a+file+line+by+line+in+go+without+bufio",
	} {
		if a, err := s.web.Plan(raw); err != nil || len(a.Suspicious) > 0 {
			t.Errorf("%s: %v, %v", raw, a.Suspicious, err)
		}
	}
	if len(s.asked) > 0 || s.got.Load() > 0 {
		t.Errorf("planning looked %v up", s.asked)
	}
}

func TestTrustedHosts(t *testing.T) {
	d := Domains{Mode: TrustedOnly, Trusted: []string{"go.dev", ".Example.com"}}
	for host, want := range map[string]bool{
		"go.dev": true, "pkg.go.dev": false, "example.com": true, "a.example.com": true, "notexample.com": false, "go.dev.evil.org": false,
	} {
		if got := d.refuses(host) == nil; got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
	if (Domains{}).refuses("go.dev") == nil {
		t.Error("the zero value must refuse")
	}
	if _, err := ParseMode("openn"); err == nil {
		t.Error("an unknown mode must be an error")
	}
}

func TestTheSuite(t *testing.T) {
	if _, err := os.Stat("../testdata/suites/web/urls.jsonl"); err != nil {
		t.Fatal(err) // internal/netguard runs its lines; here it must not be lost
	}
	var refused *netguard.RefusedError
	s := newStage(t, func(http.ResponseWriter, *http.Request) {})
	if _, err := s.web.Plan("http://[::1]/"); !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
}
