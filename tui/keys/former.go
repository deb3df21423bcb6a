package keys

import "github.com/tera-pilot/tera-pilot/tui/safe"

// A Former is a command of the Python original that has another name here, or
// none: what is done in its place, or where to look.
type Former struct {
	Name  string
	Now   string    // one of Commands; "" where there is none
	Words bool      // what stands behind the name means the same here
	Where safe.Text // where Now is ""
}

// Formers lists them. A person's own command of the same name goes before.
func Formers() []Former {
	lit := safe.Lit
	return []Former{
		{Name: "/autonomy", Now: "/level", Words: true},
		{Name: "/planning", Now: "/plan"},
		{Name: "/provider", Now: "/model"},
		{Name: "/checkpoint", Now: "/undo"},
		{Name: "/rewind", Now: "/undo"},
		{Name: "/diff", Now: "/undo"},
		{Name: "/verify", Now: "/audit"},
		{Name: "/settings", Now: "/doctor"},
		{Name: "/sandbox", Now: "/doctor"},
		{Name: "/budget", Now: "/doctor"},
		{Name: "/websearch", Now: "/doctor"},
		{Name: "/guardian", Where: lit("guardian_level in config.json: off, dangerous_only or all")},
		{Name: "/usage", Where: lit("the last row says how full the context is, and the cost; /doctor has the budgets")},
		{Name: "/context", Where: lit("the last row says how full it is; /compact makes room")},
		{Name: "/clear", Where: lit("/compact makes room in the context; ctrl+k begins another session")},
		{Name: "/files", Where: lit("@ offers the names of files; /undo lists what was changed")},
		{Name: "/tools", Where: lit("the model's are in docs/tools.md, those of servers in /mcp")},
		{Name: "/cd", Where: lit("start tera-pilot in that folder, or open its session with ctrl+s")},
	}
}
