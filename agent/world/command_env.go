package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/ossandbox"
)

// maxOutput is how much of a command's output is kept, in bytes.
const maxOutput = 10 << 20

// Exec implements tool.Env.
func (v *env) Exec(ctx context.Context, e effect.Effect) (tool.Exit, error) {
	if err := v.covers(e, effect.Exec, effect.Start); err != nil {
		return tool.Exit{}, err
	}
	if e.Exec.Background {
		return tool.Exit{}, &tool.NotGrantedError{What: "waiting for a command that was to run in the background"}
	}
	return v.command(ctx, e.Exec, &collector{limit: maxOutput, tell: v.grant.Output})
}

// maxJobStart is how much of a job's output stands in its outcome, in bytes;
// the session keeps the newest.
const maxJobStart = 256 << 10

// Start implements tool.Env.
func (v *env) Start(_ context.Context, e effect.Effect) (string, error) {
	if err := v.covers(e, effect.Exec); err != nil {
		return "", err
	}
	switch {
	case !e.Exec.Background || v.grant.Start == nil:
		return "", &tool.NotGrantedError{What: "a command in the background"}
	case v.box == nil:
		return "", v.boxErr
	case e.Exec.Profile == gate.ProfileOff:
		return "", errors.New("without a sandbox nothing would end the command with the session: run it in the foreground")
	}
	return v.grant.Start(func(ctx context.Context, output func(string, []byte)) (tool.Exit, error) {
		return v.command(ctx, e.Exec, &collector{limit: maxJobStart, tell: output, tellAll: true})
	})
}

// command runs a command in the sandbox, to its end.
func (v *env) command(ctx context.Context, x *effect.Command, out *collector) (tool.Exit, error) {
	if v.box == nil {
		return tool.Exit{}, v.boxErr
	}
	// A person has said yes to this very command without a sandbox; the sandbox
	// itself takes that word only while the setting is off.
	bare := x.Profile == gate.ProfileOff
	profile := ossandbox.Work()
	if !bare {
		var err error
		if profile, err = ossandbox.ParseProfile(x.Profile, x.Hosts...); err != nil {
			return tool.Exit{}, err
		}
	}
	command := ossandbox.Command{
		Argv: x.Argv, Dir: x.Dir, Profile: profile, Timeout: x.Timeout,
		Stdin: bytes.NewReader(x.Stdin), Stdout: out.stream("stdout"), Stderr: out.stream("stderr"),
		OnRequest: v.grant.Request, OnFill: v.grant.Filling, Unconfined: bare,
	}
	if out.tellAll {
		command.OnFill = nil // a job: nobody waits for it
	}
	extra, cleanup, err := v.gitInside(ctx, x)
	if err != nil {
		return tool.Exit{}, err
	}
	defer cleanup()
	command.ExtraEnv, command.Binds = extra.env, extra.binds
	res, err := v.box.Run(ctx, command)
	var start *ossandbox.ExecError
	if errors.As(err, &start) {
		return tool.Exit{Code: 127, Output: []byte(start.Error())}, nil
	}
	if err != nil {
		return tool.Exit{}, err
	}
	ended := exit(res, out)
	return ended, v.carry(ctx, res.Changes, &ended)
}

// carry takes over what a command at grade B changed in its copy of the
// workspace. The decision that let it run covers the workspace; protected
// names, which the copy could not guard, are left as they are and named.
func (v *env) carry(ctx context.Context, changes []ossandbox.Change, x *tool.Exit) error {
	var wanted []ossandbox.Change
	repository := 0
	for _, c := range changes {
		if strings.HasPrefix(c.Path, ".git/") || strings.Contains(c.Path, "/.git/") {
			repository++
			continue
		}
		if name, ok := commandpolicy.ProtectedName(c.Path); ok {
			x.Findings = append(x.Findings, c.Path+": a change of the protected name "+name+" was not taken over")
			continue
		}
		wanted = append(wanted, c)
		x.Changes = append(x.Changes, tool.Change{Path: c.Path, Change: changeWords[c.Op]})
	}
	if repository > 0 {
		x.Findings = append(x.Findings, fmt.Sprintf("what git did in the copy of the repository was not taken over (%d files): "+
			"at sandbox grade B call git by itself, as in git_commit or a command that is one git call", repository))
	}
	if len(wanted) == 0 {
		return nil
	}
	conflicts, err := v.box.Apply(ctx, wanted)
	for _, c := range conflicts {
		x.Findings = append(x.Findings, c+": was changed by somebody else meanwhile, and is left as it is")
	}
	return err
}

var changeWords = map[ossandbox.ChangeOp]string{ossandbox.Created: "created", ossandbox.Modified: "written", ossandbox.Deleted: "deleted"}

// exit is a sandbox's result as tools see it.
func exit(res ossandbox.Result, out *collector) tool.Exit {
	x := tool.Exit{
		Code: res.ExitCode, TimedOut: res.TimedOut, Cancelled: res.Cancelled,
		Output: out.bytes(), Dropped: res.Dropped + out.dropped,
	}
	if res.Signal != 0 {
		x.Signal = res.Signal.String()
	}
	if res.LimitReached != "" {
		x.Hints = append(x.Hints, "ended by the sandbox: the limit of "+res.LimitReached+" was reached")
	}
	for _, d := range res.Denials {
		if d.Host != "" {
			d.Allow = `"hosts": ["` + d.Host + `"] in the call, which asks for it`
		}
		x.Hints = append(x.Hints, d.String())
	}
	for _, f := range res.Quarantine {
		x.Findings = append(x.Findings, f.String())
	}
	return x
}
