package audit

import (
	"fmt"
	"io/fs"
	"strconv"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

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
