package ossandbox

import (
	"os"
	"path/filepath"
)

// A toolchain tells build tools where their caches are, and that there is no
// network where there is none, so that they say so at once and do not retry.
type toolchain struct {
	env    []string
	mounts []mount // in the empty home
}

// toolchains describes the caches for a command, which are at cache for it. Every cache is private to the
// workspace: a poisoned Go or npm cache would act outside later. What the host
// has already downloaded is shown read-only beside it.
func toolchains(s *Sandbox, p Profile, cache string) toolchain {
	at := func(name string) string { return filepath.Join(cache, name) }
	t := toolchain{env: []string{
		"GOCACHE=" + at("go-build"), "GOENV=off",
		"npm_config_cache=" + at("npm"), "npm_config_update_notifier=false", "npm_config_store_dir=" + at("pnpm-store"), "YARN_CACHE_FOLDER=" + at("yarn"),
		"PIP_CACHE_DIR=" + at("pip"), "PIP_DISABLE_PIP_VERSION_CHECK=1", "UV_CACHE_DIR=" + at("uv"),
		"CCACHE_DIR=" + at("ccache"), "DENO_DIR=" + at("deno"),
	}}
	offline := p.kind != profileNet
	if offline {
		t.env = append(t.env, "GOPROXY=off", "npm_config_offline=true", "PIP_NO_INDEX=1", "UV_OFFLINE=1", "CARGO_NET_OFFLINE=true")
	}
	t.golang(s, cache, offline)
	t.cargo(s, cache, offline)
	t.java(s, cache, offline)
	t.browsers(s)
	return t
}

// golang shows the host's module cache where the private one is empty, and
// else lets the private one be filled from the host's downloads.
func (t *toolchain) golang(s *Sandbox, cache string, offline bool) {
	private := filepath.Join(cache, "go-mod")
	used := hasEntries(filepath.Join(s.keep.cacheDir(), "go-mod"))
	if offline && !used {
		if s.host.modCache != "" {
			t.env = append(t.env, "GOMODCACHE="+s.host.modCache)
		}
		return
	}
	t.env = append(t.env, "GOMODCACHE="+private)
	source := ""
	if s.host.modCache != "" {
		source = "file://" + filepath.Join(s.host.modCache, "cache/download")
	}
	switch {
	case !offline:
		upstream := lookupEnv(s.cfg.Env, "GOPROXY")
		if upstream == "" || looksSecret("GOPROXY", upstream) {
			return // go's own default
		}
		if source != "" {
			upstream = source + "," + upstream
		}
		t.env = append(t.env, "GOPROXY="+upstream)
	case source != "":
		t.env = append(t.env, "GOPROXY="+source)
	}
}

// cargo keeps its locks in CARGO_HOME, even for a build that downloads
// nothing. Until something was downloaded for this workspace, that folder is a
// temporary one with the host's downloads in it.
func (t *toolchain) cargo(s *Sandbox, cache string, offline bool) {
	if !offline || hasEntries(filepath.Join(s.keep.cacheDir(), "cargo/registry/cache")) {
		t.env = append(t.env, "CARGO_HOME="+filepath.Join(cache, "cargo"))
		return
	}
	home := filepath.Join(s.cfg.Home, ".cargo")
	t.env = append(t.env, "CARGO_HOME="+home)
	for _, part := range []string{"registry/cache", "registry/index", "registry/src", "git/db", "git/checkouts"} {
		if src := filepath.Join(home, part); exists(src) {
			t.mounts = append(t.mounts, mount{op: opShow, src: src, dst: src, why: "crates"})
		}
	}
}

// java gives Maven and Gradle a private repository with the host's behind it.
func (t *toolchain) java(s *Sandbox, cache string, offline bool) {
	home := s.cfg.Home
	maven := "-Dmaven.repo.local=" + filepath.Join(cache, "maven")
	if tail := filepath.Join(home, ".m2/repository"); exists(tail) {
		maven += " -Dmaven.repo.local.tail=" + tail
	}
	if offline {
		maven += " -o"
	}
	t.env = append(t.env, "MAVEN_ARGS="+maven, "GRADLE_USER_HOME="+filepath.Join(cache, "gradle"))
	if ro := filepath.Join(home, ".gradle/caches"); exists(ro) {
		t.env = append(t.env, "GRADLE_RO_DEP_CACHE="+ro)
	}
}

// browsers shows the browsers that Playwright and Puppeteer have downloaded, at
// a place that is not the cache: what lies there belongs to the commands, and
// nothing is mounted below what a command can shape.
func (t *toolchain) browsers(s *Sandbox) {
	for name, env := range map[string]string{"ms-playwright": "PLAYWRIGHT_BROWSERS_PATH", "puppeteer": "PUPPETEER_CACHE_DIR"} {
		if src := filepath.Join(s.cfg.Home, ".cache", name); exists(src) {
			dst := filepath.Join(s.cfg.Home, ".local/share", name)
			t.mounts = append(t.mounts, mount{op: opShow, src: src, dst: dst, why: "browsers"})
			t.env = append(t.env, env+"="+dst)
		}
	}
}

// linkWrapper lets a Gradle wrapper find the distributions that the host has:
// they are looked for below the private GRADLE_USER_HOME. The cache belongs to
// the commands, so it is only touched beneath its own root.
func (k *keep) linkWrapper() {
	target := filepath.Join(k.cfg.Home, ".gradle/wrapper")
	if !exists(target) {
		return
	}
	root, err := os.OpenRoot(k.cacheDir())
	if err != nil {
		return // without the link Gradle says what it misses
	}
	defer root.Close()
	root.Mkdir("gradle", 0o700)
	root.Symlink(target, "gradle/wrapper")
}

func hasEntries(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	names, err := f.Readdirnames(1)
	return err == nil && len(names) > 0
}

// proxyEnvironment tells programs of the proxy, in all the ways they know.
func proxyEnvironment(url string) []string {
	const local = "localhost,127.0.0.1,::1"
	return []string{
		"HTTP_PROXY=" + url, "HTTPS_PROXY=" + url, "ALL_PROXY=" + url, "NO_PROXY=" + local,
		"http_proxy=" + url, "https_proxy=" + url, "all_proxy=" + url, "no_proxy=" + local,
		"npm_config_proxy=" + url, "npm_config_https_proxy=" + url,
	}
}
