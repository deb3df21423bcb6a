package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/internal/edits"
	"github.com/tera-pilot/tera-pilot/internal/statedir"
	"github.com/tera-pilot/tera-pilot/internal/strictjson"
)

// Settings are the merged settings of one start.
type Settings struct {
	File     string // the settings file that was looked for
	Autonomy string // always_ask, new_files_only or never_ask
	Sandbox  string // auto, on or off
	Guardian string // off, dangerous_only or all

	GuardianProvider, GuardianModel string // the reviewing model; "auto" is the session's own, "" is none

	Provider  string // "" when none is configured
	Model     string
	Providers map[string]Provider

	Trailer      string // "" or ask, always or never: whether commits of the agent bear the head of the audit log
	ConfirmReads bool   // commands that are proven read-only ask as others do
	TextCalls    string // "" or as_native: whether calls recovered from prose count as native
	MaxSteps     int    // model calls a turn
	RunTimeout   int    // default time limit of a command, in seconds
	Web          Web
	Terminal     Terminal
	BudgetMicros int64  // a session's budget in millionths of a dollar; 0 is none
	DayMicros    int64  // the budget of a day, over all sessions; 0 is none
	DayTokens    int    // tokens of a day, over all sessions; 0 is no limit
	Compaction   string // auto or off: whether old parts of a conversation are left out

	Unused []string // keys of the original that mean nothing here
}

// Provider is one entry of "providers".
type Provider struct {
	BaseURL     string `json:"base_url"`
	Model       string `json:"model"`
	APIKey      string `json:"api_key"` // the original kept keys here; the key store and the environment come first
	AllowRemote bool   `json:"allow_remote_local"`
	Context     int    `json:"context"` // window in tokens, where it cannot be found out
	Enabled     *bool  `json:"enabled"`
	Name        string `json:"name"`
}

// Terminal is "terminal": how the screen looks and behaves.
type Terminal struct {
	Theme  string            `json:"theme"`         // auto (default), dark, light, high-contrast, ansi16 or mono
	Keys   map[string]string `json:"keys"`          // action: its keys, parted by blanks; docs/terminal.md lists the actions
	Notify string            `json:"notify"`        // off (default), bell or desktop: when a turn ended or a question waits, and the window is not looked at
	Still  bool              `json:"reduce_motion"` // no seconds that count
}

// Web is "web": how the agent reads the web.
type Web struct {
	Fetch   *bool     `json:"fetch"`   // false: no web_fetch; default true, and each host is asked about
	Mode    string    `json:"mode"`    // open (default), trusted_preferred or trusted_only
	Trusted []string  `json:"trusted"` // hosts: a name, or ".example.org" for a domain and all below it
	Ports   []uint16  `json:"ports"`   // beside 80 and 443
	Search  WebSearch `json:"search"`
}

// WebSearch is the search service; without a backend there is none.
type WebSearch struct {
	Backend string `json:"backend"` // searxng, brave, tavily, exa, kagi, mojeek or marginalia
	URL     string `json:"url"`     // where it is; needed for searxng
}

// An Error says what is wrong in a settings file, and where.
type Error struct {
	File string
	Line int
	What string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.What)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What)
}

// Defaults are the settings of a start without file, environment or flags.
func Defaults() Settings {
	return Settings{
		Autonomy: "always_ask", Sandbox: "auto", Guardian: "dangerous_only",
		MaxSteps: 100, RunTimeout: 180, Compaction: "auto", Providers: map[string]Provider{},
	}
}

// Load merges the defaults, the file and the environment; getenv returns ""
// for a variable that is not set. A file that is not there is no error unless
// it was asked for by name.
func Load(file string, named bool, getenv func(string) string) (Settings, error) {
	s := Defaults()
	s.File = file
	data, err := statedir.Read(file, false)
	var unsafe *statedir.UnsafeError
	switch {
	case errors.As(err, &unsafe):
		return Settings{}, err // says what to do
	case err == nil && data == nil && !named:
	case err == nil && data == nil:
		return Settings{}, &Error{File: file, What: "is not there: name another with --config, or leave the flag out"}
	case err != nil:
		return Settings{}, &Error{File: file, What: "cannot be read: " + err.Error()}
	default:
		if err := s.read(data); err != nil {
			return Settings{}, err
		}
	}
	return s, s.environment(getenv)
}

