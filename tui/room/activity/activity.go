// Package activity is the room of the audit log: what was decided and done,
// chosen by category, status and text, and whether the chain holds.
//
// # Promised
//
// The status of the chain is what a check said, and for how many records it
// said it; nothing is called ok that was not checked. The room changes nothing
// in the log.
//
// # Not promised
//
// That all of a long log is shown: the newest part is, and the head line says
// where it begins.
package activity

import (
	"strconv"
	"time"
)

// A Source is where the room's contents come from. Its functions may take
// long; they are called outside of the program's own goroutine.
type Source interface {
	// Load gives what the log holds from a record on, oldest first; with a
	// negative number, the newest part of it.
	Load(after int64) (Page, error)
	// Record gives one record as lines of "name value", with its disclosed values.
	Record(seq int64) ([]string, error)
	// Verify checks the whole log; full also every single signature.
	Verify(full bool) Chain
	// Export writes signed evidence into a file and gives its name.
	Export() (path string, err error)
}

// A Page is a part of the log.
type Page struct {
	First   int64 // record that it begins with
	Next    int64 // where to go on
	Entries []Entry
}

// An Entry is one action, or any other record.
type Entry struct {
	Seq      int64
	AID      string // of an action: an entry with the same one takes its place
	At       time.Time
	Mine     bool   // of this session
	Category string // shell, file, web, …
	What     string // tool, kind or type
	Title    string
	Decision string
	By       string
	Status   string // of an action; "open" while it runs, "" for other records
	Code     int
	Diff     string
	Reason   string
}

// A Chain is what a check said.
type Chain struct {
	OK     bool
	Size   int64  // records that were checked
	Head   string // hash of the last one
	Why    string // what is wrong, and where
	Full   bool   // every signature was checked, not only the last ones
	Failed string // the check itself could not be made
}

// most is how many entries are kept, the newest ones.
const most = 5000

// Wants is what the room asks for.
type Wants uint8

// What Key can ask for.
const (
	Nothing Wants = iota
	Close
	Load
	Record // of Chosen
	Verify // every signature
	Export
	Copy // ID to the clipboard
)

// A Room is the view. The zero Room shows nothing yet.
type Room struct {
	log    stretch
	check  check
	filter filter
	chosen int    // from the newest, 0
	open   record // whose details are shown; the zero record for the list
	page   int    // rows of the last view

	exporting      bool
	note, troubles string
}

// A stretch is what is known of the log: its newest part.
type stretch struct {
	entries []Entry
	first   int64 // record that the first entry is from
	next    int64 // where to load from; below 0 for nothing yet
	loading bool
	stale   bool // it has grown since that began
}

// A check is whether the log holds.
type check struct {
	chain   Chain
	done    bool
	running bool
}

// A filter is which entries are shown.
type filter struct {
	everything bool // not only those of this session
	category   string
	status     string
	find       string
	finding    bool // find is being written
}

// A record is the details of one entry.
type record struct {
	seq   int64
	lines []string // nil until they are there
	why   bool     // only what it was decided by
	top   int
}

// New is a room that has still to be loaded and checked.
func New() *Room { return &Room{log: stretch{next: -1, loading: true}, check: check{running: true}} }

// Next is where to load from.
func (r *Room) Next() int64 { return r.log.next }

// Chosen is the record whose details are wanted.
func (r *Room) Chosen() int64 { return r.open.seq }

// ID is what the chosen entry is known by elsewhere (audit show): the number of
// its record; "" for none.
func (r *Room) ID() string {
	list := r.shown()
	if r.chosen >= len(list) {
		return ""
	}
	return strconv.FormatInt(list[len(list)-1-r.chosen].Seq, 10)
}

// Grown says that the log has more records now. It asks for them unless that
// is under way.
func (r *Room) Grown() Wants {
	if r.log.loading {
		r.log.stale = true
		return Nothing
	}
	r.log.loading = true
	return Load
}

// Loaded takes a page.
func (r *Room) Loaded(p Page, err error) Wants {
	r.log.loading = false
	if err != nil {
		r.troubles = "the log cannot be read: " + err.Error()
		return Nothing
	}
	r.troubles = ""
	begun := len(r.log.entries) > 0
	if r.log.next < 0 {
		r.log.first = p.First
	}
	r.log.next = p.Next
	for _, e := range p.Entries {
		if !begun || !r.log.settles(e) { // within a page they are joined already
			r.insert(e)
		}
	}
	if n := len(r.log.entries) - most; n > 0 {
		r.log.entries = append([]Entry(nil), r.log.entries[n:]...)
		r.log.first = r.log.entries[0].Seq
	}
	if r.log.stale {
		r.log.stale = false
		return r.Grown()
	}
	return Nothing
}

// settles puts an action that has ended in the place where it began.
func (l *stretch) settles(e Entry) bool {
	for i := len(l.entries) - 1; i >= 0 && e.AID != ""; i-- {
		old := &l.entries[i]
		if old.AID != e.AID {
			continue
		}
		if e.What == "outcome" { // its intent came with an earlier page
			old.Status, old.Code, old.Diff = e.Status, e.Code, e.Diff
			if e.Reason != "" {
				old.Reason = e.Reason
			}
		} else {
			*old = e
		}
		return true
	}
	return false
}

// insert keeps the entries in the order of the log.
func (r *Room) insert(e Entry) {
	at := len(r.log.entries)
	for at > 0 && r.log.entries[at-1].Seq > e.Seq {
		at--
	}
	r.log.entries = append(r.log.entries, Entry{})
	copy(r.log.entries[at+1:], r.log.entries[at:])
	r.log.entries[at] = e
	if r.chosen > 0 && r.filter.shows(e) {
		r.chosen++ // what was chosen stays chosen
	}
}

// Verified takes what a check said.
func (r *Room) Verified(c Chain) { r.check = check{chain: c, done: true} }

// Exported takes how an export ended.
func (r *Room) Exported(path string, err error) {
	r.exporting = false
	if err != nil {
		r.troubles = "not exported: " + err.Error()
		return
	}
	r.note = "exported to " + path
}

// Recorded takes the lines of a record.
func (r *Room) Recorded(seq int64, lines []string, err error) {
	if seq != r.open.seq {
		return
	}
	if err != nil {
		r.open.seq, r.troubles = 0, "the record cannot be read: "+err.Error()
		return
	}
	r.open.lines, r.open.top = lines, 0
}
