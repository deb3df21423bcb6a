package audit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/audit/internal/jcs"
)

// discloses reports whether the member name of a disclosure was asked for.
func (o ExportOptions) discloses(name string) bool {
	first, _, _ := strings.Cut(name, ".")
	return slices.Contains(o.Disclose, first) || slices.Contains(o.Disclose, "all")
}

// disclosures gives what opens the commitments in the exported records, in the
// order of seq.
func (e *exporter) disclosures(do func(disclosed)) error {
	index := map[int64][]textAt{} // of one segment
	segment := int64(0)
	var file File
	defer func() {
		if file != nil {
			_ = file.Close() // it was only read
		}
	}()
	return e.records(func(rec *record, at place) error {
		if at.segment != segment {
			if file != nil {
				if err := file.Close(); err != nil {
					return err
				}
				file = nil
			}
			segment = at.segment
			var err error
			if index, err = e.indexText(segment); err != nil || len(index) == 0 {
				return err
			}
			if file, err = e.l.layer.Open(disclosureName(segment), os.O_RDONLY); err != nil {
				return err
			}
		}
		for _, t := range index[rec.seq] {
			line := make([]byte, t.size)
			if _, err := file.ReadAt(line, t.at); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			var doc jcs.Doc
			if doc.Parse(line, jcs.Rules{Depth: 1}) != nil {
				continue // overwritten meanwhile
			}
			if d, ok := parseDisclosed(doc.Root()); ok && bytes.Contains(rec.line, []byte(`"`+d.digest()+`"`)) {
				do(d)
			}
		}
		return nil
	})
}

// textAt is where a line stands in a disclosure file.
type textAt struct {
	at   int64
	size int
}

func (e *exporter) indexText(segment int64) (map[int64][]textAt, error) {
	index := map[int64][]textAt{}
	err := eachDisclosure(e.l.layer, segment, func(d disclosed, at int64, size int) error {
		if e.o.discloses(d.name) {
			index[d.seq] = append(index[d.seq], textAt{at, size})
		}
		return e.ctx.Err()
	})
	return index, err
}

// An exportWriter writes one of the two forms of an export: an object, or the
// same members as lines, where lists are written item by item. The error of a
// write stays with out, and comes back from its Flush.
type exportWriter struct {
	out   *bufio.Writer
	lines bool
	inner bool // an item was written in this list
}

func (x *exportWriter) begin() {
	fmt.Fprintf(x.out, `{"format":"%s"`, exportFormat)
	if x.lines {
		x.out.WriteString("}\n")
	}
}

func (x *exportWriter) member(name string, text []byte) {
	if x.lines {
		fmt.Fprintf(x.out, "{%q:%s}\n", name, text)
	} else {
		fmt.Fprintf(x.out, ",\n%q:%s", name, text)
	}
}

func (x *exportWriter) list(name string) {
	x.inner = false
	if !x.lines {
		fmt.Fprintf(x.out, ",\n%q:[", name)
	}
}

// item writes one item of a list; as a line it is wrapped in its name.
func (x *exportWriter) item(name string, text []byte) {
	switch {
	case x.lines && name == "":
		fmt.Fprintf(x.out, "%s\n", text)
	case x.lines:
		fmt.Fprintf(x.out, "{%q:%s}\n", name, text)
	default:
		if x.inner {
			x.out.WriteByte(',')
		}
		x.inner = true
		x.out.WriteByte('\n')
		x.out.Write(text)
	}
}

func (x *exportWriter) endList() {
	if !x.lines {
		x.out.WriteString("]")
	}
}

func (x *exportWriter) end() {
	if !x.lines {
		x.out.WriteString("\n}\n")
	}
}
