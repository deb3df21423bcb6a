package audit

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// A draft is a record that has everything but its place in the chain. It is
// made in the caller's goroutine: redacting and hashing wait for nobody.
type draft struct {
	session *Session
	typ     recordType
	body    jcs.Builder
	open    []disclosure // of the committed members
	must    bool         // may use the space that is kept for the end

	hash [32]byte // set when it is written
	seq  int64
	err  error
}

// A drafter makes drafts. Every text passes the redactor here, before anything
// is hashed or signed; what only our own code writes (ids, hashes, words from a
// fixed list) is exempt.
type drafter struct {
	mask *secret.Redactor
	rand io.Reader
}

// Longest texts, in bytes. What is longer is cut, and ends in an ellipsis.
const (
	longWord  = 256               // names, levels, hosts
	longTitle = 1 << 10           // one line for a person
	longText  = 4 << 10           // reasons, paths of rules and workspaces
	longBulk  = 64 << 10          // command, paths and file states together, as written
	longData  = 192 << 10         // data of an event, as written
	longList  = 256               // hosts, origins
	longLists = 32 << 10          // hosts, or origins, together as written
	longOwn   = maxRecord - 4<<10 // what a record has beside its place in the chain
)

// fits refuses a draft that would make a record longer than the format allows.
func (d *draft) fits() error {
	if n := d.body.Size(); n > longOwn {
		return fmt.Errorf("it would be %d bytes long, and a record has room for %d", n, longOwn)
	}
	return nil
}

func (d drafter) text(s string, longest int) string {
	s = d.mask.Text(s)
	if len(s) <= longest {
		return s
	}
	cut := longest - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

func (d drafter) texts(list []string, longest int) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = d.text(s, longest)
	}
	return out
}

// commit adds a salted commitment to a value, unless there is none.
func (d drafter) commit(to *draft, name string, value []byte) (string, error) {
	if len(value) == 0 {
		return "", nil
	}
	dis, err := disclose(d.rand, name, d.mask.Bytes(value))
	if err != nil {
		return "", err
	}
	to.open = append(to.open, dis)
	return dis.digest(), nil
}

// commitAll adds several commitments as members.
func (d drafter) commitAll(to *draft, names []string, values ...[]byte) error {
	for i, name := range names {
		c, err := d.commit(to, name, values[i])
		if err != nil {
			return err
		}
		to.body.Text(name, c)
	}
	return nil
}

// digest is the hex digest of a policy and the like, or an error: these members
// are exempt from the redactor, so they must be what they say.
func digest(name, s string) (string, error) {
	if s != "" && !hexDigits([]byte(s), 64) {
		return "", fmt.Errorf("%s is not a SHA-256 in 64 lower-case hex digits: %.80q", name, s)
	}
	return s, nil
}

func (d drafter) intent(s *Session, in Intent) (*draft, error) {
	if err := in.valid(); err != nil {
		return nil, err
	}
	out := &draft{session: s, typ: typeIntent}
	b := &out.body
	b.Text("aid", in.AID)
	b.Text("agent", d.text(orElse(in.Agent, "main"), longWord))
	b.Text("cat", string(in.Category))
	b.Text("tool", d.text(in.Tool, longWord))
	b.Text("title", d.text(in.Title, longTitle))
	b.Text("origin", string(orElse(in.Origin, OriginNative)))
	b.Text("decision", string(in.Decision))
	b.Text("by", string(in.By))
	b.Text("reason", d.text(in.Reason, longText))
	b.Text("policy", in.Policy)
	b.Text("level", d.text(in.Level, longWord))
	for name, list := range map[string][]string{"taint": in.Taint, "net": in.Net} {
		before := b.Size()
		b.Texts(name, d.texts(list, longWord))
		if b.Size()-before > longLists {
			return nil, fmt.Errorf("%s is longer than %d bytes", name, longLists)
		}
	}
	if r := in.Rule; r != nil {
		var rule jcs.Builder
		rule.Text("id", d.text(r.ID, longWord))
		rule.Text("file", d.text(r.File, longText))
		rule.Int("line", int64(r.Line))
		b.Object("rule", rule)
	}
	var box jcs.Builder
	box.Text("profile", d.text(in.Sandbox.Profile, longWord))
	box.Text("grade", d.text(in.Sandbox.Grade, longWord))
	b.Object("sandbox", box)
	if err := d.asked(out, in.Asked); err != nil {
		return nil, err
	}
	if err := d.commitAll(out, []string{"args", "effect", "inputs"}, in.Args, in.Effect, in.Inputs); err != nil {
		return nil, err
	}
	if err := d.bulk(out, in.Command, in.Paths, []fileList{{"pre", in.Pre}, {"want", in.Want}}); err != nil {
		return nil, err
	}
	return out, out.fits()
}

