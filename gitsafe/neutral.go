package gitsafe

import (
	"slices"
	"strings"
)

// A setting is one key that is put in force from outside the repository,
// through GIT_CONFIG_KEY_n and GIT_CONFIG_VALUE_n. It beats every file.
type setting struct{ key, value string }

// A treatment says what happens to a key of the repository that is not harmless.
type treatment uint8

const (
	replace treatment = iota // the person's own values, or else a neutral one
	covered                  // an option, the environment or the closed table sees to it
	reset                    // a list: a blank value empties it, then the person's own values
	noNet                    // cannot be overridden: no operation over the network
	noMerge                  // cannot be overridden: nothing that merges
	disable                  // a configured hook: switched off by its name
	never                    // cannot be overridden: no operation at all
)

// rules are the keys whose neutral value is not the blank one. For all others,
// known or not, it is blank: what is a program, a file or a list is then none,
// and what is a switch is off.
var rules = [...]struct {
	pattern keyPattern
	how     treatment
	value   string
}{
	// Programs that are started by name.
	{"core.fsmonitor", replace, "false"},
	{"core.hookspath", replace, nowhere},
	{"core.editor", replace, ":"},
	{"sequence.editor", replace, ":"},
	{"core.pager", replace, "cat"},
	{"pager.", replace, "false"},
	{"core.sshcommand", replace, "ssh"},
	{"ssh.variant", replace, "auto"},
	{"core.alternaterefscommand", replace, "true"},
	{"interactive.difffilter", replace, "cat"},
	{"diff.*.textconv", replace, "cat"}, // a blank one makes git diff die
	{"diff.*.command", replace, "false"},
	{"diff.external", replace, "false"},
	{"filter.*.required", replace, "false"},
	{"merge.*.driver", replace, "git merge-file %A %O %B"}, // a blank one makes git merge die
	{"merge.*.recursive", replace, "text"},
	{"merge.default", replace, "text"},
	{"lfs.*.clean", replace, "cat"}, // lfs.extension.NAME; a blank one makes the filter die
	{"lfs.*.smudge", replace, "cat"},
	{"hook.", disable, ""},
	{"gpg.program", replace, "gpg"},
	{"gpg.openpgp.program", replace, "gpg"},
	{"gpg.x509.program", replace, "gpgsm"},
	{"gpg.ssh.program", replace, "ssh-keygen"},
	{"gpg.format", replace, "openpgp"},
	{"gpg.mintrustlevel", replace, "undefined"},
	{"pull.twohead", noMerge, ""}, // the first value wins in a rebase, so no override reaches it
	{"pull.octopus", noMerge, ""},
	{"gc.recentobjectshook", covered, ""}, // a list that no blank value empties; nothing on the table collects garbage
	// An alias is left to the blank value: git itself may start an unknown
	// subcommand, git merge-NAME, and then finds it among the aliases.

	// Files elsewhere.
	{"core.worktree", covered, ""}, // checked apart
	{"commit.template", replace, nowhere},
	{"diff.orderfile", replace, nowhere},
	{"diff.ignoresubmodules", replace, "dirty"},
	{"diff.submodule", replace, "short"},
	{"blame.ignorerevsfile", covered, ""}, // a list that is read before a blank empties it; checked apart
	{"include.path", covered, ""},         // what it brings is listed
	{"includeif.", covered, ""},

	// What is shown.
	{"format.pretty", replace, "medium"},
	{"log.diffmerges", replace, "off"},

	// Switches that protect.
	{"core.protecthfs", replace, "true"},
	{"core.protectntfs", replace, "true"},
	{"http.sslverify", replace, "true"},
	{"http.*.sslverify", replace, "true"},
	{"credential.protectprotocol", replace, "true"},
	{"credential.*.protectprotocol", replace, "true"},
	{"credential.sanitizeprompt", replace, "true"},
	{"credential.*.sanitizeprompt", replace, "true"},
	{"clean.requireforce", replace, "true"},
	{"core.logallrefupdates", replace, "true"},

	// The network.
	{"url.", noNet, ""},
	{"remote.*.vcs", noNet, ""},
	{"remote.*.proxy", noNet, ""},
	{"remote.*.proxyauthmethod", noNet, ""},
	{"remote.*.fetch", noNet, ""}, // the harmless ones have passed already
	{"remote.*.uploadpack", covered, ""},
	{"remote.*.receivepack", covered, ""},
	{"remote.*.push", covered, ""}, // a push names its branches
	{"remote.*.mirror", replace, "false"},
	{"remote.*.serveroption", reset, ""},
	{"remotes.", noNet, ""},
	{"sideband.", noNet, ""}, // git 2.55 warns about a bad value without an end
	{"http.extraheader", reset, ""},
	{"http.*.extraheader", reset, ""},
	{"http.", noNet, ""},
	{"fetch.bundleuri", noNet, ""},
	{"transfer.credentialsinurl", replace, "allow"},
	{"protocol.", covered, ""}, // GIT_ALLOW_PROTOCOL beats it
	{"core.gitproxy", covered, ""},
	{"push.recursesubmodules", replace, "no"},
	{"push.pushoption", reset, ""},
	{"fetch.recursesubmodules", replace, "false"},
	{"credential.helper", covered, ""}, // emptied in baseline
	{"credential.*.helper", covered, ""},
	{"submodule.recurse", replace, "false"},
	{"submodule.", covered, ""}, // no submodule command is on the table
	{"receive.denycurrentbranch", replace, "refuse"},
	{"receive.", covered, ""},
}