// environment overlays the variables that count.
func (s *Settings) environment(getenv func(string) string) error {
	for _, k := range s.keys() {
		if k.env == "" {
			continue
		}
		if value := getenv(k.env); value != "" {
			*k.to.(*string) = value // by and word are used together
		}
	}
	return oneOf("TERA_PILOT_OS_SANDBOX", s.Sandbox, "auto", "on", "off")
}

// terminal takes the settings of the screen.
func (s *Settings) terminal(raw json.RawMessage) error {
	var t Terminal
	if err := strict(raw, &t); err != nil {
		return err
	}
	if err := oneOf("theme", t.Theme, "", "auto", "dark", "light", "high-contrast", "ansi16", "mono"); err != nil {
		return err
	}
	if err := oneOf("notify", t.Notify, "", "off", "bell", "desktop"); err != nil {
		return err
	}
	s.Terminal = t
	return nil
}

// SetAutonomy overlays the --autonomy flag.
func (s *Settings) SetAutonomy(level string) error {
	if level == "" {
		return nil
	}
	if err := oneOf("--autonomy", level, autonomies...); err != nil {
		return err
	}
	s.Autonomy = level
	return nil
}

var autonomies = []string{"always_ask", "new_files_only", "never_ask"}

func oneOf(name, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("%s is %q: it must be one of %s", name, value, strings.Join(allowed, ", "))
}

// A key of config.json that means something: the code that takes its value, and what
// the reference says about it.
type key struct {
	take func(json.RawMessage) error
	kind string // of its values, in words
	to   any    // a pointer to where it goes
	env  string // the variable that goes before it; to is a *string then
	flag string // the flag that goes before both
}

// keys are all of them, by name.
func (s *Settings) keys() map[string]key {
	return map[string]key{
		"agent_autonomy":        word(&s.Autonomy, autonomies...).by("", "--autonomy"),
		"agent_os_sandbox":      word(&s.Sandbox, "auto", "on", "off").by("TERA_PILOT_OS_SANDBOX", ""),
		"guardian_level":        word(&s.Guardian, "off", "dangerous_only", "all"),
		"guardian_provider_id":  word(&s.GuardianProvider),
		"guardian_model":        word(&s.GuardianModel),
		"active_provider":       word(&s.Provider).by("TERA_PILOT_PROVIDER", "--provider"),
		"active_model":          word(&s.Model).by("TERA_PILOT_MODEL", "--model"),
		"agent_text_calls":      word(&s.TextCalls, "", "always_ask", "as_native"),
		"agent_max_iterations":  number(&s.MaxSteps, 1, 10000),
		"agent_run_timeout":     number(&s.RunTimeout, 1, 3600),
		"confirm_reads":         plainly(&s.ConfirmReads, "true or false"),
		"budget_usd":            money(&s.BudgetMicros),
		"budget_usd_per_day":    money(&s.DayMicros),
		"budget_tokens_per_day": number(&s.DayTokens, 0, 1e15),
		"agent_compaction":      word(&s.Compaction, "auto", "off"),
		"audit_trailer":         word(&s.Trailer, "", "ask", "always", "never"),
		"web":                   plainly(&s.Web, "object"),
		"terminal":              {take: s.terminal, kind: "object", to: &s.Terminal},
		"providers":             plainly(&s.Providers, "object, by provider"),
	}
}

func (k key) by(env, flag string) key {
	k.env, k.flag = env, flag
	return k
}

func word(to *string, allowed ...string) key {
	k := key{to: to, kind: "text"}
	if len(allowed) > 0 {
		k.kind = `"` + strings.Join(allowed, `", "`) + `"`
	}
	k.take = func(raw json.RawMessage) error {
		if err := strict(raw, to); err != nil || len(allowed) == 0 {
			return err
		}
		return oneOf("the value", *to, allowed...)
	}
	return k
}

func number(to *int, low, high int) key {
	return key{to: to, kind: fmt.Sprintf("%d to %d", low, high), take: func(raw json.RawMessage) error {
		if err := strict(raw, to); err != nil {
			return err
		}
		if *to < low || *to > high {
			return fmt.Errorf("the value is %d: it must be between %d and %d", *to, low, high)
		}
		return nil
	}}
}

