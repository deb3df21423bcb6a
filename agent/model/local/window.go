package local

import (
	"strconv"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/model"
)

// Windows that are asked for.
const (
	leastWindow   = 4 << 10  // below it no work can be done
	unknownWindow = 8 << 10  // of a server that does not say
	mostUnloaded  = 32 << 10 // of a model that is not loaded: memory is the person's
)

// Window is the context to reckon with, in tokens: what the person set, else
// what is in force, else for Ollama what is to be asked for, which fits into
// half of the free memory (in bytes; 0: unknown), else the model's own.
func Window(f model.Found, m model.FoundModel, set, free int64) int64 {
	switch {
	case set > 0:
		return set
	case f.Kind == "ollama":
		return ask(m, free)
	case m.Window > 0:
		return m.Window
	case m.MaxWindow > 0:
		return min(m.MaxWindow, mostUnloaded)
	default:
		return unknownWindow
	}
}

// ask is the num_ctx for Ollama. A window that is in force and large enough is
// kept: another one would load the model anew.
func ask(m model.FoundModel, free int64) int64 {
	want := model.DefaultNumCtx(m.MaxWindow)
	if m.Loaded && m.Window >= want {
		return m.Window
	}
	for m.TokenBytes > 0 && free > 0 && want > leastWindow && want*m.TokenBytes > free/2 {
		want /= 2
	}
	return max(want, min(leastWindow, max(m.MaxWindow, 0)))
}

// FreeMemory reads the bytes of memory that can be had from the text of
// /proc/meminfo; 0 when it does not say.
func FreeMemory(meminfo string) int64 { return memory(meminfo, "MemAvailable:") }

// TotalMemory reads the bytes of memory of the machine; 0 when it does not say.
func TotalMemory(meminfo string) int64 { return memory(meminfo, "MemTotal:") }

func memory(meminfo, name string) int64 {
	for line := range strings.Lines(meminfo) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == name && f[2] == "kB" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil || n < 0 || n > 1<<50 {
				return 0
			}
			return n << 10
		}
	}
	return 0
}
