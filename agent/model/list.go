package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Bounds of a provider's list.
const (
	maxList   = 8 << 20 // bytes
	maxListed = 5_000   // models
)

// ListURL is where List asks.
func (c *Client) ListURL() string { return c.url(c.listPath()) }

func (c *Client) listPath() string {
	switch c.preset.Protocol {
	case ProtocolAnthropic:
		return "/v1/models?limit=1000"
	case ProtocolGemini:
		return "/models?pageSize=1000"
	case ProtocolOllama:
		return "/api/tags"
	default:
		return "/models"
	}
}

// List asks the provider for its models and what it says of them. What it does
// not say stays unknown. date is the day of the prices, such as 2026-11-29.
func (c *Client) List(ctx context.Context, date string) ([]Info, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.ListURL(), nil)
	if err != nil {
		return nil, refused(ClassBadRequest, "the address cannot be used", "")
	}
	c.headers(r, c.authorisation())
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, c.networkError(ctx, err)
	}
	defer resp.Body.Close()
	if e := c.checkStatus(resp); e != nil {
		return nil, e
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxList+1))
	switch {
	case err != nil:
		return nil, c.networkError(ctx, err)
	case len(data) > maxList:
		return nil, &Error{Class: ClassServer, Message: "the list of models is larger than 8 MiB"}
	}
	list, err := parseList(c.preset.ID, data, date)
	if err != nil {
		return nil, c.withoutKey(&Error{Class: ClassServer, Message: printable(err.Error()), Hint: "the address may not be that of the API"})
	}
	return list, nil
}

// authorisation is the header that bears the key in the client's protocol.
func (c *Client) authorisation() http.Header {
	_, header, _, err := c.adapter.request(Request{Model: "-"}, settings{preset: c.preset, key: c.key})
	if err != nil {
		return http.Header{}
	}
	return header
}

// listed is one model in the spellings of the providers.
type listed struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Title    string `json:"display_name"`
	Context  count  `json:"context_length"`
	Window   count  `json:"context_window"`
	MaxCtx   count  `json:"max_context_length"`
	MaxLen   count  `json:"max_model_len"`
	InLimit  count  `json:"inputTokenLimit"`
	OutLimit count  `json:"outputTokenLimit"`
	MaxOut   count  `json:"max_completion_tokens"`
	Top      struct {
		MaxOut count `json:"max_completion_tokens"`
	} `json:"top_provider"`
	Price map[string]json.RawMessage `json:"pricing"`
	Kinds struct {
		In []string `json:"input_modalities"`
	} `json:"architecture"`
	Takes []string        `json:"supported_parameters"`
	Can   json.RawMessage `json:"capabilities"`
}

// parseList reads a list of models: an object with data or models, or a list.
func parseList(provider string, data []byte, date string) ([]Info, error) {
	var all struct {
		Data   []listed `json:"data"`
		Models []listed `json:"models"`
	}
	if strings.HasPrefix(strings.TrimSpace(string(data)), "[") {
		if err := json.Unmarshal(data, &all.Data); err != nil {
			return nil, fmt.Errorf("the list of models cannot be read: %w", err)
		}
	} else if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("the list of models cannot be read: %w", err)
	}
	rows := append(all.Data, all.Models...)
	switch {
	case len(rows) == 0:
		return nil, errors.New("the answer lists no models")
	case len(rows) > maxListed:
		return nil, fmt.Errorf("the answer lists more than %d models", maxListed)
	}
	var out []Info
	for _, m := range rows {
		if i := m.info(provider, date); i.Model != "" && len(i.Model) <= 200 && printable(i.Model) == i.Model {
			out = append(out, i)
		}
	}
	return out, nil
}

func (m listed) info(provider, date string) Info {
	name := m.ID
	if name == "" {
		name = strings.TrimPrefix(m.Name, "models/")
	}
	i := Info{
		Provider: provider, Model: name, Title: printable(m.Title),
		Context:   int64(max(m.Context, m.Window, m.MaxCtx, m.MaxLen, m.InLimit)),
		MaxOutput: int64(max(m.MaxOut, m.Top.MaxOut, m.OutLimit)),
		Images:    slices.Contains(m.Kinds.In, "image"),
		Reasoning: slices.Contains(m.Takes, "reasoning"),
	}
	var can struct {
		Calls  *bool `json:"function_calling"`
		Vision bool  `json:"vision"`
	}
	if json.Unmarshal(m.Can, &can) == nil {
		i.Tools, i.Images = can.Calls, i.Images || can.Vision
	}
	if m.Takes != nil {
		tools := slices.Contains(m.Takes, "tools")
		i.Tools = &tools
	}
	i.Prices = m.prices(date)
	return i
}

// prices are those of the two spellings that are known: dollars a token as
// strings (prompt, completion), and dollars a million tokens as numbers (input,
// output). Anything else is no price.
func (m listed) prices(date string) *Prices {
	read := func(name string, scale int64) *int64 {
		text := strings.Trim(string(m.Price[name]), `"`)
		if text == "" || len(text) > 40 || strings.ContainsAny(text, "/_xXpP") {
			return nil
		}
		if e := strings.IndexAny(text, "eE"); e >= 0 && len(text)-e > len("e-99") {
			return nil // a power of ten that would take all memory
		}
		f, ok := new(big.Rat).SetString(text)
		if !ok || f.Sign() < 0 {
			return nil
		}
		f.Mul(f, new(big.Rat).SetInt64(scale))
		up := new(big.Int).Add(f.Num(), new(big.Int).Sub(f.Denom(), big.NewInt(1)))
		up.Quo(up, f.Denom())
		if !up.IsInt64() || up.Int64() > 1e12 {
			return nil
		}
		n := up.Int64()
		return &n
	}
	in, out, scale := read("prompt", 1e12), read("completion", 1e12), int64(1e12)
	cacheRead, cacheWrite := "input_cache_read", "input_cache_write"
	if in == nil || out == nil {
		scale = 1e6
		in, out, cacheRead, cacheWrite = read("input", scale), read("output", scale), "cached_input", ""
	}
	if in == nil || out == nil {
		return nil
	}
	return &Prices{Input: *in, Output: *out, CacheRead: read(cacheRead, scale), CacheWrite: read(cacheWrite, scale), Date: date}
}
