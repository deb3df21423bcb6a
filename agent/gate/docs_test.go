package gate_test

import (
	"os"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/agent/effect"
	"github.com/tera-pilot/tera-pilot/agent/gate"
)

const page = "../../docs/decisions.md"

// tablesOf reads the Markdown tables below a heading, without their heads.
func tablesOf(t *testing.T, heading string) [][][]string {
	t.Helper()
	raw, err := os.ReadFile(page)
	must(t, err)
	_, section, ok := strings.Cut(string(raw), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("%s has no heading %q", page, heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var out [][][]string
	inside := false
	for _, line := range strings.Split(section, "\n") {
		if !strings.HasPrefix(line, "|") {
			inside = false
			continue
		}
		if !inside {
			out, inside = append(out, nil), true
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		out[len(out)-1] = append(out[len(out)-1], cells)
	}
	for i := range out {
		out[i] = out[i][2:]
	}
	return out
}

func TestTheTableOfThePage(t *testing.T) {
	got := gate.TableForTest()
	rows := tablesOf(t, "The table")[0]
	if len(rows) != len(got) {
		t.Errorf("%d rows on the page, %d in the code", len(rows), len(got))
	}
	for _, cells := range rows {
		if want := got[cells[0]]; strings.Join(cells[1:], " ") != strings.Join(want[:], " ") {
			t.Errorf("%s: the page says %v, the code %v", cells[0], cells[1:], want)
		}
	}
}

func TestTheExamplesOfThePage(t *testing.T) {
	raw, err := os.ReadFile(page)
	must(t, err)
	_, policy, _ := strings.Cut(string(raw), "```toml\n")
	policy, _, _ = strings.Cut(policy, "```")
	tables := tablesOf(t, "Examples")
	if len(tables) != 2 {
		t.Fatalf("%d tables of examples", len(tables))
	}
	for i, files := range [][]string{nil, {"user", policy}} {
		for _, cells := range tables[i] {
			t.Run(strings.Join(cells, ", "), func(t *testing.T) {
				in := exampleInput(t, cells[0], cells[1])
				in.Rules = rules(t, files...)
				if d := gate.Decide(in); d.Answer.String() != cells[2] {
					t.Errorf("%v by %s (%s)", d.Answer, d.By, d.Reason)
				}
			})
		}
	}
}

func exampleInput(t *testing.T, claim, where string) gate.Input {
	verb, on, _ := strings.Cut(claim, " ")
	var e effect.Effect
	switch verb {
	case "read":
		e = read(on)
	case "write":
		e = write(on)
	case "create":
		e = create(on)
	case "run":
		e = run(on)
	case "git":
		e = git(map[string]effect.GitClass{"status": effect.GitReads, "commit": effect.GitWrites}[on], on)
	case "push":
		e = push(on)
	case "fetch":
		e = fetch(on)
	default:
		t.Fatalf("unknown claim %q", claim)
	}
	in := base(e)
	for _, word := range strings.Split(where, ", ") {
		switch word {
		case "terminal":
		case "run":
			in.Front, in.CanAsk, in.Interactive = gate.FrontRun, false, false
		case "acp":
			in.Front, in.Interactive = gate.FrontACP, false
		case "no-confirm":
			in.OptOut = true
		case "tainted":
			in.Taint = []string{"README.md"}
		case "plan":
			in.Plan = true
		default:
			level, err := gate.ParseLevel(word)
			must(t, err)
			in.Level = level
		}
	}
	return in
}
