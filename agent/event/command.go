package event

// A Command is what a front end sends to the session. Nothing else reaches it.
type Command interface{ isCommand() }

// Submit is a message of the person. While a turn runs it waits in the queue.
type Submit struct{ Text string }

// Withdraw takes the newest queued message back.
type Withdraw struct{}

// Cancel stops the running turn.
type Cancel struct{}

// SetLevel changes the autonomy level. Plan is plan mode on top of it: reads,
// and nothing else.
type SetLevel struct {
	Level string
	Plan  bool
}

// Attached says that the next message holds text that the person did not write
// himself, a file for example: from now on untrusted text is in the context.
type Attached struct{ Source, What string }

// Unattended says that the front end found out that it cannot ask: whatever
// would be asked from now on is denied.
type Unattended struct{}

// SetModel changes the model from the next request on.
type SetModel struct{ Provider, Model string }

// Rename gives the session a title.
type Rename struct{ Title string }

// Settle is the person's word on a call that a crash left open: "done",
// "again" (a new decision) or "look".
type Settle struct{ Call, How string }

func (Submit) isCommand()     {}
func (Withdraw) isCommand()   {}
func (Cancel) isCommand()     {}
func (SetLevel) isCommand()   {}
func (SetModel) isCommand()   {}
func (Attached) isCommand()   {}
func (Unattended) isCommand() {}
func (Rename) isCommand()     {}
func (Settle) isCommand()     {}
func (Answer) isCommand()     {}
