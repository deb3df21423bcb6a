package secret

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
)

// shapesID changes whenever the table does.
const shapesID = "shapes/1"

// longestHeld is how much of one secret is held back before it is decided.
const longestHeld = 64 << 10

// A verdict says whether a shape stands at a place.
type verdict uint8

const (
	no   verdict = iota
	yes          // it does
	more         // it may: the text ends too early to tell
	long         // it does, and goes on behind what is held
)

// A shape is a kind of secret that can be told by its looks: a prefix, and a
// body of certain characters.
type shape struct {
	name     string
	prefix   string // in lower case when fold
	fold     bool   // upper and lower case are the same in the prefix
	anywhere bool   // the prefix may stand within a word
	body     func(byte) bool
	min, max int                    // length of the body; max 0: any
	ok       func(body []byte) bool // more to ask of the body, if not nil
	own      func(s *shape, b []byte, i int, final bool) (start, end int, v verdict)
}

func token(c byte) bool  { return alnum(c) || c == '_' || c == '-' }
func dotted(c byte) bool { return token(c) || c == '.' }
func base(c byte) bool   { return alnum(c) || c == '+' || c == '/' || c == '=' }
func header(c byte) bool {
	return dotted(c) || c == '~' || c == '+' || c == '/' || c == '='
}

func alnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || digit(c)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
func upper(c byte) bool { return c >= 'A' && c <= 'Z' || digit(c) }
func lowerHex(c byte) bool {
	return c >= 'a' && c <= 'f' || digit(c)
}

func hasDigit(b []byte) bool { return bytes.ContainsAny(b, "0123456789") }

