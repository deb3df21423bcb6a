package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Parse reads a script. Errors name the line.
func Parse(data []byte) (*Scenario, error) {
	d := &decoder{data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	s := &Scenario{}
	err := d.object("the script", func(key string) error {
		switch key {
		case "steps":
			return d.array(key, func() error {
				step, err := d.step()
				s.Steps = append(s.Steps, step)
				return err
			})
		}
		return errUnknown
	})
	if err != nil {
		return nil, err
	}
	if _, err := d.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, d.errorf("something follows the script")
	}
	if len(s.Steps) == 0 {
		return nil, errors.New("line 1: the script has no steps")
	}
	return s, nil
}

// errUnknown is what a member function says of a key that it does not know.
var errUnknown = errors.New("unknown member")

// decoder reads JSON member by member, so that each error has a line.
type decoder struct {
	data []byte
	dec  *json.Decoder
}

func (d *decoder) line() int {
	return 1 + bytes.Count(d.data[:min(int(d.dec.InputOffset()), len(d.data))], []byte("\n"))
}

func (d *decoder) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %w", d.line(), fmt.Errorf(format, args...))
}

// delim reads one of the four brackets.
func (d *decoder) delim(want json.Delim, what string) error {
	token, err := d.dec.Token()
	if err != nil {
		return d.errorf("%s: %w", what, err)
	}
	if token != want {
		return d.errorf("%s must begin with %s", what, want)
	}
	return nil
}

// object reads an object and calls member after each key. A key that comes
// twice, or that member does not know, is an error.
func (d *decoder) object(what string, member func(key string) error) error {
	if err := d.delim('{', what); err != nil {
		return err
	}
	seen := map[string]bool{}
	for d.dec.More() {
		token, err := d.dec.Token()
		if err != nil {
			return d.errorf("%s: %w", what, err)
		}
		key, _ := token.(string)
		if seen[key] {
			return d.errorf("%s has %q twice", what, key)
		}
		seen[key] = true
		line := d.line()
		if err := member(key); errors.Is(err, errUnknown) {
			return fmt.Errorf("line %d: %s has no member %q", line, what, key)
		} else if err != nil {
			return err
		}
	}
	if _, err := d.dec.Token(); err != nil {
		return d.errorf("%s: %w", what, err)
	}
	return nil
}

func (d *decoder) array(what string, element func() error) error {
	if err := d.delim('[', what); err != nil {
		return err
	}
	for d.dec.More() {
		if err := element(); err != nil {
			return err
		}
	}
	if _, err := d.dec.Token(); err != nil {
		return d.errorf("%s: %w", what, err)
	}
	return nil
}

// value decodes one value into v, which says what kind it must have.
func (d *decoder) value(key string, v any) error {
	var raw json.RawMessage
	if err := d.dec.Decode(&raw); err != nil {
		return d.errorf("%s: %w", key, err)
	}
	if err := json.Unmarshal(raw, v); err != nil || string(raw) == "null" {
		return d.errorf("%s has a value of the wrong kind: %s", key, raw)
	}
	return nil
}

func (d *decoder) step() (Step, error) {
	s := Step{Shape: Shape{Times: 1}}
	var err error
	first, speaks := true, false
	oops := d.object("a step", func(key string) error {
		if first {
			s.Line, first = d.line(), false
		}
		switch key {
		case "say":
			speaks = true
			return d.value(key, &s.Say)
		case "think":
			return d.value(key, &s.Think)
		case "when":
			s.When, err = d.when()
			return err
		case "calls":
			return d.array(key, func() error {
				call, err := d.call()
				s.Calls = append(s.Calls, call)
				return err
			})
		default:
			return d.shape(key, &s.Shape)
		}
	})
	if oops == nil && !speaks && s.Think == "" && s.Calls == nil {
		oops = d.errorf("a step must have say, think or calls")
	}
	return s, oops
}

// shape reads the members that shape the stream of a step.
func (d *decoder) shape(key string, s *Shape) error {
	switch key {
	case "delay_ms":
		return d.duration(key, &s.Delay, time.Millisecond)
	case "retry_after_s":
		return d.duration(key, &s.RetryAfter, time.Second)
	case "chunk":
		return d.count(key, &s.Chunk, 1)
	case "at":
		return d.count(key, &s.At, 0)
	case "times":
		return d.count(key, &s.Times, 1)
	case "fault":
		return d.fault(key, &s.Fault)
	}
	return errUnknown
}

// count reads a whole number that is at least least.
func (d *decoder) count(key string, n *int, least int) error {
	if err := d.value(key, n); err != nil {
		return err
	}
	if *n < least || *n > 1<<24 {
		return d.errorf("%s must be a number from %d on", key, least)
	}
	return nil
}

func (d *decoder) duration(key string, t *time.Duration, unit time.Duration) error {
	var n int
	err := d.count(key, &n, 0)
	*t = time.Duration(n) * unit
	return err
}

// fault reads a fault; 429 and 500 may be numbers too.
func (d *decoder) fault(key string, f *Fault) error {
	var v any
	if err := d.value(key, &v); err != nil {
		return err
	}
	*f = Fault(fmt.Sprint(v))
	switch *f {
	case FaultCut, FaultStall, Fault429, Fault500, FaultBadUTF8:
		return nil
	}
	return d.errorf("fault must be cut, stall, 429, 500 or bad_utf8, and is %v", v)
}

func (d *decoder) call() (Call, error) {
	c := Call{Args: json.RawMessage("{}")}
	err := d.object("a call", func(key string) error {
		switch key {
		case "id":
			return d.value(key, &c.ID)
		case "tool":
			return d.value(key, &c.Tool)
		case "args":
			var object map[string]json.RawMessage
			raw := json.RawMessage{}
			if err := d.dec.Decode(&raw); err != nil {
				return d.errorf("args: %w", err)
			}
			if json.Unmarshal(raw, &object) != nil || object == nil {
				return d.errorf("args must be an object")
			}
			var line bytes.Buffer
			if err := json.Compact(&line, raw); err != nil {
				return d.errorf("args: %w", err)
			}
			c.Args = line.Bytes()
			return nil
		}
		return errUnknown
	})
	if err == nil && c.Tool == "" {
		err = d.errorf("a call must name its tool")
	}
	return c, err
}

func (d *decoder) when() (*When, error) {
	w := &When{}
	err := d.object("when", func(key string) error {
		switch key {
		case "tool":
			return d.value(key, &w.Tool)
		case "exit":
			return d.value(key, &w.Exit)
		case "decision":
			if err := d.value(key, &w.Decision); err != nil {
				return err
			}
			switch w.Decision {
			case "allowed", "approved", "denied", "blocked":
				return nil
			}
			return d.errorf("decision must be allowed, approved, denied or blocked")
		case "contains":
			return d.value(key, &w.Contains)
		}
		return errUnknown
	})
	return w, err
}
