package composer

import uv "github.com/charmbracelet/ultraviolet"

// Press applies a key; false when it is none of an editor.
func (r *Room) Press(k uv.Key) bool {
	switch k.Keystroke() {
	case "backspace", "ctrl+h", "shift+backspace":
		r.Backspace()
	case "delete":
		r.Delete()
	case "left", "ctrl+b":
		r.Left()
	case "right", "ctrl+f":
		r.Right()
	case "alt+left", "ctrl+left", "alt+b":
		r.WordLeft()
	case "alt+right", "ctrl+right", "alt+f":
		r.WordRight()
	case "home", "ctrl+a":
		r.Home()
	case "end", "ctrl+e":
		r.End()
	case "ctrl+w", "alt+backspace":
		r.DeleteWord()
	case "ctrl+u":
		r.DeleteToStart()
	default:
		if k.Text == "" || k.Mod&(uv.ModCtrl|uv.ModAlt) != 0 {
			return false
		}
		r.Insert(k.Text)
	}
	return true
}
