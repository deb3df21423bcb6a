package termtest

// Key is what a terminal sends for a key by its name; text is sent as it is.
func Key(name string) string {
	if s, ok := keyBytes()[name]; ok {
		return s
	}
	if len(name) == len("ctrl+a") && name[:5] == "ctrl+" {
		return string(rune(name[5] & 0x1f))
	}
	return name
}

func keyBytes() map[string]string {
	return map[string]string{
		"enter": "\r", "esc": "\x1b", "tab": "\t", "space": " ", "backspace": "\x7f", "delete": "\x1b[3~",
		"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
		"shift+up": "\x1b[1;2A", "shift+down": "\x1b[1;2B", "shift+enter": "\x1b[13;2u", "alt+enter": "\x1b\r",
		"home": "\x1b[H", "end": "\x1b[F", "pgup": "\x1b[5~", "pgdown": "\x1b[6~",
		"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f5": "\x1b[15~", "ctrl+j": "\n",
		"focus": "\x1b[I", "blur": "\x1b[O",
	}
}

// Paste is a bracketed paste.
func Paste(text string) string { return "\x1b[200~" + text + "\x1b[201~" }
