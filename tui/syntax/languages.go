package syntax

import "strings"

// Of is the language of a name as code blocks and files have it: "go",
// "python", "main.rs". It is nil for one that is not known.
func Of(name string) *Language {
	name = strings.ToLower(strings.TrimSpace(name))
	if i := strings.LastIndexAny(name, "./"); i >= 0 {
		name = name[i+1:]
	}
	c := Language{line: []string{"//"}, open: "/*", close: "*/", quotes: `"'`}
	hash := Language{line: []string{"#"}, quotes: `"'`}
	switch name {
	case "go", "golang":
		c.raw = '`'
		c.keywords = " break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false iota error string int bool byte rune any "
		return &c
	case "py", "python", "pyi":
		hash.triple = true
		hash.keywords = " and as assert async await break class continue def del elif else except finally for from global if import in is lambda match None nonlocal not or pass raise return True False try while with yield self "
		return &hash
	case "js", "javascript", "jsx", "mjs", "cjs", "ts", "typescript", "tsx":
		c.raw = '`'
		c.keywords = " abstract as async await break case catch class const continue default delete do else enum export extends false finally for from function if implements import in instanceof interface let new null of private protected public readonly return static super switch this throw true try type typeof undefined var void while yield "
		return &c
	case "rs", "rust":
		c.quotes = `"` // ' begins a lifetime
		c.keywords = " as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while "
		return &c
	case "c", "h", "cc", "cpp", "c++", "cxx", "hpp", "java", "kt", "kotlin", "cs", "csharp", "swift", "scala", "php", "dart":
		c.keywords = " abstract auto bool boolean break case catch char class const constexpr continue default delete do double else enum explicit extends extern false final finally float for fun func goto if implements import in include inline int interface internal let long namespace new null nullptr object operator override package private protected public return short signed sizeof static string String struct super switch template this throw throws true try typedef typename union unsigned use using val var virtual void volatile when while "
		return &c
	case "sh", "bash", "zsh", "shell", "console", "dockerfile", "makefile", "make", "mk":
		hash.keywords = " if then else elif fi for in do done while until case esac function return exit local export set unset shift trap source echo cd FROM RUN COPY WORKDIR ENV ENTRYPOINT CMD "
		return &hash
	case "rb", "ruby", "pl", "perl", "ex", "elixir", "r", "jl":
		hash.keywords = " alias and begin break case class def defmodule defp do else elsif end ensure extend false for fn foreach function if in include loop module my next nil not or our print private puts raise redo require rescue retry return self sub super then true unless until use when while yield "
		return &hash
	case "json", "jsonc", "json5":
		c.keywords = " true false null "
		return &c
	case "yaml", "yml", "toml", "ini", "cfg", "conf", "properties":
		hash.key = true
		hash.keywords = " true false null yes no on off "
		return &hash
	case "sql":
		s := Language{line: []string{"--"}, open: "/*", close: "*/", quotes: `'"`, fold: true}
		s.keywords = " add all alter and as asc begin between by case column commit constraint create cross default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references right rollback select set table then true union unique update using values view when where with "
		return &s
	case "lua":
		s := Language{line: []string{"--"}, quotes: `"'`}
		s.keywords = " and break do else elseif end false for function goto if in local nil not or repeat return then true until while "
		return &s
	case "css", "scss", "less":
		s := Language{open: "/*", close: "*/", quotes: `"'`, key: true}
		return &s
	case "html", "xml", "svg", "vue":
		s := Language{open: "<!--", close: "-->", quotes: `"`}
		return &s
	default:
		return nil
	}
}
