package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// Sandbox tries each promise of the sandbox on this machine, by the real plan.
func Sandbox(ctx context.Context, p Place, now time.Time) Report {
	setting, err := ossandbox.ParseSetting(p.Sandbox)
	if err != nil {
		return p.report(now, []Check{{"sandbox", Fail, err.Error(), "set agent_os_sandbox to auto"}})
	}
	cfg := ossandbox.Config{Home: p.Home, State: p.State, Env: p.Env, Setting: setting}
	var checks []Check
	if setting == ossandbox.Off {
		checks = append(checks, Check{"setting", Warn, "agent_os_sandbox is off: what follows is what it could hold", "set it to auto"})
		cfg.Setting = ossandbox.Auto
	}
	report, promises, err := ossandbox.SelfTest(ctx, cfg)
	return p.report(now, append(checks, tried(report, promises, err)...))
}

// tried says what came of the trial: the grade with what stands in the way of a
// better one, and each promise.
func tried(report ossandbox.Report, promises []ossandbox.Promise, err error) []Check {
	var mends []string
	var files []Check
	for _, t := range report.Troubles {
		mends = append(mends, t.String())
		if t.File != "" {
			files = append(files, Check{"profile", Warn, "as root, write these lines into " + profilePath + ", then: apparmor_parser -r " + profilePath, t.File})
		}
	}
	mend := strings.Join(mends, "; ")
	if err != nil {
		return append([]Check{{"grade", Fail, "commands are refused: " + err.Error(), cmp.Or(mend, "see docs/sandbox.md")}}, files...)
	}
	grade := Check{"grade", OK, fmt.Sprintf("%s (%s), limits %s", report.Grade, report.Backend, report.Limits), mend}
	if len(mends) > 0 {
		grade.Status = Warn
	}
	checks := append([]Check{grade}, files...)
	mend = cmp.Or(mend, "this is a fault: do not rely on the sandbox here, and report it (SECURITY.md)")
	for _, s := range promises {
		c := Check{Name: s.Name, Status: OK, Detail: s.Detail}
		if !s.Kept {
			c.Status, c.Hint = Fail, mend
		}
		checks = append(checks, c)
	}
	return checks
}

// profilePath is where AppArmor looks for a profile of that kind.
const profilePath = "/etc/apparmor.d/tera-pilot-bwrap"
