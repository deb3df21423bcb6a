package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

const planted = "hunter2-Zq8/x+Y=9$kL"

func registered() *Redactor {
	r := New()
	r.Add(planted, "another secret word")
	return r
}

// spellings are ways in which the planted secret can show.
func spellings(t testing.TB) map[string]string {
	t.Helper()
	s := planted
	all := func(format string) string {
		var b strings.Builder
		for i := range len(s) {
			fmt.Fprintf(&b, format, s[i])
		}
		return b.String()
	}
	js, err := json.Marshal("key <" + s + ">")
	if err != nil {
		t.Fatal(err)
	}
	twice, err := json.Marshal(string(js))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{
		"clear": s, "hex": hex.EncodeToString([]byte(s)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(s))),
		"query": url.QueryEscape(s), "path": url.PathEscape(s), "all percent": all("%%%02x"), "ALL PERCENT": all("%%%02X"),
		"json": string(js), "json in json": string(twice), "all \\u": all("\\u%04x"), "all \\x": all("\\x%02X"),
	}
	for before := range 4 {
		for name, enc := range map[string]*base64.Encoding{"std": base64.StdEncoding, "url": base64.URLEncoding, "rawstd": base64.RawStdEncoding, "rawurl": base64.RawURLEncoding} {
			out[fmt.Sprintf("base64 %s behind %d", name, before)] = enc.EncodeToString([]byte(strings.Repeat("x", before) + s + "tail"))
		}
	}
	b := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("some text before it ", 3) + s + " and behind"))
	out["base64 in lines"] = b[:76] + "\n" + b[76:]
	out["base64 in lines, in json"] = b[:76] + `\n` + b[76:]
	return out
}

// bare are those parts of a spelling that give the secret away.
func bare(s string) []string {
	out := []string{planted, hex.EncodeToString([]byte(planted)), url.QueryEscape(planted)}
	for before := range 3 {
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			form := enc.EncodeToString([]byte(strings.Repeat("x", before) + planted))
			out = append(out, form[4:len(form)-2])
		}
	}
	return out
}

func TestEverySpellingIsMasked(t *testing.T) {
	r := registered()
	for name, s := range spellings(t) {
		got := r.Text("before " + s + " after")
		if !strings.Contains(got, "[secret:1]") || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
			t.Errorf("%s: %q becomes %q", name, s, got)
		}
		for _, part := range bare(s) {
			if strings.Contains(strings.ReplaceAll(got, "\n", ""), part) {
				t.Errorf("%s: %q still holds %q", name, got, part)
			}
		}
		if again := r.Text(got); again != got {
			t.Errorf("%s: masked twice, %q becomes %q", name, got, again)
		}
	}
}

// stream masks s, written in pieces that end at the given places.
func stream(t testing.TB, r *Redactor, s string, cuts ...int) string {
	t.Helper()
	var out bytes.Buffer
	w := r.Writer(&out)
	from := 0
	for _, c := range append(cuts, len(s)) {
		if _, err := w.Write([]byte(s[from:c])); err != nil {
			t.Fatal(err)
		}
		from = c
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestASecretSplitAtEveryPosition(t *testing.T) {
	r := registered()
	texts := spellings(t)
	for name, s := range shapeSamples() {
		texts[name] = s
	}
	for name, s := range texts {
		s = "a=" + s + "; b=" + s + "\n"
		want := r.Text(s)
		if !strings.Contains(want, "[secret:") {
			t.Errorf("%s: nothing is masked in %q", name, s)
		}
		for i := range len(s) {
			if got := stream(t, r, s, i); got != want {
				t.Fatalf("%s, split at %d: %q, want %q", name, i, got, want)
			}
		}
		each := make([]int, len(s))
		for i := range each {
			each[i] = i
		}
		if got := stream(t, r, s, each...); got != want {
			t.Errorf("%s, byte by byte: %q, want %q", name, got, want)
		}
	}
}

func FuzzSplits(f *testing.F) {
	for _, s := range spellings(f) {
		f.Add(s, uint64(1))
	}
	for _, s := range shapeSamples() {
		f.Add(s, uint64(2))
	}
	f.Add(`\\u0068unter2-Zq8/%78+Y=9$kL://u:p@x sk-ant-`, uint64(3))
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		r := registered()
		want := r.Text(s)
		rng := rand.New(rand.NewPCG(seed, 0))
		var cuts []int
		for i := 0; i < len(s); i += 1 + rng.IntN(9) {
			cuts = append(cuts, i)
		}
		if got := stream(t, r, s, cuts...); got != want {
			t.Errorf("%q in pieces %v: %q, want %q", s, cuts, got, want)
		}
		if strings.Contains(want, planted) {
			t.Errorf("%q still holds the secret", want)
		}
	})
}

