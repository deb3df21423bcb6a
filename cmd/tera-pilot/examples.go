package main

import "github.com/spf13/cobra"

// examples are those of the commands that have few words to say, by their
// path. Commands that need more of them have their own.
func examples() map[string]string {
	return map[string]string{
		"tera-pilot":                       "  tera-pilot\n  tera-pilot --continue\n  tera-pilot --autonomy new_files_only ~/src/project",
		"tera-pilot audit":                 "  tera-pilot audit verify\n  tera-pilot audit show --status blocked",
		"tera-pilot audit anchor":          "  tera-pilot audit anchor > anchor.txt",
		"tera-pilot audit export":          "  tera-pilot audit export --since 48h --out evidence.json",
		"tera-pilot audit head":            "  tera-pilot audit head",
		"tera-pilot audit key":             "  tera-pilot audit key rotate --new-root",
		"tera-pilot audit key adopt":       "  tera-pilot audit key adopt",
		"tera-pilot audit key rotate":      "  tera-pilot audit key rotate --new-root",
		"tera-pilot audit prove":           "  tera-pilot audit prove 42 > proof.json",
		"tera-pilot audit redact":          "  tera-pilot audit redact 42 43",
		"tera-pilot audit show":            "  tera-pilot audit show\n  tera-pilot audit show 42",
		"tera-pilot completion":            "  tera-pilot completion bash > ~/.local/share/bash-completion/completions/tera-pilot",
		"tera-pilot completion bash":       "  tera-pilot completion bash > ~/.local/share/bash-completion/completions/tera-pilot",
		"tera-pilot completion fish":       "  tera-pilot completion fish > ~/.config/fish/completions/tera-pilot.fish",
		"tera-pilot completion powershell": "  tera-pilot completion powershell > tera-pilot.ps1",
		"tera-pilot completion zsh":        "  tera-pilot completion zsh > ~/.zfunc/_tera-pilot",
		"tera-pilot demo":                  "  tera-pilot demo\n  tera-pilot demo --auto",
		"tera-pilot keys":                  "  tera-pilot keys set anthropic --from stdin < key.txt\n  tera-pilot keys list",
		"tera-pilot keys list":             "  tera-pilot keys list",
		"tera-pilot keys remove":           "  tera-pilot keys remove anthropic",
		"tera-pilot mcp":                   "  tera-pilot mcp add notes -- /usr/local/bin/notes-server\n  tera-pilot mcp approve notes",
		"tera-pilot mcp list":              "  tera-pilot mcp list",
		"tera-pilot mcp remove":            "  tera-pilot mcp remove notes",
		"tera-pilot models":                "  tera-pilot models list\n  tera-pilot models probe",
		"tera-pilot models decode":         "  tera-pilot models decode --protocol anthropic < reply.txt",
		"tera-pilot models probe":          "  tera-pilot models probe\n  tera-pilot models probe http://127.0.0.1:8080",
		"tera-pilot policy":                "  tera-pilot policy explain 'rm -rf build'\n  tera-pilot policy list",
		"tera-pilot policy decide":         "  echo '{\"id\":1,\"command\":\"ls\"}' | tera-pilot policy decide",
		"tera-pilot policy explain":        "  tera-pilot policy explain 'go test ./...'",
		"tera-pilot policy forget":         "  tera-pilot policy list\n  tera-pilot policy forget r-1a2b3c",
		"tera-pilot policy list":           "  tera-pilot policy list",
		"tera-pilot policy test":           "  tera-pilot policy test\n  tera-pilot policy test new-policy.toml",
		"tera-pilot prompt":                "  tera-pilot prompt set < words.txt\n  tera-pilot prompt show",
		"tera-pilot prompt remove":         "  tera-pilot prompt remove",
		"tera-pilot prompt show":           "  tera-pilot prompt show",
		"tera-pilot sandbox":               "  tera-pilot sandbox -- go test ./...\n  tera-pilot sandbox --profile net --allow-host example.org -- curl -sS https://example.org",
		"tera-pilot sessions":              "  tera-pilot sessions list\n  tera-pilot sessions show 20261129-0123456789ab",
		"tera-pilot sessions archive":      "  tera-pilot sessions archive 20261129-0123456789ab",
		"tera-pilot sessions list":         "  tera-pilot sessions list\n  tera-pilot sessions list --find parser",
		"tera-pilot sessions name":         "  tera-pilot sessions name 20261129-0123456789ab the parser",
		"tera-pilot sessions search":       "  tera-pilot sessions search 'race detector'",
		"tera-pilot sessions show":         "  tera-pilot sessions show 20261129-0123456789ab",
		"tera-pilot web":                   "  tera-pilot web check https://example.org/\n  tera-pilot web fetch https://example.org/",
	}
}

// giveExamples puts them where a command has none.
func giveExamples(cmd *cobra.Command, all map[string]string) {
	if cmd.Example == "" {
		cmd.Example = all[cmd.CommandPath()]
	}
	for _, sub := range cmd.Commands() {
		giveExamples(sub, all)
	}
}
