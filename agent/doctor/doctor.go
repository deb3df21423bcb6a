package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/gitsafe"
	"github.com/tera-pilot/tera-pilot/internal/keystore"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// Place is what doctor looks at: a member for each fact that a check is about.
// What the rooms know that doctor may not import, the program finds beforehand.
type Place struct {
	Version     string
	State, Home string
	Root        string // "" outside of a project
	RootErr     error  // why there is no root
	Env         []string
	Sandbox     string // agent_os_sandbox
	Settings    error  // what is wrong with the settings file
	Unused      []string
	Policy      error  // what is wrong with a policy file
	Provider    string // "" when none is configured
	Model       string
	ProviderErr error
	Web         string // what reads the web: "" for nothing
	WebErr      error
	MCP         []Server
	MCPErr      error // the servers' file cannot be used
	Terminal    bool
	Level       string   // agent_autonomy
	Budgets     []string // limits that are set, in words
	Hooks       []string // that a session here would start
	HooksErr    error
	Waiting     []string // what of the project was not let in
	TrustErr    error
	Remembered  []string // rules that were kept at a question, by id
}

// A Server is an MCP server that is configured.
type Server struct {
	Name  string
	Tools int    // that are approved
	Why   string // nothing of it is called; "" when it can be
}

// Look makes all checks.
func Look(ctx context.Context, p Place, now time.Time) Report {
	checks := []Check{
		{"program", OK, fmt.Sprintf("%s, %s/%s", p.Version, runtime.GOOS, runtime.GOARCH), ""},
		p.stateFolder(), p.files(), p.settingsFile(), p.level(), p.policyFiles(),
		listed("remembered", p.Remembered, "no rule was kept at a question", nil, ""),
		listed("budgets", p.Budgets, "none is set", nil, ""),
		p.project(), p.trust(), listed("hooks", p.Hooks, "none", p.HooksErr, "mend hooks.toml: no session starts before"),
		p.git(), p.sandbox(ctx), p.evidence(ctx), p.keys(), p.model(), p.terminal(),
		p.web(),
	}
	return p.report(now, append(checks, p.servers()...))
}

// servers has a line for each MCP server. None is started.
func (p Place) servers() []Check {
	if p.MCPErr != nil {
		return []Check{{"MCP", Fail, p.MCPErr.Error(), "mend the file, see docs/mcp.md"}}
	}
	if len(p.MCP) == 0 {
		return []Check{{"MCP", OK, "no servers", ""}}
	}
	var out []Check
	for _, s := range p.MCP {
		c := Check{"MCP " + s.Name, OK, approved(s.Tools), ""}
		if s.Why != "" {
			c = Check{c.Name, Warn, s.Why, "none of its tools is called; see `tera-pilot mcp probe " + s.Name + "`"}
		}
		out = append(out, c)
	}
	return out
}

func approved(tools int) string {
	if tools == 1 {
		return "1 tool approved"
	}
	return fmt.Sprintf("%d tools approved", tools)
}

func (p Place) stateFolder() Check {
	c := Check{Name: "state folder", Status: OK, Detail: p.State}
	if err := statedir.Check(p.State); err != nil {
		return Check{c.Name, Fail, err.Error(), "see docs/troubleshooting.md"}
	}
	info, err := os.Lstat(p.State)
	if errors.Is(err, fs.ErrNotExist) {
		c.Detail += " (made by the first session)"
		return c
	}
	if err == nil && info.Mode().Perm() != 0o700 {
		return Check{c.Name, Warn, fmt.Sprintf("%s has mode %04o", p.State, info.Mode().Perm()), "chmod 700 " + p.State}
	}
	if what := carriedAway(p.State); what != "" {
		return Check{c.Name, Warn, p.State + " lies in " + what, "keys and conversations would leave this machine with it: name a folder elsewhere in TERA_PILOT_HOME, or leave this one out there"}
	}
	return c
}

