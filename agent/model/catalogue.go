package model

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// An Info is what is known of a model. Zero numbers and nil prices are unknown.
type Info struct {
	Provider  string  `json:"provider"`
	Model     string  `json:"model"`
	Title     string  `json:"title,omitempty"`
	Context   int64   `json:"context,omitempty"`    // tokens, prompt and reply together
	MaxOutput int64   `json:"max_output,omitempty"` // tokens
	Tools     *bool   `json:"tools,omitempty"`      // nil: unknown
	Images    bool    `json:"images,omitempty"`
	Reasoning bool    `json:"reasoning,omitempty"`
	Prices    *Prices `json:"prices,omitempty"`
}

// Prices are micro-dollars a million tokens: 3_000_000 is 3 dollars. Those of
// the cache may be unknown though the others are known.
type Prices struct {
	Input      int64  `json:"input"`
	CacheRead  *int64 `json:"cache_read,omitempty"`
	CacheWrite *int64 `json:"cache_write,omitempty"`
	Output     int64  `json:"output"`
	Date       string `json:"date,omitempty"` // when they were looked up
}

// Cost is what usage costs in micro-dollars, rounded up; known is false where
// no price is known, and then there is no number to show.
func (i Info) Cost(u *Usage) (microdollars int64, known bool) {
	if i.Prices == nil || u == nil {
		return 0, false
	}
	sum := new(big.Int)
	for _, row := range []struct {
		tokens int64
		price  *int64
	}{
		{u.Input, &i.Prices.Input}, {u.CacheRead, i.Prices.CacheRead},
		{u.CacheWrite, i.Prices.CacheWrite}, {u.Output, &i.Prices.Output},
	} {
		if row.price == nil {
			if row.tokens != 0 {
				return 0, false
			}
			continue
		}
		sum.Add(sum, new(big.Int).Mul(big.NewInt(row.tokens), big.NewInt(*row.price)))
	}
	million := big.NewInt(1_000_000)
	sum.Add(sum, big.NewInt(999_999)).Quo(sum, million)
	if !sum.IsInt64() {
		return 0, false
	}
	return sum.Int64(), true
}

// A Catalogue is a list of models with what is known of them.
type Catalogue struct {
	Date   string `json:"date"`
	Source string `json:"source"`
	Models []Info `json:"models"`
}

//go:embed models.json
var embedded []byte

// Embedded is the catalogue that the program was built with.
func Embedded() (Catalogue, error) { return ParseCatalogue(embedded) }

// ParseCatalogue reads a catalogue. Unknown members refuse.
func ParseCatalogue(data []byte) (Catalogue, error) {
	var c Catalogue
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return Catalogue{}, fmt.Errorf("catalogue of models: %w", err)
	}
	for i := range c.Models {
		m := &c.Models[i]
		if m.Provider == "" || m.Model == "" || m.Context < 0 || m.MaxOutput < 0 {
			return Catalogue{}, fmt.Errorf("catalogue of models: entry %d has no provider or model, or a negative size", i+1)
		}
		if p := m.Prices; p != nil {
			if p.Input < 0 || p.Output < 0 || p.CacheRead != nil && *p.CacheRead < 0 || p.CacheWrite != nil && *p.CacheWrite < 0 {
				return Catalogue{}, fmt.Errorf("catalogue of models: %s has a negative price", m.Model)
			}
			if p.Date == "" {
				p.Date = c.Date
			}
		}
	}
	return c, nil
}

// With gives a catalogue in which the models of over, the user's own file, take
// the place of those with the same name.
func (c Catalogue) With(over Catalogue) Catalogue {
	models := slices.DeleteFunc(slices.Clone(c.Models), func(i Info) bool {
		_, ok := over.Find(i.Provider, i.Model)
		return ok
	})
	c.Models = append(models, over.Models...)
	return c
}

// Knowing gives a catalogue that knows also what more says: what it does not
// say of a model stays as it was.
func (c Catalogue) Knowing(more Catalogue) Catalogue {
	c.Models = slices.Clone(c.Models)
	at := map[[2]string]int{}
	for n, i := range c.Models {
		at[[2]string{i.Provider, i.Model}] = n
	}
	for _, i := range more.Models {
		key := [2]string{i.Provider, i.Model}
		if n, ok := at[key]; ok {
			c.Models[n] = c.Models[n].knowing(i)
			continue
		}
		at[key] = len(c.Models)
		c.Models = append(c.Models, i)
	}
	return c
}

func (i Info) knowing(more Info) Info {
	i.Title, i.Context, i.MaxOutput = cmp.Or(more.Title, i.Title), cmp.Or(more.Context, i.Context), cmp.Or(more.MaxOutput, i.MaxOutput)
	i.Images, i.Reasoning = i.Images || more.Images, i.Reasoning || more.Reasoning
	if more.Tools != nil {
		i.Tools = more.Tools
	}
	if more.Prices != nil {
		i.Prices = more.Prices
	}
	return i
}

// Find gives what is known of a model. Unknown ones have an Info with their
// name and nothing else, and ok is false.
func (c Catalogue) Find(provider, model string) (info Info, ok bool) {
	for _, i := range c.Models {
		if i.Provider == provider && i.Model == model {
			return i, true
		}
	}
	return Info{Provider: provider, Model: model}, false
}
