package main

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/agent/model/local"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/ossandbox"
	"github.com/tera-pilot/tera-pilot/tui/snap"
)

// withServers adds the model servers that answer on this machine, their models
// as what can be done, and the grade of the sandbox.
func (a *app) withServers(ctx context.Context, p place, s snap.Start, named []string) snap.Start {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	s.Local, s.Notes = slices.Clone(s.Local), slices.Clone(s.Notes)
	around := a.lookAround(p)
	around.Addresses = append(around.Addresses, named...)
	found, err := model.Discover(ctx, around)
	if err != nil {
		s.Notes = append(s.Notes, "local servers could not be looked for: "+err.Error())
	}
	for i := range s.Local {
		s.Local[i].State, s.Local[i].Hint = "not answering", "start it, then press r"
	}
	var use []snap.Action
	for _, x := range found {
		at := strings.TrimPrefix(x.Address, "http://")
		s.Local = slices.DeleteFunc(s.Local, func(l snap.Server) bool { return l.Address == at })
		s.Local = append([]snap.Server{server(x)}, s.Local...)
		for _, m := range x.Models {
			if x.Kind != "" && len(use) < maxOffered {
				use = append(use, offered(x, m, len(use)+1))
			}
		}
	}
	s.Can = append(use, s.Can...)
	if setting, err := ossandbox.ParseSetting(p.settings.Sandbox); err == nil {
		r := ossandbox.Probe(ctx, ossandbox.Config{Root: p.root, Home: p.home, State: p.state, Env: a.env, Setting: setting})
		a.grade.Store(r.Grade.String())
		s.Sandbox = a.box(p)
	}
	return s
}

// box is the setting of the sandbox and its grade, which is ? until it was
// probed.
func (a *app) box(p place) string {
	grade, ok := a.grade.Load().(string)
	if !ok {
		grade = "?"
	}
	return p.settings.Sandbox + " " + grade
}

// lookAround says where servers of this machine are looked for: the usual
// ports, OLLAMA_HOST, and the addresses of the settings and of the last choice.
func (a *app) lookAround(p place) model.Discovery {
	var d model.Discovery
	if preset, ok := model.PresetByID("ollama"); ok {
		if cfg, err := preset.FromEnv(a.getenv); err == nil {
			d.Addresses = append(d.Addresses, cfg.BaseURL)
		}
	}
	for _, mine := range p.settings.Providers {
		d.Addresses = append(d.Addresses, mine.BaseURL)
	}
	if c, err := local.Chosen(p.state); err == nil {
		d.Addresses = append(d.Addresses, c.Address)
	}
	slices.Sort(d.Addresses)
	return d
}

// maxOffered is how many models of local servers can be started with one key.
const maxOffered = 5

// offered is a model as an action. Taking it is the yes to its server.
func offered(x model.Found, m model.FoundModel, n int) snap.Action {
	window := local.Window(x, m, 0, freeMemory())
	act := snap.Action{
		ID: useChoice(local.Choice{Provider: x.Kind, Address: x.BaseURL, Model: m.Name}), Key: fmt.Sprint(n),
		Title: "Use " + m.Name + " of " + x.Kind + ", " + tokensText(window) + " window",
	}
	if window < leastWindow {
		act.Note = "too small for the instructions"
	}
	return act
}

// server is one local server that was found.
func server(x model.Found) snap.Server {
	s := snap.Server{Name: x.Kind, Address: strings.TrimPrefix(x.Address, "http://"), State: counted(len(x.Models), "model")}
	switch {
	case x.Kind == "":
		s.Name, s.State, s.Hint = "unknown", "answers", "no model server that tera-pilot knows"
	case x.Loading:
		s.State = "loads its model"
	case len(x.Models) == 0:
		s.Hint = "it has no model yet"
	}
	return s
}

// named takes the address of a server of this machine, and says what answers
// there.
func (g *greeting) named(ctx context.Context, text string) {
	address, err := localAddress(text)
	if err != nil {
		g.says = err.Error()
		return
	}
	found, err := model.Discover(ctx, model.Discovery{Addresses: []string{address}, Only: true, Timeout: patience})
	switch at := strings.TrimPrefix(address, "http://"); {
	case err != nil:
		g.says = at + " could not be looked at: " + err.Error()
	case len(found) == 0:
		g.says = "No model server answers at " + at + ". No prompt has been sent there."
	case found[0].Kind == "":
		g.says = "What answers at " + at + " is no model server that tera-pilot knows."
	default:
		g.says = fmt.Sprintf("%s answers at %s, with %s. No prompt has been sent there.", found[0].Kind, at, counted(len(found[0].Models), "model"))
		if !slices.Contains(g.addresses, address) {
			g.addresses = append(g.addresses, address)
		}
	}
}

// localAddress is an address of this machine as a person types it: a port, a
// host and a port, or a URL, of which the path is left out.
func localAddress(text string) (string, error) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseUint(text, 10, 16); err == nil && n > 0 {
		text = "127.0.0.1:" + text
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Port() == "" || u.User != nil:
		return "", fmt.Errorf("that is no address: type HOST:PORT of this machine, such as 127.0.0.1:8080")
	case u.Scheme != "http":
		return "", fmt.Errorf("a server of this machine is asked over http, not %s", visible.Strict(u.Scheme))
	}
	if ip, err := netip.ParseAddr(u.Hostname()); (err != nil || !ip.IsLoopback()) && u.Hostname() != "localhost" {
		return "", fmt.Errorf("%s is not this machine: another one is named in config.json, as base_url of a provider with allow_remote (docs/models.md)", visible.Strict(u.Hostname()))
	}
	return "http://" + u.Host, nil
}
