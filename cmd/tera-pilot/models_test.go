package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// modelsRun runs one command line in this process, with files for its streams.
func modelsRun(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	open := func(name, text string) *os.File {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(file, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	p := process{args: append([]string{"models"}, args...), stdin: open("in", stdin), stdout: open("out", ""), stderr: open("err", "")}
	code = run(t.Context(), p)
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	return code, read("out"), read("err")
}

const repliesSuite = "../../testdata/suites/model-replies"

// TestModelsDecodeSuite sends every model-reply case through the command line,
// whole and byte by byte. It needs no home folder and no environment.
func TestModelsDecodeSuite(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(repliesSuite, "[a-z]*.json"))
	if err != nil || len(files) < 48 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c struct {
			Name, Protocol string
			HTTP           struct {
				Status  int
				Headers map[string]string
			}
			Profile json.RawMessage
			Chunks  []string
			Expect  map[string]any
		}
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatal(err)
		}
		args := []string{"decode", "--protocol", c.Protocol, "--status", strconv.Itoa(c.HTTP.Status), "--tools", filepath.Join(repliesSuite, "_tools.json")}
		for k, v := range c.HTTP.Headers {
			args = append(args, "--header", k+": "+v)
		}
		if c.Profile != nil {
			args = append(args, "--profile", string(c.Profile))
		}
		for _, chunk := range []string{"0", "1"} {
			t.Run(c.Name+" "+chunk, func(t *testing.T) {
				code, out, errs := modelsRun(t, strings.Join(c.Chunks, ""), append(args, "--chunk", chunk)...)
				if code != 0 || errs != "" {
					t.Fatal(code, errs)
				}
				var got map[string]any
				if err := json.Unmarshal([]byte(out), &got); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(likeExpect(c.Expect, c.Expect), likeExpect(got, c.Expect)); diff != "" {
					t.Error(diff)
				}
				hidden, _ := c.Expect["display_must_not_contain"].([]any)
				for _, s := range hidden {
					if strings.Contains(out, s.(string)) {
						t.Errorf("the output holds %q", s)
					}
				}
			})
		}
	}
}

// likeExpect leaves out what the case does not check, and sorts repairs.
func likeExpect(v, expect map[string]any) map[string]any {
	out := map[string]any{}
	for k, x := range v {
		_, checked := expect[k]
		if k == "display_must_not_contain" || (k == "usage" || k == "warnings") && !checked {
			continue
		}
		out[k] = x
	}
	calls, _ := out["tool_calls"].([]any)
	wanted, _ := expect["tool_calls"].([]any)
	var copied []any
	for i, c := range calls {
		call := map[string]any{}
		for k, x := range c.(map[string]any) {
			call[k] = x
		}
		if i < len(wanted) && wanted[i].(map[string]any)["id"] == "*" && call["id"] != "" {
			call["id"] = "*"
		}
		repairs, _ := call["repairs"].([]any)
		slices.SortFunc(repairs, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		copied = append(copied, call)
	}
	out["tool_calls"] = copied
	return out
}

func TestModelsDecodeRefusals(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(file, []byte(`{"tolls":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"--protocol must be one of": {"decode"},
		"--protocol must be one":    {"decode", "--protocol", "morse"},
		"needs --status":            {"decode", "--protocol", "http-error"},
		"is no 'name: value'":       {"decode", "--protocol", "gemini-sse", "--header", "x"},
		"unknown field \"tolls\"":   {"decode", "--protocol", "gemini-sse", "--tools", file},
		"no such file":              {"decode", "--protocol", "gemini-sse", "--tools", file + "x"},
		"--profile":                 {"decode", "--protocol", "gemini-sse", "--profile", "{"},
		"text_calls is auto or off": {"decode", "--protocol", "gemini-sse", "--profile", `{"text_calls":"yes"}`},
		"--chunk not negative":      {"decode", "--protocol", "gemini-sse", "--chunk", "-1"},
		"no provider has the id":    {"list", "nobody"},
		"models has no command":     {"renew"},
		"the id \"somebody\"":       {"refresh", "somebody"},
		"unknown command":           {"decode", "x"},
	} {
		code, out, errs := modelsRun(t, "", args...)
		if code != exitUsage || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: %d %q %q", args, code, out, errs)
		}
	}
}

func TestModelsListAndProbe(t *testing.T) {
	code, out, errs := modelsRun(t, "", "list")
	if code != 0 || errs != "" || !strings.Contains(out, "anthropic") || !strings.Contains(out, "$0.435 in, $0.87 out") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	code, out, _ = modelsRun(t, "", "list", "--json", "deepseek")
	if code != 0 || strings.Count(out, "\n") < 2 || !json.Valid([]byte(strings.SplitN(out, "\n", 2)[0])) {
		t.Errorf("%d %q", code, out)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			_, _ = w.Write([]byte(`{"data":[{"id":"q\u001b[2J\u202e"}]}`))
		}
	}))
	defer srv.Close()
	code, out, errs = modelsRun(t, "", "probe", srv.URL)
	if code != 0 || errs != "" || !strings.Contains(out, "local") || strings.ContainsAny(out, "\x1b\u202e") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if code, out, _ = modelsRun(t, "", "probe", "http://192.168.1.5:80"); code != 0 || !strings.Contains(out, "nothing answers") {
		t.Errorf("%d %q", code, out)
	}
}
