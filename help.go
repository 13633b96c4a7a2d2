package main

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/config"
)

// settingsReference is the text of relay help settings.
//
//go:embed relay.example.env
var settingsReference string

// plain holds the commands that need no configuration.
var plain = []command{
	{usage: "version", help: "print the version", example: "version"},
	{usage: "help [COMMAND]", help: "print this text, or the usage of a command", example: "help doctor"},
	{usage: "help settings", help: "print every setting with its purpose, default and an example", example: "help settings > relay.env"},
}

// help prints the usage of the commands that begin with the words, every setting,
// or the list of all commands.
func help(w io.Writer, words []string) error {
	if len(words) > 0 && words[0] == "help" {
		words = words[1:]
	}
	switch {
	case len(words) == 0:
		helpAll(w)
		return nil
	case slices.Contains(words, "settings"):
		fmt.Fprint(w, settingsReference)
		return nil
	}
	known := slices.Concat(commands, plain)
	found := slices.DeleteFunc(slices.Clone(known), func(c command) bool { return !c.begins(words) })
	if len(found) == 0 {
		return fmt.Errorf("%s; %w", unknownCommand(words), errUsage)
	}
	helpOn(w, found)
	return nil
}

func helpAll(w io.Writer) {
	fmt.Fprint(w, "relay is a live-chat server in one binary.\n\nUsage: relay [command] [flags]\n\nCommands:\n")
	for _, c := range slices.Concat(commands, plain) {
		fmt.Fprintf(w, "  %-24s %s\n", c.usage, c.help)
	}
	fmt.Fprint(w, "\n", config.FlagHelp)
}

// helpOn prints the usage of the commands of one name. They share their flags.
func helpOn(w io.Writer, found []command) {
	fmt.Fprintln(w, "Usage:")
	for _, c := range found {
		fmt.Fprintf(w, "  %-30s %s\n", "relay "+c.usage, c.help)
	}
	if len(found[0].flags) > 0 {
		fmt.Fprint(w, "\nFlags:\n", config.FlagUsage(found[0].flags...))
	}
	fmt.Fprintln(w, "\nExample:")
	for _, c := range found {
		fmt.Fprintf(w, "  relay %s\n", c.example)
	}
	fmt.Fprint(w, "\nOther commands: ", strings.Join(names(), ", "), ".\nrelay help settings prints every setting.\n")
}

// names returns the first words of all commands.
func names() (list []string) {
	for _, c := range slices.Concat(commands, plain) {
		list = append(list, strings.Fields(c.usage)[0])
	}
	return slices.Compact(list)
}

// usages returns the usages of all commands.
func usages() (list []string) {
	for _, c := range slices.Concat(commands, plain) {
		list = append(list, c.usage)
	}
	return list
}

// begins reports whether the command begins with the words.
func (c command) begins(words []string) bool {
	want := strings.Fields(c.usage)
	return len(words) <= len(want) && slices.EqualFunc(want[:len(words)], words, same)
}

// same reports whether a word matches a word of a usage. An empty word, as from
// an unset variable of a script, is no FILE.
func same(want, word string) bool {
	return want == word || word != "" && want == strings.ToUpper(want)
}
