package audit

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"time"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
	"github.com/tera-pilot/tera-pilot/audit/internal/note"
)

// A checkpoint states how long the log is and how it ends. It is no record of
// the chain: it stands in the head slots and at the end of an export.
type checkpoint struct {
	log  string
	size int64
	head [32]byte
	root [32]byte // RFC 6962 tree hash over the canonical records
	ts   string

	body []byte // what is signed
	sig  [64]byte
	text []byte // canonical form, with the signature
	slot int64  // where it was read from
}

// checkpointOf signs where w stands.
func checkpointOf(w *walk, now time.Time, key signer) checkpoint {
	c := checkpoint{log: w.log, size: w.size, head: w.head, root: w.tree.Root(), ts: now.UTC().Format(timeForm)}
	var b jcs.Builder
	b.Text("log", c.log)
	b.Int("size", c.size)
	b.Text("head", hex.EncodeToString(c.head[:]))
	b.Text("root", hex.EncodeToString(c.root[:]))
	b.Text("ts", c.ts)
	c.body = b.Append(nil)
	sig := key.sign(contextCheckpoint, c.body)
	c.sig, _ = parseSignature([]byte(sig))
	b.Text("sig", sig)
	c.text = b.Append(nil)
	return c
}

// parseCheckpoint reads a checkpoint. Unless it is exact, text need not be in
// canonical form.
func parseCheckpoint(text []byte, exact bool) (checkpoint, *fault) {
	var doc jcs.Doc
	var c checkpoint
	if err := doc.Parse(text, jcs.Rules{Depth: maxDepth}); err != nil {
		return c, faultf(kindCheckpoint, "not a checkpoint: %v", err)
	}
	if exact && !doc.Canonical() {
		return c, faultf(kindCheckpoint, "the checkpoint is not in canonical form")
	}
	root := doc.Root()
	log, _ := root.Get("log").Bytes()
	ts, _ := root.Get("ts").Bytes()
	sig, _ := root.Get("sig").Bytes()
	size, ok1 := root.Get("size").Int()
	var ok2 bool
	c.log, c.ts, c.size = string(log), string(ts), size
	c.sig, ok2 = parseSignature(sig)
	if !ok1 || !ok2 || size < 0 || !hexDigits(log, 32) || !timestamp(ts) ||
		!hashMember(root, "head", &c.head) || !hashMember(root, "root", &c.root) {
		return c, faultf(kindCheckpoint, "the checkpoint has not the members log, size, head, root, ts and sig in their form")
	}
	c.body, c.text = root.AppendCanonical(nil, "sig"), root.AppendCanonical(nil)
	return c, nil
}

func (c *checkpoint) signedBy(k PublicKey) bool { return k.verify(contextCheckpoint, c.body, &c.sig) }

// origin is the name of a log in C2SP's checkpoints.
func origin(log string) string { return "tera-pilot.audit/" + log }

// note is the checkpoint in C2SP's form.
func (c *checkpoint) note(key signer) []byte {
	return note.Checkpoint{Origin: origin(c.log), Size: c.size, Root: c.root}.Sign(key.key)
}

// The head file has two slots, written in turn, so that a torn write leaves the
// other one.
const (
	fileHead = "audit/head"
	slotSize = 512
)

// readSlots gives the checkpoints in the head file that are whole, the larger
// first, and the number of the slot to write next. Whose signature they bear is
// for the caller to check.
func readSlots(l Layer) (found []checkpoint, next int64, err error) {
	b, _, err := readSmall(l, fileHead)
	if missing(err) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	for i := range int64(2) {
		if int64(len(b)) < (i+1)*slotSize {
			continue
		}
		text, ok := bytes.CutSuffix(b[i*slotSize:(i+1)*slotSize], []byte{'\n'})
		c, f := parseCheckpoint(bytes.TrimRight(text, " "), true)
		if !ok || f != nil {
			continue
		}
		c.slot = i
		if len(found) > 0 && found[0].size < c.size {
			found, next = []checkpoint{c, found[0]}, 0
		} else {
			next = 1 - i
			if len(found) > 0 {
				next = i
			}
			found = append(found, c)
		}
	}
	return found, next, nil
}

// writeSlot writes c into one of the two slots and syncs it.
func writeSlot(l Layer, slot int64, c *checkpoint) (err error) {
	if len(c.text) >= slotSize {
		return errors.New("a checkpoint does not fit its slot")
	}
	f, err := l.Open(fileHead, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	b := append(bytes.Clone(c.text), bytes.Repeat([]byte{' '}, slotSize-1-len(c.text))...)
	if _, err := f.WriteAt(append(b, '\n'), slot*slotSize); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return f.Sync()
}
