package audit

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
	"github.com/tera-pilot/tera-pilot/audit/internal/merkle"
)

// ExportOptions say what an export holds. The zero value is the whole log.
type ExportOptions struct {
	Session  string    // only the sids of this session, and those of its sub-agents
	Since    time.Time // only sids with a record since then
	Disclose []string  // open these committed members: args, out, effect, inputs, asked, pre, want, post, cut, or all
	Lines    bool      // JSON lines instead of one JSON object
}

func (o ExportOptions) partial() bool { return o.Session != "" || !o.Since.IsZero() }

// Export writes evidence that stands alone: the records, and a signed checkpoint
// that shows whether the end was cut off. The log records that it was exported.
// It gives the head that the checkpoint states.
func (l *Log) Export(ctx context.Context, info SessionInfo, out io.Writer, o ExportOptions) (Head, error) {
	if err := o.valid(); err != nil {
		return Head{}, err
	}
	if _, err := l.layer.Stat(dirLog); missing(err) {
		return Head{}, ErrNoLog
	}
	s, err := l.Session(ctx, info)
	if err != nil {
		return Head{}, err
	}
	e := &exporter{ctx: ctx, l: l, o: o, own: s.sid, ends: map[string]*chainEnd{}}
	err = e.gather()
	if err == nil {
		err = l.withLog(func(w *writer) error { return e.close(w, s) })
	}
	if err != nil {
		if closed := s.Close(CloseError); !errors.Is(closed, ErrClosed) {
			err = errors.Join(err, closed)
		}
		return Head{}, err
	}
	s.closed.Store(true)
	l.setSession(s.sid, false)
	s.key.forget()
	b := bufio.NewWriterSize(out, 1<<16)
	if err := errors.Join(e.write(b), b.Flush()); err != nil {
		return Head{}, fmt.Errorf("the export could not be written: %w", err)
	}
	return Head{e.end.log, e.end.size, hashText(e.end.head)}, nil
}

// Disclosable are the names of the members that an export can open; "all" is
// every one.
func Disclosable() []string {
	return []string{"args", "out", "effect", "inputs", "asked", "pre", "want", "post", "cut", "all"}
}

func (o ExportOptions) valid() error {
	for _, name := range o.Disclose {
		if !slices.Contains(Disclosable(), name) {
			return fmt.Errorf("no committed member is called %.40q: %s", name, strings.Join(Disclosable(), ", "))
		}
	}
	return nil
}

// An exporter makes one export.
type exporter struct {
	ctx    context.Context
	l      *Log
	o      ExportOptions
	own    string // sid of the exporter
	walk   *walk
	at     place
	ends   map[string]*chainEnd
	lim    limits
	end    checkpoint
	stub   []byte
	purger string // sid of the last purge: its event vouches for the stub
	last   int64  // seq of the exporter's close
}

// A chainEnd is how far the chain of a sid goes.
type chainEnd struct {
	given
	chosen bool
}

// gather finds the ends of the sessions that a partial export gives. It reads
// without the lock; close reads what came after.
func (e *exporter) gather() error {
	if !e.o.partial() {
		return nil
	}
	root, err := readPublic(e.l.layer)
	if err != nil {
		return err
	}
	e.walk, e.at = newWalk(root), place{segment: 1}
	stub, err := walkStub(e.l.layer, e.walk)
	if err != nil {
		return err
	}
	if stub != nil {
		e.at.segment = stub.segment
		for sid, m := range e.walk.sids {
			e.ends[sid] = &chainEnd{m.given, e.o.Session != "" && m.session == e.o.Session}
		}
	}
	lim, err := measure(e.l.layer)
	if err != nil {
		return err
	}
	// Without the lock the very last line may be half written: close goes on
	// from the last whole one.
	broken, err := e.readOn(lim)
	if broken != nil && !broken.torn {
		return &DamagedError{broken.seq, broken.reason.Reason}
	}
	return err
}

func (e *exporter) readOn(lim limits) (broken *breach, err error) {
	since := ""
	if !e.o.Since.IsZero() {
		since = e.o.Since.UTC().Format(timeForm)
	}
	e.at, broken, err = walkFiles(e.ctx, e.l.layer, e.walk, lim.from(e.at.segment), e.at, nil, func(r *record, _ place) error {
		end := e.ends[string(r.sid)]
		if r.typ == typeOpen {
			end = &chainEnd{given: given{sid: string(r.sid)}}
			e.ends[end.sid] = end
			parent := e.ends[e.walk.sids[end.sid].parent]
			end.chosen = e.o.Session != "" && (r.text("session") == e.o.Session || parent != nil && parent.chosen)
		}
		if end != nil {
			end.n, end.head, end.last = r.n, r.hash, r.seq
			end.chosen = end.chosen || since != "" && string(r.ts) >= since
		}
		if r.typ == typeEvent && r.text("kind") == kindPurged {
			e.purger = string(r.sid)
		}
		return nil
	})
	return broken, err
}

