package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
	"github.com/tera-pilot/tera-pilot/audit/internal/merkle"
)

// Prove gives a proof that record seq is in the log: the record, its way up to
// the tree hash of a signed checkpoint, and the open and rekey records that
// lead from the root key to the key that signed it. Verify checks it, without
// any other record.
func (r *Reader) Prove(ctx context.Context, seq int64) ([]byte, error) {
	root, err := r.Key()
	if err != nil {
		return nil, err
	}
	why := errors.New("the log has no signed checkpoint")
	for _, c := range r.slots {
		if c.size <= seq {
			why = fmt.Errorf("record %d is not under a checkpoint yet, which come every %d records and at the end of a session", seq, checkpointEvery)
			continue
		}
		p := prover{r: r, seq: seq, end: c, walk: newWalk(root), made: merkle.NewProver(c.size, []int64{seq})}
		if b, err := p.prove(ctx); err == nil {
			return b, nil
		} else {
			why = err
		}
	}
	return nil, why
}

// A prover makes one proof.
type prover struct {
	r     *Reader
	seq   int64
	end   checkpoint
	walk  *walk
	made  *merkle.Prover
	line  []byte
	opens [][]byte
}

// beginning takes what a stub tells of the records that were purged, and says
// with which segment the others begin.
func (p *prover) beginning() (segment int64, err error) {
	b, _, err := readSmall(p.r.layer, fileStub)
	switch {
	case missing(err):
		return 1, nil
	case err != nil:
		return 0, err
	}
	stub, err := walkStub(p.r.layer, p.walk)
	if err != nil {
		return 0, err
	}
	if p.seq < stub.size {
		return 0, fmt.Errorf("record %d was purged: the log begins with record %d", p.seq, stub.size)
	}
	p.made.Start(&p.walk.tree)
	_, rest, _ := bytes.Cut(b, []byte{'\n'})
	for line := range bytes.Lines(rest) {
		p.opens = append(p.opens, bytes.TrimSuffix(line, []byte{'\n'}))
	}
	return stub.segment, nil
}

func (p *prover) prove(ctx context.Context) ([]byte, error) {
	start, err := p.beginning()
	if err != nil {
		return nil, err
	}
	p.walk.seen = p.made.Seen
	done := errors.New("at the checkpoint")
	_, broken, err := walkFiles(ctx, p.r.layer, p.walk, p.r.lim.from(start), place{segment: start}, nil, func(rec *record, _ place) error {
		if !rec.typ.inSession() {
			p.opens = append(p.opens, bytes.Clone(rec.line))
		}
		if rec.seq == p.seq {
			p.line = bytes.Clone(rec.line)
		}
		if p.walk.size == p.end.size {
			return done
		}
		return nil
	})
	switch {
	case err != nil && !errors.Is(err, done):
		return nil, err
	case broken != nil:
		return nil, &DamagedError{broken.seq, broken.reason.Reason}
	case p.walk.size != p.end.size || p.walk.tree.Root() != p.end.root || !p.end.signedBy(p.walk.epoch):
		return nil, errors.New("the head file does not fit the log: `tera-pilot audit verify` says more")
	}
	var out jcs.Builder
	out.Text("format", proofFormat)
	out.Raw("record", p.line)
	out.Raw("index", strconv.AppendInt(nil, p.seq, 10))
	out.Raw("path", encodePath(p.made.Path(&p.walk.tree, p.seq)))
	out.Raw("opens", jcs.List(p.opens))
	out.Raw("checkpoint", p.end.text)
	return append(out.Append(nil), '\n'), nil
}
