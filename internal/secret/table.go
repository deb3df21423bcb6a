package secret

// shapesID changes whenever the table does.
const shapesID = "shapes/1"

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
