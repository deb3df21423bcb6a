package ossandbox

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// homeSecrets are the places below HOME where programs keep credentials,
// histories and wallets, as patterns of path.Match. None is in the plan: the
// list is what every path from outside (a PATH entry, a folder that the person
// adds) is held against, and what a test reads through the plan.
var homeSecrets = []string{
	".ssh", ".aws", ".azure", ".config/gcloud", ".kube", ".docker", ".gnupg", ".password-store", ".vault-token",
	".netrc", "_netrc", ".git-credentials", ".config/git/credentials",
	".config/gh", ".config/glab-cli", ".config/hub", ".config/op", ".config/sops", ".config/rclone", ".config/doctl",
	".config/fly", ".config/heroku", ".config/netlify", ".config/stripe", ".config/configstore",
	".npmrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials*", ".gem/credentials", ".m2/settings*.xml",
	".gradle/gradle.properties", ".terraform.d", ".terraformrc", ".pgpass", ".my.cnf", ".boto", ".s3cfg",
	".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge",
	".mozilla", ".thunderbird", ".local/share/keyrings", ".local/share/kwalletd",
	".*_history", ".local/share/fish", ".local/share/atuin",
	".codex", ".claude*", ".gemini", ".config/opencode", ".local/share/opencode", ".aider*",
	".bitcoin", ".ethereum", ".config/solana", ".sui", ".tera_pilot",
}

// secretOf names the pattern of homeSecrets that p lies in, or that lies in p
// and exists; "" when there is none. exists tells what is there.
func secretOf(home, p string, glob func(pattern string) []string) string {
	for _, s := range homeSecrets {
		if rel, ok := below(home, p); ok && matchesPrefix(s, rel) {
			return s
		}
		for _, hit := range glob(filepath.Join(home, s)) {
			if _, ok := below(p, hit); ok {
				return s
			}
		}
	}
	return ""
}

// matchesPrefix says whether rel, or a folder that it lies in, matches pattern.
func matchesPrefix(pattern, rel string) bool {
	parts := strings.Split(rel, "/")
	n := strings.Count(pattern, "/") + 1
	if len(parts) < n {
		return false
	}
	ok, err := path.Match(pattern, strings.Join(parts[:n], "/"))
	return ok && err == nil
}

// below says whether p is dir or lies in it, and gives the rest, with slashes.
// Both are clean and absolute.
func below(dir, p string) (rel string, ok bool) {
	if p == dir {
		return ".", true
	}
	if dir == "/" {
		return p[1:], strings.HasPrefix(p, "/")
	}
	if rest, found := strings.CutPrefix(p, dir+"/"); found {
		return rest, true
	}
	return "", false
}

// workSecrets are names of files in a workspace that usually hold a secret.
var workSecrets = []string{
	".env", ".env.*", "*.env", ".envrc.local", "*.pem", "*.p12", "*.pfx", "*.key", "*.jks", "*.keystore", "*.ppk", "*.kdbx",
	"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*",
	"*.tfstate", "*.tfstate.backup", "service-account*.json",
	".npmrc", ".pypirc", ".netrc", "_netrc", ".git-credentials", "credentials", "credentials.json", ".credentials.json",
	".vault-token", ".terraformrc", ".pgpass", ".my.cnf", ".boto", ".s3cfg", ".dockercfg", ".htpasswd", ".*_history",
}

// workHarmless are names that workSecrets matches and that hold no secret.
var workHarmless = []string{"*.pub", "*.example", "*.sample", "*.template", "*.dist", "example.env", "sample.env", "template.env"}

// secretName says whether a file of this path in a workspace is kept from
// commands when git does not track it: by its own name, or by that of a folder
// such as .aws.
func secretName(rel string) bool {
	name := path.Base(rel)
	lower, original := strings.ToLower(name), secret.Original(name)
	if matchesAny(workHarmless, lower) || matchesAny(workHarmless, original) {
		return false
	}
	return matchesAny(workSecrets, lower) || matchesAny(workSecrets, original) || secret.InSecretFolder(rel)
}

func matchesAny(patterns []string, name string) bool {
	for _, p := range patterns {
		if ok, err := path.Match(p, name); ok && err == nil {
			return true
		}
	}
	return false
}
