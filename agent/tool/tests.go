package tool

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/effect"
)

// tested says what a command that a model wrote itself is worth as a check of
// its changes: whether it runs tests at all, and whether it is, to the letter,
// one of those that the project's files name.
func tested(ctx context.Context, v View, script string, x effect.Effect) (tests, check bool, err error) {
	if x.Exec == nil || !runsTests(x.Exec) {
		return false, false, nil
	}
	checks, err := v.Checks(ctx)
	if err != nil {
		return false, false, err
	}
	script = strings.TrimSpace(script)
	return true, slices.ContainsFunc(checks, func(c Check) bool { return c.Command == script }), nil
}

// runsTests says that one of a command's parts runs tests.
func runsTests(x *effect.Command) bool {
	return x.Parsed && slices.ContainsFunc(x.Parts, func(p effect.Part) bool {
		return p.Known && len(p.Argv) > 0 && testRun(path.Base(p.Argv[0]), p.Argv[1:])
	})
}

// testRun knows the everyday test runners. What it does not know costs the
// model one reminder, and nothing else.
func testRun(program string, args []string) bool {
	switch program {
	case "pytest", "py.test", "tox", "nox", "jest", "vitest", "mocha", "ava", "tap", "rspec", "phpunit", "ctest", "gotestsum", "nextest":
		return true
	case "go", "cargo", "dotnet", "mix", "deno", "bun", "swift", "zig", "mvn", "gradle", "gradlew", "mvnw", "make", "just", "task", "rake":
		return slices.ContainsFunc(args, func(a string) bool { return a == "test" || a == "check" || a == "nextest" })
	case "npm", "pnpm", "yarn":
		return slices.ContainsFunc(args, func(a string) bool { return a == "t" || a == "test" || strings.HasPrefix(a, "test:") })
	case "node":
		return slices.Contains(args, "--test")
	}
	if strings.HasPrefix(program, "python") {
		i := slices.Index(args, "-m")
		return i >= 0 && i+1 < len(args) && (args[i+1] == "pytest" || args[i+1] == "unittest")
	}
	return false
}