// close writes the exporter's last records, and takes the checkpoint that ends
// the export, all under one lock: nothing comes between.
func (e *exporter) close(w *writer, s *Session) error {
	data := map[string]any{"scope": "all"}
	if e.o.partial() {
		lim, err := measure(e.l.layer)
		if err != nil {
			return err
		}
		broken, err := e.readOn(lim)
		if err == nil && broken != nil {
			err = &DamagedError{broken.seq, broken.reason.Reason}
		}
		if err != nil {
			return err
		}
		none := len(e.chosen()) == 0
		if end := e.ends[e.purger]; end != nil && !w.absent(fileStub) {
			end.chosen = true
		}
		var list []map[string]any
		for _, end := range e.chosen() {
			list = append(list, map[string]any{"sid": end.sid, "n": end.n, "head": hashText(end.head)})
		}
		if none {
			return errors.New("no session in the log fits: `tera-pilot audit show` lists them")
		}
		data = map[string]any{"scope": "sessions", "given": list}
	}
	d, err := w.l.drafter.event(s, Event{Kind: kindExported, Title: "exported", Data: data})
	if err != nil {
		return fmt.Errorf("too many sessions for an export of single ones, export the whole log: %w", err)
	}
	if err := w.closeSession(s, CloseOK, []*draft{d}); err != nil {
		return err
	}
	e.end, e.last = w.last, w.walk.size-1
	if e.stub, _, err = readSmall(e.l.layer, fileStub); err != nil && !missing(err) {
		return err
	}
	e.lim, err = measure(e.l.layer)
	return err
}

// chosen are the ends of the sessions to give, in the order of their last
// records, without the exporter's own.
func (e *exporter) chosen() []*chainEnd {
	var out []*chainEnd
	for _, end := range e.ends {
		if end.chosen && end.sid != e.own {
			out = append(out, end)
		}
	}
	slices.SortFunc(out, func(a, b *chainEnd) int { return cmp.Compare(a.last, b.last) })
	return out
}

// write writes the export.
func (e *exporter) write(out *bufio.Writer) error {
	x := exportWriter{out: out, lines: e.o.Lines}
	x.begin()
	if len(e.stub) > 0 {
		x.list("stub")
		for line := range bytes.Lines(e.stub) {
			x.item("stub", bytes.TrimSuffix(line, []byte{'\n'}))
		}
		x.endList()
	}
	if e.o.partial() {
		proofs, err := e.proofs()
		if err != nil {
			return err
		}
		x.list("proofs")
		for _, p := range proofs {
			x.item("proof", p)
		}
		x.endList()
	}
	x.list("records")
	if err := e.records(func(r *record, _ place) error { x.item("", r.line); return nil }); err != nil {
		return err
	}
	x.endList()
	x.member("checkpoint", e.end.text)
	if len(e.o.Disclose) > 0 {
		x.list("disclosures")
		if err := e.disclosures(func(d disclosed) { x.item("disclosure", bytes.TrimSuffix(d.line(), []byte{'\n'})) }); err != nil {
			return err
		}
		x.endList()
	}
	x.end()
	return nil
}

// records gives the records of the export in their order.
func (e *exporter) records(do func(*record, place) error) error {
	first, err := stubSegment(e.l.layer)
	if err != nil {
		return err
	}
	r := &Reader{layer: e.l.layer, lim: e.lim}
	return r.lines(e.ctx, e.lim.from(first), func(rec *record, at place) error {
		if rec.seq >= e.end.size || e.o.partial() && rec.typ.inSession() && !e.gives(string(rec.sid)) {
			return nil
		}
		return do(rec, at)
	})
}

func (e *exporter) gives(sid string) bool {
	end := e.ends[sid]
	return sid == e.own || end != nil && end.chosen
}

// proofs shows that the last record of each session is in the tree of the
// checkpoint.
func (e *exporter) proofs() ([][]byte, error) {
	chosen := e.chosen()
	leaves := []int64{e.last}
	for _, end := range chosen {
		leaves = append(leaves, end.last)
	}
	p := merkle.NewProver(e.end.size, leaves)
	walk := newWalk(PublicKey{})
	if stub, err := walkStub(e.l.layer, walk); err != nil {
		return nil, err
	} else if stub != nil {
		p.Start(&walk.tree)
	}
	tree := walk.tree
	first, err := stubSegment(e.l.layer)
	if err != nil {
		return nil, err
	}
	r := &Reader{layer: e.l.layer, lim: e.lim}
	err = r.lines(e.ctx, e.lim.from(first), func(rec *record, _ place) error {
		if rec.seq < e.end.size {
			tree.Add(merkle.Leaf(rec.line), p.Seen)
		}
		return nil
	})
	if err == nil && tree.Root() != e.end.root {
		err = &DamagedError{0, "its records are not those that it was built from"}
	}
	if err != nil {
		return nil, err
	}
	out := [][]byte{encodeProof(e.own, e.last, e.end.size, p.Path(&tree, e.last))}
	for _, end := range chosen {
		out = append(out, encodeProof(end.sid, end.last, e.end.size, p.Path(&tree, end.last)))
	}
	return out, nil
}

func encodeProof(sid string, index, size int64, path []merkle.Hash) []byte {
	var b jcs.Builder
	b.Text("sid", sid)
	b.Int("index", index)
	b.Int("size", size)
	b.Raw("path", encodePath(path))
	return b.Append(nil)
}

func encodePath(path []merkle.Hash) []byte {
	items := make([][]byte, len(path))
	for i, h := range path {
		items[i] = jcs.AppendString(nil, hashText(h))
	}
	return jcs.List(items)
}
