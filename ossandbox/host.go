package ossandbox

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tera-pilot/tera-pilot/internal/roots"
)

// A host is what the sandbox knows of the person's machine for its whole life:
// where programs come from.
type host struct {
	tools    []string // below HOME, readable
	extra    []string // elsewhere, readable
	copies   []homeCopy
	path     string // PATH for commands
	modCache string // the host's Go module cache, "" where there is none
	notes    []string
}

// homeTools are places below HOME that hold programs and packages, and no
// secrets. Those that exist are readable.
var homeTools = []string{
	".local/bin", ".local/share/mise", ".local/share/pnpm", ".local/share/uv", ".local/share/pipx",
	".cargo/bin", ".rustup", ".pyenv", ".nvm", ".volta", ".bun", ".deno", ".sdkman",
	".m2/repository", ".gradle/wrapper", ".gradle/caches",
	".config/git/ignore", ".config/git/attributes",
}

// systemFolders are readable as they are.
var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/snap", "/run/current-system"}

// lookAround finds the person's tools. The result depends on cfg and the disk.
func lookAround(cfg *Config) (*host, error) {
	h := &host{}
	for _, t := range homeTools {
		if p := filepath.Join(cfg.Home, t); exists(p) {
			h.tools = append(h.tools, p)
		}
	}
	if h.modCache = goModCache(cfg); exists(h.modCache) {
		h.tools = append(h.tools, h.modCache)
	} else {
		h.modCache = ""
	}
	h.copies = redactedCopies(cfg)
	h.addPath(cfg)
	for _, p := range cfg.ReadOnly {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			return nil, &SetupError{Cause: "the extra path " + p + " cannot be found", Err: err, Mend: "mend or remove it in the settings"}
		}
		if s := cfg.secretIn(real); s != "" {
			return nil, &SetupError{Cause: "the extra path " + p + " would show " + s, Mend: "name a narrower folder"}
		}
		h.extra = append(h.extra, real)
	}
	for _, t := range h.tools {
		if s := cfg.secretIn(t); s != "" {
			return nil, &SetupError{Cause: "the tool folder " + t + " holds " + s, Mend: "move the secret out of it"}
		}
	}
	return h, nil
}

// addPath builds PATH: the person's entries that exist, without those that are
// relative or that a command could write into, in their order, each made
// readable where it is not yet.
func (h *host) addPath(cfg *Config) {
	var keep []string
	for _, p := range filepath.SplitList(lookupEnv(cfg.Env, "PATH")) {
		if !filepath.IsAbs(p) || !exists(p) {
			continue
		}
		p = filepath.Clean(p)
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			continue
		}
		if _, ok := below(cfg.work, real); ok {
			h.notes = append(h.notes, "PATH entry "+p+" lies in the workspace and is left out")
			continue
		}
		if h.reads(real) {
			keep = append(keep, p)
			continue
		}
		prefix := toolPrefix(cfg.Home, real)
		if cfg.secretIn(prefix) != "" {
			prefix = real
		}
		if s := cfg.secretIn(prefix); s != "" {
			h.notes = append(h.notes, "PATH entry "+p+" is left out: it would show "+s)
			continue
		}
		if _, ok := below(cfg.Home, prefix); ok {
			h.tools = append(h.tools, prefix)
		} else {
			h.extra = append(h.extra, prefix)
		}
		keep = append(keep, real)
	}
	for _, p := range []string{"/usr/local/bin", "/usr/bin", "/bin"} {
		if !slices.Contains(keep, p) && exists(p) {
			keep = append(keep, p)
		}
	}
	h.path = strings.Join(slices.Compact(keep), ":")
}

// reads says whether p is visible by what is in h already.
func (h *host) reads(p string) bool {
	for _, dir := range slices.Concat(systemFolders, h.tools, h.extra) {
		if _, ok := below(dir, p); ok {
			return true
		}
	}
	return false
}

// toolPrefix is the folder to show for a folder of programs: an installation
// (bin beside lib, share, src …) as a whole, else the folder alone. HOME and
// .local are no installations.
func toolPrefix(home, bin string) string {
	prefix := filepath.Dir(bin)
	if filepath.Base(bin) == ".bin" && filepath.Base(prefix) == "node_modules" {
		return prefix // its links lead beside it
	}
	if filepath.Base(bin) != "bin" || prefix == home || prefix == filepath.Join(home, ".local") || filepath.Dir(prefix) == prefix {
		return bin
	}
	if _, ok := below(prefix, home); ok {
		return bin
	}
	for _, beside := range []string{"lib", "libexec", "share", "src", "pkg", "include", "conf"} {
		if exists(filepath.Join(prefix, beside)) {
			return prefix
		}
	}
	return bin
}

