package theme

import (
	"image/color"
	"math"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// backgrounds are what terminals of each kind commonly have.
var backgrounds = map[string][]uint32{
	"dark":          {0x000000, 0x1e1e1e, 0x282c34, 0x002b36},
	"light":         {0xffffff, 0xfafafa, 0xfdf6e3},
	"high-contrast": {0x000000},
}

// eyes are linear transformations of linear RGB: as it is, and as seen with
// the two common colour blindnesses (Viénot, Brettel and Mollon, 1999).
var eyes = map[string][9]float64{
	"normal":       {1, 0, 0, 0, 1, 0, 0, 0, 1},
	"protanopia":   {0.11238, 0.88762, 0, 0.11238, 0.88762, 0, 0.00401, -0.00401, 1},
	"deuteranopia": {0.29275, 0.70725, 0, 0.29275, 0.70725, 0, -0.02234, 0.02234, 1},
}

func TestContrast(t *testing.T) {
	for name, backs := range backgrounds {
		least := 4.5
		if name == "high-contrast" {
			least = 7
		}
		for style, look := range tables()[name] {
			if look.fg == nil {
				continue
			}
			for eye, m := range eyes {
				for _, back := range backs {
					if got := contrast(seen(look.fg, m), seen(rgb(back), m)); got < least {
						t.Errorf("%s, style %d on %06x, %s: %.2f:1 is less than %.1f:1", name, style, back, eye, got, least)
					}
				}
			}
		}
	}
}

func seen(c color.Color, m [9]float64) [3]float64 {
	r, g, b, _ := c.RGBA()
	lin := func(v uint32) float64 {
		s := float64(v) / 0xffff
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	x := [3]float64{lin(r), lin(g), lin(b)}
	var out [3]float64
	for i := range out {
		out[i] = min(1, max(0, m[3*i]*x[0]+m[3*i+1]*x[1]+m[3*i+2]*x[2]))
	}
	return out
}

// contrast is the ratio of WCAG 2, of linear RGB.
func contrast(a, b [3]float64) float64 {
	lum := func(c [3]float64) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }
	hi, lo := max(lum(a), lum(b)), min(lum(a), lum(b))
	return (hi + 0.05) / (lo + 0.05)
}

func TestMonoHasNoColour(t *testing.T) {
	for style, look := range tables()["mono"] {
		if look.fg != nil {
			t.Errorf("style %d of mono has a colour", style)
		}
	}
}

func TestChoice(t *testing.T) {
	for _, c := range []struct {
		want string
		p    colorprofile.Profile
		dark bool
		name string
	}{
		{"", colorprofile.TrueColor, true, "dark"},
		{"auto", colorprofile.ANSI256, false, "light"},
		{"", colorprofile.ANSI, true, "ansi16"},
		{"high-contrast", colorprofile.ANSI256, true, "high-contrast"},
		{"dark", colorprofile.ASCII, true, "mono"},
		{"no such theme", colorprofile.TrueColor, true, "mono"},
	} {
		if got := For(c.want, c.p, c.dark).Name; got != c.name {
			t.Errorf("%+v: got %s", c, got)
		}
	}
	for _, v := range []string{"1", "0", "false", "x"} {
		if p := Profile([]string{"TERM=xterm-256color", "NO_COLOR=" + v}); p != colorprofile.ASCII {
			t.Errorf("NO_COLOR=%s gives %v", v, p)
		}
	}
	if p := Profile([]string{"TERM=xterm-256color", "NO_COLOR="}); p != colorprofile.ANSI256 {
		t.Errorf("an empty NO_COLOR gives %v", p)
	}
}
