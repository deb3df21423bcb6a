package gitsafe

import (
	"encoding/pem"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	for _, c := range []struct{ in, scheme, host, shown string }{
		{"https://example.org/x.git", "https", "example.org", ""},
		{"https://example.org:8443/x.git", "https", "example.org", ""},
		{"https://token@example.org/x", "https", "example.org", "https://xxxxx@example.org/x"},
		{"https://u:secret@example.org/x", "https", "example.org", "https://xxxxx@example.org/x"},
		{"ssh://git@example.org/x", "ssh", "example.org", ""},
		{"git@example.org:x/y.git", "ssh", "example.org", ""},
		{"example.org:x", "ssh", "example.org", ""},
		{"git@[::1]:x", "ssh", "::1", ""},
		{"ssh://[::1]:22/x", "ssh", "::1", ""},
		{"/srv/x.git", "file", "", ""},
		{"../x", "file", "", ""},
		{"./a:b", "file", "", ""},
		{"file:///srv/x", "file", "", ""},
		{"", "file", "", ""},
		{"ext::sh -c x", "", "", ""},
		{"ext::sh -c [x", "", "", ""},
		{"fd::3", "", "", ""},
		{"foo::https://example.org/x", "", "", ""},
		{"::x", "", "", ""},
		{"git://example.org/x", "", "", ""},
		{"http://example.org/x", "", "", ""},
		{"ftp://example.org/x", "", "", ""},
		{"HTTPS://example.org/x", "", "", ""},
		{"rsync://example.org/x", "", "", ""},
		{"git+ssh://example.org/x", "", "", ""},
		{"ssh://-oProxyCommand=x/y", "", "", ""},
		{"-oProxyCommand=x:y", "", "", ""},
		{"git@-oProxyCommand=x:y", "", "", ""},
		{"-u@example.org:y", "", "", ""},
		{"ssh://-u@example.org/y", "", "", ""},
		{"ssh://$(id)/x", "", "", ""},
		{"`id`:x", "", "", ""},
		{"ssh://a%20b/x", "", "", ""},
		{"ssh://example.org:99999/x", "", "", ""},
		{"--upload-pack=x", "", "", ""},
		{"https:///x", "", "", ""},
		{"https://exa\nmple.org/x", "", "", ""},
		{"file://host/x", "", "", ""},
	} {
		r, err := parseURL(c.in)
		if c.scheme == "" {
			if err == nil {
				t.Errorf("%q is accepted as %+v", c.in, r)
			}
			continue
		}
		if c.shown == "" {
			c.shown = c.in
		}
		if err != nil || r.Scheme != c.scheme || r.Host != c.host || r.URL != c.shown {
			t.Errorf("%q: %+v, %v", c.in, r, err)
		}
	}
}

func FuzzParseURL(f *testing.F) {
	for _, s := range []string{"https://u:p@h:1/x", "git@h:x", "ext::x", "[::1]:x", "file:///a%2fb", "/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := parseURL(s)
		if err != nil {
			return
		}
		switch r.Scheme {
		case "https", "ssh":
			if r.Host == "" || strings.HasPrefix(r.Host, "-") || strings.ContainsAny(r.Host, " $`'\"\\/@;&|<>()\n") || r.Port == 0 {
				t.Errorf("%q: host %q port %d", s, r.Host, r.Port)
			}
		case "file":
			if r.Host != "" {
				t.Errorf("%q: a path with a host", s)
			}
		default:
			t.Errorf("%q: scheme %q", s, r.Scheme)
		}
		if strings.HasPrefix(s, "-") || transportName().MatchString(s) {
			t.Errorf("%q is accepted", s)
		}
	})
}

// server is a git over https that asks for a name and a password.
func server(l *lab) *httptest.Server {
	l.t.Helper()
	backend := strings.TrimSpace(l.git("--exec-path")) + "/git-http-backend"
	l.git("clone", "-q", "--bare", l.repo, l.dir+"/srv/x.git")
	l.git("--git-dir", l.dir+"/srv/x.git", "config", "http.receivepack", "true")
	h := &cgi.Handler{Path: backend, Root: "/", Env: []string{"GIT_PROJECT_ROOT=" + l.dir + "/srv", "GIT_HTTP_EXPORT_ALL=1", "HOME=" + l.home}}
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if u, p, ok := r.BasicAuth(); !ok || u != "me" || p != "right" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	}))
	l.t.Cleanup(s.Close)
	l.write("home/ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
	l.userSet("http.sslCAInfo", l.home+"/ca.pem")
	return s
}

