package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/audit"
)

func (a *app) auditCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "The evidence: what was decided and done, signed, and how to check it",
		Long: `The audit log states every decision and every effect, signed and chained. It can
be checked on another machine with nothing but the public key file:

  tera-pilot audit export --out log.json
  tera-pilot audit verify log.json --pubkey audit_key.pub

docs/audit-format.md describes the format.`,
		Args: noSubcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.auditShowCommand(), a.auditExportCommand(), a.auditVerifyCommand(), a.auditHeadCommand(),
		a.auditAnchorCommand(), a.auditProveCommand(), a.auditRedactCommand(), a.auditKeyCommand())
	return cmd
}

// auditReader looks at the local log. Without one it says so, and the command
// ends with the exit code of unreadable input.
func (a *app) auditReader(ctx context.Context) (*audit.Reader, error) {
	state, err := a.stateHome()
	if err != nil {
		return nil, err
	}
	r, err := audit.OpenReader(ctx, audit.Options{Dir: state})
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return r, nil
}

// auditWriter runs do with the local log open for writing, as what a person
// typed. There must be a log: none is begun to say that there was nothing.
func (a *app) auditWriter(ctx context.Context, do func(*audit.Log, audit.SessionInfo) error) (err error) {
	state, err := a.stateHome()
	if err != nil {
		return err
	}
	if _, err := audit.OpenReader(ctx, audit.Options{Dir: state}); errors.Is(err, audit.ErrNoLog) {
		return &exitError{exitUsage, err}
	}
	log, err := audit.Open(ctx, audit.Options{Dir: state})
	if err != nil {
		return &exitError{exitNoEvidence, err}
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	return do(log, a.typedBy())
}

func (a *app) auditHeadCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "head", Short: "Print where the log ends, to be remembered elsewhere", Args: cobra.NoArgs,
		Long: `Print where the log ends: as SIZE:HASH for audit verify --anchor, and as the
trailer that makes a commit a witness. Nothing is checked and nothing written.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := a.auditReader(cmd.Context())
			if err != nil {
				return err
			}
			h, err := r.Head(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(map[string]any{"log": h.Log, "size": h.Size, "head": h.Hash})
			}
			_, err = fmt.Fprintf(a.stdout, "%s\n%s\n", h, h.Trailer())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as one JSON object")
	return cmd
}

func (a *app) auditAnchorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "anchor", Short: "Print a signed checkpoint to keep where this machine cannot change it", Args: cobra.NoArgs,
		Long: `Print a checkpoint of the log in C2SP's form (c2sp.org/tlog-checkpoint), and
record that it was printed. Kept elsewhere, it shows later whether an older copy
took the place of the log: audit verify --anchor FILE.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.auditWriter(cmd.Context(), func(l *audit.Log, info audit.SessionInfo) error {
				note, head, err := l.Anchor(cmd.Context(), info)
				if err != nil {
					return err
				}
				fmt.Fprintf(a.stderr, "the same, to be typed: --anchor %s\n", head)
				_, err = a.stdout.Write(note)
				return err
			})
		},
	}
}

func (a *app) auditProveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "prove SEQ", Short: "Print a proof that one record is in the log", Args: cobra.ExactArgs(1),
		Long: `Print one record with a proof that it is in the log, for somebody who shall see
no other record. audit verify checks it like an export.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			seqs, err := recordNumbers(args)
			if err != nil {
				return err
			}
			r, err := a.auditReader(cmd.Context())
			if err != nil {
				return err
			}
			proof, err := r.Prove(cmd.Context(), seqs[0])
			if err != nil {
				return err
			}
			_, err = a.stdout.Write(proof)
			return err
		},
	}
}

func (a *app) auditRedactCommand() *cobra.Command {
	return &cobra.Command{
		Use: "redact SEQ...", Short: "Delete the values of records for good; the chain stays whole", Args: cobra.MinimumNArgs(1),
		Long: `Delete what opens the commitments of these records: arguments, output and the
like, with their salts. What the records state stays, and verifies as before.
The deletion is recorded.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			seqs, err := recordNumbers(args)
			if err != nil {
				return err
			}
			return a.auditWriter(cmd.Context(), func(l *audit.Log, info audit.SessionInfo) error {
				n, err := l.Redact(cmd.Context(), info, seqs)
				if err != nil {
					return err
				}
				if n == 0 {
					_, err = fmt.Fprintln(a.stdout, "nothing was deleted: these records hold no value that is committed to, or it is deleted already")
					return err
				}
				_, err = fmt.Fprintf(a.stdout, "values deleted: %d\n", n)
				return err
			})
		},
	}
}

func recordNumbers(args []string) ([]int64, error) {
	out := make([]int64, len(args))
	for i, s := range args {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 0 {
			return nil, usage("%q is not the number of a record: `tera-pilot audit show` lists them", s)
		}
		out[i] = n
	}
	return out, nil
}

func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// openRegular opens a file that is to be read as evidence. Anything else than a
// regular file could block for ever, or change while it is read.
func openRegular(path string) (*os.File, int64, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, usage("%w: `tera-pilot audit --help` shows which command makes exports, keys and checkpoints", err)
	}
	if err != nil {
		return nil, 0, usage("%w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, 0, usage("%w", errors.Join(err, f.Close()))
	}
	return f, info.Size(), nil
}

// readRegular reads such a file, which must be small.
func readRegular(path string, most int64) (b []byte, err error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if size > most {
		return nil, usage("%s is too large (%d bytes)", path, size)
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// publicKey reads the root key to trust: the file that was named, else the
// local one. It is never taken from what is verified.
func (a *app) publicKey(path string, legacy bool) (audit.PublicKey, error) {
	named := path != ""
	if !named {
		state, err := a.stateHome()
		if err != nil {
			return audit.PublicKey{}, err
		}
		path = filepath.Join(state, "audit_key.pub")
	}
	b, err := readRegular(path, 1<<10)
	if err != nil && !named && errors.Is(err, os.ErrNotExist) {
		return audit.PublicKey{}, usage("there is no public key in %s: name one with --pubkey FILE", path)
	}
	if err != nil {
		return audit.PublicKey{}, err
	}
	parse := audit.ParsePublicKey
	if legacy {
		parse = audit.ParseLegacyKey
	}
	k, err := parse(b)
	if err != nil {
		return k, usage("%s: %w", path, err)
	}
	return k, nil
}
