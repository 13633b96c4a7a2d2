package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/config"
)

// ownOptions are the flags of single commands, by the words that the command begins with.
var ownOptions = map[string][]string{
	"knowledge add": {"--site"},
	"knowledge ask": {"--site"},
	"keys add":      {"--scope", "--site", "--expires"},
	"people add":    {"--site"},
	"sites add":     {"--id", "--color", "--origin", "--key"},
	"sites erase":   {"--name"},
	"sites import":  {"--id", "--name"},
}

// options returns the flags of all single commands.
func options() (list []string) {
	for _, own := range ownOptions {
		list = append(list, own...)
	}
	slices.Sort(list)
	return list
}

// refuseOptions refuses flags that the command does not have.
func refuseOptions(words []string, flags config.Flags) error {
	for _, option := range slices.Sorted(maps.Keys(flags.Options)) {
		command := strings.Join(words[:min(2, len(words))], " ")
		if slices.Contains(ownOptions[command], option) {
			continue
		}
		for _, owner := range slices.Sorted(maps.Keys(ownOptions)) {
			if slices.Contains(ownOptions[owner], option) {
				return fmt.Errorf("%s is a flag of relay %s, not of relay %s; %w", option, owner, command, errUsage)
			}
		}
	}
	return nil
}

// option returns the value of a flag of the command, nil when it is not given.
func (a *app) option(name string) *string {
	if given := a.line.flags.Options[name]; len(given) > 0 {
		return &given[len(given)-1]
	}
	return nil
}
