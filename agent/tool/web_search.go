package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

type webSearch struct{}

type webSearchArgs struct {
	Query  string `json:"query"`
	Number int    `json:"num_results,omitempty"`
}

// Spec implements Tool.
func (webSearch) Spec() Spec {
	return Spec{
		Name: "web_search", Category: "web",
		Description: "Ask the person's search service. Gives titles, addresses and short texts; read a page with web_fetch. " +
			"The query leaves the machine: put nothing of the code or of the person's data into it that is not needed.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["query"],"properties":{
			"query":{"type":"string","minLength":1,"description":"at most 400 characters"},
			"num_results":{"type":"integer","minimum":1,"maximum":10,"description":"default 5"}}}`),
	}
}

// Plan implements Tool.
func (t webSearch) Plan(ctx context.Context, v View, args json.RawMessage) (effect.Set, error) {
	a := webSearchArgs{Number: 5}
	if err := decode(t.Spec(), args, &a); err != nil {
		return effect.Set{}, err
	}
	x, err := v.Search(ctx, a.Query)
	if err != nil {
		return effect.Set{}, err
	}
	return set(t.Spec(), "search for "+quote(clip(a.Query, 200)), webSearchArgs{Number: a.Number}, x), nil
}

// Run implements Tool.
func (webSearch) Run(ctx context.Context, e Env, planned effect.Set) (Result, error) {
	var a webSearchArgs
	if err := recall(planned, &a); err != nil {
		return Result{}, err
	}
	hits, err := e.Search(ctx, planned.Effects[0], a.Number)
	if err != nil {
		return failed("search", err)
	}
	var b strings.Builder
	if len(hits) == 0 {
		b.WriteString("The service knows nothing about it.\n")
	}
	for i, h := range hits {
		trusted := ""
		if h.Trusted {
			trusted = "  (a host that the person trusts)"
		}
		fmt.Fprintf(&b, "%d. %s\n   %s%s\n", i+1, clip(strings.Join(strings.Fields(h.Title), " "), 200), h.URL, trusted)
		if h.Snippet != "" {
			fmt.Fprintf(&b, "   %s\n", clip(strings.Join(strings.Fields(h.Snippet), " "), 400))
		}
	}
	return Result{Status: OK, Untrusted: fromWeb, Body: b.String()}, nil
}
