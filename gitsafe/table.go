package gitsafe

// A command is one row of the closed table: a subcommand that is accepted.
type command struct {
	name     string // "commit", "stash drop"
	class    Class
	operands operands
	min, max int     // how many operands
	forced   string  // options that are always given, first
	opts     grammar // options that may be given
	tree     bool    // it compares the working tree, so that git may look into submodules
	refine   func(*Call) error
}

// operands says what the operands of a subcommand are.
type operands uint8

const (
	names     operands = iota // branches, tags, remotes, addresses, keys
	revs                      // revisions or objects
	mixed                     // revisions, then paths; "--" between them is optional
	pathsOnly                 // paths; "--" is put before them
	files                     // paths of files and folders that are no pathspecs
)

const many = 1 << 20

// Options that several subcommands share.
const (
	showDiff grammar = ` -p -u --patch -s --no-patch -U= --unified= --raw --patch-with-raw --patch-with-stat
		--[no-]indent-heuristic --minimal --patience --histogram --anchored= --diff-algorithm=
		--stat[=] --stat-width= --stat-name-width= --stat-count= --stat-graph-width= --compact-summary
		--numstat --shortstat --dirstat[=] --cumulative --summary -z --name-only --name-status
		--color[=] --no-color --color-moved[=] --no-color-moved --color-moved-ws= --no-color-moved-ws
		--word-diff[=] --word-diff-regex= --color-words[=] --no-renames --[no-]rename-empty --check
		--ws-error-highlight= --full-index --binary --abbrev[=] --no-abbrev
		-B[=] --break-rewrites[=] -M[=] --find-renames[=] -C[=] --find-copies[=] --find-copies-harder
		-D --irreversible-delete -l= --diff-filter= -S= -G= --find-object= --pickaxe-all --pickaxe-regex
		-R --relative[=] --no-relative -a --text --ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change
		-w --ignore-all-space --ignore-blank-lines -I= --ignore-matching-lines= --inter-hunk-context=
		-W --function-context --exit-code --quiet --src-prefix= --dst-prefix= --no-prefix --default-prefix
		--line-prefix= --ita-invisible-in-index --ita-visible-in-index --skip-to= --rotate-to= `

	limitLog grammar = ` -<n> -n= --max-count= --skip= --since= --after= --until= --before= --since-as-filter=
		--author= --committer= --grep-reflog= --grep= --all-match --invert-grep -i --regexp-ignore-case
		--basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp --remove-empty
		--merges --no-merges --min-parents= --max-parents= --no-min-parents --no-max-parents
		--first-parent --exclude-first-parent-only --not --all --branches[=] --tags[=] --remotes[=]
		--glob= --exclude= --reflog --single-worktree --ignore-missing --cherry-mark --cherry-pick
		--left-only --right-only --cherry -g --walk-reflogs --boundary --simplify-by-decoration
		--show-pulls --merge --full-history --dense --sparse --simplify-merges --ancestry-path[=]
		--date-order --author-date-order --topo-order --reverse --no-walk[=] --do-walk `

	formatLog grammar = ` --format= --pretty[=] --abbrev-commit --no-abbrev-commit --oneline --encoding=
		--expand-tabs[=] --no-expand-tabs --notes[=] --no-notes --relative-date --date= --parents --children
		--left-right --[no-]graph --show-linear-break[=] -c --cc -m --combined-all-paths
		--diff-merges= --no-diff-merges --dd -t -r --decorate[=] --no-decorate --decorate-refs=
		--decorate-refs-exclude= --clear-decorations --source --[no-]use-mailmap --[no-]mailmap
		--full-diff --log-size -L= --[no-]follow --root --no-commit-id --always `

	refFilter grammar = ` --format= --sort= --points-at= --merged[=] --no-merged[=] --contains[=]
		--no-contains[=] --color[=] --no-color --ignore-case --omit-empty `

	sequence grammar = ` --continue --skip --abort --quit -n --no-commit -e --edit --no-edit -m= --mainline= -x -s --signoff
		-S --no-gpg-sign --ff --allow-empty --allow-empty-message --keep-redundant-commits --empty=
		--strategy= -X= --strategy-option= --[no-]rerere-autoupdate --cleanup= `

	mergeOpts grammar = ` --[no-]ff --ff-only --[no-]squash --[no-]commit --[no-]edit --[no-]stat -n --[no-]log --[no-]signoff
		-s= --strategy= -X= --strategy-option= --allow-unrelated-histories --[no-]autostash --[no-]verify
		-S --no-gpg-sign -q --quiet -v --verbose --[no-]progress --cleanup= `
)

