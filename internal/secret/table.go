package secret

// shapesID changes whenever the table does.
const shapesID = "shapes/1"

// table is every shape. The order counts only between those with one prefix
// inside another: the longest match wins.
func table() []shape {
	var out []shape
	for _, k := range tokens() {
		for _, p := range k.prefixes {
			out = append(out, shape{name: k.name, prefix: p, body: k.body, min: k.min, max: k.max})
		}
	}
	return append(out, others()...)
}

// A kind is that of tokens which a prefix and a body tell.
type kind struct {
	name     string
	body     func(byte) bool
	min, max int // length of the body; max 0: any
	prefixes []string
}

// tokens are those that services give out, as far as they can be told.
func tokens() []kind {
	return []kind{
		{"anthropic", token, 20, 0, []string{"sk-ant-"}},
		{"openai", token, 20, 0, []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-", "sk-lf-"}},
		{"aws-id", upper, 16, 16, []string{"AKIA", "ASIA", "ABIA", "ACCA"}},
		{"google", token, 35, 35, []string{"AIza"}},
		{"google", token, 20, 0, []string{"GOCSPX-"}},
		{"google", dotted, 20, 0, []string{"ya29."}},
		{"github", alnum, 36, 0, []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}},
		{"github", token, 22, 0, []string{"github_pat_"}},
		{"gitlab", dotted, 20, 0, []string{"glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "gloas-", "glimt-"}},
		{"slack", token, 10, 0, []string{"xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xapp-"}},
		{"stripe", alnum, 16, 0, []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"}},
		{"npm", alnum, 36, 36, []string{"npm_"}},
		{"pypi", token, 50, 0, []string{"pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"}},
		{"huggingface", alnum, 30, 40, []string{"hf_", "api_org_"}},
		{"groq", alnum, 40, 0, []string{"gsk_"}},
		{"xai", alnum, 40, 0, []string{"xai-"}},
		{"perplexity", alnum, 40, 0, []string{"pplx-"}},
		{"replicate", alnum, 37, 37, []string{"r8_"}},
		{"tavily", token, 16, 0, []string{"tvly-"}},
		{"digitalocean", lowerHex, 64, 64, []string{"dop_v1_", "doo_v1_", "dor_v1_"}},
		{"sendgrid", dotted, 60, 0, []string{"SG."}},
		{"shopify", alnum, 32, 0, []string{"shpat_", "shpca_", "shppa_", "shpss_"}},
		{"linear", alnum, 32, 0, []string{"lin_api_", "lin_oauth_"}},
		{"notion", alnum, 40, 0, []string{"secret_", "ntn_"}},
		{"databricks", lowerHex, 32, 0, []string{"dapi"}},
		{"doppler", dotted, 30, 0, []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa."}},
		{"vault", token, 24, 0, []string{"hvs.", "hvb.", "hvr."}},
		{"supabase", lowerHex, 40, 40, []string{"sbp_"}},
		{"fly", base, 40, 0, []string{"fm1_", "fm2_"}},
		{"age", upper, 50, 0, []string{"AGE-SECRET-KEY-1"}},
		{"sentry", base, 40, 0, []string{"sntrys_", "sntryu_"}},
		{"grafana", token, 30, 0, []string{"glsa_", "glc_"}},
		{"newrelic", upper, 27, 27, []string{"NRAK-"}},
		{"postman", token, 50, 0, []string{"PMAK-"}},
		{"figma", token, 36, 0, []string{"figd_"}},
		{"tailscale", token, 20, 0, []string{"tskey-"}},
		{"1password", token, 100, 0, []string{"ops_"}},
		{"mailgun", lowerHex, 32, 32, []string{"key-"}},
		{"dockerhub", token, 27, 0, []string{"dckr_pat_", "dckr_oat_"}},
		{"cloudflare", token, 100, 0, []string{"v1.0-"}},
		{"netlify", alnum, 36, 36, []string{"nfp_"}},
		{"planetscale", token, 32, 0, []string{"pscale_tkn_", "pscale_pw_"}},
		{"rubygems", lowerHex, 48, 48, []string{"rubygems_"}},
		{"atlassian", header, 60, 0, []string{"ATATT3xFfGF0", "ATCTT3xFfGF0"}},
		{"terraform", dotted, 60, 0, []string{"atlasv1."}},
	}
}

// others are the shapes of which more is to be looked at.
func others() []shape {
	return []shape{
		{name: "openai", prefix: "sk-", body: alnum, min: 40, ok: hasDigit},
		{name: "twilio", prefix: "SK", body: lowerHex, min: 32, max: 32},
		{name: "telegram", prefix: "bot", body: func(c byte) bool { return token(c) || c == ':' }, min: 43, max: 47, ok: telegram},
		{name: "jwt", prefix: "eyJ", body: dotted, min: 20, ok: jwt},
		{name: "slack", prefix: "hooks.slack.com/services/", body: func(c byte) bool { return alnum(c) || c == '/' }, min: 30, anywhere: true},
		{name: "azure", prefix: "accountkey=", fold: true, body: base, min: 40, anywhere: true, own: behindPrefix},
		{name: "aws-secret", prefix: "secret_access_key", fold: true, body: base, min: 40, max: 40, anywhere: true, own: assigned},
		{name: "aws-secret", prefix: "secretaccesskey", fold: true, body: base, min: 40, max: 40, anywhere: true, own: assigned},
		{name: "bearer", prefix: "bearer ", fold: true, body: header, min: 16, ok: hasDigit, own: behindPrefix},
		{name: "basic", prefix: "basic ", fold: true, body: base, min: 8, ok: basic, own: behindPrefix},
		{name: "api-key", prefix: "x-api-key", fold: true, body: dotted, min: 16, ok: hasDigit, own: assigned},
		{name: "url-password", prefix: "://", anywhere: true, own: userinfo},
		{name: "private-key", prefix: "-----BEGIN ", anywhere: true, body: pemByte, own: pem},
	}
}