// valid checks the words that are exempt from the redactor.
func (in Intent) valid() error {
	if !hexDigits([]byte(in.AID), 32) {
		return fmt.Errorf("the aid of an intent is 32 lower-case hex digits, not %.80q", in.AID)
	}
	switch in.Decision {
	case Allowed, Approved, Denied, Blocked:
	default:
		return fmt.Errorf("an intent needs a decision, and %.80q is none", string(in.Decision))
	}
	switch in.By {
	case ByTUI, ByACP, ByCLI, ByRule, ByRemembered, ByWindow, ByBuiltIn, ByTable, ByFloor, ByParent, ByHook,
		ByGuardian, ByTaint, ByHeadless, ByNoConfirm, ByTimeout, ByStopped, ByDemo:
	default:
		return fmt.Errorf("an intent needs to say who decided, and %.80q is nobody", string(in.By))
	}
	if o := in.Origin; o != "" && o != OriginNative && o != OriginText {
		return fmt.Errorf("%.80q is no origin of a call", string(o))
	}
	if len(in.Net) > longList || len(in.Taint) > longList {
		return fmt.Errorf("an intent names at most %d hosts and %d origins of taint", longList, longList)
	}
	_, err := digest("policy", in.Policy)
	return errors.Join(err, in.Category.valid())
}

func (c Category) valid() error {
	switch c {
	case CategoryShell, CategoryCode, CategoryFile, CategoryOffice, CategorySubagent, CategoryVerify, CategoryGit,
		CategoryMCP, CategorySkill, CategoryThought, CategoryPlan, CategoryError, CategoryInfo, CategoryOther, CategoryWeb:
		return nil
	default:
		return fmt.Errorf("%.80q is no category", string(c))
	}
}

func (d drafter) asked(to *draft, q *Asked) error {
	if q == nil {
		return nil
	}
	lines, err := d.commit(to, "asked.lines", q.Lines)
	if err != nil {
		return err
	}
	var b jcs.Builder
	b.Text("q", d.text(q.Question, longWord))
	b.Text("lines", lines)
	b.Int("ms", q.Took.Milliseconds())
	b.True("unfenced", q.Unfenced)
	to.body.Object("asked", b)
	return nil
}

func (d drafter) outcome(s *Session, of string, aid string, o Outcome) (*draft, error) {
	switch o.Status {
	case OK, Failed, Rejected, StatusBlocked, Cancelled, TimedOut, NotRun, Unknown:
	default:
		return nil, fmt.Errorf("an outcome needs a status, and %.80q is none", string(o.Status))
	}
	out := &draft{session: s, typ: typeOutcome, must: true}
	b := &out.body
	b.Text("of", of)
	b.Text("aid", aid)
	b.Text("status", string(o.Status))
	if o.Code != nil {
		b.Int("code", int64(*o.Code))
	}
	b.Text("signal", d.text(o.Signal, longWord))
	b.Int("ms", max(0, o.Took.Milliseconds()))
	b.Text("diff", d.text(o.Diff, longWord))
	b.Text("reason", d.text(o.Reason, longText))
	if o.OutSize > 0 {
		b.Int("outsize", o.OutSize)
	}
	if err := d.commitAll(out, []string{"out"}, o.Out); err != nil {
		return nil, err
	}
	if err := d.bulk(out, "", nil, []fileList{{"post", o.Post}}); err != nil {
		return nil, err
	}
	return out, out.fits()
}

func orElse[T ~string](s, other T) T {
	if s == "" {
		return other
	}
	return s
}

func hashText(h [32]byte) string { return hex.EncodeToString(h[:]) }
