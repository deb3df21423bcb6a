package audit

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// Options are what a log takes from outside. Only Dir must be given.
type Options struct {
	Dir      string           // state folder, such as ~/.tera_pilot
	Redactor *secret.Redactor // masks secrets; nil masks the known shapes
	Now      func() time.Time // nil: time.Now
	Rand     io.Reader        // nil: crypto/rand
}

// errUnbuilt marks what the first commit only declares.
var errUnbuilt = errors.New("the audit log is not built yet")

// A Log is the writing side of the log in one state folder. It may be used by
// several goroutines, and by several processes at the same time.
type Log struct{}

// Open prepares the log below o.Dir. It makes no key and writes nothing: the
// first Session does.
func Open(ctx context.Context, o Options) (*Log, error) { return nil, errUnbuilt }

// Session begins a session: makes the key if there is none, recovers what a
// crash left, and writes the open record (and recover, when there is something
// to state). It returns when they are durable.
func (l *Log) Session(ctx context.Context, info SessionInfo) (*Session, error) {
	return nil, errUnbuilt
}

// Head is the end of the log as this process last saw it.
func (l *Log) Head() Head { return Head{} }

// Failed is closed when the log has stopped for good; Err then says why.
func (l *Log) Failed() <-chan struct{} { return nil }

// Err is the error that stopped the log, or nil.
func (l *Log) Err() error { return nil }

// Close ends the writer. Sessions that are still open are not closed.
func (l *Log) Close() error { return errUnbuilt }

// A Session is one process working on one session.
type Session struct{}

// ID is the sid of this session: 128 random bits in hex.
func (s *Session) ID() string { return "" }

// Intent writes the intent and returns when it is durable. On an error there
// is no Token, and the effect must not happen. Once the intent has been handed
// to the writer, ctx no longer counts: it waits for the disk.
func (s *Session) Intent(ctx context.Context, in Intent) (Token, error) { return Token{}, errUnbuilt }

// Outcome writes how the intent of t ended: exactly once. It returns when the
// record is written; it is durable at most 200 ms later, or with the next
// intent.
func (s *Session) Outcome(t Token, out Outcome) error { return errUnbuilt }

// Event writes anything else. Durable as an outcome is.
func (s *Session) Event(ctx context.Context, ev Event) error { return errUnbuilt }

// OpenIntents are the intents without an outcome that processes which are gone
// left in the log, oldest first, whichever session they belong to.
func (s *Session) OpenIntents(ctx context.Context) ([]OpenIntent, error) { return nil, errUnbuilt }

// Settle writes the outcome of an intent that a dead process left open, marked
// as recovered. An intent that was settled meanwhile gives [ErrSettled].
func (s *Session) Settle(in OpenIntent, out Outcome) error { return errUnbuilt }

// Head is the end of the log as this process last saw it.
func (s *Session) Head() Head { return Head{} }

// Close writes the outcome "unknown" for every intent that has none, then the
// close record, and returns when both are durable.
func (s *Session) Close(status CloseStatus) error { return errUnbuilt }
