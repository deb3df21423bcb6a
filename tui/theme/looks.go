package theme

import (
	"image/color"

	"github.com/charmbracelet/x/ansi"
)

// look is how a style is drawn. The zero look is the terminal's default.
type look struct {
	fg      color.Color
	bold    bool
	faint   bool
	italic  bool
	under   bool
	reverse bool
}

func (l look) sgr() string {
	var s ansi.Style
	if l.bold {
		s = s.Bold()
	}
	if l.faint {
		s = s.Faint()
	}
	if l.italic {
		s = s.Italic(true)
	}
	if l.under {
		s = s.Underline(true)
	}
	if l.reverse {
		s = s.Reverse(true)
	}
	if l.fg != nil {
		s = s.ForegroundColor(l.fg)
	}
	if len(s) == 0 {
		return ""
	}
	return s.String()
}

type table map[Style]look

func tables() map[string]table {
	return map[string]table{
		"dark": colours(palette{
			dim: 0xa8a8a8, key: 0xd7af5f, escape: 0xff87d7, added: 0x87afff, deleted: 0xffaf5f,
			good: 0x87d7af, warn: 0xffd75f, bad: 0xff8787, who: 0x87d7ff, code: 0xd7d7af, quote: 0xd7afff,
		}),
		"light": colours(palette{
			dim: 0x626262, key: 0x7a4f00, escape: 0xa0007a, added: 0x0043b8, deleted: 0xa13d00,
			good: 0x006644, warn: 0x7a5200, bad: 0xb3001b, who: 0x005f87, code: 0x4f4a00, quote: 0x5b3f96,
		}),
		"high-contrast": colours(palette{
			dim: 0xd0d0d0, key: 0xffdf5f, escape: 0xffafff, added: 0xafd7ff, deleted: 0xffc87a,
			good: 0xafffd7, warn: 0xffff87, bad: 0xffb8b8, who: 0xafffff, code: 0xffffd7, quote: 0xe0d0ff,
		}),
		"ansi16": ansi16,
		"mono":   mono,
	}
}

type palette struct {
	dim, key, escape, added, deleted, good, warn, bad, who, code, quote uint32
}

func rgb(v uint32) color.Color {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

func colours(p palette) table {
	return table{
		Dim:     {fg: rgb(p.dim)},
		Strong:  {bold: true},
		Title:   {bold: true},
		Rule:    {fg: rgb(p.dim)},
		Key:     {fg: rgb(p.key), bold: true},
		Escape:  {fg: rgb(p.escape), bold: true},
		Added:   {fg: rgb(p.added)},
		Deleted: {fg: rgb(p.deleted)},
		Hunk:    {fg: rgb(p.dim), bold: true},
		Good:    {fg: rgb(p.good), bold: true},
		Warn:    {fg: rgb(p.warn), bold: true},
		Bad:     {fg: rgb(p.bad), bold: true},
		Who:     {fg: rgb(p.who), bold: true},
		Heading: {bold: true, under: true},
		Code:    {fg: rgb(p.code)},
		Emph:    {italic: true},
		Quote:   {fg: rgb(p.quote)},
		Keyword: {fg: rgb(p.who)},
		String:  {fg: rgb(p.good)},
		Comment: {fg: rgb(p.dim), italic: true},
		Number:  {fg: rgb(p.key)},

		AddedMark:   {fg: rgb(p.added), under: true, bold: true},
		DeletedMark: {fg: rgb(p.deleted), under: true, bold: true},
		Chosen:      {reverse: true},
		Alarm:       {fg: rgb(p.bad), bold: true, reverse: true},
	}
}

var ansi16 = table{
	Strong:  {bold: true},
	Title:   {bold: true},
	Key:     {fg: ansi.Yellow, bold: true},
	Escape:  {fg: ansi.Magenta, bold: true},
	Added:   {fg: ansi.Blue, bold: true},
	Deleted: {fg: ansi.Yellow},
	Hunk:    {bold: true},
	Good:    {fg: ansi.Green, bold: true},
	Warn:    {fg: ansi.Yellow, bold: true},
	Bad:     {fg: ansi.Red, bold: true},
	Who:     {fg: ansi.Cyan, bold: true},
	Heading: {bold: true, under: true},
	Code:    {fg: ansi.Cyan},
	Emph:    {under: true},
	Quote:   {fg: ansi.Magenta},
	Keyword: {fg: ansi.Blue},
	String:  {fg: ansi.Green},
	Comment: {faint: true},
	Number:  {fg: ansi.Yellow},

	AddedMark:   {fg: ansi.Blue, bold: true, under: true},
	DeletedMark: {fg: ansi.Yellow, under: true},
	Chosen:      {reverse: true},
	Alarm:       {fg: ansi.Red, bold: true, reverse: true},
}

var mono = table{
	Dim:     {faint: true},
	Strong:  {bold: true},
	Title:   {bold: true},
	Rule:    {faint: true},
	Key:     {bold: true},
	Escape:  {bold: true, under: true},
	Added:   {bold: true},
	Deleted: {},
	Hunk:    {bold: true},
	Good:    {bold: true},
	Warn:    {bold: true},
	Bad:     {bold: true},
	Who:     {bold: true},
	Heading: {bold: true, under: true},
	Emph:    {under: true},
	Keyword: {bold: true},
	Comment: {faint: true},
	Chosen:  {reverse: true},
	Alarm:   {bold: true, reverse: true},

	AddedMark:   {bold: true, under: true},
	DeletedMark: {under: true},
}