// goModCache is the person's module cache, without running go: from the
// environment, from go's own settings file, else the default.
func goModCache(cfg *Config) string {
	settings := goSettings(cfg)
	if p := settings["GOMODCACHE"]; filepath.IsAbs(p) {
		return p
	}
	if p := filepath.SplitList(settings["GOPATH"]); len(p) > 0 && filepath.IsAbs(p[0]) {
		return filepath.Join(p[0], "pkg/mod")
	}
	return filepath.Join(cfg.Home, "go/pkg/mod")
}

func goSettings(cfg *Config) map[string]string {
	m := map[string]string{}
	if f, err := roots.Plain(filepath.Join(cfg.Home, ".config/go/env")); err == nil {
		defer f.Close()
		for sc := bufio.NewScanner(f); sc.Scan(); {
			if k, v, ok := strings.Cut(sc.Text(), "="); ok {
				m[k] = v
			}
		}
	}
	for _, k := range []string{"GOMODCACHE", "GOPATH"} {
		if v := lookupEnv(cfg.Env, k); v != "" {
			m[k] = v
		}
	}
	return m
}

// redactedCopies are the settings of git and npm that commands get a copy of,
// without what carries credentials.
// Git's are found where git finds them, and with the files below HOME that they
// include, whether their condition holds or not.
func redactedCopies(cfg *Config) (copies []homeCopy) {
	add := func(from, as string, redact func(string) string) (text string, ok bool) {
		b, err := roots.ReadPlain(from, 1<<20)
		if err != nil || slices.ContainsFunc(copies, func(c homeCopy) bool { return c.path == as }) {
			return "", false
		}
		copies = append(copies, homeCopy{as, []byte(redact(string(b)))})
		return string(b), true
	}
	var follow func(from, as string, depth int)
	follow = func(from, as string, depth int) {
		text, ok := add(from, as, redactGit)
		if !ok || depth == 0 {
			return
		}
		for _, e := range scanGitConfig(text) {
			if e.key != "path" || e.section != "include" && e.section != "includeif" {
				continue
			}
			p := e.value
			if rest, ok := strings.CutPrefix(p, "~/"); ok {
				p = filepath.Join(cfg.Home, rest)
			} else if !filepath.IsAbs(p) {
				p = filepath.Join(filepath.Dir(as), p)
			}
			real, err := filepath.EvalSymlinks(p)
			_, home := below(cfg.Home, filepath.Clean(p))
			_, work := below(cfg.work, real)
			if err == nil && home && !work && cfg.secretIn(real) == "" {
				follow(real, filepath.Clean(p), depth-1)
			}
		}
	}
	const deep = 10 // git's own bound
	follow(filepath.Join(cfg.Home, ".gitconfig"), filepath.Join(cfg.Home, ".gitconfig"), deep)
	as := filepath.Join(cfg.Home, ".config/git/config") // commands have no XDG_CONFIG_HOME
	if x := lookupEnv(cfg.Env, "XDG_CONFIG_HOME"); filepath.IsAbs(x) && exists(filepath.Join(x, "git/config")) {
		follow(filepath.Join(x, "git/config"), as, deep)
	} else {
		follow(as, as, deep)
	}
	npm := filepath.Join(cfg.Home, ".npmrc")
	add(npm, npm, redactNpm)
	return copies
}

var gitSecretLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(extraheader|smtppass|password|token|secret|cookie)|://[^/\s"]*@`)
})

// redactGit leaves out the lines that carry a credential, with the lines that
// continue them, and whole sections whose header carries one.
func redactGit(text string) string {
	var b strings.Builder
	section, continued := true, true // whether the section, and the line before, were kept
	joined := false                  // the line before goes on in this one
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		keep := !gitSecretLine().MatchString(line) && !secretValues().MatchString(line)
		switch {
		case joined:
			keep = keep && continued
		case strings.HasPrefix(trimmed, "["):
			section = keep
		default:
			keep = keep && section
		}
		if keep {
			b.WriteString(line)
		}
		continued, joined = keep, strings.HasSuffix(trimmed, `\`)
	}
	return b.String()
}

// npmPlain are the settings of npm that hold no credential.
var npmPlain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*((@[\w.-]+:)?registry|save-exact|save-prefix|engine-strict|legacy-peer-deps|strict-peer-deps|fund|audit|ignore-scripts|package-lock)\s*=`)
})

func redactNpm(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if npmPlain().MatchString(line) && !secretValues().MatchString(line) && !gitSecretLine().MatchString(line) {
			b.WriteString(line)
		}
	}
	return b.String()
}

func lookupEnv(env []string, name string) (value string) {
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			value = v
		}
	}
	return value
}

func exists(p string) bool {
	_, err := os.Stat(p)
	return p != "" && err == nil
}
