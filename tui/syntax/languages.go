package syntax

import (
	"slices"
	"strings"
)

// Of is the language of a name as code blocks and files have it: "go",
// "python", "main.rs". It is nil for one that is not known.
func Of(name string) *Language {
	name = strings.ToLower(strings.TrimSpace(name))
	if i := strings.LastIndexAny(name, "./"); i >= 0 {
		name = name[i+1:]
	}
	for _, k := range known() {
		if slices.Contains(strings.Fields(k.names), name) {
			return &k.Language
		}
	}
	return nil
}

// A called is a language with the names it goes by.
type called struct {
	names string
	Language
}

// known are the languages that come up most.
func known() []called {
	const quotes = `"'`
	return []called{
		{"go golang", Language{line: []string{"//"}, open: "/*", close: "*/", quotes: quotes, raw: '`',
			keywords: " break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false iota error string int bool byte rune any "}},
		{"py python pyi", Language{line: []string{"#"}, quotes: quotes, triple: true,
			keywords: " and as assert async await break class continue def del elif else except finally for from global if import in is lambda match None nonlocal not or pass raise return True False try while with yield self "}},
		{"js javascript jsx mjs cjs ts typescript tsx", Language{line: []string{"//"}, open: "/*", close: "*/", quotes: quotes, raw: '`',
			keywords: " abstract as async await break case catch class const continue default delete do else enum export extends false finally for from function if implements import in instanceof interface let new null of private protected public readonly return static super switch this throw true try type typeof undefined var void while yield "}},
		{"rs rust", Language{line: []string{"//"}, open: "/*", close: "*/", quotes: `"`, // ' begins a lifetime
			keywords: " as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while "}},
		{"c h cc cpp c++ cxx hpp java kt kotlin cs csharp swift scala php dart", Language{line: []string{"//"}, open: "/*", close: "*/", quotes: quotes,
			keywords: " abstract auto bool boolean break case catch char class const constexpr continue default delete do double else enum explicit extends extern false final finally float for fun func goto if implements import in include inline int interface internal let long namespace new null nullptr object operator override package private protected public return short signed sizeof static string String struct super switch template this throw throws true try typedef typename union unsigned use using val var virtual void volatile when while "}},
		{"sh bash zsh shell console dockerfile makefile make mk", Language{line: []string{"#"}, quotes: quotes,
			keywords: " if then else elif fi for in do done while until case esac function return exit local export set unset shift trap source echo cd FROM RUN COPY WORKDIR ENV ENTRYPOINT CMD "}},
		{"rb ruby pl perl ex elixir r jl", Language{line: []string{"#"}, quotes: quotes,
			keywords: " alias and begin break case class def defmodule defp do else elsif end ensure extend false for fn foreach function if in include loop module my next nil not or our print private puts raise redo require rescue retry return self sub super then true unless until use when while yield "}},
		{"json jsonc json5", Language{line: []string{"//"}, open: "/*", close: "*/", quotes: quotes,
			keywords: " true false null "}},
		{"yaml yml toml ini cfg conf properties", Language{line: []string{"#"}, quotes: quotes, key: true,
			keywords: " true false null yes no on off "}},
		{"sql", Language{line: []string{"--"}, open: "/*", close: "*/", quotes: `'"`, fold: true,
			keywords: " add all alter and as asc begin between by case column commit constraint create cross default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references right rollback select set table then true union unique update using values view when where with "}},
		{"lua", Language{line: []string{"--"}, quotes: quotes,
			keywords: " and break do else elseif end false for function goto if in local nil not or repeat return then true until while "}},
		{"css scss less", Language{open: "/*", close: "*/", quotes: quotes, key: true}},
		{"html xml svg vue", Language{open: "<!--", close: "-->", quotes: `"`}},
	}
}
