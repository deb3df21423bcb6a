package gate

// row is a row of the autonomy table: one kind of claim on the world.
type row uint8

const (
	rowUnknown   row = iota
	rowFree          // no effect at all, declared so
	rowRead          // inside the workspace; a walk too, which leaves secret-like files out
	rowGuarded       // read of a secret-like file, or outside the workspace
	rowOutside       // change outside the workspace, by a command
	rowBoxed         // use of what the sandbox shows to every command, by a command
	rowCreate        // a file or folder that is not there
	rowChange        // write, delete, rename, chmod
	rowProtected     // any change of a protected name
	rowCommand
	rowGitRead
	rowGitWrite
	rowNetwork // fetch, search, push, each host of a network grant
	rowMCP     // a tool of an approved server, pinned
	rowStart   // an approved hook or MCP server
	rowSpawn   // a sub-agent
	rowCount
)

// cell is one field of the table. Lift marks a deny that a rule in the user's
// own policy.toml, about just that kind of effect, makes an allow.
type cell struct {
	answer Answer
	lift   bool
}

var (
	allow = cell{answer: Allow}
	ask   = cell{answer: Ask}
	lift  = cell{answer: Deny, lift: true}
	deny  = cell{}
)

// table is the autonomy table (docs/decisions.md), by row and level. A row
// that is not here denies.
var table = [rowCount][3]cell{
	//            always_ask, new_files_only, never_ask
	rowUnknown:   {deny, deny, deny},
	rowFree:      {allow, allow, allow},
	rowRead:      {allow, allow, allow},
	rowGuarded:   {ask, ask, lift},
	rowOutside:   {ask, ask, lift},
	rowBoxed:     {ask, ask, allow},
	rowCreate:    {ask, allow, allow},
	rowChange:    {ask, ask, allow},
	rowProtected: {ask, ask, lift},
	rowCommand:   {ask, ask, allow},
	rowGitRead:   {allow, allow, allow},
	rowGitWrite:  {ask, ask, allow},
	rowNetwork:   {ask, ask, lift},
	rowMCP:       {ask, ask, lift},
	rowStart:     {allow, allow, allow},
	rowSpawn:     {ask, ask, allow},
}

var rowNames = [rowCount]string{
	rowUnknown:   "unknown effect",
	rowFree:      "no effect",
	rowRead:      "read inside the workspace",
	rowGuarded:   "read of a secret-like file or outside the workspace",
	rowOutside:   "change outside the workspace by a command",
	rowBoxed:     "use of a folder that the sandbox gives to every command",
	rowCreate:    "new file or folder",
	rowChange:    "change of a file",
	rowProtected: "change of a protected name",
	rowCommand:   "command in the sandbox",
	rowGitRead:   "git that reads",
	rowGitWrite:  "git that writes the repository",
	rowNetwork:   "network",
	rowMCP:       "tool of an MCP server",
	rowStart:     "start of an approved program",
	rowSpawn:     "sub-agent",
}

// String is the row's name in questions and documents.
func (r row) String() string {
	if r < rowCount {
		return rowNames[r]
	}
	return rowNames[rowUnknown]
}

// at is step 2: what the table says for a level.
func (r row) at(l Level) cell {
	if r < rowCount && int(l) < len(table[r]) {
		return table[r][l]
	}
	return deny
}

// reason says in one line what the cell comes to.
func (c cell) reason(l Level, r row) string {
	switch {
	case c.answer == Allow:
		return l.String() + " allows: " + r.String()
	case c.answer == Ask:
		return l.String() + " asks: " + r.String() + "; no rule allows it"
	case c.lift:
		return l.String() + " refuses: " + r.String() + "; only a rule in your own policy.toml about it lifts that"
	}
	return "nothing allows: " + r.String()
}