// TestHTTPS: a push and a fetch with the person's credential helper; those of
// the repository are not asked.
func TestHTTPS(t *testing.T) {
	l := newLab(t)
	s := server(l)
	if _, err := os.Stat(strings.TrimSpace(l.git("--exec-path")) + "/git-remote-https"); err != nil {
		t.Skip("git has no https here")
	}
	helper := l.script("home/helper", `test "$1" = get && echo ran >>`+l.legit+` && printf 'username=me\npassword=right\n'`)
	l.userSet("credential."+s.URL+".helper", helper)
	l.set("credential.helper", "!"+l.pwned()+"; echo username=evil; echo password=evil; :")
	l.set("credential."+s.URL+".helper", "!"+l.pwned()+"; :")
	l.set("core.askPass", l.script("repo/.git/ask", l.pwned()))
	l.set("remote.origin.url", strings.Replace(s.URL, "https://", "https://me@", 1)+"/x.git")
	l.set("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
	l.set("http.sslVerify", "false")
	_, err := l.run("fetch", "origin")
	if err != nil {
		t.Fatal(err)
	}
	l.ok("fetch", "origin")
	l.ok("commit", "-a", "-m", "to be pushed")
	_, p := l.plan("push", "-u", "origin", "HEAD")
	if len(p.Remotes) != 1 || p.Remotes[0].Scheme != "https" || strings.Contains(p.Remotes[0].URL, "me@") || !p.Remotes[0].Push {
		t.Errorf("the plan shows %+v", p.Remotes)
	}
	if !strings.HasSuffix(strings.Join(p.Argv(), " "), "origin refs/heads/main:refs/heads/main") {
		t.Errorf("the push is %q", p.Argv())
	}
	l.ok("push", "-u", "origin", "HEAD")
	if got := l.git("--git-dir", l.dir+"/srv/x.git", "log", "-1", "--format=%s", "main"); got != "to be pushed" {
		t.Errorf("the server has %q", got)
	}
	if l.git("config", "branch.main.remote") != "origin" {
		t.Error("-u set no upstream")
	}
	if l.read("LEGIT") == "" {
		t.Error("the person's helper was not asked")
	}
	l.unharmed("push")
	// What leads the connection elsewhere is refused by name.
	for key, value := range map[string]string{
		"http.proxy": "http://127.0.0.1:1", "http." + s.URL + ".curloptResolve": "x", "url.https://127.0.0.1:1/.insteadOf": s.URL,
		"remote.origin.vcs": "ext", "remote.origin.fetch": "+refs/heads/*:refs/heads/*", "remote.origin.proxy": "x",
	} {
		l.set(key, value)
		for _, args := range []string{"fetch origin", "push origin main", "ls-remote"} {
			l.refused("the repository sets", strings.Fields(args)...)
		}
		l.ok("status")
		l.git("config", "--file", l.repo+"/.git/config", "--unset-all", key)
		if strings.HasSuffix(key, ".fetch") {
			l.set(key, "+refs/heads/*:refs/remotes/origin/*")
		}
	}
}

// TestRedirect: a server cannot send the connection to another host.
func TestRedirect(t *testing.T) {
	l := newLab(t)
	asked := false
	other := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	first := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusMovedPermanently)
	}))
	defer first.Close()
	l.userSet("http.sslVerify", "false")
	for _, args := range []string{"ls-remote " + first.URL + "/x.git", "clone " + first.URL + "/x.git", "push " + first.URL + "/x.git main"} {
		if r, err := l.run(strings.Fields(args)...); err != nil || r.Code == 0 {
			t.Errorf("git %s: %v, exit %d", args, err, r.Code)
		}
	}
	if asked {
		t.Error("the other host was asked")
	}
}

// TestSSH: the person's ssh is started, with nothing of the repository.
func TestSSH(t *testing.T) {
	l := newLab(t)
	l.env[1] = "PATH=" + l.bin + ":" + strings.TrimPrefix(l.env[1], "PATH=")
	l.script("bin/ssh", `echo "$@" >>`+l.legit+`; exit 1`)
	l.script("home/myssh", `echo my "$@" >>`+l.legit+`; exit 1`)
	l.set("core.sshCommand", l.pwned()+"; false")
	l.set("ssh.variant", "simple")
	l.set("remote.origin.url", "git@example.invalid:x.git")
	l.set("remote.origin.uploadpack", l.pwned())
	_, _ = l.run("fetch", "origin")
	if got := l.read("LEGIT"); !strings.Contains(got, "git@example.invalid git-upload-pack") {
		t.Errorf("ssh was started as %q", got)
	}
	l.userSet("core.sshCommand", l.home+"/myssh")
	_, _ = l.run("push", "origin", "main")
	if got := l.read("LEGIT"); !strings.Contains(got, "my ") || !strings.Contains(got, "git-receive-pack") {
		t.Errorf("the person's ssh was not started: %q", got)
	}
	l.unharmed("ssh")
}