// A secret that is longer than what is held back is masked as one all the same.
func TestVeryLongSecrets(t *testing.T) {
	r := registered()
	for name, s := range map[string]string{
		"token": "sk-ant-" + strings.Repeat("abcdefgh01", 20_000),
		"pem":   "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat(strings.Repeat("A", 64)+"\n", 3000) + "!",
	} {
		s = "x " + s + " y " + planted
		want := r.Text(s)
		if strings.Count(want, "[secret:") != 2 || len(want) > 100 {
			t.Errorf("%s: %d bytes, begins %.80q", name, len(want), want)
		}
		for _, step := range []int{1000, 4096, 70_001} {
			var cuts []int
			for i := step; i < len(s); i += step {
				cuts = append(cuts, i)
			}
			if got := stream(t, r, s, cuts...); got != want {
				t.Errorf("%s in pieces of %d: %.200q, want %.200q", name, step, got, want)
			}
		}
	}
}

func TestShortValuesAreRefused(t *testing.T) {
	r := New()
	if r.Add("test") {
		t.Error("a value of four bytes would be masked everywhere")
	}
	if got := r.Text("a test"); got != "a test" {
		t.Errorf("%q", got)
	}
	if !r.Add("", "  longer value\n") {
		t.Error("an empty value is nothing to refuse")
	}
	if got := r.Text("<longer value>"); got != "<[secret:1]>" {
		t.Errorf("%q", got)
	}
}

func TestOneSecretHasOneNumber(t *testing.T) {
	r := registered()
	a, b := shapeSamples()["github"], shapeSamples()["aws-id"]
	got := r.Text(a + " " + planted + " " + b + " " + a)
	if got != "[secret:3] [secret:1] [secret:4] [secret:3]" {
		t.Errorf("%q", got)
	}
}

func TestInnocentTextStays(t *testing.T) {
	r := registered()
	for _, s := range []string{
		"", "plain", "a task-force-with-a-very-long-hyphenated-name", "https://example.org:8080/a@b", "git@github.com:a/b.git",
		"postgres://user:$PASSWORD@host/db", "https://user:<password>@host", "the bearer of this long-sentence-without-digits",
		"sk-learn is a library", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "see -----BEGIN PRIVATE KEY----- in the docs!",
		"eyJ is how it begins", "Basic authentication", "akia", "AKIA and more", "100% sure", `C:\new\table`, "\\", "%", "%4", `\u00`,
		"import secrets_manager", "npm_config_cache=/var/x", "secret_access_key: see the vault", "hf_hub_download", "keyboard",
	} {
		if got := r.Text(s); got != s {
			t.Errorf("%q becomes %q", s, got)
		}
		if got := r.Bytes([]byte(s)); string(got) != s {
			t.Errorf("bytes %q become %q", s, got)
		}
	}
}

