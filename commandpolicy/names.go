package commandpolicy

import (
	"path"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// protectedNames are names that can make other programs run code, or change what
// agents are told, in lower case. Everything below one is protected too.
var protectedNames = setOf(`
.git .tera_pilot .claude .codex .gemini .cursor .vscode .idea .zed .agents .mcp.json .envrc .husky .devcontainer
.gitlab-ci.yml .circleci .pre-commit-config.yaml lefthook.yml .exrc .bashrc .profile .zshrc
agents.md claude.md tera_pilot.md`)

// ProtectedName reports whether a path, absolute or relative to the workspace,
// is a protected name or lies below one, and which. Case is
// disregarded, since file systems may do so.
func ProtectedName(p string) (name string, ok bool) {
	parts := strings.Split(strings.ToLower(path.Clean(p)), "/")
	for i, part := range parts {
		if protectedNames[part] {
			return part, true
		}
		if part == "workflows" && i > 0 && parts[i-1] == ".github" {
			return ".github/workflows", true
		}
	}
	return "", false
}

// secretClass tells how bad it is when a file leaves the machine.
type secretClass uint8

const (
	noSecret    secretClass = iota
	softSecret              // .env and the like: asks
	hardSecret              // private keys, credentials, shell history: never to the network
	secretStore             // a folder of such files
)

// SecretName reports whether the path is that of a file known to hold secrets,
// and what kind. Case is disregarded.
func SecretName(p, home string) (what string, ok bool) {
	what, class := secretName(p, home)
	return what, class != noSecret
}

var keyNames = setOf(`id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk id_xmss identity`)

var credentialNames = setOf(`.netrc _netrc .git-credentials .npmrc .pypirc .pgpass .my.cnf .vault-token .dockercfg
.boto .s3cfg .terraformrc .htpasswd .yarnrc.yml kubeconfig credentials credentials.json credentials.toml
client_secret.json application_default_credentials.json`)

var secretExtensions = setOf(`.pem .key .p12 .pfx .ppk .jks .keystore .kdbx .p8 .pkcs12 .agekey`)

var softNames = setOf(`.envrc .dev.vars secrets.yml secrets.yaml secrets.json secrets.toml secret.yml secret.yaml secret.json
secrets.env .secrets .secret vault.yml vault.yaml`)

// secretFolders are folders of keys and credentials wherever they lie;
// homeSecrets are such folders and files when they lie in a home.
var (
	secretFolders = []string{".ssh", ".aws", ".azure", ".gnupg", ".kube", ".password-store"}
	homeSecrets   = []string{".terraform.d", ".config/gcloud", ".config/gh", ".config/hub", ".config/op", ".config/sops",
		".config/rclone", ".config/doctl", ".config/glab-cli", ".config/heroku", ".config/stripe", ".config/netlify", ".config/configstore",
		".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".mozilla", ".thunderbird", ".local/share/keyrings",
		".local/share/kwalletd", ".local/share/fish", ".local/share/atuin", "Library/Keychains", ".cargo/credentials", ".cargo/credentials.toml",
		".gem/credentials", ".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties", ".bitcoin", ".ethereum",
		".config/solana", ".sui", ".codex", ".claude", ".claude.json", ".gemini", ".config/opencode", ".local/share/opencode"}
)

// publicNames lie in secret folders and are not secret.
var publicNames = setOf(`.ssh/known_hosts .ssh/known_hosts.old .ssh/authorized_keys .ssh/config .aws/config .gnupg/trustdb.gpg .gnupg/pubring.kbx`)

func secretName(p, home string) (string, secretClass) {
	p = path.Clean(p)
	base := secret.Original(path.Base(p))
	if strings.HasSuffix(base, ".pub") {
		return "", noSecret
	}
	if what, class := secretPlace(p, home); class != noSecret {
		return what, class
	}
	switch {
	case keyNames[base], secretExtensions[path.Ext(base)]:
		return "private key", hardSecret
	case strings.HasPrefix(base, "service-account") && strings.HasSuffix(base, ".json"):
		return "credentials", hardSecret
	case credentialNames[base]:
		return "credentials", hardSecret
	case strings.HasPrefix(base, ".") && (strings.HasSuffix(base, "_history") || strings.HasSuffix(base, "-history")):
		return "shell history", hardSecret
	case isDotEnv(base), softNames[base]:
		return "environment secrets", softSecret
	case strings.HasSuffix(base, ".tfstate"), strings.HasSuffix(base, ".tfstate.backup"):
		return "infrastructure state", softSecret
	}
	return "", noSecret
}

// isDotEnv knows .env, .env.local, prod.env and the like, but for the examples
// that are made to be shared.
func isDotEnv(base string) bool {
	if base != ".env" && !strings.HasPrefix(base, ".env.") && !strings.HasSuffix(base, ".env") && !strings.HasPrefix(base, ".env-") {
		return false
	}
	for _, shared := range []string{"example", "sample", "template", "dist", "defaults", "schema", "tpl"} {
		if strings.Contains(base, shared) {
			return false
		}
	}
	return true
}

// secretPlace knows folders of secrets, below any home, and a few system files.
func secretPlace(p, home string) (string, secretClass) {
	switch p {
	case "/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/master.passwd":
		return "credentials", hardSecret
	}
	if strings.HasPrefix(p, "/etc/ssh/") && strings.HasSuffix(p, "_key") {
		return "private key", hardSecret
	}
	if strings.HasPrefix(p, "/proc/") && strings.HasSuffix(p, "/environ") {
		return "environment of a process", softSecret
	}
	for _, folder := range secretFolders {
		if i := strings.Index(p+"/", "/"+folder+"/"); i >= 0 && !publicNames[p[i+1:]] {
			return placeClass(len(p) == i+1+len(folder))
		}
	}
	if strings.HasSuffix(p, "/.docker/config.json") {
		return placeClass(false)
	}
	for _, h := range []string{home, "/root", homeOf(p)} {
		rel, ok := strings.CutPrefix(p, h+"/")
		if h == "" || !ok {
			continue
		}
		for _, place := range homeSecrets {
			if rel == place || strings.HasPrefix(rel, place+"/") {
				return placeClass(rel == place)
			}
		}
	}
	return "", noSecret
}

func placeClass(whole bool) (string, secretClass) {
	if whole {
		return "keys or credentials", secretStore
	}
	return "key or credentials", hardSecret
}

// systemFolders are the folders whose loss ends the machine or a home.
var systemFolders = setOf(`/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /libx32 /media /mnt /opt /proc /root /run /sbin /srv
/sys /usr /var /usr/bin /usr/sbin /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/local /usr/share /usr/include
/usr/local/bin /usr/local/lib /usr/local/sbin /var/lib /var/log /var/cache /var/spool /var/mail /var/run /etc/ssh /etc/systemd /etc/pam.d
/etc/ssl /boot/efi /boot/grub /System /Library /Applications /Users /Volumes /private /private/etc /private/var /cores /nix /nix/store`)

// isSystemFolder reports whether p, absolute, is a system folder or a home.
func isSystemFolder(p, home string) bool {
	if systemFolders[p] || home != "" && p == home {
		return true
	}
	parent := path.Dir(p)
	return parent == "/home" || parent == "/Users"
}

// loginHome are the files below a home that run, or open a door, at login.
var loginHome = setOf(`.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin
.zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .xinitrc .xprofile .xsession .xsessionrc .Xsession .pam_environment
.config/fish/config.fish .ssh/authorized_keys .ssh/authorized_keys2 .ssh/rc .ssh/environment .ssh/config .rhosts .shosts
.inputrc .zimrc .oh-my-zsh .config/plasma-workspace/env .config/nushell/config.nu .config/nushell/env.nu `)

// loginFolders are folders below a home whose files are started at login.
var loginFolders = []string{".config/autostart", ".config/autostart-scripts", ".config/systemd/user", ".local/share/systemd/user",
	".config/fish/conf.d", ".config/environment.d", ".config/plasma-workspace/env", "Library/LaunchAgents", ".bashrc.d", ".zshrc.d", ".oh-my-zsh"}

// loginSystem are system files and folders of the same kind.
var loginSystem = []string{"/etc/profile", "/etc/profile.d", "/etc/bash.bashrc", "/etc/bashrc", "/etc/bash_completion.d", "/etc/zsh",
	"/etc/zshrc", "/etc/zshenv", "/etc/zprofile", "/etc/environment", "/etc/environment.d", "/etc/rc.local", "/etc/rc.d", "/etc/init.d", "/etc/init",
	"/etc/inittab", "/etc/systemd", "/lib/systemd", "/usr/lib/systemd", "/usr/local/lib/systemd", "/run/systemd/system",
	"/etc/cron.d", "/etc/cron.daily", "/etc/cron.hourly", "/etc/cron.weekly", "/etc/cron.monthly", "/etc/crontab", "/etc/anacrontab",
	"/var/spool/cron", "/var/spool/at", "/etc/xdg/autostart", "/etc/X11/xinit", "/etc/pam.d", "/etc/security", "/etc/sudoers", "/etc/sudoers.d",
	"/etc/passwd", "/etc/shadow", "/etc/group", "/etc/gshadow", "/etc/ssh/sshd_config", "/etc/ssh/sshd_config.d", "/etc/ssh/sshrc",
	"/etc/ld.so.preload", "/etc/login.defs", "/etc/shells", "/etc/skel", "/etc/fish", "/etc/hosts.equiv", "/etc/update-motd.d",
	"/Library/LaunchAgents", "/Library/LaunchDaemons", "/Library/StartupItems", "/System/Library/LaunchDaemons"}

// isLoginFile reports whether p is a login or start-up file of home, of
// another home, or of the system.
func isLoginFile(p, home string) bool {
	for _, s := range loginSystem {
		if p == s || strings.HasPrefix(p, s+"/") {
			return true
		}
	}
	for _, h := range []string{home, "/root", homeOf(p)} {
		if h == "" || !strings.HasPrefix(p, h+"/") {
			continue
		}
		rel := p[len(h)+1:]
		if loginHome[rel] || loginPattern(rel) {
			return true
		}
		for _, folder := range loginFolders {
			if strings.HasPrefix(rel, folder+"/") {
				return true
			}
		}
	}
	return false
}

// loginPattern reports whether a pattern below a home is about a login file,
// and not about all there is.
func loginPattern(rel string) bool {
	if !strings.ContainsAny(rel, "*?[") || allNames(path.Base(rel)) {
		return false
	}
	for name := range loginHome {
		if globPath(rel, name) {
			return true
		}
	}
	return false
}

// homeOf is the home that p lies in, judged by its place alone.
func homeOf(p string) string {
	for _, root := range []string{"/home/", "/Users/"} {
		if rest, ok := strings.CutPrefix(p, root); ok {
			name, _, _ := strings.Cut(rest, "/")
			return root + name
		}
	}
	return ""
}

// isRawDevice reports whether p is a disk, a partition or the memory.
func isRawDevice(p string) bool {
	dev, ok := strings.CutPrefix(p, "/dev/")
	if !ok {
		return false
	}
	for _, kind := range []string{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "md", "dm-", "loop", "sr",
		"zd", "nbd", "rbd", "pmem", "mtd", "ram", "block/", "bcache", "dasd", "drbd", "ada", "da"} {
		if rest, ok := strings.CutPrefix(dev, kind); ok && rest != "" {
			return deviceRest(kind, rest)
		}
	}
	return dev == "mem" || dev == "kmem" || dev == "port"
}

// deviceRest tells /dev/sda1 from a name that only begins alike.
func deviceRest(kind, rest string) bool {
	switch kind {
	case "sd", "hd", "vd", "xvd", "disk":
		return len(rest) <= 4 || kind == "disk"
	case "mapper/", "block/":
		return true
	case "da":
		return rest[0] >= '0' && rest[0] <= '9' && len(rest) <= 4
	}
	return rest[0] >= '0' && rest[0] <= '9' || kind == "nvme" || kind == "dasd"
}

// isSink reports whether writing to p goes nowhere or to our own streams.
func isSink(p string) bool {
	switch p {
	case "/dev/null", "/dev/stdout", "/dev/stderr":
		return true
	}
	return strings.HasPrefix(p, "/dev/fd/")
}

// isSource reports whether reading p gives nothing away.
func isSource(p string) bool {
	switch p {
	case "/dev/null", "/dev/stdin":
		return true
	}
	return strings.HasPrefix(p, "/dev/fd/")
}

// isInput reports whether p is the standard input under another name.
func isInput(p string) bool {
	switch p {
	case "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return true
	}
	return false
}

// everydayNames tell a pattern that is about everything from one that is about
// secrets.
var everydayNames = []string{"main.go", "README.md", "data.txt", "index.js", "package.json"}

var secretSamples = []string{".env", ".env.local", ".env.production", "id_rsa", "id_ed25519", "server.pem", "private.key",
	".npmrc", ".netrc", ".git-credentials", "credentials", ".pgpass", ".bash_history", "secrets.yml"}

// namesSecret reports whether a pattern is made for files that hold secrets.
func namesSecret(glob, home string) bool {
	if glob == "" {
		return false
	}
	base := path.Base(glob)
	for _, n := range everydayNames {
		if matchGlob(base, n) {
			return false
		}
	}
	for _, n := range secretSamples {
		if matchGlob(base, n) {
			return true
		}
	}
	_, class := secretName(glob, home)
	return class != noSecret
}