func money(to *int64) key {
	return key{to: to, kind: "dollars, 0 to 1000000", take: func(raw json.RawMessage) error {
		var usd float64
		if err := strict(raw, &usd); err != nil {
			return err
		}
		mantissa, _, _ := strings.Cut(strings.ToLower(string(raw)), "e")
		if usd == 0 && strings.ContainsAny(mantissa, "123456789") {
			return fmt.Errorf("the value is %s: less than a millionth of a dollar is no budget", raw)
		}
		micros, err := Micros(usd)
		*to = micros
		return err
	}}
}

func plainly(to any, kind string) key {
	return key{to: to, kind: kind, take: func(raw json.RawMessage) error { return strict(raw, to) }}
}

// Micros is an amount of dollars in millionths, rounded down.
func Micros(usd float64) (int64, error) {
	if !(usd >= 0 && usd <= 1e6) {
		return 0, fmt.Errorf("the value is %g: it must be between 0 and 1000000", usd)
	}
	if usd > 0 && usd < 1e-6 {
		return 0, fmt.Errorf("the value is %g: less than a millionth of a dollar is no budget", usd)
	}
	return int64(usd * 1e6), nil
}

// unused are the original's keys that are kept and mean nothing here: its
// window, its storage, and limits that are found out instead of configured.
var unused = []string{
	"version", "ui", "active_chat_id", "project_root", "close_on_switch", "agent_max_output",
	"agent_memory_max_messages", "agent_memory_max_tokens", "agent_enable_planning", "agent_compact_prompt",
	"persistence_backend", "theme",
}

// read takes the members of a settings file.
func (s *Settings) read(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return &Error{s.File, 1, "is empty: write {} for no settings, or remove the file"}
	}
	known := s.keys()
	_, err := strictjson.Value(data) // nowhere in it does a key stand twice
	if err != nil {
		return &Error{s.File, strictjson.Line(err), err.Error()}
	}
	members, err := strictjson.List(data)
	if err != nil {
		return &Error{s.File, strictjson.Line(err), err.Error()}
	}
	for _, m := range members {
		k, ok := known[m.Name]
		if !ok {
			if slices.Contains(unused, m.Name) {
				s.Unused = append(s.Unused, m.Name)
				continue
			}
			return &Error{s.File, m.Line, unknownKey(m.Name, known)}
		}
		if err := k.take(m.Value); err != nil {
			return &Error{s.File, m.Line, fmt.Sprintf("%s: %s", m.Name, plain(err))}
		}
	}
	return nil
}

func unknownKey(name string, known map[string]key) string {
	best, distance := "", min(4, len(name)/2+1) // of a short word, everything is near
	for key := range known {
		if d := edits.Between(name, key); d < distance || d == distance && key < best {
			best, distance = key, d
		}
	}
	if best == "" {
		return fmt.Sprintf("unknown key %q: remove it; docs/reference.md lists all keys", name)
	}
	return fmt.Sprintf("unknown key %q: did you mean %q?", name, best)
}

// strict decodes a value that must be of the wanted type, with no members
// that nobody knows.
func strict(raw json.RawMessage, to any) error {
	v, err := strictjson.Value(raw)
	if err == nil {
		err = spelt(v, reflect.TypeOf(to))
	}
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	return dec.Decode(to)
}

// spelt holds names to the letter: the decoder takes "Fetch" for "fetch", and
// so two of them for one.
func spelt(v any, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := v.(type) {
	case nil:
		return errors.New("null is no value")
	case []any:
		for _, e := range v {
			if t.Kind() == reflect.Slice {
				if err := spelt(e, t.Elem()); err != nil {
					return err
				}
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			member, ok := memberOf(t, name)
			if !ok {
				return fmt.Errorf("unknown field %q", name)
			}
			if err := spelt(v[name], member); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil // of the wrong type, which the decoder says
}

// memberOf is the type of a member; ok is false when there is none of that name.
func memberOf(t reflect.Type, name string) (member reflect.Type, ok bool) {
	switch t.Kind() {
	case reflect.Map:
		return t.Elem(), true
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Tag.Get("json") == name {
				return f.Type, true
			}
		}
		return nil, false
	default:
		return t, true // of the wrong type, which the decoder says
	}
}

// plain says a decoding error in words of the file, not of the program.
func plain(err error) string {
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return fmt.Sprintf("a %s stands where something else is wanted (%s)", mismatch.Value, mismatch.Type)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
