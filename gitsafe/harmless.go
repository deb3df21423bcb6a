package gitsafe

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// harmlessKeys may keep the value that the repository gives them: they name no
// program, no file, no host (but the address of a remote, which the question
// shows), and no option. Everything else is overridden.
const harmlessKeys = `
	core.repositoryformatversion core.bare core.filemode core.ignorecase core.symlinks core.precomposeunicode
	core.autocrlf core.eol core.safecrlf core.whitespace core.checkroundtripencoding
	core.quotepath core.abbrev core.disambiguate core.warnambiguousrefs
	core.compression core.loosecompression core.bigfilethreshold core.packedgitwindowsize core.packedgitlimit
	core.deltabasecachelimit core.maxtreedepth core.multipackindex core.commitgraph core.fsync core.fsyncmethod core.fsyncobjectfiles
	core.trustctime core.checkstat core.ignorestat core.preloadindex core.untrackedcache core.splitindex
	core.sparsecheckout core.sparsecheckoutcone core.commentchar core.commentstring core.notesref
	core.filesreflocktimeout core.packedrefstimeout core.createobject core.longpaths core.fscache core.hidedotfiles
	extensions.
	user.name user.email user.useconfigonly author.name author.email committer.name committer.email
	branch.*.remote branch.*.merge branch.*.rebase branch.*.pushremote branch.*.description
	branch.*.vscode-merge-base branch.*.github-pr-owner-number branch.*.gh-merge-base branch.*.gk-merge-base
	branch.autosetupmerge branch.autosetuprebase branch.sort
	remote.*.url remote.*.pushurl remote.*.tagopt remote.*.prune remote.*.prunetags remote.*.skipdefaultupdate
	remote.*.skipfetchall remote.*.promisor remote.*.partialclonefilter remote.*.followremotehead remote.pushdefault
	color. column. advice. pretty. i18n. index. pack. reftable. commitgraph. splitindex. sparse. versionsort. feature. apply.
	diff.algorithm diff.context diff.interhunkcontext diff.renames diff.renamelimit diff.colormoved diff.colormovedws
	diff.wserrorhighlight diff.indentheuristic diff.statgraphwidth diff.statnamewidth diff.suppressblankempty diff.dirstat
	diff.mnemonicprefix diff.noprefix diff.srcprefix diff.dstprefix diff.relative diff.autorefreshindex diff.wordregex
	diff.*.binary diff.*.xfuncname diff.*.funcname diff.*.wordregex diff.*.algorithm diff.*.cachetextconv
	status.showuntrackedfiles status.relativepaths status.short status.branch status.renames status.renamelimit
	status.aheadbehind status.displaycommentprefix status.showstash
	log.date log.decorate log.follow log.mailmap log.abbrevcommit log.diffmerges log.excludedecoration
	log.initialdecorationset log.showroot log.graphcolors
	grep.patterntype grep.linenumber grep.column grep.extendedregexp grep.fullname grep.threads
	blame.blankboundary blame.coloring blame.date blame.showemail blame.showroot blame.markignoredlines blame.markunblamablelines
	commit.cleanup commit.status tag.sort format.filenamemaxlength
	merge.conflictstyle merge.ff merge.log merge.stat merge.renames merge.renamelimit merge.directoryrenames
	merge.verbosity merge.autostash merge.defaulttoupstream merge.renormalize merge.branchdesc merge.suppressdest
	merge.*.name
	pull.rebase pull.ff pull.autostash
	rebase.autosquash rebase.autostash rebase.updaterefs rebase.stat rebase.missingcommitscheck rebase.abbreviatecommands
	rebase.backend rebase.forkpoint rebase.reschedulefailedexec rebase.rebasemerges rebase.maxlabellength
	checkout.defaultremote checkout.guess checkout.workers checkout.thresholdforparallelism worktree.guessremote worktree.userelativepaths
	stash.showpatch stash.showstat stash.showincludeuntracked stash.index
	fetch.prune fetch.prunetags fetch.writecommitgraph fetch.parallel fetch.output fetch.negotiationalgorithm
	fetch.unpacklimit fetch.showforcedupdates fetch.all fetch.fsckobjects transfer.unpacklimit transfer.fsckobjects
	push.default push.autosetupremote push.followtags push.negotiate push.useforceifincludes push.usebitmaps
	protocol.version
	http.postbuffer http.lowspeedlimit http.lowspeedtime http.version http.maxrequests http.minsessions
	credential.username credential.*.username credential.usehttppath credential.*.usehttppath
	notes.displayref notes.rewriteref notes.rewritemode notes.mergestrategy notes.*.mergestrategy notes.rewrite.amend notes.rewrite.rebase
	lfs.repositoryformatversion lfs.locksverify lfs.*.locksverify lfs.*.access lfs.*.priority
`

// keyID is a key that gpg looks up among the person's own.
var keyID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(0x)?[0-9A-Fa-f]{8,40}!?$`) })

// harmless says whether the repository's own value of a key may stay.
func harmless(key, value string) bool {
	switch {
	case keyPattern("remote.*.fetch").match(key):
		return tracksRemote(value)
	case key == "core.logallrefupdates":
		return value == "true" || value == "always" // false would leave no trace of what was moved
	case key == "user.signingkey":
		return keyID().MatchString(value)
	case key == "pull.twohead", key == "pull.octopus":
		return slices.Contains(strategies, value)
	}
	for p := range strings.FieldsSeq(harmlessKeys) {
		if keyPattern(p).match(key) {
			return true
		}
	}
	return false
}

// tracksRemote says that a refspec writes nothing but remote-tracking branches
// and tags: `+refs/heads/*:refs/heads/*` would overwrite branches on a fetch.
func tracksRemote(refspec string) bool {
	if strings.HasPrefix(refspec, "^") {
		return true
	}
	_, dst, mapped := strings.Cut(refspec, ":")
	for _, p := range []string{"refs/remotes/", "refs/tags/", "refs/notes/", "refs/pull/"} {
		if strings.HasPrefix(dst, p) {
			return true
		}
	}
	return !mapped || dst == ""
}