// table is every shape. The order counts only between those with one prefix
// inside another: the longest match wins.
func table() []shape {
	var out []shape
	add := func(name string, body func(byte) bool, min, max int, prefixes ...string) {
		for _, p := range prefixes {
			out = append(out, shape{name: name, prefix: p, body: body, min: min, max: max})
		}
	}
	add("anthropic", token, 20, 0, "sk-ant-")
	add("openai", token, 20, 0, "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-", "sk-lf-")
	add("aws-id", upper, 16, 16, "AKIA", "ASIA", "ABIA", "ACCA")
	add("google", token, 35, 35, "AIza")
	add("google", token, 20, 0, "GOCSPX-")
	add("google", dotted, 20, 0, "ya29.")
	add("github", alnum, 36, 0, "ghp_", "gho_", "ghu_", "ghs_", "ghr_")
	add("github", token, 22, 0, "github_pat_")
	add("gitlab", dotted, 20, 0, "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "gloas-", "glimt-")
	add("slack", token, 10, 0, "xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xapp-")
	add("stripe", alnum, 16, 0, "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_")
	add("npm", alnum, 36, 36, "npm_")
	add("pypi", token, 50, 0, "pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw")
	add("huggingface", alnum, 30, 40, "hf_", "api_org_")
	add("groq", alnum, 40, 0, "gsk_")
	add("xai", alnum, 40, 0, "xai-")
	add("perplexity", alnum, 40, 0, "pplx-")
	add("replicate", alnum, 37, 37, "r8_")
	add("tavily", token, 16, 0, "tvly-")
	add("digitalocean", lowerHex, 64, 64, "dop_v1_", "doo_v1_", "dor_v1_")
	add("sendgrid", dotted, 60, 0, "SG.")
	add("shopify", alnum, 32, 0, "shpat_", "shpca_", "shppa_", "shpss_")
	add("linear", alnum, 32, 0, "lin_api_", "lin_oauth_")
	add("notion", alnum, 40, 0, "secret_", "ntn_")
	add("databricks", lowerHex, 32, 0, "dapi")
	add("doppler", dotted, 30, 0, "dp.pt.", "dp.st.", "dp.ct.", "dp.sa.")
	add("vault", token, 24, 0, "hvs.", "hvb.", "hvr.")
	add("supabase", lowerHex, 40, 40, "sbp_")
	add("fly", base, 40, 0, "fm1_", "fm2_")
	add("age", upper, 50, 0, "AGE-SECRET-KEY-1")
	add("sentry", base, 40, 0, "sntrys_", "sntryu_")
	add("grafana", token, 30, 0, "glsa_", "glc_")
	add("newrelic", upper, 27, 27, "NRAK-")
	add("postman", token, 50, 0, "PMAK-")
	add("figma", token, 36, 0, "figd_")
	add("tailscale", token, 20, 0, "tskey-")
	add("1password", token, 100, 0, "ops_")
	add("mailgun", lowerHex, 32, 32, "key-")
	add("dockerhub", token, 27, 0, "dckr_pat_", "dckr_oat_")
	add("cloudflare", token, 100, 0, "v1.0-")
	add("netlify", alnum, 36, 36, "nfp_")
	add("planetscale", token, 32, 0, "pscale_tkn_", "pscale_pw_")
	add("rubygems", lowerHex, 48, 48, "rubygems_")
	add("atlassian", header, 60, 0, "ATATT3xFfGF0", "ATCTT3xFfGF0")
	add("terraform", dotted, 60, 0, "atlasv1.")
	return append(out,
		shape{name: "openai", prefix: "sk-", body: alnum, min: 40, ok: hasDigit},
		shape{name: "twilio", prefix: "SK", body: lowerHex, min: 32, max: 32},
		shape{name: "telegram", prefix: "bot", body: func(c byte) bool { return token(c) || c == ':' }, min: 43, max: 47, ok: telegram},
		shape{name: "jwt", prefix: "eyJ", body: dotted, min: 20, ok: jwt},
		shape{name: "slack", prefix: "hooks.slack.com/services/", body: func(c byte) bool { return alnum(c) || c == '/' }, min: 30, anywhere: true},
		shape{name: "azure", prefix: "accountkey=", fold: true, body: base, min: 40, anywhere: true, own: behindPrefix},
		shape{name: "aws-secret", prefix: "secret_access_key", fold: true, body: base, min: 40, max: 40, anywhere: true, own: assigned},
		shape{name: "aws-secret", prefix: "secretaccesskey", fold: true, body: base, min: 40, max: 40, anywhere: true, own: assigned},
		shape{name: "bearer", prefix: "bearer ", fold: true, body: header, min: 16, ok: hasDigit, own: behindPrefix},
		shape{name: "basic", prefix: "basic ", fold: true, body: base, min: 8, ok: basic, own: behindPrefix},
		shape{name: "api-key", prefix: "x-api-key", fold: true, body: dotted, min: 16, ok: hasDigit, own: assigned},
		shape{name: "url-password", prefix: "://", anywhere: true, own: userinfo},
		shape{name: "private-key", prefix: "-----BEGIN ", anywhere: true, body: pemByte, own: pem},
	)
}

// at looks for the shape at b[i:], where its prefix stands.
func (s *shape) at(b []byte, i int, final bool) (start, end int, v verdict) {
	if s.own != nil {
		return s.own(s, b, i, final)
	}
	_, end, v = s.run(b, i+len(s.prefix), final)
	return i, end, v
}

// run takes the body from a place on.
func (s *shape) run(b []byte, from int, final bool) (start, end int, v verdict) {
	end = from
	for end < len(b) && s.body(b[end]) && end-from < longestHeld {
		end++
	}
	n := end - from
	switch {
	case end == len(b) && !final && n < longestHeld:
		return from, end, more
	case n < s.min || s.max > 0 && n > s.max:
		return from, end, no
	case s.ok != nil && !s.ok(b[from:end]):
		return from, end, no
	case n == longestHeld:
		return from, end, long
	default:
		return from, end, yes
	}
}

// behindPrefix masks the body and leaves the prefix.
func behindPrefix(s *shape, b []byte, i int, final bool) (start, end int, v verdict) {
	return s.run(b, i+len(s.prefix), final)
}

// assigned masks a value behind a name, as in settings, headers and JSON.
func assigned(s *shape, b []byte, i int, final bool) (start, end int, v verdict) {
	from := i + len(s.prefix)
	const between = 8
	for from < len(b) && from < i+len(s.prefix)+between && strings.IndexByte(" \t\"'`\\:=>", b[from]) >= 0 {
		from++
	}
	if from == len(b) && !final {
		return i, from, more
	}
	if from == i+len(s.prefix) {
		return i, from, no
	}
	return s.run(b, from, final)
}

// userinfo masks the password of a URL.
func userinfo(s *shape, b []byte, i int, final bool) (start, end int, v verdict) {
	from := i + len(s.prefix)
	const longest = 1 << 10
	end = from
	for end < len(b) && end-from < longest && b[end] > ' ' && strings.IndexByte("/\"'`<>\\", b[end]) < 0 {
		end++
	}
	if end == len(b) && !final && end-from < longest {
		return i, end, more
	}
	at := bytes.LastIndexByte(b[from:end], '@')
	colon := bytes.IndexByte(b[from:end], ':')
	if colon < 0 || at < colon {
		return i, end, no
	}
	password := b[from+colon+1 : from+at]
	if len(password) == 0 || strings.IndexByte("${<[", password[0]) >= 0 || len(bytes.Trim(password, "*xX.")) == 0 {
		return i, end, no
	}
	return from + colon + 1, from + at, yes
}

// pemByte is what stands in a PEM block, also when it is a string of a
// programming language or part of a settings file.
func pemByte(c byte) bool {
	return base(c) || strings.IndexByte(" \t\r\n\\:,.-()\"'|#%>_", c) >= 0
}

// pem masks a private key up to its end line or, where that is missing, as far
// as it can be one.
func pem(s *shape, b []byte, i int, final bool) (start, end int, v verdict) {
	label := b[i+len(s.prefix):]
	stop := bytes.Index(label[:min(len(label), 64)], []byte("-----"))
	if stop < 0 {
		if len(label) < 64 && !final {
			return i, i, more
		}
		return i, i, no
	}
	if !bytes.Contains(label[:stop], []byte("PRIVATE KEY")) {
		return i, i, no
	}
	from := i + len(s.prefix) + stop + 5
	end = from
	for end < len(b) && pemByte(b[end]) && end-i < longestHeld {
		end++
	}
	if last := bytes.Index(b[from:end], []byte("-----END ")); last >= 0 {
		if tail := bytes.Index(b[from+last+9:end], []byte("-----")); tail >= 0 {
			return i, from + last + 9 + tail + 5, yes
		}
	}
	switch {
	case end-i >= longestHeld:
		return i, end, long
	case end == len(b) && !final:
		return i, end, more
	case end-from < 64:
		return i, end, no
	default:
		return i, end, yes
	}
}

func jwt(body []byte) bool {
	parts := bytes.Split(body, []byte{'.'})
	return len(parts) >= 3 && len(parts[0]) >= 8 && len(parts[1]) >= 8
}

func basic(body []byte) bool {
	plain, err := base64.StdEncoding.DecodeString(string(body))
	return err == nil && bytes.IndexByte(plain, ':') > 0 && !slices.ContainsFunc(plain, func(c byte) bool { return c < ' ' })
}

func telegram(body []byte) bool {
	id, key, ok := bytes.Cut(body, []byte{':'})
	return ok && len(id) >= 8 && len(id) <= 10 && len(key) >= 35 && !slices.ContainsFunc(id, func(c byte) bool { return !digit(c) })
}

// context is how many bytes before a place decide whether a word begins there.
const context = 6

// wordBegins reports whether a word can begin at b[i:]: not behind a letter,
// digit, _ or -, unless that is the end of an escape.
func wordBegins(b []byte, i int) bool {
	if i == 0 || !token(b[i-1]) {
		return true
	}
	if i >= 2 && b[i-2] == '\\' {
		return true
	}
	if i >= 3 && b[i-3] == '%' {
		_, ok, _ := digits(b[i-2:i], 2)
		return ok
	}
	if i >= 6 && b[i-6] == '\\' && b[i-5] == 'u' {
		_, ok, _ := digits(b[i-4:i], 4)
		return ok
	}
	return i >= 4 && b[i-4] == '\\' && b[i-3] == 'x'
}

// begins compares b[i:] with the prefix: all of it, or its beginning up to the
// end of b.
func (s *shape) begins(b []byte, i int) (whole, partly bool) {
	rest := b[i:]
	n := min(len(rest), len(s.prefix))
	for j := range n {
		c := rest[j]
		if s.fold && c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != s.prefix[j] {
			return false, false
		}
	}
	return n == len(s.prefix), n < len(s.prefix)
}
