package doctor

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// TestWhatMendsIsPrinted: a file that a mend speaks of stands in the report line
// by line, whether commands are refused or run at a lower grade.
func TestWhatMendsIsPrinted(t *testing.T) {
	r := ossandbox.Report{Troubles: []ossandbox.Trouble{{Cause: "bwrap: kept from namespaces", Mend: "load a profile", File: "abi <abi/4.0>,\n\nprofile x {\n  userns,\n}\n"}}}
	for _, err := range []error{nil, errors.New("no grade")} {
		var b strings.Builder
		if err := (Place{}).report(time.Now(), tried(r, nil, err)).Write(&b); err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"load a profile", "apparmor_parser -r", "abi <abi/4.0>,\n", " profile x {\n", "   userns,\n"} {
			if !strings.Contains(b.String(), line) {
				t.Errorf("%v: %q is missing:\n%s", err, line, b.String())
			}
		}
	}
}
