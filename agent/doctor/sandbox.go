package doctor

import (
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
	var mends []string
	for _, t := range report.Troubles {
		mends = append(mends, t.String())
	}
	mend := strings.Join(mends, "; ")
	grade := Check{"grade", OK, fmt.Sprintf("%s (%s), limits %s", report.Grade, report.Backend, report.Limits), mend}
	switch {
	case err != nil:
		if mend == "" {
			mend = "see docs/sandbox.md"
		}
		return p.report(now, append(checks, Check{"grade", Fail, "commands are refused: " + err.Error(), mend}))
	case len(mends) > 0:
		grade.Status = Warn
	}
	checks = append(checks, grade)
	if mend == "" {
		mend = "this is a fault: do not rely on the sandbox here, and report it (SECURITY.md)"
	}
	for _, s := range promises {
		c := Check{Name: s.Name, Status: OK, Detail: s.Detail}
		if !s.Kept {
			c.Status, c.Hint = Fail, mend
		}
		checks = append(checks, c)
	}
	return p.report(now, checks)
}
