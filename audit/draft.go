package audit

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
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
		ByGuardian, ByTaint, ByHeadless, ByNoConfirm, ByTimeout, ByDemo:
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

func (d drafter) event(s *Session, ev Event) (*draft, error) {
	out := &draft{session: s, typ: typeEvent}
	if ev.Kind == "" {
		return nil, errors.New("an event needs a kind")
	}
	cat := orElse(ev.Category, CategoryInfo)
	if err := cat.valid(); err != nil {
		return nil, err
	}
	out.body.Text("kind", d.text(ev.Kind, longWord))
	out.body.Text("cat", string(cat))
	out.body.Text("title", d.text(ev.Title, longTitle))
	if len(ev.Data) == 0 {
		return out, nil
	}
	data, err := d.data(ev.Data, 3)
	if err != nil {
		return nil, fmt.Errorf("data of the event %s: %w", ev.Kind, err)
	}
	if len(data) > longData {
		return nil, fmt.Errorf("data of the event %s is longer than %d bytes", ev.Kind, longData)
	}
	out.body.Raw("data", data)
	return out, out.fits()
}

func (d drafter) sessionInfo(s *Session, i SessionInfo) (jcs.Builder, error) {
	var b jcs.Builder
	switch i.Front {
	case FrontTUI, FrontRun, FrontACP, FrontMCP, FrontDemo, FrontCLI:
	default:
		return b, fmt.Errorf("a session needs a front end, and %.80q is none", string(i.Front))
	}
	for name, s := range map[string]string{"binary": i.Binary, "policy": i.Policy} {
		if _, err := digest(name, s); err != nil {
			return b, err
		}
	}
	b.Text("session", d.text(i.Session, longWord))
	b.Text("tool", d.text(orElse(i.Tool, "tera-pilot"), longWord))
	b.Text("version", d.text(i.Version, longWord))
	b.Text("binary", i.Binary)
	b.Text("host", d.text(i.Host, longWord))
	b.Text("user", d.text(i.User, longWord))
	b.Text("front", string(i.Front))
	b.Text("workspace", d.text(i.Workspace, longText))
	b.Text("head", d.text(i.Head, longWord))
	b.Text("level", d.text(i.Level, longWord))
	b.True("noconfirm", i.NoConfirm)
	b.Text("policy", i.Policy)
	b.Text("redaction", d.mask.ID())
	var box jcs.Builder
	box.Text("setting", d.text(i.Sandbox.Setting, longWord))
	box.Text("grade", d.text(i.Sandbox.Grade, longWord))
	b.Object("sandbox", box)
	if p := i.Parent; p != nil {
		if !hexDigits([]byte(p.Sid), 32) || !hexDigits([]byte(p.Record), 64) {
			return b, errors.New("the parent of a session is a sid and the hash of a record")
		}
		var parent jcs.Builder
		parent.Text("sid", p.Sid)
		parent.Text("record", p.Record)
		b.Object("parent", parent)
	}
	return b, nil
}

func orElse[T ~string](s, other T) T {
	if s == "" {
		return other
	}
	return s
}

// A fileList is pre, want or post.
type fileList struct {
	name  string
	files []FileRef
}

// bulk adds what a single action can have much of: the command, the paths and
// the states of files. Beyond its limit the rest is committed to as cut.
func (d drafter) bulk(to *draft, cmd string, paths []string, lists []fileList) error {
	room, left := longBulk, 0
	var rest jcs.Builder
	cmd = d.mask.Text(cmd)
	if short := d.text(cmd, longBulk/2); short != cmd {
		rest.Text("cmd", cmd)
		cmd, left = short, 1
	}
	if text := jcs.AppendString(nil, cmd); cmd != "" && len(text) <= room {
		to.body.Raw("cmd", text)
		room -= len(text)
	} else if cmd != "" { // it is all escapes
		rest.Text("cmd", cmd)
		left = 1
	}
	fit := func(name string, items [][]byte) {
		n := 0
		for n < len(items) && room >= len(items[n])+1 {
			room -= len(items[n]) + 1
			n++
		}
		to.body.List(name, items[:n])
		rest.List(name, items[n:])
		left += len(items) - n
	}
	items := make([][]byte, len(paths))
	for i, p := range paths {
		items[i] = jcs.AppendString(nil, d.mask.Text(p))
	}
	fit("paths", items)
	for _, list := range lists {
		items, err := d.files(to, list)
		if err != nil {
			return err
		}
		fit(list.name, items)
	}
	if left == 0 {
		return nil
	}
	c, err := d.commit(to, "cut", rest.Append(nil))
	var b jcs.Builder
	b.Int("count", int64(left))
	b.Text("rest", c)
	to.body.Object("cut", b)
	return err
}

