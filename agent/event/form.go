package event

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A Field is one member of a form. Title, About and Labels went through
// internal/visible, as the lines of a question did; Name, Options and Default
// are the asker's own bytes, and are made visible by whoever shows them.
type Field struct {
	Name     string    `json:"name"`
	Title    string    `json:"title"`
	About    string    `json:"about,omitempty"` // one line
	Kind     FieldKind `json:"kind"`
	Options  []string  `json:"options,omitempty"` // of a choice
	Labels   []string  `json:"labels,omitempty"`  // what people read for each option; empty: the options
	Default  string    `json:"default,omitempty"` // a value as Answer.Form holds it; "" for none
	Required bool      `json:"required,omitempty"`
	Format   string    `json:"format,omitempty"` // of a string: email, uri, date or date-time

	// The least and the most: of a number, of the characters of a string, of how
	// many options are chosen. Nil is no bound.
	Min *float64 `json:"min,omitempty"`
	Max *float64 `json:"max,omitempty"`
}

// FieldKind is what a field takes, and how its value is written in Answer.Form.
type FieldKind string

// Kinds of fields.
const (
	FieldString  FieldKind = "string"  // as it is
	FieldNumber  FieldKind = "number"  // as JSON writes it
	FieldInteger FieldKind = "integer" // as JSON writes it
	FieldBoolean FieldKind = "boolean" // true or false
	FieldChoice  FieldKind = "choice"  // one of Options
	FieldChoices FieldKind = "choices" // some of Options, as a JSON array of strings
)

// MaxFieldText is the longest text of one field, in bytes.
const MaxFieldText = 64 << 10

// Check says what is wrong with a value of the field, in words for the person.
// An empty value is none: it is wrong where one is required.
func (f Field) Check(value string) error {
	switch {
	case value == "" && f.Required:
		return fmt.Errorf("this one is required")
	case value == "":
		return nil
	case len(value) > MaxFieldText:
		return fmt.Errorf("at most %d bytes fit", MaxFieldText)
	}
	switch f.Kind {
	case FieldString:
		if !utf8.ValidString(value) {
			return fmt.Errorf("this is not UTF-8")
		}
		if err := f.within(float64(utf8.RuneCountInString(value)), "characters"); err != nil {
			return err
		}
		return f.formatted(value)
	case FieldNumber:
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsInf(n, 0) || !json.Valid([]byte(value)) {
			return fmt.Errorf("a number is wanted, such as 1.5")
		}
		return f.within(n, "")
	case FieldInteger:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || !json.Valid([]byte(value)) {
			return fmt.Errorf("a whole number is wanted")
		}
		return f.within(float64(n), "")
	case FieldBoolean:
		if value != "true" && value != "false" {
			return fmt.Errorf("true or false is wanted")
		}
		return nil
	case FieldChoice:
		if !slices.Contains(f.Options, value) {
			return fmt.Errorf("one of the choices is wanted")
		}
		return nil
	case FieldChoices:
		return f.chosen(value)
	default:
		return fmt.Errorf("no value fits a field of the kind %q", string(f.Kind))
	}
}

// Chosen are the options that a value of a FieldChoices names; nil when it is
// no JSON array of strings.
func Chosen(value string) []string {
	var some []string
	if json.Unmarshal([]byte(value), &some) != nil {
		return nil
	}
	return some
}

// Choices is the value of a FieldChoices that names these options; "" for none.
func Choices(some []string) string {
	if len(some) == 0 {
		return ""
	}
	b, err := json.Marshal(some)
	if err != nil {
		panic("event: strings do not encode: " + err.Error())
	}
	return string(b)
}

