package ossandbox

import (
	"encoding/binary"
	"encoding/hex"
	"errors"

	"github.com/tera-pilot/tera-pilot/internal/roots"
)

var errIndex = errors.New("git index cannot be read")

const maxIndex = 256 << 20

// trackedNames are the paths in a git index and the names of their contents,
// without running git. The format is gitformat-index(5), versions 2 to 4; a
// split index counts as unreadable.
func trackedNames(file string) (map[string]string, error) {
	b, err := roots.ReadPlain(file, maxIndex)
	if err != nil {
		return nil, err
	}
	return parseIndex(b)
}

func parseIndex(b []byte) (map[string]string, error) {
	if len(b) < 12 || string(b[:4]) != "DIRC" {
		return nil, errIndex
	}
	version, n := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	if version < 2 || version > 4 || int(n) > len(b)/62+1 {
		return nil, errIndex
	}
	names := make(map[string]string, n)
	rest, last := b[12:], ""
	for range n {
		name, size, ok := indexEntry(rest, version, last)
		if !ok {
			return nil, errIndex
		}
		names[name], last, rest = hex.EncodeToString(rest[40:60]), name, rest[size:]
	}
	return names, nil
}

// indexEntry reads one entry: stat data and object name (60 bytes for SHA-1),
// flags, the name. Repositories with SHA-256 have longer object names and are
// told by their first entry not making sense.
func indexEntry(b []byte, version uint32, last string) (name string, size int, ok bool) {
	head := 62
	if len(b) < head {
		return "", 0, false
	}
	if version >= 3 && b[60]&0x40 != 0 { // extended flags
		head += 2
	}
	if len(b) < head {
		return "", 0, false
	}
	at := head
	if version == 4 {
		strip, used := indexVarint(b[at:])
		if used == 0 || strip > len(last) {
			return "", 0, false
		}
		name, at = last[:len(last)-strip], at+used
	}
	end := at
	for end < len(b) && b[end] != 0 {
		end++
	}
	if end == len(b) {
		return "", 0, false
	}
	name += string(b[at:end])
	if version == 4 {
		return name, end + 1, name != ""
	}
	size = (end + 8) &^ 7 // at least one NUL, to a multiple of eight
	return name, size, name != "" && size <= len(b)
}

// indexVarint is the offset encoding of gitformat-pack(5).
func indexVarint(b []byte) (v, used int) {
	for i, c := range b {
		if i > 3 {
			return 0, 0
		}
		v = v<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return v, i + 1
		}
		v++
	}
	return 0, 0
}
