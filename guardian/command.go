package guardian

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// scoreCommand reads the parsed parts of a command, never its text.
func scoreCommand(x *effect.Command) Risk {
	switch {
	case x == nil:
		return high("an unknown command")
	case !x.Parsed:
		return high("the command does not parse")
	case x.ReadOnly:
		return Risk{Tier: Low}
	case x.Script != "" && len(x.Parts) == 0:
		return high("nothing is known of what the command does")
	}
	out := medium("runs a command")
	for _, p := range parts(x) {
		if why := partDanger(p); why != "" {
			out = out.Worse(high(why))
		}
	}
	if fetchesAndRuns(x.Parts) {
		out = out.Worse(high("fetches something and runs a shell"))
	}
	for _, p := range slices.Concat(x.Writes, x.Deletes, x.Chmods) {
		if risk := scoreChange(&p); risk.Tier == High {
			out = out.Worse(risk)
		}
	}
	for _, p := range x.Reads {
		if risk := scoreRead(&p); risk.Tier == High {
			out = out.Worse(risk)
		}
	}
	return out
}

// parts are the simple commands: those of the script, or the argv itself.
func parts(x *effect.Command) []effect.Part {
	if x.Script == "" {
		return []effect.Part{{Argv: x.Argv, Known: true}}
	}
	return x.Parts
}

// partDanger says what is dangerous about one simple command, or "".
func partDanger(p effect.Part) string {
	if !p.Known {
		return "a word of the command is not known before it runs"
	}
	for i, word := range p.Argv {
		name := path.Base("/" + word)
		if why := nameDanger(name); why != "" {
			return why
		}
		if rule, ok := dangerous[name]; ok {
			if why := rule(p.Argv[i+1:]); why != "" {
				return why
			}
		}
		if i == 0 && !slices.Contains(carriers, name) {
			return ""
		}
	}
	return ""
}

// carriers carry another command among their arguments: each of their words is
// looked at as if it were one.
var carriers = []string{"env", "nice", "nohup", "timeout", "setsid", "xargs", "time", "stdbuf", "busybox", "command", "exec", "find", "parallel", "watch"}

// nameDanger is for programs whose every use is dangerous.
func nameDanger(name string) string {
	switch {
	case slices.Contains([]string{"sudo", "doas", "su", "pkexec", "run0"}, name):
		return "asks for another user's rights: " + name
	case name == "dd", name == "shred", name == "wipefs", name == "fdisk", name == "parted", strings.HasPrefix(name, "mkfs"):
		return "overwrites devices or files whole: " + name
	case name == "eval", name == "source", name == ".":
		return "runs text as commands: " + name
	}
	return ""
}

// dangerous tells of some programs which arguments make them so.
var dangerous = map[string]func(args []string) string{
	"rm":      rmDanger,
	"find":    findDanger,
	"chmod":   chmodDanger,
	"git":     gitDanger,
	"sh":      codeDanger("c"),
	"bash":    codeDanger("c"),
	"dash":    codeDanger("c"),
	"zsh":     codeDanger("c"),
	"python":  codeDanger("c"),
	"python3": codeDanger("c"),
	"perl":    codeDanger("eE"),
	"ruby":    codeDanger("e"),
	"node":    codeDanger("ep", "--eval", "--print"),
	"php":     codeDanger("r"),
}

func rmDanger(args []string) string {
	if has(args, "rR", "--recursive") {
		return "deletes a folder with all that is in it"
	}
	return ""
}

func findDanger(args []string) string {
	if slices.Contains(args, "-delete") {
		return "deletes whatever it finds"
	}
	return ""
}

func chmodDanger(args []string) string {
	for _, a := range args {
		if mode, err := strconv.ParseUint(a, 8, 32); err == nil {
			if mode&0o002 != 0 {
				return "lets everybody write: chmod " + a
			}
			if mode&0o6000 != 0 {
				return "lets a program run with its owner's rights: chmod " + a
			}
			return ""
		}
		for _, clause := range strings.Split(a, ",") {
			who, what, ok := strings.Cut(strings.ReplaceAll(clause, "=", "+"), "+")
			if !ok || strings.Trim(who, "ugoa") != "" {
				continue
			}
			if strings.ContainsAny(who, "oa") && strings.Contains(what, "w") {
				return "lets everybody write: chmod " + a
			}
			if strings.Contains(what, "s") {
				return "lets a program run with its owner's rights: chmod " + a
			}
		}
	}
	return ""
}

// codeDanger is for interpreters that take code as an argument.
func codeDanger(letters string, long ...string) func([]string) string {
	return func(args []string) string {
		if has(args, letters, long...) {
			return "runs code that stands in the command itself"
		}
		return ""
	}
}

// gitDanger is for git calls that lose what others, or nobody, have a copy of.
func gitDanger(args []string) string {
	sub, rest := gitSub(args)
	switch {
	case sub == "push" && (has(rest, "fd", "--force", "--mirror", "--delete", "--prune", "--force-with-lease") ||
		slices.ContainsFunc(rest, func(a string) bool { return strings.HasPrefix(a, "+") || strings.HasPrefix(a, ":") })):
		return "rewrites or deletes what is on the remote"
	case sub == "reset" && has(rest, "", "--hard", "--merge"),
		sub == "clean",
		sub == "checkout" && (has(rest, "f", "--force") || slices.Contains(rest, "--")),
		sub == "switch" && has(rest, "f", "--force", "--discard-changes"),
		sub == "restore" && !has(rest, "S", "--staged"),
		sub == "stash" && len(rest) > 0 && (rest[0] == "drop" || rest[0] == "clear" || rest[0] == "pop"),
		sub == "branch" && has(rest, "D"),
		sub == "filter-branch", sub == "update-ref", sub == "reflog" && len(rest) > 0 && rest[0] != "show":
		return "can lose work: git " + sub
	}
	return ""
}

// gitSub finds the subcommand behind git's own options.
func gitSub(args []string) (string, []string) {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-C" || a == "-c" || a == "--git-dir" || a == "--work-tree" || a == "--namespace" || a == "--exec-path":
			i++
		case !strings.HasPrefix(a, "-"):
			return a, args[i+1:]
		}
	}
	return "", nil
}

// has says that one of the short letters stands in a cluster, or one of the
// long options, or an abbreviation of it, among the options.
func has(args []string, letters string, long ...string) bool {
	for _, a := range args {
		switch {
		case a == "--":
			return false
		case strings.HasPrefix(a, "--"):
			name, _, _ := strings.Cut(a, "=")
			for _, l := range long {
				if len(name) > 3 && strings.HasPrefix(l, name) || name == l {
					return true
				}
			}
		case len(a) > 1 && a[0] == '-' && strings.ContainsAny(a[1:], letters):
			return true
		}
	}
	return false
}

// fetchesAndRuns says that one part of a text fetches something from the
// network, and another is an interpreter that reads its program from a pipe.
func fetchesAndRuns(all []effect.Part) bool {
	fetches, runs := false, false
	for _, p := range all {
		if len(p.Argv) == 0 {
			continue
		}
		switch path.Base("/" + p.Argv[0]) {
		case "curl", "wget", "fetch", "nc", "ncat", "aria2c":
			fetches = true
		case "sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python3", "perl", "ruby", "node", "php":
			runs = runs || !slices.ContainsFunc(p.Argv[1:], func(a string) bool { return !strings.HasPrefix(a, "-") })
		}
	}
	return fetches && runs
}
