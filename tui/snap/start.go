package snap

// Start is what the start screen shows when there is no session yet. Who
// starts the program fills it in; nothing in it is decided by the screen.
type Start struct {
	Level   string // that a session would begin with
	Sandbox string // setting and grade, "auto A"

	Root   string // the folder
	Folder string // as people write it, "~/src/parser"
	Says   string // one sentence: how things stand
	Local  []Server
	Remote []string // one line each
	Can    []Action // what the person can do, most likely first
	Notes  []string // further lines
	Back   bool     // leaving it, by esc too, goes back to another screen
}

// Server is a local model server that was looked for.
type Server struct {
	Name    string
	Address string
	State   string // "not answering", "3 models"
	Hint    string // the next step
}

// Action is one thing to do. Choosing it ends the screen with its ID.
type Action struct {
	ID    string
	Key   string // one letter
	Title string
	Note  string // why it is not available, "" when it is
	Input *Input // what has to be typed first, nil for nothing
}

// Input is a line that an action needs.
type Input struct {
	Label  string
	Hidden bool // never drawn: a key
}
