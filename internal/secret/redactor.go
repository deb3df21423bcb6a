package secret

// A Redactor masks secrets.
type Redactor struct{}

// New returns a Redactor that masks the known shapes.
func New() *Redactor { return &Redactor{} }
