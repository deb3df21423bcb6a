package websearch

import (
	"sync"
	"time"
)

// Bounds of the cache of a session's pages.
const (
	cacheAge   = 15 * time.Minute
	cacheBytes = 50 << 20
)

// cache keeps pages by the URL that was asked for, in memory, for one session.
type cache struct {
	now func() time.Time

	mu    sync.Mutex
	pages map[string]cached
	order []string // oldest first
	size  int
}

type cached struct {
	page Page
	at   time.Time
}

func (c *cache) get(url string) (Page, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	got, ok := c.pages[url]
	if !ok || c.now().Sub(got.at) > cacheAge {
		return Page{}, false
	}
	got.page.Cached = true
	return got.page, true
}

func (c *cache) put(url string, p Page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(url)
	if c.pages == nil {
		c.pages = map[string]cached{}
	}
	c.pages[url] = cached{p, c.now()}
	c.order = append(c.order, url)
	c.size += p.weight()
	for c.size > cacheBytes && len(c.order) > 0 {
		c.drop(c.order[0])
	}
}

func (c *cache) drop(url string) {
	old, ok := c.pages[url]
	if !ok {
		return
	}
	c.size -= old.page.weight()
	delete(c.pages, url)
	for i, u := range c.order {
		if u == url {
			c.order = append(c.order[:i:i], c.order[i+1:]...)
			return
		}
	}
}

// weight is about what a page takes in memory.
func (p Page) weight() int {
	n := len(p.Text) + len(p.URL) + len(p.Title) + 256
	for _, l := range p.Links {
		n += len(l.URL) + len(l.Text)
	}
	return n
}
