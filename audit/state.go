package audit

import (
	"cmp"
	"encoding/hex"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
	"github.com/tera-pilot/tera-pilot/audit/internal/merkle"
)

// The state file spares the start of a session the walk through the whole log.
// It is a cache: signed by the epoch key in force, never trusted further than
// that, written without a sync, and free to be deleted.
const (
	fileState     = "audit/state"
	fileStateTemp = "audit/state.tmp"
)

// stateEvery is how many records may pass before the state is written again.
const stateEvery = 4096

// encodeState writes where w stands, at the place at, leaving out sessions
// that cannot go on and have nothing open.
func encodeState(w *walk, at place, key signer, now time.Time, gone func(*member) bool) []byte {
	open := map[string]bool{}
	var intents [][]byte
	for _, in := range slices.SortedFunc(maps.Values(w.intents), func(a, b *openIntent) int { return cmp.Compare(a.seq, b.seq) }) {
		open[in.sid] = true
		intents = append(intents, in.encode())
	}
	var sessions [][]byte
	for _, sid := range slices.Sorted(maps.Keys(w.sids)) {
		if m := w.sids[sid]; open[sid] || !gone(m) {
			sessions = append(sessions, m.encode(true))
		}
	}
	var b jcs.Builder
	b.Text("log", w.log)
	b.Texts("logs", w.logs)
	b.Int("size", w.size)
	b.Text("head", hashText(w.head))
	b.List("tree", encodeEdges(&w.tree))
	b.Int("segment", at.segment)
	b.Int("offset", at.offset)
	b.Text("month", w.month)
	b.Text("ts", now.UTC().Format(timeForm))
	b.Texts("named", slices.Sorted(maps.Keys(w.named)))
	b.List("sessions", sessions)
	b.List("intents", intents)
	body := b.Append(nil)
	b.Text("sig", key.sign(contextState, body))
	return append(b.Append(nil), '\n')
}

func encodeEdges(t *merkle.Tree) [][]byte {
	var out [][]byte
	for _, h := range t.Edges() {
		out = append(out, jcs.AppendString(nil, hashText(h)))
	}
	return out
}

// encode writes {sid, spk, n, head}, and what only the state file keeps.
func (m *member) encode(whole bool) []byte {
	var b jcs.Builder
	b.Text("sid", m.sid)
	b.Text("spk", hex.EncodeToString(m.key[:]))
	b.Int("n", m.n)
	b.Text("head", hashText(m.head))
	if whole {
		b.Text("session", m.session)
		b.Text("parent", m.parent)
		b.Int("pid", m.proc.pid)
		b.Int("pstart", m.proc.start)
		b.Text("boot", m.proc.boot)
		b.Int("open", m.opened)
		b.Int("mono", m.mono)
		b.Int("last", m.last)
	}
	return b.Append(nil)
}

func (in *openIntent) encode() []byte {
	var b jcs.Builder
	b.Text("of", hashText(in.hash))
	b.Text("aid", in.aid)
	b.Text("sid", in.sid)
	b.Text("session", in.session)
	b.Int("seq", in.seq)
	b.Int("segment", in.at.segment)
	b.Int("offset", in.at.offset)
	b.True("listed", in.listed)
	return b.Append(nil)
}

// loadState lets a walk of the log of root begin where the state file says.
// It reports false when there is no state that epoch has signed.
func loadState(l Layer, root, epoch PublicKey) (*walk, place, bool) {
	b, _, err := readSmall(l, fileState)
	if err != nil || len(b) == 0 {
		return nil, place{}, false
	}
	var doc jcs.Doc
	if doc.Parse(b[:len(b)-1], jcs.Rules{Depth: 3}) != nil || !doc.Canonical() {
		return nil, place{}, false
	}
	v := doc.Root()
	text, _ := v.Get("sig").Bytes()
	sig, ok := parseSignature(text)
	if !ok || !epoch.verify(contextState, v.AppendCanonical(nil, "sig"), &sig) {
		return nil, place{}, false
	}
	// What follows we wrote ourselves: the epoch key says so.
	w := newWalk(root)
	w.begun, w.trimmed, w.epoch = true, true, epoch
	w.log, _ = v.Get("log").Text()
	w.logs = nil
	for _, id := range v.Get("logs").All {
		s, _ := id.Text()
		w.logs = append(w.logs, s)
	}
	w.month, _ = v.Get("month").Text()
	w.size, _ = v.Get("size").Int()
	hashMember(v, "head", &w.head)
	var at place
	at.segment, _ = v.Get("segment").Int()
	at.offset, _ = v.Get("offset").Int()
	w.segment = at.segment
	var edges []merkle.Hash
	for _, e := range v.Get("tree").All {
		text, _ := e.Text()
		h, err := hex.DecodeString(text)
		if err != nil || len(h) != 32 {
			return nil, place{}, false
		}
		edges = append(edges, merkle.Hash(h))
	}
	if w.tree, ok = merkle.FromEdges(w.size, edges); !ok || at.segment < 1 || at.offset < 0 {
		return nil, place{}, false
	}
	for _, n := range v.Get("named").All {
		sum, _ := n.Text()
		w.named[sum] = true
	}
	return w, at, w.loadSessions(v) && w.loadIntents(v) && slices.Contains(w.logs, root.LogID())
}

func (w *walk) loadSessions(v jcs.Value) bool {
	for _, s := range v.Get("sessions").All {
		m, ok := parseMember(s)
		if !ok {
			return false
		}
		m.session, _ = s.Get("session").Text()
		m.parent, _ = s.Get("parent").Text()
		m.proc.pid, _ = s.Get("pid").Int()
		m.proc.start, _ = s.Get("pstart").Int()
		m.proc.boot, _ = s.Get("boot").Text()
		m.opened, _ = s.Get("open").Int()
		m.mono, _ = s.Get("mono").Int()
		m.last, _ = s.Get("last").Int()
		w.sids[m.sid] = m
	}
	return true
}

func (w *walk) loadIntents(v jcs.Value) bool {
	for _, i := range v.Get("intents").All {
		in := &openIntent{}
		if !hashMember(i, "of", &in.hash) {
			return false
		}
		in.aid, _ = i.Get("aid").Text()
		in.sid, _ = i.Get("sid").Text()
		in.session, _ = i.Get("session").Text()
		in.seq, _ = i.Get("seq").Int()
		in.at.segment, _ = i.Get("segment").Int()
		in.at.offset, _ = i.Get("offset").Int()
		in.listed, _ = i.Get("listed").Bool()
		w.intents[in.hash] = in
	}
	return true
}

// writeCache replaces a file that may be lost.
func writeCache(l Layer, name, temp string, b []byte) error {
	if err := l.Remove(temp); err != nil && !missing(err) {
		return err
	}
	f, err := l.Open(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, 0)
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err != nil {
		return err
	}
	return l.Rename(temp, name)
}