// nowhere is a file that is empty, and a folder that holds nothing.
const nowhere = "/dev/null"

func ruleFor(key string) (treatment, string) {
	for _, r := range rules {
		if r.pattern.match(key) {
			return r.how, r.value
		}
	}
	return replace, ""
}

// A verdict is what is done about the configuration of one repository.
type verdict struct {
	settings []setting
	keys     []Key    // not in force, for the person
	noNet    []string // keys that forbid the network
	noMerge  []string // keys that forbid merging
	never    []string // keys that forbid everything
	kept     []record // harmless or trusted: what a sanitised configuration holds
	worktree string   // core.worktree
	drivers  []Offer  // filter drivers of the repository
	revFiles []string // blame.ignoreRevsFile
}

// A judge knows which records come from the person.
type judge struct {
	trusted  func(record) bool
	agreed   func(digest string) bool // the person agreed to a driver
	defaults map[string]string        // neutral values that depend on the person's home
}

// neutralise decides over every record. It is pure.
func (j judge) neutralise(records []record) verdict {
	own := map[string][]string{}
	for _, r := range records {
		if j.trusted(r) {
			own[r.key] = append(own[r.key], r.text())
		}
	}
	var v verdict
	done := map[string]bool{}
	for _, r := range records {
		if j.trusted(r) {
			continue
		}
		switch r.key {
		case "core.worktree":
			v.worktree = r.value
		case "blame.ignorerevsfile":
			v.revFiles = append(v.revFiles, r.value)
		}
		if harmless(r.key, r.value) || j.driver(&v, r) {
			v.kept = append(v.kept, r)
			continue
		}
		if !done[r.key] {
			done[r.key] = true
			if shadowsFilter(r.key, own) {
				v.never = append(v.never, r.key)
			}
			j.settle(&v, r, own[r.key])
		}
	}
	return v
}

// shadowsFilter says that a key would put a filter of the person out of use:
// git never asks clean and smudge once a process is set, not even a blank one.
func shadowsFilter(key string, own map[string][]string) bool {
	driver, ok := strings.CutSuffix(key, ".process")
	if !ok || !keyPattern("filter.*.process").match(key) || own[key] != nil {
		return false
	}
	return own[driver+".clean"] != nil || own[driver+".smudge"] != nil
}

// settle puts the person's values, or the neutral one, in force for one key.
func (j judge) settle(v *verdict, r record, own []string) {
	how, value := ruleFor(r.key)
	if d, ok := j.defaults[r.key]; ok {
		value = d
	}
	now := value
	switch how {
	case covered:
		now = "(not used)"
	case reset:
		v.set(r.key, "")
		v.set(r.key, own...)
	case replace:
		if len(own) == 0 {
			own = []string{value}
		}
		v.set(r.key, own...)
		now = own[len(own)-1]
	case disable:
		now = j.disableHook(v, r)
	case noNet:
		v.noNet = append(v.noNet, r.key)
		now = "(no network)"
	case noMerge:
		v.noMerge = append(v.noMerge, r.key)
		now = "(no merge)"
	case never:
		fallthrough
	default:
		v.never = append(v.never, r.key)
	}
	if how != covered || !quietKeys(r.key) {
		v.keys = append(v.keys, Key{Name: r.key, Scope: r.scope, Value: cut(r.text(), 200), Now: now})
	}
}

func (v *verdict) set(key string, values ...string) {
	for _, s := range values {
		v.settings = append(v.settings, setting{key, s})
	}
}

// quietKeys need no word to the person: every clone with submodules has them.
func quietKeys(key string) bool {
	return keyPattern("submodule.").match(key) || key == "core.worktree" || keyPattern("include.path").match(key)
}

// disableHook switches a configured hook off (git 2.54 and later). Its name
// may not be that of an event: git then takes the switch for one of the event.
func (j judge) disableHook(v *verdict, r record) string {
	_, name, _, _ := splitKey(r.key)
	if name == "" {
		return "(not used)"
	}
	if slices.Contains(hookEvents, name) {
		v.never = append(v.never, r.key)
		return "(refused)"
	}
	v.set("hook."+name+".enabled", "false")
	return "(switched off)"
}

// driver reports a filter driver of the repository, and keeps it when the
// person has agreed to this very command line.
func (j judge) driver(v *verdict, r record) bool {
	section, name, variable, _ := splitKey(r.key)
	if section != "filter" || name == "" || !slices.Contains([]string{"clean", "smudge", "process"}, variable) || r.text() == "" {
		return false
	}
	d := driverDigest(r.key, r.text())
	v.drivers = append(v.drivers, Offer{Kind: "driver", Name: r.key, Text: r.text(), Digest: d})
	return j.agreed != nil && j.agreed(d)
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
