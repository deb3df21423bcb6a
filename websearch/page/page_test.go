package page

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func readPage(t *testing.T, html string) Document {
	t.Helper()
	d, err := Read(context.Background(), html, "https://site.example/dir/page", 10)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What no reader sees is not in the text, however it is hidden.
func TestHiddenTextIsDropped(t *testing.T) {
	for _, hidden := range []string{
		`<!-- SECRET -->`, `<script>SECRET</script>`, `<style>SECRET</style>`, `<template>SECRET</template>`, `<noscript>SECRET</noscript>`,
		`<p hidden>SECRET</p>`, `<p HIDDEN="">SECRET</p>`, `<div aria-hidden=true>SECRET</div>`, `<div inert>SECRET</div>`,
		`<p style="display:none">SECRET</p>`, `<p style="DISPLAY : NONE !important">SECRET</p>`, `<p style="display:/*x*/none">SECRET</p>`,
		`<p style="visibility:hidden">SECRET</p>`, `<p style="color:red;opacity:0">SECRET</p>`, `<p style="font-size:0px">SECRET</p>`,
		`<p style="position:absolute;left:-9999px">SECRET</p>`, `<p style="text-indent:-9999em">SECRET</p>`, `<p style="height:0;overflow:hidden">SECRET</p>`,
		`<p style="clip:rect(0,0,0,0)">SECRET</p>`, `<p style="color:transparent">SECRET</p>`,
		`<svg><text>SECRET</text></svg>`, `<iframe>SECRET</iframe>`, `<dialog>SECRET</dialog>`, `<object>SECRET</object>`,
		`<p aria-hidden=false style="display:none">SECRET</p>`, `<p style="dis\70lay:none">SECRET</p>`, `<p style="display:\6eone">SECRET</p>`, `<p style="opacity:0.01">SECRET</p>`,
		`<p style="font-size:0.1px">SECRET</p>`, `<p style="font-size:1px">SECRET</p>`, `<p style="zoom:0">SECRET</p>`, `<p style="filter:opacity(0)">SECRET</p>`, `<noembed>SECRET</noembed>`,
		`<p style="color:#fff;background:#ffffff">SECRET</p>`, `<p style="background-color:white;color:rgb(255, 255, 255)">SECRET</p>`,
		`<div style="display:none"><div><p>SECRET</p></div></div>`, `<input type=hidden value=SECRET>`, `<p title="SECRET" data-x="SECRET">x</p>`,
	} {
		d := readPage(t, "<body><p>Before it.</p>"+hidden+"<p>After it.</p></body>")
		if strings.Contains(d.Text, "SECRET") || !strings.Contains(d.Text, "Before it.") || !strings.Contains(d.Text, "After it.") {
			t.Errorf("%s gives %q", hidden, d.Text)
		}
	}
	for _, shown := range []string{`<p style="opacity:0.9">TEXT</p>`, `<p style="margin-left:-10px">TEXT</p>`, `<p aria-hidden=false>TEXT</p>`, `<p style="min-width:0">TEXT</p>`, `<p style="font-size:0.8em">TEXT</p>`, `<p style="font-size:10px">TEXT</p>`, `<p style="color:#000;background:#fff">TEXT</p>`, `<p style="color:red">TEXT</p>`, `<p style="background:\e9">TEXT</p>`} {
		if d := readPage(t, "<body>"+shown); !strings.Contains(d.Text, "TEXT") {
			t.Errorf("%s gives %q", shown, d.Text)
		}
	}
}

func TestTheArticleIsFoundAndLinksAreListed(t *testing.T) {
	body := strings.Repeat("<p>This is a long paragraph of the article, which has many words, and commas, so that it counts.</p>", 12)
	d := readPage(t, `<title> A  title </title><nav><a href="/menu">Menu entry</a></nav><article><h1>Head</h1>`+body+
		`<a href="../up?q=1#frag">up</a><a href="../up?q=1">again</a><a href="mailto:x@y">mail</a></article><footer>Imprint</footer>`)
	if strings.Contains(d.Text, "Imprint") || !strings.Contains(d.Text, "long paragraph") || d.Title != "A title" {
		t.Errorf("%q: %q", d.Title, d.Text)
	}
	want := []Link{{"Menu entry", "https://site.example/menu"}, {"up", "https://site.example/up?q=1"}}
	if fmt.Sprint(d.Links) != fmt.Sprint(want) {
		t.Errorf("%v", d.Links)
	}
	many := strings.Builder{}
	for i := range 30 {
		fmt.Fprintf(&many, `<a href="/%d">x</a>`, i)
	}
	if d := readPage(t, many.String()); len(d.Links) != 10 || d.MoreLinks != 20 {
		t.Errorf("%d links and %d more", len(d.Links), d.MoreLinks)
	}
}

// TestMoreHiddenText: what a browser shows to nobody, and what it shows.
func TestMoreHiddenText(t *testing.T) {
	for text, want := range map[string]bool{
		`<img alt="ORDER" src=x>`: false, `<a href="/x" title="ORDER">x</a>`: false, `<pre><code class="language-ORDER-and-more-words">x</code></pre>`: false,
		`<div popover>ORDER</div>`: false, `<progress>ORDER</progress>`: false, `<ruby>a<rp>ORDER</rp></ruby>`: false,
		`<p style="color:rgba(0,0,0,0)">ORDER`: false, `<p style="color:#0000">ORDER`: false, `<p style="color:rgb(0 0 0 / 0)">ORDER`: false, `<p style="color:hsla(0,0%,0%,0)">ORDER`: false,
		`<p style="scale:0">ORDER`: false, `<p style="transform:matrix(0,0,0,0,0,0)">ORDER`: false, `<p style="opacity:1e-3">ORDER`: false, `<p style="max-height:0em">ORDER`: false, `<p style="font-size:calc(0px)">ORDER`: false,
		`<p style="translate:-9999px">ORDER`: false, `<p style="inset:-100vw">ORDER`: false, `<p style="clip-path:circle(0)">ORDER`: false,
		`<p style="color:rgb(10,20,0)">ORDER`: true, `<p style="color:#ffff00">ORDER`: true, `<p style="color:rgba(0,0,0,0.5)">ORDER`: true, `<p style="opacity:0.5;scale:0.9">ORDER`: true,
		`<p style="width:100%;height:10px">ORDER`: true, `<p style="margin-left:-4px;transform:scale(0.5)">ORDER`: true, `<pre><code class="language-go">ORDER</code></pre>`: true,
	} {
		if got := readPage(t, "<p>Words.</p>"+text).Text; strings.Contains(got, "ORDER") != want {
			t.Errorf("%s: %q", text, got)
		}
	}
	if got := readPage(t, `<pre><code class="language-go">x</code></pre>`).Text; !strings.Contains(got, "```go") {
		t.Errorf("%q", got)
	}
}

// No document takes the program down, or longer than it may.
func TestMonsters(t *testing.T) {
	deep := func(tag string) string { return strings.Repeat("<"+tag+">", 200000) + "deep" }
	for name, html := range map[string]string{
		"div": deep("div"), "b": deep("b"), "blockquote": deep("blockquote"), "table": deep("table"), "a": deep("a href=x"), "select": deep("select"),
		"attribute": `<p title="` + strings.Repeat("x", 5<<20) + `">text</p>`,
		"links":     strings.Repeat(`<a href="/x">y</a>`, 300000),
		"empty":     "", "NULs": "\x00\x00<p>\x00", "unclosed": "<p><b><i><table><tr><td", "entities": strings.Repeat("&#x1F600;&amp;", 100000),
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		d, err := Read(ctx, html, "https://site.example/", 10)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "div" && err == nil && !strings.Contains(d.Text, "deep") {
			t.Errorf("%s: %q", name, d.Text)
		}
	}
}

func TestADeadlineEndsTheConversion(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, strings.Repeat("<p>x<b>", 20000), "https://site.example/", 10); err == nil {
		t.Error("a page was read after its time")
	}
}

func FuzzRead(f *testing.F) {
	f.Add("<p>x</p>")
	f.Add(`<a href="http://[::1">x`)
	f.Add("<table><tr><td><p hidden>x<svg><![CDATA[y]]>")
	f.Fuzz(func(t *testing.T, html string) {
		if len(html) > 4096 {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if _, err := Read(ctx, html, "https://site.example/", 3); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	})
}
