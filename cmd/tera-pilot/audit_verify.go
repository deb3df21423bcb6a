package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/gitsafe"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

type verifyFlags struct {
	pubkey         string
	anchors        []string
	json, fast     bool
	strict, legacy bool
}

func (a *app) auditVerifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify [FILE]",
		Short: "Check an export, a proof, or the log itself",
		Long: `Check an export, a proof, a folder with a log, or, without FILE, the local log.
FILE - is standard input, of 64 MiB at most.

Exit code 0: intact; 1: tampered, with the first record that is wrong; 2: it
could not be read, or was called wrongly. The key is the local one, or that of
--pubkey; it is never taken from the file.

An older copy that is genuine by itself is found with --anchor: SIZE:HASH as
audit head prints it, a file with such lines, with Tera-Audit trailers or with a
checkpoint of audit anchor, or a git repository whose commits bear trailers.`,
		Example: `  tera-pilot audit verify log.json --pubkey audit_key.pub
  ssh build cat log.json | tera-pilot audit verify - --pubkey audit_key.pub
  tera-pilot audit verify --anchor 1284:ab12cd34ef567890`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.auditVerify(cmd.Context(), f, strings.Join(args, ""), len(args) > 0)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.pubkey, "pubkey", "", "public key file to trust (default: the local one)")
	fl.StringArrayVar(&f.anchors, "anchor", nil, "a head seen earlier: SIZE:HASH, a file, or a git repository; can be repeated")
	fl.BoolVar(&f.json, "json", false, "print the report as one JSON object")
	fl.BoolVar(&f.fast, "fast", false, "check only the signatures that vouch for all others")
	fl.BoolVar(&f.strict, "strict", false, "count warnings as tampering")
	fl.BoolVar(&f.legacy, "legacy", false, "the file is an export of the Python original")
	return cmd
}

func (a *app) auditVerify(ctx context.Context, f verifyFlags, path string, named bool) error {
	rep, err := a.verification(ctx, f, path, named)
	if err != nil {
		var exit *exitError
		if !errors.As(err, &exit) {
			return err
		}
		rep = audit.Report{Exit: exit.code, Error: err.Error(), Warnings: []audit.Warning{}, Anchors: []audit.AnchorReport{}, Unknown: []string{}}
	}
	if f.json {
		if err := a.printJSON(rep); err != nil {
			return err
		}
	} else {
		a.printReport(rep, f)
	}
	if rep.Exit == audit.ExitIntact {
		return nil
	}
	if rep.Exit == audit.ExitUnreadable {
		return &exitError{exitUsage, errors.New(visible.Strict(rep.Error))}
	}
	return &exitError{code: exitFailed}
}

// verification makes the report. An error is one of usage.
func (a *app) verification(ctx context.Context, f verifyFlags, path string, named bool) (audit.Report, error) {
	key, err := a.publicKey(f.pubkey, f.legacy)
	if err != nil && !named {
		if _, none := a.auditReader(ctx); none != nil {
			err = none // no log at all is the better answer
		}
	}
	if err != nil {
		return audit.Report{}, err
	}
	opts := audit.VerifyOptions{Key: key, Fast: f.fast, Strict: f.strict}
	if opts.Anchors, err = a.anchors(ctx, f.anchors); err != nil {
		return audit.Report{}, err
	}
	if f.legacy && (!named || len(f.anchors) > 0) {
		return audit.Report{}, usage("--legacy takes a file and no --anchor: that format has nothing to anchor")
	}
	if !named {
		r, err := a.auditReader(ctx)
		if err != nil {
			return audit.Report{}, err
		}
		return r.Verify(ctx, opts), nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		r, err := audit.OpenReader(ctx, audit.Options{Layer: audit.FolderLayer(path)})
		if err != nil {
			return audit.Report{}, usage("%s holds no audit log", path)
		}
		return r.Verify(ctx, opts), nil
	}
	if path == "-" || path == "/dev/stdin" {
		data, err := io.ReadAll(io.LimitReader(a.stdin, maxStream+1))
		if err != nil {
			return audit.Report{}, usage("standard input: %w", err)
		}
		if len(data) > maxStream {
			return audit.Report{}, usage("what comes from standard input is larger than %d MiB: write it to a file, and name that", maxStream>>20)
		}
		return verifyFile(ctx, bytes.NewReader(data), int64(len(data)), opts, f.legacy), nil
	}
	file, size, err := openRegular(path)
	if err != nil {
		return audit.Report{}, err
	}
	defer file.Close() // it was only read
	return verifyFile(ctx, file, size, opts, f.legacy), nil
}

// maxStream is how much of an export is taken from standard input, in bytes: it
// is held in memory, where a file is not.
const maxStream = 64 << 20

func verifyFile(ctx context.Context, r io.ReaderAt, size int64, o audit.VerifyOptions, legacy bool) audit.Report {
	if legacy {
		return audit.VerifyLegacy(ctx, r, size, o.Key)
	}
	return audit.Verify(ctx, r, size, o)
}