// carriedAway says that a folder above is one whose content is stored or sent
// elsewhere as a whole: a git working tree, or that of a service which keeps
// folders the same on several machines. "" for none that is known.
func carriedAway(state string) string {
	for dir := filepath.Dir(state); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return "the git working tree " + dir
		}
		name := strings.ToLower(filepath.Base(dir))
		for _, service := range []string{"dropbox", "onedrive", "google drive", "googledrive", "nextcloud", "owncloud", "mobile documents", "pclouddrive", "syncthing"} {
			if name == service || strings.HasPrefix(name, service+" ") || strings.HasPrefix(name, service+"-") {
				return "the synchronised folder " + dir
			}
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func (p Place) settingsFile() Check {
	if p.Settings != nil {
		return Check{"settings", Fail, p.Settings.Error(), "mend the line, or move the file away to start with the defaults"}
	}
	if len(p.Unused) > 0 {
		return Check{"settings", Warn, "keys of the original that have no meaning here: " + strings.Join(p.Unused, ", "), "they are kept and not used"}
	}
	return Check{"settings", OK, filepath.Join(p.State, "config.json"), ""}
}

func (p Place) policyFiles() Check {
	if p.Policy != nil {
		return Check{"policy", Fail, p.Policy.Error(), "commands are refused until the file is mended: `tera-pilot policy test` shows every fault"}
	}
	return Check{"policy", OK, "no fault in the policy files", ""}
}

func (p Place) project() Check {
	if p.RootErr != nil {
		return Check{"project", Warn, p.RootErr.Error(), "start in the folder of one project"}
	}
	return Check{"project", OK, p.Root, ""}
}

func (p Place) git() Check {
	root := p.Root
	if root == "" {
		root = p.State
	}
	_, err := gitsafe.New(gitsafe.Options{Root: root, Home: p.Home, Env: p.Env, Runner: gitsafe.Plain{}})
	if err != nil {
		return Check{"git", Warn, err.Error(), "install git to use the git tools; everything else works without"}
	}
	return Check{"git", OK, "found; runs hardened, without the repository's hooks, drivers and helpers", ""}
}

func (p Place) sandbox(ctx context.Context) Check {
	setting, err := ossandbox.ParseSetting(p.Sandbox)
	if err != nil {
		return Check{"sandbox", Fail, err.Error(), "set agent_os_sandbox to auto"}
	}
	if setting == ossandbox.Off {
		return Check{"sandbox", Warn, "agent_os_sandbox is off: each command asks in the terminal, and none runs elsewhere", "set it to auto"}
	}
	root := p.Root
	if root == "" {
		tmp, err := os.MkdirTemp("", "tera-pilot-doctor-")
		if err != nil {
			return Check{"sandbox", Fail, err.Error(), "free some space in the temporary folder"}
		}
		defer os.RemoveAll(tmp)
		root = tmp
	}
	r := ossandbox.Probe(ctx, ossandbox.Config{Root: root, Home: p.Home, State: p.State, Env: p.Env, Setting: setting})
	detail := fmt.Sprintf("grade %s (%s), limits %s", r.Grade, r.Backend, r.Limits)
	var mends []string
	for _, t := range r.Troubles {
		mends = append(mends, t.String())
	}
	switch {
	case !setting.Accepts(r.Grade):
		return Check{"sandbox", Fail, "commands are refused: " + detail, strings.Join(mends, "; ")}
	case len(mends) > 0:
		return Check{"sandbox", Warn, detail, strings.Join(mends, "; ")}
	default:
		return Check{"sandbox", OK, detail, ""}
	}
}

func (p Place) evidence(ctx context.Context) Check {
	r, err := audit.OpenReader(ctx, audit.Options{Dir: p.State})
	if errors.Is(err, audit.ErrNoLog) {
		return Check{"audit log", OK, err.Error(), ""}
	}
	key, keyErr := publicKey(p.State)
	if err := errors.Join(err, keyErr); err != nil {
		return Check{"audit log", Fail, err.Error(), "see `tera-pilot audit verify`"}
	}
	report := r.Verify(ctx, audit.VerifyOptions{Key: key, Fast: true})
	if !report.OK {
		return Check{"audit log", Fail, "the log does not verify", "see `tera-pilot audit verify`"}
	}
	return Check{"audit log", OK, fmt.Sprintf("%d records, intact", report.Records), ""}
}

func publicKey(state string) (audit.PublicKey, error) {
	b, err := os.ReadFile(filepath.Join(state, "audit_key.pub"))
	if err != nil {
		return audit.PublicKey{}, err
	}
	return audit.ParsePublicKey(b)
}

func (p Place) keys() Check {
	all, err := keystore.Open(p.State).List()
	if _, locked := errors.AsType[*keystore.LockedError](err); locked {
		return Check{"keys", OK, "encrypted with a passphrase (" + keystore.Passphrase + ")", ""}
	}
	if err != nil {
		return Check{"keys", Fail, err.Error(), "see docs/troubleshooting.md"}
	}
	names := make([]string, len(all))
	for i, k := range all {
		names[i] = k.Name + " (" + k.Source + ")"
	}
	if len(names) == 0 {
		return Check{"keys", OK, "none stored; keys in the environment count too", ""}
	}
	return Check{"keys", OK, strings.Join(names, ", "), ""}
}

func (p Place) model() Check {
	switch {
	case p.ProviderErr != nil:
		return Check{"model", Warn, p.ProviderErr.Error(), "see docs/models.md"}
	case p.Provider == "":
		return Check{"model", Warn, "no model is configured", "set a key such as OPENAI_API_KEY, or start a local model; `tera-pilot demo` needs none"}
	default:
		return Check{"model", OK, p.Provider + " " + p.Model, ""}
	}
}

// terminal says what a session here would look like. Nothing is written to it:
// the program of a terminal answers no question that was not asked.
func (p Place) terminal() Check {
	env := map[string]string{}
	for _, pair := range p.Env {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	term := env["TERM"]
	switch {
	case !p.Terminal:
		return Check{"terminal", OK, "none here: use `tera-pilot run`", ""}
	case term == "" || term == "dumb":
		return Check{"terminal", Warn, "TERM is " + quoted(term) + ": only lines", "use --lines, or set TERM to what your terminal is"}
	}
	detail := "full screen, TERM " + term
	switch {
	case env["NO_COLOR"] != "":
		detail += ", no colours (NO_COLOR)"
	case env["COLORTERM"] == "truecolor" || env["COLORTERM"] == "24bit":
		detail += ", true colour"
	}
	utf8 := strings.ToLower(env["LC_ALL"] + env["LC_CTYPE"] + env["LANG"])
	if !strings.Contains(utf8, "utf-8") && !strings.Contains(utf8, "utf8") {
		return Check{"terminal", Warn, detail + ", and the locale does not say UTF-8", "set LANG to one that ends in .UTF-8"}
	}
	if env["TMUX"] != "" {
		detail += ", within tmux"
	}
	return Check{"terminal", OK, detail, ""}
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }
