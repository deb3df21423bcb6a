package ossandbox

import (
	"syscall"
	"time"
)

// changedAt is when anything of a file was changed last, its mode included.
func changedAt(s *syscall.Stat_t) time.Time { return time.Unix(s.Ctim.Unix()) }