const (
	noDrivers = "--no-ext-diff --no-textconv --submodule=short"
	noShow    = noDrivers + " --no-show-signature"
)

// table is the closed list. Everything that is not here is refused.
var table = [...]command{
	// Reading.
	{name: "status", class: Read, operands: pathsOnly, max: many, tree: true,
		forced: "--ignore-submodules=dirty",
		opts: `-s --short -b --branch --no-branch --show-stash --porcelain[=] --long -u[=] --untracked-files[=]
			--ignored[=] -z --null --column[=] --no-column --[no-]ahead-behind --[no-]renames --find-renames[=]`},
	{name: "diff", class: Read, operands: mixed, max: many, tree: true,
		forced: noDrivers + " --ignore-submodules=dirty",
		opts:   showDiff + `--cached --staged --merge-base --base --ours --theirs -<n> -c --cc --combined-all-paths`},
	{name: "log", class: Read, operands: mixed, max: many, forced: noShow,
		opts: showDiff + limitLog + formatLog, refine: refineLog},
	{name: "show", class: Read, operands: mixed, max: many, forced: noShow,
		opts: showDiff + limitLog + formatLog, refine: refineLog},
	{name: "reflog show", class: Read, operands: mixed, max: many, forced: noShow,
		opts: showDiff + limitLog + formatLog, refine: refineLog},
	{name: "rev-list", class: Read, operands: mixed, max: many,
		opts: limitLog + formatLog + `--count --objects --objects-edge --objects-edge-aggressive --timestamp --header
			--disk-usage[=] --use-bitmap-index --in-commit-order --object-names --no-object-names --filter= --no-filter`,
		refine: refineLog},
	{name: "shortlog", class: Read, operands: mixed, max: many,
		opts: `-n --numbered -s --summary -e --email -w[=] --group= -c --committer --format= --date=` + limitLog, refine: refineShortlog},
	{name: "blame", class: Read, operands: mixed, min: 1, max: 3, forced: "--no-textconv --no-progress",
		opts: `-L= -l -t -s -e --show-email -n --show-number -f --show-name -w -M[=] -C[=] -b --root -p --porcelain
			--line-porcelain --incremental --show-stats --score-debug --since= --date= --color-lines --color-by-age
			--abbrev= --minimal --ignore-rev= --first-parent --reverse`},
	{name: "grep", class: Read, operands: mixed, max: many, forced: "--no-textconv --no-recurse-submodules",
		opts: `--cached --untracked --[no-]exclude-standard -v --invert-match -i --ignore-case -w --word-regexp
			-a --text -I -r --recursive --no-recursive --max-depth= -E --extended-regexp -G --basic-regexp
			-P --perl-regexp -F --fixed-strings -n --line-number --column -h -H --full-name
			-l --files-with-matches --name-only -L --files-without-match -z --null -o --only-matching
			-c --count --color[=] --no-color --break --heading -C= --context= -B= --before-context=
			-A= --after-context= --threads= -p --show-function -W --function-context -e= --and --or --not
			--all-match -q --quiet -m= --max-count=`,
		refine: refineGrep},
	{name: "ls-files", class: Read, operands: pathsOnly, max: many,
		opts: `-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -u --unmerged -k --killed
			-t -v -z --directory --[no-]empty-directory --exclude-standard -x= --exclude= --error-unmatch
			--with-tree= --full-name --abbrev[=] --eol --deduplicate --sparse --format=`},
	{name: "ls-tree", class: Read, operands: mixed, min: 1, max: many,
		opts: `-d -r -t -l --long -z --name-only --name-status --object-only --full-name --full-tree --abbrev[=] --format=`},
	{name: "cat-file", class: Read, operands: revs, min: 1, max: 2, opts: `-t -s -p -e`},
	{name: "diff-tree", class: Read, operands: mixed, min: 1, max: many, forced: noDrivers,
		opts: showDiff + `-r -t --root -m -v --no-commit-id -c --cc --combined-all-paths --always --merge-base --pretty[=] --format=`},
	{name: "diff-index", class: Read, operands: mixed, min: 1, max: many, tree: true,
		forced: noDrivers + " --ignore-submodules=dirty", opts: showDiff + `--cached -m --merge-base`},
	{name: "diff-files", class: Read, operands: mixed, max: many, tree: true,
		forced: noDrivers + " --ignore-submodules=dirty", opts: showDiff + `-<n> -q --base --ours --theirs -c --cc`},
	{name: "rev-parse", class: Read, operands: revs, max: many,
		opts: `--verify -q --short[=] --symbolic --symbolic-full-name --abbrev-ref[=] --all --branches[=] --tags[=]
			--remotes[=] --glob= --exclude= --not --git-dir --absolute-git-dir --git-common-dir --show-toplevel --show-cdup
			--show-prefix --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository
			--show-object-format[=] --show-ref-format --path-format= --revs-only --no-revs --flags --no-flags --since= --until=`},
	{name: "show-ref", class: Read, max: many,
		opts: `--head --heads --branches --tags -d --dereference -s --hash[=] --verify -q --quiet --abbrev[=] --exists`},
	{name: "for-each-ref", class: Read, max: many,
		opts: refFilter + `--count= --shell --perl --python --tcl --exclude= --include-root-refs -s -p`},
	{name: "symbolic-ref", class: Read, min: 1, max: 1, opts: `-q --quiet --short --[no-]recurse`},
	{name: "merge-base", class: Read, operands: revs, min: 1, max: many,
		opts: `-a --all --octopus --independent --is-ancestor --fork-point`},
	{name: "name-rev", class: Read, operands: revs, min: 1, max: many,
		opts: `--name-only --tags --refs= --exclude= --[no-]undefined --always`},
	{name: "describe", class: Read, operands: revs, max: many, tree: true,
		opts: `--all --tags --contains --abbrev= --candidates= --exact-match --long --match= --exclude= --always
			--first-parent --dirty[=] --broken[=]`},
	{name: "cherry", class: Read, operands: revs, max: 3, opts: `-v --verbose --abbrev[=]`},
	{name: "count-objects", class: Read, opts: `-v --verbose -H --human-readable`},
	{name: "check-ignore", class: Read, operands: pathsOnly, min: 1, max: many,
		opts: `-v --verbose -n --non-matching -q --quiet --no-index`},
	{name: "check-attr", class: Read, operands: mixed, min: 1, max: many, opts: `-a --all --cached --source=`},
	{name: "stash list", class: Read, operands: revs, max: many, forced: noShow,
		opts: showDiff + limitLog + formatLog, refine: refineLog},
	{name: "stash show", class: Read, operands: revs, max: 1, forced: noDrivers,
		opts: showDiff + `--include-untracked --only-untracked`, refine: refineStashShow},
	{name: "worktree list", class: Read, opts: `--porcelain -v --verbose -z`},
	{name: "remote", class: Read, opts: `-v --verbose`},
	{name: "remote show", class: Read, min: 1, max: many, forced: "-n"},
	{name: "remote get-url", class: Read, min: 1, max: 1, opts: `--push --all`},
	{name: "config", class: Read, max: 2,
		opts: `--local --worktree --get --get-all --get-regexp -l:--list --list -z:--null --null --name-only --show-origin --show-scope
			--type= --bool --int --path --bool-or-int --default= --[no-]includes --all --regexp`,
		refine: refineConfig},
	{name: "version", class: Read, opts: `--build-options`},

	// Reading or writing, by what is asked.
	{name: "branch", class: Write, max: many,
		opts: refFilter + `-a --all -r --remotes -l:--list --list -v --verbose --show-current --column[=] --no-column
			--abbrev[=] --no-abbrev -d --delete -D -m --move -M -c --copy -C -f --force -t:--track --track[=] --no-track
			-u:--set-upstream-to= --set-upstream-to= --unset-upstream -q --quiet --create-reflog`,
		refine: refineBranch},
	{name: "tag", class: Write, max: many,
		opts: refFilter + `-l:--list --list -n[=] -i --column[=] --no-column -a --annotate -s --sign --no-sign -u:--local-user= --local-user=
			-f --force -d --delete -m:--message= --message= -F:--file= --file= --cleanup= --create-reflog`,
		refine: refineTag},

	// Writing.
	{name: "add", class: Write, operands: pathsOnly, max: many, tree: true,
		opts: `-n --dry-run -v --verbose -f --force --sparse -u --update -A --all --no-all --[no-]ignore-removal
			-N --intent-to-add --refresh --ignore-errors --ignore-missing --chmod= --renormalize`},
	{name: "commit", class: Write, operands: pathsOnly, max: many, tree: true,
		opts: `-a --all -m:--message= --message= -F:--file= --file= -C:--reuse-message= --reuse-message= --fixup= --squash=
			--reset-author --short --branch --porcelain --long --dry-run --author= --date= -s --signoff --no-signoff
			-n --verify --no-verify --allow-empty --allow-empty-message --cleanup= -e --edit --no-edit --amend --no-post-rewrite
			-i --include -o --only -u[=] --untracked-files[=] -q --quiet -z --null --status --no-status -S --gpg-sign --no-gpg-sign`,
		refine: refineCommit},
	{name: "mv", class: Write, operands: pathsOnly, min: 2, max: many, tree: true,
		opts: `-n --dry-run -v --verbose -k --sparse`},
	{name: "rm", class: Write, operands: pathsOnly, min: 1, max: many, tree: true,
		opts: `-n --dry-run -q --quiet -r -f --force --cached --ignore-unmatch --sparse`, refine: refineRm},
	{name: "restore", class: Write, operands: pathsOnly, min: 1, max: many, tree: true, forced: "--no-recurse-submodules",
		opts: `-s:--source= --source= -S --staged -W --worktree -q --quiet --[no-]progress --ours --theirs -m --merge --conflict=
			--[no-]overlay --ignore-unmerged --ignore-skip-worktree-bits`, refine: refineRestore},
	{name: "reset", class: Write, operands: mixed, max: many, tree: true, forced: "--no-recurse-submodules",
		opts: `-q --quiet --no-quiet --soft --mixed --hard --merge --keep -N --intent-to-add --[no-]refresh`, refine: refineReset},
	{name: "checkout", class: Write, operands: mixed, max: many, tree: true, forced: "--no-recurse-submodules",
		opts: `-b= -B= -f --force -q --quiet --[no-]progress -t:--track --track[=] --no-track --[no-]guess -d --detach
			--ours --theirs -m --merge --conflict= --orphan= -l --ignore-other-worktrees --[no-]overlay
			--ignore-skip-worktree-bits --overwrite-ignore`, refine: refineCheckout},
	{name: "switch", class: Write, max: 2, tree: true, forced: "--no-recurse-submodules",
		opts: `-c:--create= --create= -C:--force-create= --force-create= -d --detach --discard-changes -f --force -q --quiet
			--[no-]progress -m --merge --conflict= -t:--track --track[=] --no-track --[no-]guess --orphan= --ignore-other-worktrees`,
		refine: refineSwitch},
	{name: "stash push", class: Write, operands: pathsOnly, max: many, tree: true,
		opts: `-k --keep-index --no-keep-index -u --include-untracked -a --all -S --staged -q --quiet -m:--message= --message=`},
	{name: "stash apply", class: Write, operands: revs, max: 1, tree: true, opts: `--index -q --quiet`},
	{name: "stash pop", class: Write, operands: revs, max: 1, tree: true, opts: `--index -q --quiet`},
	{name: "stash branch", class: Write, operands: revs, min: 1, max: 2, tree: true},
	{name: "stash drop", class: Write, operands: revs, max: 1, opts: `-q --quiet`, refine: loses},
	{name: "stash clear", class: Write, refine: loses},
	{name: "merge", class: Write, operands: revs, max: many, tree: true,
		opts: mergeOpts + `-m:--message= --message= --abort --continue --quit --into-name= --[no-]rerere-autoupdate`, refine: refineMerge},
	{name: "rebase", class: Write, operands: revs, max: 2, tree: true,
		opts: `--onto= --root --continue --skip --abort --quit --[no-]autosquash --[no-]autostash -q --quiet -v --verbose --[no-]stat -n
			--keep-base --merge -m --apply -s:--strategy= --strategy= -X= --strategy-option= -S --no-gpg-sign --signoff --no-ff -f
			--force-rebase --[no-]fork-point --ignore-whitespace --committer-date-is-author-date --reset-author-date
			--rebase-merges[=] -r --no-rebase-merges --[no-]update-refs --empty= --[no-]keep-empty --[no-]reapply-cherry-picks
			--[no-]rerere-autoupdate`, refine: refineSequence},
	{name: "cherry-pick", class: Write, operands: revs, max: many, tree: true, opts: sequence, refine: refineSequence},
	{name: "revert", class: Write, operands: revs, max: many, tree: true, opts: sequence + `--reference`, refine: refineSequence},
	{name: "clean", class: Write, operands: pathsOnly, max: many,
		opts: `-n --dry-run -f --force -d -x -X -q --quiet -e= --exclude=`, refine: refineClean},
	{name: "apply", class: Write, operands: files, min: 1, max: many, tree: true,
		opts: `--stat --numstat --summary --check --index --cached -3 --3way -R --reverse --reject -z -p= -C= --unidiff-zero
			--apply --exclude= --include= --ignore-space-change --ignore-whitespace --whitespace= --inaccurate-eof
			-v --verbose -q --quiet --recount --directory= -N --intent-to-add --allow-empty`, refine: refineApply},
	{name: "worktree add", class: Write, operands: files, min: 1, max: 2, tree: true,
		opts: `-b= -d --detach --[no-]checkout --[no-]guess-remote --[no-]track -q --quiet --lock --reason=`, refine: writesConfig},
	{name: "worktree remove", class: Write, operands: files, min: 1, max: 1, tree: true},
	{name: "init", class: Write, operands: files, max: 1,
		opts: `-q --quiet -b:--initial-branch= --initial-branch= --object-format=`},
	{name: "remote add", class: Write, min: 2, max: 2, opts: `-t= -m= --tags --no-tags`, refine: refineRemoteURL},
	{name: "remote set-url", class: Write, min: 2, max: 3, opts: `--push --add`, refine: refineRemoteURL},
	{name: "remote remove", class: Write, min: 1, max: 1, refine: writesConfig},
	{name: "remote rm", class: Write, min: 1, max: 1, refine: writesConfig},
	{name: "remote rename", class: Write, min: 2, max: 2, opts: `--[no-]progress`, refine: writesConfig},

	// Over the network.
	{name: "fetch", class: Net, max: many, forced: "--no-recurse-submodules --no-auto-maintenance",
		opts: `-p --prune -P --prune-tags -t --tags -n --no-tags --depth= --deepen= --shallow-since= --shallow-exclude= --unshallow
			--update-shallow --[no-]show-forced-updates -q --quiet -v --verbose --dry-run -f --force -a --append --atomic -k --keep
			--[no-]progress --[no-]write-fetch-head --[no-]write-commit-graph --porcelain -4 --ipv4 -6 --ipv6 -j= --jobs= --negotiation-tip= --refetch`,
		refine: refineFetch},
	{name: "pull", class: Net, max: many, tree: true, forced: "--no-recurse-submodules --no-edit",
		opts: mergeOpts + `-r:--rebase[=] --rebase[=] --no-rebase -p --prune -t --tags --no-tags --depth= --deepen= --unshallow
			--update-shallow --dry-run -f --force -a --append -k --keep -j= --jobs= -4 --ipv4 -6 --ipv6`, refine: refinePull},
	{name: "push", class: Net, max: many, forced: "--no-recurse-submodules",
		opts: `-u --set-upstream -f --force --force-with-lease[=] --no-force-with-lease --[no-]force-if-includes --tags --[no-]follow-tags
			-d --delete -n --dry-run -q --quiet -v --verbose --atomic --porcelain --[no-]verify --[no-]thin --[no-]progress
			-o:--push-option= --push-option= -4 --ipv4 -6 --ipv6`, refine: refinePush},
	{name: "ls-remote", class: Net, max: many,
		opts: `-h --heads -b --branches -t --tags --refs -q --quiet --exit-code --symref --sort=`},
	{name: "clone", class: Net, operands: files, min: 1, max: 2,
		forced: "--no-recurse-submodules --no-local --no-hardlinks",
		opts: `-q --quiet -v --verbose --progress -n --no-checkout -o:--origin= --origin= -b:--branch= --branch= --depth=
			--shallow-since= --shallow-exclude= --[no-]single-branch --no-tags -j= --jobs= --filter= --sparse`, refine: refineClone},
}

// defaults are subcommands that have others of their own, and what they mean
// without one.
var defaults = [...][2]string{{"stash", "stash push"}, {"reflog", "reflog show"}}

// refusals say why for what people try most.
var refusals = [...][3]string{
	{"submodule", "it runs commands of the submodules' own configuration", "run it yourself in a terminal where you trust them"},
	{"gc", "it may run programs named in the configuration", "git works without it; run it yourself"},
	{"prune", "it may run programs named in the configuration", "git works without it; run it yourself"},
	{"maintenance", "it may run programs named in the configuration", "git works without it; run it yourself"},
	{"bisect", "bisect run starts programs", "check out the revisions one by one"},
	{"filter-branch", "it runs the commands that it is given", "use a normal command in the sandbox"},
	{"difftool", "it runs a program of the configuration", "use git diff"},
	{"mergetool", "it runs a program of the configuration", "edit the conflicts and git add them"},
	{"credential", "it hands out secrets", ""},
	{"help", "it starts a viewer", "man git-SUBCOMMAND, in a terminal"},
	{"archive", "archive formats are programs of the configuration", "use git show or git worktree add"},
}
