package ossandbox

import "testing"

// What a command may take of a disk: bytes, and files without any.
func TestRoomThatIsSpent(t *testing.T) {
	const limit = 1 << 30
	was := room{bytes: 10 << 30, files: 5_000_000}
	for name, c := range map[string]struct {
		now  room
		want bool
	}{
		"nothing":              {was, false},
		"more room than ever":  {room{20 << 30, 9_000_000}, false},
		"as much as it may":    {room{9 << 30, 4_000_000}, false},
		"a byte more":          {room{9<<30 - 1, 5_000_000}, true},
		"a file more":          {room{10 << 30, 3_999_999}, true},
		"the last of the disk": {room{diskReserve - 1, 5_000_000}, true},
	} {
		if got := was.spent(c.now, limit); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if none := (room{10 << 30, 0}); none.spent(room{10 << 30, 0}, limit) {
		t.Error("a file system that counts no files has spent them")
	}
}