// TestPushPlan: what a push does is written out before it is asked about.
func TestPushPlan(t *testing.T) {
	l := newLab(t)
	layRemote(func(*lab) {})(l)
	l.git("fetch", "-q", "origin")
	l.set("remote.origin.push", "refs/heads/main:refs/heads/elsewhere")
	l.set("push.default", "matching")
	l.set("remote.origin.mirror", "true")
	tip := l.git("rev-parse", "origin/main")
	for args, want := range map[string]string{
		"push":                         "push origin refs/heads/main:refs/heads/main",
		"push origin feature":          "push origin refs/heads/feature:refs/heads/feature",
		"push origin HEAD:topic":       "push origin HEAD:refs/heads/topic",
		"push origin :topic":           "push origin +:refs/heads/topic",
		"push --tags":                  "push --tags origin",
		"push -f":                      "push --force-with-lease=refs/heads/main:" + tip + " origin refs/heads/main:refs/heads/main",
		"push origin +main":            "push --force-with-lease=refs/heads/main:" + tip + " origin refs/heads/main:refs/heads/main",
		"push -f origin feature:fresh": "push origin +feature:refs/heads/fresh",
		"push origin --delete main":    "push --delete --force-with-lease=refs/heads/main:" + tip + " origin refs/heads/main",
	} {
		_, p := l.plan(strings.Fields(args)...)
		var got []string
		for _, a := range p.Argv() {
			if !strings.HasPrefix(a, "--receive-pack=") && a != "--no-recurse-submodules" {
				got = append(got, a)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("git %s becomes %q, want %q", args, strings.Join(got, " "), want)
		}
	}
	l.refused("refs/heads/*", "push", "origin", "refs/heads/*:refs/heads/*")
	// A forced push takes the remote change away: listed, saved, and done.
	g, p := l.plan("push", "-f")
	if lossNames(p) != "remote refs/heads/main;" || !p.CanLose {
		t.Errorf("a forced push loses %q", lossNames(p))
	}
	r, err := g.Run(t.Context(), p, Streams{})
	if err != nil || r.Code != 0 || l.git("rev-parse", r.Snapshot.Refs[0]) != tip {
		t.Fatalf("%v %s", err, r.Stderr)
	}
	if got := l.git("--git-dir", l.dir+"/remote.git", "rev-parse", "main"); got != l.git("rev-parse", "main") {
		t.Error("nothing was pushed")
	}
	if out := l.git("--git-dir", l.dir+"/remote.git", "branch", "--list", "elsewhere"); out != "" {
		t.Errorf("the repository chose a branch: %s", out)
	}
}

// TestPushToWorkspace: the hooks of a target that the agent could write do not
// run, and its checked-out branch is not changed.
func TestPushToWorkspace(t *testing.T) {
	l := newLab(t)
	l.git("clone", "-q", l.repo, l.repo+"/inner")
	l.git("-C", l.repo+"/inner", "config", "receive.denyCurrentBranch", "updateInstead")
	l.git("-C", l.repo+"/inner", "config", "filter.x.smudge", l.pwned()+"; cat")
	l.write("repo/inner/.git/info/attributes", "* filter=x\n")
	for _, h := range []string{"pre-receive", "push-to-checkout", "update"} {
		l.script("repo/inner/.git/hooks/"+h, l.pwned())
	}
	l.ok("commit", "-a", "-m", "x")
	_, _ = l.run("push", "./inner", "main:main")
	l.ok("push", "./inner", "main:refs/heads/new")
	l.unharmed("push")
}

func TestClone(t *testing.T) {
	l := newLab(t)
	layRemote(func(l *lab) {
		l.set("url.ext::sh -c "+strings.ReplaceAll(l.pwned(), " ", "% ")+".insteadOf", l.dir)
		l.script("repo/.git/hooks/post-checkout", l.pwned())
	})(l)
	l.ok("clone", "../remote.git", "copy")
	if l.read("repo/copy/up.txt") != "up\n" {
		t.Error("the clone is not complete")
	}
	l.unharmed("clone")
	l.ok("clone", "../remote.git")
	l.refused("repository already", "init", "copy")
	l.ok("init", "-b", "trunk", "fresh")
	if l.git("-C", l.repo+"/fresh", "symbolic-ref", "HEAD") != "refs/heads/trunk" {
		t.Error("init made another branch")
	}
}