// files writes the states of files. A plain digest of a secret file would let
// anybody test guesses of its content, so that is committed to.
func (d drafter) files(to *draft, list fileList) ([][]byte, error) {
	out := make([][]byte, len(list.files))
	for i, f := range list.files {
		sum, err := digest("the digest of a file", f.SHA256)
		if err != nil {
			return nil, err
		}
		if sum != "" && (f.Secret || secret.SecretPath(f.Path)) {
			dis, err := disclose(d.rand, list.name+"."+strconv.Itoa(i)+".sha256", []byte(sum))
			if err != nil {
				return nil, err
			}
			to.open = append(to.open, dis)
			sum = dis.digest()
		}
		var b jcs.Builder
		b.Text("path", d.text(f.Path, longText))
		b.Text("sha256", sum)
		if sum != "" || f.Size > 0 {
			b.Int("size", f.Size)
		}
		if sum != "" || f.Mode != 0 {
			b.Text("mode", modeText(f.Mode))
		}
		out[i] = b.Append(nil)
	}
	return out, nil
}

// modeText is the mode in octal as stat(2) has it: 0644 for a regular file,
// 040755 for a folder, 0120777 for a link.
func modeText(m fs.FileMode) string {
	bits := uint32(m.Perm())
	for _, x := range []struct {
		mode fs.FileMode
		bit  uint32
	}{{fs.ModeSetuid, 0o4000}, {fs.ModeSetgid, 0o2000}, {fs.ModeSticky, 0o1000}, {fs.ModeDir, 0o40000}, {fs.ModeSymlink, 0o120000}} {
		if m&x.mode != 0 {
			bits |= x.bit
		}
	}
	return fmt.Sprintf("%04o", bits)
}

func parseMode(s string) fs.FileMode {
	bits, _ := strconv.ParseUint(s, 8, 32)
	m := fs.FileMode(bits & 0o777)
	switch bits & 0o170000 {
	case 0o40000:
		m |= fs.ModeDir
	case 0o120000:
		m |= fs.ModeSymlink
	}
	return m
}

// data writes the data of an event; deep is how many levels are left.
func (d drafter) data(v any, deep int) ([]byte, error) {
	switch v := v.(type) {
	case string:
		return jcs.AppendString(nil, d.mask.Text(v)), nil
	case bool:
		return strconv.AppendBool(nil, v), nil
	case int:
		return intData(int64(v))
	case int64:
		return intData(v)
	case time.Duration:
		return intData(v.Milliseconds())
	case []string:
		items := make([]any, len(v))
		for i, s := range v {
			items[i] = s
		}
		return d.listData(items, deep)
	case []any:
		return d.listData(v, deep)
	case []map[string]any:
		items := make([]any, len(v))
		for i, m := range v {
			items[i] = m
		}
		return d.listData(items, deep)
	case map[string]any:
		return d.mapData(v, deep)
	default:
		return nil, fmt.Errorf("a value of type %T cannot be written", v)
	}
}

func intData(n int64) ([]byte, error) {
	if n > jcs.MaxInt || n < -jcs.MaxInt {
		return nil, fmt.Errorf("%d is too large an integer", n)
	}
	return strconv.AppendInt(nil, n, 10), nil
}

var errTooDeep = errors.New("it is nested too deeply")

func (d drafter) listData(list []any, deep int) ([]byte, error) {
	if deep == 0 {
		return nil, errTooDeep
	}
	items := make([][]byte, len(list))
	for i, v := range list {
		var err error
		if items[i], err = d.data(v, deep-1); err != nil {
			return nil, err
		}
	}
	return jcs.List(items), nil
}

// mapData masks names as well. Two that fall together are an error: neither may
// be lost.
func (d drafter) mapData(m map[string]any, deep int) ([]byte, error) {
	if deep == 0 {
		return nil, errTooDeep
	}
	var b jcs.Builder
	var names []string
	for name, v := range m {
		text, err := d.data(v, deep-1)
		if err != nil {
			return nil, err
		}
		name = asciiName(d.mask.Text(name))
		names = append(names, name)
		b.Raw(name, text)
	}
	slices.Sort(names)
	if i := len(slices.Compact(slices.Clone(names))); i != len(names) {
		return nil, errors.New("two names are the same after redaction")
	}
	return b.Append(nil), nil
}

// asciiName makes a name that needs no escapes: what is not printable ASCII
// stands in <>, in the way of U+00E9.
func asciiName(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r >= ' ' && r < 0x7f && r != '"' && r != '\\' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "<%U>", r)
		}
	}
	return b.String()
}

func hashText(h [32]byte) string { return hex.EncodeToString(h[:]) }
