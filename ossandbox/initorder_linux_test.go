package ossandbox

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestStageRunsBeforeEverythingHeavy pins the order of package initialisation:
// the inner stage is reached before the packages that take time. The trace of
// the runtime tells what each package has cost when it has been initialised;
// what stands before reexec is paid by each command.
func TestStageRunsBeforeEverythingHeavy(t *testing.T) {
	program := builtBinary(t, t.TempDir())
	before, cost := initTrace(t, program, "TERA_PILOT_SANDBOX_STAGE=command", 125)
	if len(before) == 0 || !slices.Contains(before, "syscall") {
		t.Fatalf("the trace says nothing: %v", before)
	}
	for _, heavy := range []string{"os", "fmt", "net", "reflect", "encoding/json"} {
		if slices.Contains(before, heavy) {
			t.Errorf("%s is initialised before the inner stage", heavy)
		}
	}
	all, whole := initTrace(t, program, "TERA_PILOT_NOTHING=", 0)
	t.Logf("%d packages and %d bytes before the stage; %d and %d for the whole program", len(before), cost, len(all), whole)
	if cost > 64<<10 {
		t.Errorf("initialisation takes %d bytes before the inner stage: %v", cost, before)
	}
}

// initTrace starts a program and returns the packages that it initialised, in
// order, and the bytes that they allocated.
func initTrace(t *testing.T, program, env string, exit int) (pkgs []string, bytes int) {
	t.Helper()
	cmd := exec.Command(program, "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1", env)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || (exit != 0 && cmd.ProcessState.ExitCode() != exit) {
		t.Fatalf("%v %s", err, out)
	}
	// init internal/bytealg @0.008 ms, 0 ms clock, 0 bytes, 0 allocs
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 8 && f[0] == "init" {
			n, _ := strconv.Atoi(f[7])
			pkgs, bytes = append(pkgs, f[1]), bytes+n
		}
	}
	return pkgs, bytes
}