// shapeSamples are made up. They are put together here, so that no file of the
// repository holds one.
func shapeSamples() map[string]string {
	a := func(n int) string { return strings.Repeat("a1B2c3D4e5", 30)[:n] }
	h := func(n int) string { return strings.Repeat("0123456789abcdef", 10)[:n] }
	b64 := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	return map[string]string{
		"anthropic": "sk-ant-" + "api03-" + a(60), "openai": "sk-" + a(48), "openai project": "sk-proj-" + a(80),
		"aws-id": "AKIA" + "ABCDEFGHIJ234567", "google": "AIza" + a(35), "github": "ghp_" + a(36), "github fine": "github_pat_" + a(60),
		"gitlab": "glpat-" + a(20), "slack": "xoxb-" + "123456789012-" + a(24), "stripe": "sk_live_" + a(24), "npm": "npm_" + a(36),
		"huggingface": "hf_" + a(34), "digitalocean": "dop_v1_" + h(64), "sendgrid": "SG." + a(22) + "." + a(43), "vault": "hvs." + a(24),
		"jwt":        b64(`{"alg":"HS256","typ":"JWT"}`) + "." + b64(`{"sub":"1234567890"}`) + "." + a(43),
		"pem":        "-----BEGIN " + "RSA PRIVATE KEY-----\n" + strings.Repeat(a(64)+"\n", 10) + "-----END RSA PRIVATE KEY-----",
		"pem json":   "-----BEGIN " + `PRIVATE KEY-----\n` + strings.Repeat(a(64)+`\n`, 10) + "-----END PRIVATE KEY-----",
		"openssh":    "-----BEGIN " + "OPENSSH PRIVATE KEY-----\r\n" + a(70) + "\r\n-----END OPENSSH PRIVATE KEY-----",
		"bearer":     "Authorization: Bearer " + a(32),
		"basic":      "authorization: basic " + base64.StdEncoding.EncodeToString([]byte("user:password")),
		"url":        "postgres://admin:" + "s3cr3t@db.example.org/x",
		"aws-secret": "aws_secret_access_key = " + a(40), "aws json": `"SecretAccessKey": "` + a(40) + `"`,
		"api-key": "X-Api-Key: " + a(30), "behind \\n": `line\nsk-ant-` + a(40), "behind %3D": "k%3Dghp_" + a(36), "behind \\u003d": `k\u003dghp_` + a(36),
		"telegram": "https://api.telegram.org/bot" + "123456789:" + a(35) + "/getMe", "azure": "AccountKey=" + a(86) + "==",
		"slack hook": "https://hooks.slack.com/services/T" + a(8) + "/B" + a(8) + "/" + a(24),
	}
}

func TestShapes(t *testing.T) {
	for name, s := range shapeSamples() {
		r := New()
		got := r.Text("<" + s + ">")
		if strings.Count(got, "[secret:1]") != 1 || strings.Contains(got, "a1B2c3D4e5a1B2c3") || strings.Contains(got, "s3cr3t") {
			t.Errorf("%s: %q becomes %q", name, s, got)
		}
		if again := r.Text(got); again != got {
			t.Errorf("%s: masked twice, %q becomes %q", name, got, again)
		}
		if m := r.Find(s); len(m) != 1 {
			t.Errorf("%s: %v", name, m)
		}
	}
}

func TestSecretPath(t *testing.T) {
	for _, p := range []string{
		".env", "a/.env.local", "/w/.ENV", "/home/u/.ssh/config", "/home/u/.aws/credentials", "x/id_rsa", "id_ed25519", "server.pem", "a.p12", "b.tfstate",
		"service-account-prod.json", ".npmrc", "/home/u/.config/gh/hosts.yml", "/home/u/.bash_history", "/home/u/.local/share/keyrings/a",
		"/home/u/.tera_pilot/audit_key", ".git-credentials", "/home/u/.cargo/credentials.toml", "/home/u/.docker/config.json", "dir/tls.key",
		".env~", "#.env#", ".env.bak", "a/.#.env", "server.pem ", "server.pem.old", ".npmrc.orig", ".env\u200b",
		"/home/u/.m2/settings.xml", "/home/u/.gradle/gradle.properties", `C:\Users\u\.ssh\id_rsa`, "a/../.env", "/home/u/.config/google-chrome/Default/Login Data",
	} {
		if !SecretPath(p) {
			t.Errorf("%s should count as secret", p)
		}
	}
	for _, p := range []string{
		"", "main.go", "main.go~", "README.md.bak", "#main.go#", "~", ".bak", "environment.go", "id_map.go", "id_rsa.pub", "a/keys.go", "docs/credentials.md", "tf/main.tf", ".github/workflows/x.yml",
		".docker/Dockerfile", ".config/nvim/init.lua", "settings.xml", "audit_key.pub", "history.txt",
	} {
		if SecretPath(p) {
			t.Errorf("%s should not count as secret", p)
		}
	}
}

func BenchmarkText(b *testing.B) {
	r := registered()
	text := strings.Repeat("func main() { fmt.Println(\"hello\", 12) } // and a comment\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Text(text)
	}
}
