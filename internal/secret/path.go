package secret

import (
	"path"
	"strings"
	"unicode"
)

// SecretPath reports whether the name of a file, or of a folder above it, says
// that it holds secrets: keys, credentials, password stores, histories of
// shells. Upper and lower case are the same.
func SecretPath(name string) bool {
	parts := pathParts(name)
	last := parts[len(parts)-1]
	return inSecretFolder(parts) || secretFile(last) || secretFile(Original(last))
}

// InSecretFolder is SecretPath without what the file's own name says.
func InSecretFolder(name string) bool { return inSecretFolder(pathParts(name)) }

func pathParts(name string) []string {
	return strings.Split(strings.ToLower(path.Clean(strings.ReplaceAll(name, `\`, "/"))), "/")
}

func inSecretFolder(parts []string) bool {
	for i, part := range parts {
		if secretFolder(part) || i > 0 && secretPair(parts[i-1], part) {
			return true
		}
		if i > 1 && parts[i-2] == ".local" && parts[i-1] == "share" && secretShare(part) {
			return true
		}
	}
	return false
}

// copied are the endings that editors, tools and people give to a copy.
var copied = []string{"~", ".bak", ".backup", ".old", ".orig", ".save", ".saved", ".swp", ".swo", ".tmp", ".copy", ".rej"}

// Original is the name of the file, in lower case, that name is a copy or a
// left-over of: .env for .env~, #.env#, .env.bak and ".env ". Other names come
// back as they are.
func Original(name string) string {
	name = strings.ToLower(name)
	for {
		short := strings.TrimFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unicode.Cf) })
		if hashed, ok := strings.CutPrefix(short, ".#"); ok {
			short = hashed
		} else if len(short) > 2 && short[0] == '#' && short[len(short)-1] == '#' {
			short = short[1 : len(short)-1]
		}
		for _, end := range copied {
			short = strings.TrimSuffix(short, end)
		}
		if short == name || short == "" {
			return name
		}
		name = short
	}
}

// secretFolder are names below which everything is secret.
func secretFolder(name string) bool {
	switch name {
	case ".ssh", ".aws", ".azure", ".kube", ".gnupg", ".password-store", ".terraform.d", ".mozilla", ".thunderbird", ".bitcoin", ".ethereum":
		return true
	}
	return strings.HasPrefix(name, ".aider")
}

// secretPair are a folder and a name in it.
func secretPair(folder, name string) bool {
	switch folder {
	case ".config":
		switch name {
		case "gcloud", "gh", "glab-cli", "hub", "op", "sops", "rclone", "doctl", "fly", "heroku", "netlify", "stripe", "configstore",
			"google-chrome", "chromium", "bravesoftware", "microsoft-edge", "opencode", "solana", "sui":
			return true
		}
	case ".cargo", ".gem":
		return strings.HasPrefix(name, "credentials")
	case ".m2":
		return strings.HasPrefix(name, "settings") && strings.HasSuffix(name, ".xml")
	case ".gradle":
		return name == "gradle.properties"
	case ".docker":
		return name == "config.json"
	case ".codex":
		return name == "auth.json"
	case ".gemini":
		return name == "oauth_creds.json"
	}
	return false
}

// secretShare are the names below ~/.local/share.
func secretShare(name string) bool {
	switch name {
	case "keyrings", "kwalletd", "fish", "atuin", "opencode":
		return true
	}
	return false
}

// secretFile are the names of files.
func secretFile(name string) bool {
	switch name {
	case ".netrc", "_netrc", ".git-credentials", ".vault-token", ".npmrc", ".yarnrc.yml", ".pypirc", ".terraformrc", ".pgpass", ".my.cnf",
		".boto", ".s3cfg", ".htpasswd", ".dockercfg", ".credentials.json", ".claude.json", "credentials", "credentials.json",
		"audit_key", "audit_key.next", "audit_key.tmp":
		return true
	}
	if strings.HasPrefix(name, ".env") || isKey(name) {
		return true
	}
	if strings.HasPrefix(name, ".") && strings.HasSuffix(name, "_history") {
		return true
	}
	if strings.HasPrefix(name, "service-account") && strings.HasSuffix(name, ".json") {
		return true
	}
	for _, end := range []string{".pem", ".p12", ".pfx", ".key", ".jks", ".keystore", ".ppk", ".kdbx", ".tfstate", ".tfstate.backup"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// isKey are the private keys of ssh, such as id_ed25519, but not the files of a
// program that has to do with ids, such as id_map.go.
func isKey(name string) bool {
	rest, ok := strings.CutPrefix(name, "id_")
	base, ext, _ := strings.Cut(rest, ".")
	return ok && base != "" && (ext == "" || ext == "old" || ext == "bak" || ext == "orig")
}
