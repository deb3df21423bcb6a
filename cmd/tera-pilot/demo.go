package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/demo"
	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/visible"
	"github.com/tera-pilot/tera-pilot/tui"
)

func (a *app) demoCommand() *cobra.Command {
	var auto bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Play a session with a scripted model in a throw-away repository; everything else is real",
		Long: `Play a session with a scripted model in a throw-away repository. Tools, gate,
sandbox and audit log are the real ones; you answer the questions. Without a
terminal, or with --auto, the demo answers for you and says so. At the end the
edit is taken back and the log verified; the folder is kept, and the last lines
print how to verify it yourself.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), auto) },
	}
	cmd.Flags().BoolVar(&auto, "auto", false, "let the demo answer, in lines")
	return cmd
}

func (a *app) demo(ctx context.Context, auto bool) error {
	p, err := demo.New("")
	if err != nil {
		return err
	}
	script, err := p.Script()
	if err != nil {
		return err
	}
	// The demo has settings, state and home of its own: nothing of the
	// person's is read or written.
	b := newApp(a.process)
	b.env = demoEnv(a.env, p.Home)
	b.flags = commonFlags{home: p.State, root: p.Repo, provider: scripted, script: script}
	o, err := b.open(ctx, launch{front: audit.FrontDemo, dir: p.Repo, canAsk: true, needsSandbox: true})
	if err != nil {
		return err
	}
	auto = auto || !isTerminal(a.stdin) || !isTerminal(a.stdout)
	if auto {
		err = a.playDemo(ctx, o)
	} else {
		err = a.showDemo(ctx, o)
	}
	var taken string
	if err == nil {
		taken, err = takeBack(ctx, o, auto)
	}
	if err := errors.Join(err, o.Close(audit.CloseOK)); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "\nThe edit, taken back:            %s\n", taken)
	return b.proveDemo(ctx, p)
}

// takeBack undoes what the demo changed, as `tera-pilot undo` would, and says
// what came of it. A person may have refused the edit, or undone it already;
// where the demo played the answers, there is one.
func takeBack(ctx context.Context, o *opened, played bool) (string, error) {
	res, _, err := undoNow(ctx, o, event.Undo{})
	switch {
	case err != nil:
		return "", err
	case res.Status == "ok":
		return strings.Join(strings.Fields(visible.Prose(res.Body)), " "), nil
	case played:
		return "", fmt.Errorf("the demo's edit could not be taken back: %s", visible.Prose(res.Body))
	}
	return whyNothing(ctx, o, res)
}

// whyNothing asks the session why nothing was taken back.
func whyNothing(ctx context.Context, o *opened, res event.CallResult) (why string, err error) {
	err = o.await(ctx, event.ListUndo{}, func(b event.Body) (over bool, err error) {
		list, ok := b.(event.UndoPoints)
		if ok {
			why = notTaken(list.Points, res.Body)
		}
		return ok, nil
	})
	return why, err
}

// notTaken says which it was: no edit was made, the person took it back, or it
// could not be, for the reason that the undo gave.
func notTaken(points []event.UndoPoint, reason string) string {
	changed, left := 0, 0
	for _, p := range points {
		for _, f := range p.Files {
			changed++
			if !f.Undone {
				left++
			}
		}
	}
	switch {
	case changed == 0:
		return "there was none: no file was changed"
	case left == 0:
		return "by you, in the session"
	default:
		return "NOT: " + strings.Join(strings.Fields(visible.Prose(reason)), " ")
	}
}

// demoEnv is the environment with another home and without our own variables.
func demoEnv(env []string, home string) []string {
	var out []string
	for _, kv := range env {
		if !strings.HasPrefix(kv, "HOME=") && !strings.HasPrefix(kv, "TERA_PILOT_") {
			out = append(out, kv)
		}
	}
	return append(out, "HOME="+home)
}

// proveDemo verifies the log and a copy with one changed byte, and prints how
// to do the same by hand. It fails unless the first is intact and the second
// is not.
func (a *app) proveDemo(ctx context.Context, p demo.Place) error {
	export := filepath.Join(p.Dir, "audit.json")
	pub := filepath.Join(p.State, "audit_key.pub")
	if code := a.quietly(ctx, "audit", "export", "--home", p.State, "--out", export); code != exitOK {
		return fmt.Errorf("the demo's log could not be exported (exit %d)", code)
	}
	changed, err := demo.FlipByte(export)
	if err != nil {
		return err
	}
	intact := a.quietly(ctx, "audit", "verify", export, "--pubkey", pub)
	broken := a.quietly(ctx, "audit", "verify", changed, "--pubkey", pub)
	fmt.Fprintf(a.stdout, "The log, verified:               exit %d  %s\n", intact, word(intact == exitOK, "intact", "NOT INTACT"))
	fmt.Fprintf(a.stdout, "The log with one byte changed:   exit %d  %s\n", broken, word(broken == exitFailed, "tampered, as it should be found", "NOT FOUND"))
	fmt.Fprintf(a.stdout, "\nEverything is kept in %s\nVerify it yourself:\n\n  %s audit verify %s --pubkey %s\n", p.Dir, selfCommand(), export, pub)
	if intact != exitOK || broken != exitFailed {
		return errors.New("the demo's log did not verify as it should")
	}
	return nil
}

// selfCommand is how a shell starts this program again. `go run` removes its
// binary when it ends.
func selfCommand() string {
	self, err := os.Executable()
	switch {
	case err != nil:
		return "tera-pilot"
	case strings.Contains(self, string(filepath.Separator)+"go-build"):
		return "go run ./cmd/tera-pilot"
	default:
		return self
	}
}

func word(ok bool, yes, no string) string {
	if ok {
		return yes
	}
	return no
}

// quietly runs a subcommand of this program without its output.
func (a *app) quietly(ctx context.Context, args ...string) int {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return exitFailed
	}
	defer null.Close()
	return run(ctx, process{args: args, env: a.env, stdin: null, stdout: null, stderr: null})
}

// demoTitle heads everything that the demo shows.
const demoTitle = "DEMO  scripted, no model; tools, gate, sandbox and log are real"

// showDemo plays the demo to a person, who answers.
func (a *app) showDemo(ctx context.Context, o *opened) error {
	if err := o.Send(event.Submit{Text: demo.Prompt}); err != nil {
		return err
	}
	_, err := tui.Run(ctx, tui.Options{Session: o, Log: a.activityLog(ctx, o), In: a.stdin, Out: a.stdout, Env: a.env})
	return err
}

// playDemo plays the demo in lines, and answers itself.
func (a *app) playDemo(ctx context.Context, o *opened) error {
	fmt.Fprintln(a.stdout, demoTitle)
	in, end := io.Pipe()
	player := &demo.Player{Session: o, Done: func() { _ = end.Close() }} // closing a pipe does not fail
	if err := o.Send(event.Submit{Text: demo.Prompt}); err != nil {
		return err
	}
	if _, err := tui.Run(ctx, tui.Options{Session: player, In: in, Out: a.stdout, Env: a.env, Mode: tui.Lines, By: string(audit.ByDemo)}); err != nil {
		return err
	}
	return player.Err()
}
