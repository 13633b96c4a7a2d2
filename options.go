package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/cli"
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

// optionsOf returns the flags of single commands, with those of the commands that use another relay.
var optionsOf = func() map[string][]string {
	all := maps.Clone(ownOptions)
	for i := range cli.Elsewhere {
		name, _, _ := strings.Cut(cli.Elsewhere[i].Usage, " ")
		all[name] = cli.Elsewhere[i].Options
	}
	return all
}()

// options returns the flags of all single commands.
func options() (list []string) {
	for _, own := range optionsOf {
		list = append(list, own...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// refuseOptions refuses flags that the command does not have.
func refuseOptions(words []string, flags config.Flags) error {
	if flags.EndKeys && strings.Join(words, " ") != "keys rotate secret" {
		return fmt.Errorf("--end-keys is a flag of relay keys rotate secret; %w", errUsage)
	}
	for _, option := range slices.Sorted(maps.Keys(flags.Options)) {
		command := strings.Join(words[:min(2, len(words))], " ")
		if _, alone := optionsOf[words[0]]; alone {
			command = words[0]
		}
		if slices.Contains(optionsOf[command], option) {
			continue
		}
		for _, owner := range slices.Sorted(maps.Keys(optionsOf)) {
			if slices.Contains(optionsOf[owner], option) {
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