// Wants says what fits the field, in words; "" for anything.
func (f Field) Wants() string {
	var parts []string
	if f.Required {
		parts = append(parts, "required")
	}
	switch {
	case slices.Contains(formats, f.Format):
		parts = append(parts, f.Format)
	case f.Kind == FieldInteger:
		parts = append(parts, "a whole number")
	case f.Kind == FieldNumber:
		parts = append(parts, "a number")
	}
	unit := map[FieldKind]string{FieldString: " characters", FieldChoices: " of them"}[f.Kind]
	number := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	switch {
	case f.Min != nil && f.Max != nil:
		parts = append(parts, number(*f.Min)+" to "+number(*f.Max)+unit)
	case f.Min != nil:
		parts = append(parts, "at least "+number(*f.Min)+unit)
	case f.Max != nil:
		parts = append(parts, "at most "+number(*f.Max)+unit)
	}
	return strings.Join(parts, ", ")
}

func (f Field) chosen(value string) error {
	some := Chosen(value)
	if some == nil {
		return fmt.Errorf("some of the choices are wanted")
	}
	for i, s := range some {
		if !slices.Contains(f.Options, s) || slices.Contains(some[:i], s) {
			return fmt.Errorf("some of the choices are wanted, each once")
		}
	}
	if f.Required && len(some) == 0 {
		return fmt.Errorf("this one is required")
	}
	return f.within(float64(len(some)), "chosen")
}

// within holds a number against the bounds; of says what it counts.
func (f Field) within(n float64, of string) error {
	show := func(x float64) string {
		return strings.TrimSpace(strconv.FormatFloat(x, 'f', -1, 64) + " " + of)
	}
	switch {
	case f.Min != nil && n < *f.Min:
		return fmt.Errorf("at least %s", show(*f.Min))
	case f.Max != nil && n > *f.Max:
		return fmt.Errorf("at most %s", show(*f.Max))
	default:
		return nil
	}
}

// formats are those that are held against.
var formats = []string{"email", "uri", "date", "date-time"}

// formatted holds a text against the format; one that is unknown holds nothing.
func (f Field) formatted(value string) error {
	switch f.Format {
	case "email":
		name, host, ok := strings.Cut(value, "@")
		if !ok || name == "" || host == "" || strings.ContainsAny(value, " \t\r\n") || strings.Contains(host, "@") {
			return fmt.Errorf("an address is wanted, such as me@example.org")
		}
	case "uri":
		if u, err := url.Parse(value); err != nil || u.Scheme == "" {
			return fmt.Errorf("a URI is wanted, such as https://example.org/")
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, value); err != nil {
			return fmt.Errorf("a date is wanted, such as 2026-11-30")
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, value); err != nil {
			return fmt.Errorf("a date with a time is wanted, such as 2026-11-30T12:00:00Z")
		}
	}
	return nil
}

// A FieldError says which field of a form is wrong, and why.
type FieldError struct {
	Name string // of the field, as the asker wrote it
	Why  string
}

// Error implements error.
func (e *FieldError) Error() string { return fmt.Sprintf("field %q: %s", e.Name, e.Why) }

// CheckForm holds the values of an answer against a form: each fits its field,
// none is missing that is required, none was not asked for. The error is a
// *FieldError.
func CheckForm(form []Field, values map[string]string) error {
	known := make(map[string]bool, len(form))
	for _, f := range form {
		known[f.Name] = true
		if err := f.Check(values[f.Name]); err != nil {
			return &FieldError{f.Name, err.Error()}
		}
	}
	for name := range values {
		if !known[name] {
			return &FieldError{name, "it was not asked for"}
		}
	}
	return nil
}

// HashForm commits to what a form asks: its lines and its fields. It is the
// digest of a question with a form, in hex.
func HashForm(lines []Line, form []Field) string {
	b, err := json.Marshal(struct {
		Lines []Line  `json:"lines"`
		Form  []Field `json:"form"`
	}{lines, form})
	if err != nil {
		panic("event: a form does not encode: " + err.Error()) // strings, and finite bounds out of JSON
	}
	sum := sha256.Sum256(append([]byte("tera-pilot/form/1\n"), b...))
	return hex.EncodeToString(sum[:])
}