// anchors reads what --anchor names.
func (a *app) anchors(ctx context.Context, list []string) ([]audit.Anchor, error) {
	var out []audit.Anchor
	for _, s := range list {
		x, err := audit.ParseAnchor(s)
		if err == nil {
			out = append(out, x)
			continue
		}
		info, none := os.Stat(s)
		if none != nil {
			return nil, usage("%w, and there is no file of that name", err)
		}
		var text []byte
		if info.IsDir() {
			text, err = a.trailers(ctx, s)
		} else {
			text, err = readRegular(s, 64<<20)
		}
		if err != nil {
			return nil, err
		}
		found, err := audit.FindAnchors(s, text)
		if err != nil {
			return nil, usage("%w", err)
		}
		out = append(out, found...)
	}
	return out, nil
}

// trailers are the commit messages of a repository, read by git as the agent
// would run it.
func (a *app) trailers(ctx context.Context, dir string) ([]byte, error) {
	home, err := a.userHome()
	if err != nil {
		return nil, err
	}
	call, err := gitsafe.Check([]string{"log", "--all", "--grep=^Tera-Audit: ", "--format=%B"})
	if err != nil {
		return nil, err
	}
	limits := brokerLimits
	limits.Output = 64 << 20
	g, err := gitsafe.New(gitsafe.Options{Home: home, Env: a.env, Runner: gitsafe.Plain{}, Limits: limits})
	if err != nil {
		return nil, usage("%w", err)
	}
	plan, err := g.Plan(ctx, dir, call)
	if err != nil {
		return nil, usage("%s: %w", dir, err)
	}
	var out bytes.Buffer
	result, err := g.Run(ctx, plan, gitsafe.Streams{Stdout: &out, Stderr: io.Discard})
	switch {
	case err != nil:
		return nil, usage("%s: %w", dir, err)
	case result.Code != 0 || result.TimedOut || result.Truncated:
		return nil, usage("%s: its commits could not be read whole (git log ended with %d)", dir, result.Code)
	}
	return out.Bytes(), nil
}

// printReport says the same to a person. What stands in the file is made
// visible.
func (a *app) printReport(rep audit.Report, f verifyFlags) {
	out := a.stdout
	switch {
	case rep.Exit == audit.ExitUnreadable:
		return // the error says it all
	case rep.FirstBad != nil:
		b := rep.FirstBad
		fmt.Fprintf(out, "TAMPERED at record %d%s: %s: %s\n", b.Index, whereBad(b), b.Kind, visible.Strict(b.Reason))
	case rep.Exit != audit.ExitIntact:
		fmt.Fprintf(out, "NOT CLEAN: %d warnings, and --strict counts them\n", len(rep.Warnings))
	default:
		fmt.Fprintf(out, "intact: %s, %s%s\n", counted(int(rep.Records), "record"), counted(int(rep.Sessions), "session"), reach(rep))
	}
	if rep.Head != nil && rep.FirstBad == nil {
		fmt.Fprintf(out, "head %d:%s\nlog  %s\n", rep.Head.Size, rep.Head.Hash, rep.Head.Log)
	}
	for _, x := range rep.Anchors {
		fmt.Fprintf(out, "anchor of %d records (%s): %s\n", x.Size, visible.Strict(x.From), x.Result)
	}
	for _, w := range rep.Warnings {
		fmt.Fprintf(out, "warning: record %d: %s %s\n", w.Index, w.Kind, visible.Strict(w.Note))
	}
	if rep.More > 0 {
		fmt.Fprintf(out, "warning: and %d more\n", rep.More)
	}
	for _, name := range rep.Unknown {
		fmt.Fprintf(out, "signed, but not known to this version: member %s\n", visible.Strict(name))
	}
	if rep.Legacy != nil {
		fmt.Fprintln(out, "The format of the Python original does not protect:")
		for _, s := range rep.Legacy.Unprotected {
			fmt.Fprintf(out, "  - %s\n", s)
		}
	}
}

// reach says what an intact report does not cover.
func reach(rep audit.Report) string {
	switch {
	case rep.Legacy != nil:
		return ", as far as their format can tell"
	case rep.Start != nil && rep.Start.Why == "stub":
		return fmt.Sprintf("; records before %d were purged", rep.Start.Seq)
	case rep.Start != nil:
		return fmt.Sprintf("; this key vouches for them from record %d on", rep.Start.Seq)
	case !rep.Complete:
		return "; a part of the log"
	default:
		return ""
	}
}

func whereBad(b *audit.BadReport) string {
	switch {
	case b.File != "":
		return fmt.Sprintf(" (line %d of %s)", b.Line, b.File)
	case b.Line > 0:
		return fmt.Sprintf(" (line %d)", b.Line)
	default:
		return ""
	}
}
