// Package theme gives each style of the screen its look.
//
// # Promised
//
// No meaning hangs on a colour: mono has none. The colours of dark and light
// have a contrast of 4.5:1 against the backgrounds that such terminals have,
// those of high-contrast 7:1, also as seen with deuteranopia and protanopia.
//
// # Not promised
//
// That a terminal shows the colours it is asked for: in ansi16 they are the
// user's own, in a 256-colour terminal the nearest ones.
package theme
