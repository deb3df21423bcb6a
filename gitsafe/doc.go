// Package gitsafe runs git in a repository that may have been written by an
// attacker, so that nothing in the repository chooses a program, a host or a
// file outside of it.
//
// # Promised
//
// To whoever runs git through this package, against whoever wrote the
// repository (its files, its history, its whole git directory) and against
// whoever wrote the arguments (a language model):
//
//   - Arguments: only subcommands and options of a closed table are accepted
//     (Check). A word can never become an option by its first letter, by an
//     abbreviation or by a cluster.
//   - Layout: the git directory is found by a parser of our own, before git
//     runs. A link inside it, a pointer that does not point back, a working
//     tree elsewhere, saved operation state that holds commands, or a format that
//     the installed git does not know is refused.
//   - Configuration: git itself lists it, with includes and scopes. A key that
//     the repository sets and that is not on a short list of harmless ones gets
//     the user's own value, or a neutral one. This is a list of what may stay,
//     not of what must go: a key that this package has never heard of is
//     overridden too. A key that no override can reach is refused.
//   - Environment: built from nothing.
//   - Reach: no transport but the one scheme of the address that the plan
//     showed, no lazy fetch, no pager, editor, prompt, hook, submodule
//     recursion, automatic maintenance, external diff or text conversion.
//   - Limits: every run ends at a time limit and keeps at most a fixed amount
//     of output.
//   - What can lose work (reset --hard, checkout of paths, restore, clean,
//     stash drop, branch -D, a forced push) is listed in the plan and saved
//     below refs/tera-pilot/before/ first.
//
// What the person configured in their own files (identity, signing, filters
// such as LFS, credential helpers, conditional includes) keeps working.
//
// # Not promised
//
// That git itself has no bugs; the caller's Runner can put a sandbox around it.
// That history is honest, or free of secrets. That a program which the person
// configured (a signer, a filter, a credential helper, ssh) is harmless with
// hostile content. That nobody else writes the git directory while git runs:
// the caller keeps `.git` from the agent's hands, and the configuration is
// listed again at each run.
//
// # Use
//
//	g, err := gitsafe.New(gitsafe.Options{Root: dir, Home: home, Env: os.Environ(), Runner: gitsafe.Plain{}})
//	call, err := gitsafe.Check([]string{"commit", "-a", "-m", "message"})
//	plan, err := g.Plan(ctx, dir, call)      // looks, and changes nothing
//	result, err := g.Run(ctx, plan, gitsafe.Streams{})
//
// It starts git only through the Runner that it is handed, and knows nothing
// of the agent or of any other guard.
package gitsafe
