package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/model"
	"github.com/tera-pilot/tera-pilot/internal/visible"
)

// decodeFlags are the flags of models decode.
type decodeFlags struct {
	protocol string
	status   int
	headers  []string
	tools    string
	profile  string
	chunk    int
}

func (a *app) modelsDecodeCommand() *cobra.Command {
	var f decodeFlags
	c := &cobra.Command{
		Use:   "decode --protocol P",
		Short: "Read one raw reply body on stdin, and print what tera-pilot makes of it",
		Long: "The body goes through the same client and normaliser as a live reply.\n" +
			"Protocols: " + strings.Join(model.RecordingProtocols(), ", ") + ".",
		Args: modelsArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			r, err := a.recording(f)
			if err != nil {
				return err
			}
			reply, err := model.Decode(c.Context(), r)
			if err != nil {
				return usage("%w", err)
			}
			return printExpectation(a.stdout, model.Expect(reply))
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.protocol, "protocol", "", "protocol of the body")
	fl.IntVar(&f.status, "status", 0, "HTTP status of the reply (default 200)")
	fl.StringArrayVar(&f.headers, "header", nil, "header of the reply, as 'name: value'")
	fl.StringVar(&f.tools, "tools", "", "file with the tools on offer (default: none)")
	fl.StringVar(&f.profile, "profile", "", "JSON object that overlays the default profile")
	fl.IntVar(&f.chunk, "chunk", 0, "bytes that arrive at once (default: all)")
	return c
}

// recording puts the flags and stdin together.
func (a *app) recording(f decodeFlags) (model.Recording, error) {
	r := model.Recording{Protocol: f.protocol, Status: f.status, Header: http.Header{}, Chunk: f.chunk}
	if !slices.Contains(model.RecordingProtocols(), f.protocol) {
		return r, usage("--protocol must be one of %s", strings.Join(model.RecordingProtocols(), ", "))
	}
	if f.protocol == "http-error" && f.status < 300 {
		return r, usage("http-error needs --status, of 300 or more")
	}
	if f.status != 0 && (f.status < 200 || f.status > 599) || f.chunk < 0 {
		return r, usage("--status is from 200 to 599, and --chunk not negative")
	}
	for _, h := range f.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return r, usage("--header %q is no 'name: value'", h)
		}
		r.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if err := a.decodeTools(f, &r); err != nil {
		return r, err
	}
	var err error
	r.Body, err = io.ReadAll(a.stdin)
	if err != nil {
		return r, usage("the body on stdin could not be read: %w", err)
	}
	return r, nil
}

// toolsFile is a file in the form of _tools.json of the model-reply cases.
type toolsFile struct {
	Tools []struct {
		Name        string          `json:"name"`
		Effect      string          `json:"effect"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"schema"`
	} `json:"tools"`
	Aliases   map[string]string `json:"aliases"`
	NameRules []string          `json:"name_rules"`
	Profile   decodeProfile     `json:"default_profile"`
}

type decodeProfile struct {
	TextCalls model.TextCalls `json:"text_calls"`
	NumCtx    int64           `json:"num_ctx"`
	Estimated int64           `json:"estimated_prompt_tokens"`
}

func (a *app) decodeTools(f decodeFlags, r *model.Recording) error {
	var file toolsFile
	if f.tools != "" {
		data, err := os.ReadFile(f.tools)
		if err != nil {
			return usage("the tools on offer cannot be read: %w", err)
		}
		if err := strictJSON(data, &file); err != nil {
			return usage("%s: %w", f.tools, err)
		}
	}
	for _, t := range file.Tools {
		spec := model.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Schema}
		for alias, name := range file.Aliases {
			if name == t.Name {
				spec.Aliases = append(spec.Aliases, alias)
			}
		}
		slices.Sort(spec.Aliases)
		r.Tools = append(r.Tools, spec)
	}
	profile := file.Profile
	if f.profile != "" {
		if err := a.overlay(f.profile, &profile); err != nil {
			return err
		}
	}
	switch profile.TextCalls {
	case "", model.TextCallsAuto, model.TextCallsOff:
	default:
		return usage("text_calls is auto or off, not %q", string(profile.TextCalls))
	}
	r.Profile = model.Profile{TextCalls: profile.TextCalls, NumCtx: profile.NumCtx, EstimatedPromptTokens: profile.Estimated}
	return nil
}

// overlay lays --profile over the default one. Keys that mean nothing here are
// named and passed over: recordings of other tools carry such.
func (a *app) overlay(text string, profile *decodeProfile) error {
	var keys map[string]json.RawMessage
	if err := strictJSON([]byte(text), &keys); err != nil {
		return usage("--profile: %w", err)
	}
	if err := json.Unmarshal([]byte(text), profile); err != nil {
		return usage("--profile: %w", err)
	}
	for key := range keys {
		if !slices.Contains([]string{"text_calls", "num_ctx", "estimated_prompt_tokens"}, key) {
			fmt.Fprintf(a.stderr, "tera-pilot: --profile: %s means nothing here\n", visible.Strict(key))
		}
	}
	return nil
}

// strictJSON decodes one value over v; an unknown member refuses.
func strictJSON(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if d.More() {
		return fmt.Errorf("something follows the JSON value")
	}
	return nil
}

// printExpectation writes JSON that is safe on a terminal: characters that
// nobody would see, or that would move the cursor, are escaped.
func printExpectation(w io.Writer, e model.Expectation) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(e); err != nil {
		return err
	}
	var out strings.Builder
	for _, r := range b.String() {
		switch {
		case r == '\n' || !visible.Hidden(r):
			out.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}
