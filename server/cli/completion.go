// Package cli has the commands that use a relay elsewhere, completes relay's command lines and shows
// the progress of commands.
package cli

import (
	"fmt"
	"slices"
	"strings"
)

// Shells are those that [Completion] knows.
var Shells = []string{"bash", "zsh", "fish"}

// Completion returns a script for a shell that completes relay's commands, by their
// usages, and flags. A word in capitals stands for a file.
func Completion(shell string, usages, flags []string) string {
	next := map[string][]string{}
	for _, usage := range usages {
		words := strings.Fields(usage)
		for i, word := range words {
			if before := strings.Join(words[:i], " "); isWord(word) && !slices.Contains(next[before], word) {
				next[before] = append(next[before], word)
			}
		}
	}
	befores := make([]string, 0, len(next))
	for before := range next {
		befores = append(befores, before)
	}
	slices.Sort(befores)
	return scripts[shell](befores, next, strings.Join(flags, " "))
}

func isWord(word string) bool { return strings.ToLower(word) == word }

var scripts = map[string]func(befores []string, next map[string][]string, flags string) string{"bash": bash, "zsh": zsh, "fish": fish}

func bash(befores []string, next map[string][]string, flags string) string {
	var b strings.Builder
	b.WriteString("# relay completion bash > /etc/bash_completion.d/relay\n_relay() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} words=\n" +
		"\tif [[ $cur == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W '" + flags + "' -- \"$cur\"))\n\t\treturn\n\tfi\n" +
		"\tcase \"${COMP_WORDS[*]:1:COMP_CWORD-1}\" in\n")
	for _, before := range befores {
		fmt.Fprintf(&b, "\t'%s') words='%s' ;;\n", before, strings.Join(next[before], " "))
	}
	b.WriteString("\tesac\n\tif [[ $words ]]; then\n\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n\telse\n" +
		"\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\tfi\n}\ncomplete -F _relay relay\n")
	return b.String()
}

func zsh(befores []string, next map[string][]string, flags string) string {
	var b strings.Builder
	b.WriteString("#compdef relay\n# relay completion zsh > \"${fpath[1]}/_relay\"\nif [[ $PREFIX == -* ]]; then\n\tcompadd -- " + flags + "\n\treturn\nfi\n" +
		"case \"${words[2,CURRENT-1]}\" in\n")
	for _, before := range befores {
		fmt.Fprintf(&b, "'%s') compadd -- %s ;;\n", before, strings.Join(next[before], " "))
	}
	b.WriteString("*) _files ;;\nesac\n")
	return b.String()
}

func fish(befores []string, next map[string][]string, flags string) string {
	var b strings.Builder
	b.WriteString("# relay completion fish > ~/.config/fish/completions/relay.fish\nfunction __relay_after\n\tset -l words (commandline -opc)\n" +
		"\tset -e words[1]\n\ttest \"$words\" = \"$argv\"\nend\n")
	for _, before := range befores {
		fmt.Fprintf(&b, "complete -c relay -f -n '__relay_after %s' -a '%s'\n", before, strings.Join(next[before], " "))
	}
	for flag := range strings.FieldsSeq(flags) {
		fmt.Fprintf(&b, "complete -c relay -l %s\n", strings.TrimPrefix(flag, "--"))
	}
	return b.String()
}
