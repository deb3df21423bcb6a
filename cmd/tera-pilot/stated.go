package main

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/agent"
	"github.com/tera-pilot/tera-pilot/agent/guide"
	"github.com/tera-pilot/tera-pilot/agent/world"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/config"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// info is what the audit log states of the program and the machine.
func (a *app) info(ctx context.Context, w *world.World, s config.Settings, hash string) audit.SessionInfo {
	info := audit.SessionInfo{Tool: "tera-pilot", Version: version(), Binary: hash, Settings: s.Digest()}
	info.Host, _ = os.Hostname() // an unnamed machine is stated without a name
	if u, err := user.Current(); err == nil {
		info.User = u.Username
	}
	info.Head, _ = w.Head(ctx)
	return info
}

// facts is what the model is told of the place, once.
func facts(ctx context.Context, w *world.World) agent.Facts {
	f := agent.Facts{
		Root: filepath.Base(w.Root()), OS: runtime.GOOS + "/" + runtime.GOARCH, Date: time.Now().Format("2006-01-02"),
		Sandbox: "sandbox " + w.Grade() + ", no network but the hosts that are granted",
	}
	if w.Grade() == ossandbox.GradeNone.String() {
		f.Sandbox = "not available: no sandbox on this machine"
	}
	if commit, branch := w.Head(ctx); commit != "" {
		f.Git = strings.TrimSpace(fmt.Sprintf("%s %.12s", branch, commit))
	}
	m := guide.Look(w.Root())
	f.Top, f.Languages, f.Manifests = m.Top, m.Languages, m.Manifests
	checks, err := w.View(func(string) (string, bool) { return "", false }).Checks(ctx)
	if err == nil {
		for _, c := range checks {
			f.Checks = append(f.Checks, c.Command)
		}
	}
	return f
}
