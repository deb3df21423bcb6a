package view

import (
	"time"

	"github.com/tera-pilot/tera-pilot/tui/safe"
)

// Seconds is a duration for people: 2.1s, 14s, 3m05s.
func Seconds(d time.Duration) safe.Text {
	switch {
	case d < 10*time.Second && d%time.Second != 0:
		return safe.Join(safe.Int(int(d/time.Second)), safe.Lit("."), safe.Int(int(d%time.Second/(100*time.Millisecond))), safe.Lit("s"))
	case d < time.Minute:
		return safe.Join(safe.Int(int(d/time.Second)), safe.Lit("s"))
	}
	s := int(d % time.Minute / time.Second)
	pad := safe.Lit("m")
	if s < 10 {
		pad = safe.Lit("m0")
	}
	return safe.Join(safe.Int(int(d/time.Minute)), pad, safe.Int(s), safe.Lit("s"))
}
