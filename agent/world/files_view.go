package world

import (
	"context"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/tool"
	"github.com/tera-pilot/tera-pilot/commandpolicy"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// newFiles opens the workspace of a World. A name is secret-like when either
// of the two lists, of files to mask and of files that commands may not carry
// off, has it.
func newFiles(o Options) (*Files, error) {
	return NewFiles(o.Root, FilesOptions{
		Home: o.Home, Closed: []string{o.State}, Outputs: o.OutDir, OpenOutput: o.OpenOutput, Editor: o.Editor,
		Protected: commandpolicy.ProtectedName,
		Secret: func(abs string) bool {
			_, known := commandpolicy.SecretName(abs, o.Home)
			return known || secret.SecretPath(abs)
		},
	})
}

// Path implements tool.View.
func (v *view) Path(ctx context.Context, name string) (effect.Path, error) {
	return v.files.Path(ctx, name)
}

// File implements tool.View.
func (v *view) File(ctx context.Context, name string) (effect.Path, error) {
	return v.files.File(ctx, name)
}

// Seen implements tool.View.
func (v *view) Seen(p effect.Path) (sha256 string, ok bool) { return v.seen(p.Abs) }

// Carries implements tool.View.
func (v *view) Carries(ctx context.Context, from, to effect.Path) (string, error) {
	return v.files.Carries(ctx, from, to)
}

// Checks implements tool.View.
func (v *view) Checks(ctx context.Context) ([]tool.Check, error) { return v.files.Checks(ctx) }

// fileEnv is the part of env that is about files.
func (v *env) fileEnv() FileEnv {
	return v.files.Env(func(e effect.Effect) bool { return v.covers(e, e.Kind) == nil })
}

// Read implements tool.Env.
func (v *env) Read(ctx context.Context, e effect.Effect) ([]byte, error) {
	return v.fileEnv().Read(ctx, e)
}

// List implements tool.Env.
func (v *env) List(ctx context.Context, e effect.Effect) ([]tool.Entry, error) {
	return v.fileEnv().List(ctx, e)
}

// Walk implements tool.Env.
func (v *env) Walk(ctx context.Context, e effect.Effect, visit func(tool.Found) error) (tool.Left, error) {
	return v.fileEnv().Walk(ctx, e, visit)
}

// Apply implements tool.Env.
func (v *env) Apply(ctx context.Context, e effect.Effect) (effect.Path, error) {
	return v.fileEnv().Apply(ctx, e)
}

// ApplyAll implements tool.Env.
func (v *env) ApplyAll(ctx context.Context, row []effect.Effect) ([]effect.Path, error) {
	return v.fileEnv().ApplyAll(ctx, row)
}
