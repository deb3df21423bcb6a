// Package commandpolicy decides from the text of a shell command, and from
// rules that people wrote, what the command would do and whether a rule speaks
// about it. It runs nothing.
//
// # Promised
//
// To whoever asks before a command is run (the gate of the agent, a person at
// `tera-pilot policy explain`):
//
//   - [Parse] answers for any bytes, in time linear in the text. It never
//     panics and never gives up towards allow: what is too deep, too wide or
//     not understood makes [Analysis.ReadOnly] false.
//   - ReadOnly means that every simple command, redirection, assignment and
//     expansion of the text was understood, that each program is a known one
//     whose options are known to read and print, and that every file it can
//     read lies in the workspace once links are followed and is not known to
//     hold secrets.
//   - [Analysis.Catastrophe] is set when any reachable or unreachable part of
//     the text, nested text included, is on the built-in list of acts that no
//     rule can permit.
//   - An allow rule covers one simple command: never a redirection, a
//     substitution, an environment prefix or a neighbour in a compound. Words
//     that are not known before the run are never covered.
//   - Adding a file of the project layer never loosens an answer.
//   - The same text, facts and rules give the same answer.
//
// # How a text is judged
//
// The files in the order of the way, for whoever audits it:
//
//   - parse.go parses; walk.go goes through the tree once, clauses.go through
//     its lists and loops, pieces.go, word.go and split.go expand words, vars.go
//     keeps what is known of variables.
//   - command.go finds what a command line really runs, judge.go takes it apart
//     by its grammar (grammar.go, options.go) and its hook (hooks.go, cmd_*.go),
//     effects.go and fileuse.go note what each word of it does.
//   - flow.go follows content from where it comes to where it goes, and finish.go
//     draws the conclusions that need the whole text.
//   - load.go and tables.go read rules, rule.go is one, fit.go says whether it
//     fits, and policy.go what all of them say.
//
// # From whom
//
// From a model that writes commands on behalf of whoever wrote the text in its
// context, and from a repository whose files, links and names are hostile.
//
// # Not promised
//
// What a program does once started: containing it is the work of ossandbox.
// That the file found on the PATH is the program of that name: the caller
// resolves it. That facts about files still hold at the run: the caller looks
// again. A deny rule about a command is advice against mistakes, not a wall,
// since a program can do under another name what the rule names.
package commandpolicy
