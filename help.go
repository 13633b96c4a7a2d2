package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/cli"
	"github.com/relay-chat/relay/server/commands"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
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
	case slices.Equal(words, []string{"settings"}):
		fmt.Fprint(w, settingsReference)
		return nil
	}
	known := slices.Concat(table, elsewhere, plain)
	found := slices.DeleteFunc(slices.Clone(known), func(c command) bool { return !c.begins(words) })
	if len(found) == 0 {
		return fmt.Errorf("%s; %w", unknownCommand(words), commands.ErrUsage)
	}
	helpOn(w, found)
	return nil
}

func helpAll(w io.Writer) {
	fmt.Fprint(w, "relay is a live-chat server in one binary.\n\nUsage: relay [command] [flags]\n\nCommands:\n")
	for _, c := range slices.Concat(table, elsewhere, plain) {
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
		fmt.Fprint(w, "\nFlags:\n", variables.FlagUsage(found[0].flags...))
	}
	if slices.ContainsFunc(elsewhere, func(c command) bool { return c.usage == found[0].usage }) {
		fmt.Fprintf(w, "\n%s\n", cli.Needs)
	}
	fmt.Fprintln(w, "\nExample:")
	for _, c := range found {
		fmt.Fprintf(w, "  relay %s\n", c.example)
	}
	fmt.Fprint(w, "\nOther commands: ", strings.Join(names(), ", "), ".\nrelay help settings prints every setting.\n")
}

// names returns the first words of all commands.
func names() (list []string) {
	for _, c := range slices.Concat(table, elsewhere, plain) {
		list = append(list, strings.Fields(c.usage)[0])
	}
	return slices.Compact(list)
}

// usages returns the usages of all commands.
func usages() (list []string) {
	for _, c := range slices.Concat(table, elsewhere, plain) {
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

// answerFrom returns the names of the configured bridges, and warns of incompletely
// configured ones.
func (a *app) answerFrom(engine *engine.Engine, kinds []bridges.Kind, set *bridges.Set) []string {
	for _, problem := range bridges.HalfSetUp(kinds, engine.Settings()) {
		a.log.Warn(problem + "; run relay doctor for details")
	}
	if problem := bridges.MailHalfSetUp(engine.Settings(), a.cfg.PublicURL); problem != "" && a.cfg.Mode != chat.ModeBridge {
		a.log.Warn(problem)
	}
	return set.Names()
}

// announceBridge prints or logs the addresses that a backend needs.
func (a *app) announceBridge(base string, settings *chat.Settings, platforms []string) {
	answerFrom := strings.Join(platforms, ", ")
	if answerFrom == "" && settings.Text("eventsWebhookUrl") == "" {
		a.log.Warn("no bridge is set up and EVENTS_WEBHOOK_URL is not set: messages from the backend reach nobody")
	}
	if settings.Mail().Server != "" || settings.Mailbox().On() {
		a.log.Warn("SMTP_URL and IMAP_URL have no effect in bridge mode: the backend writes e-mails to its visitors itself")
	}
	if a.cfg.LogFormat == config.LogJSON {
		if a.cfg.APIKey == "" {
			a.log.Warn("API_KEY is not set: anyone who can reach this port can write to your team and read the stream")
		}
		a.log.Info("relay is running", "version", version, "mode", a.cfg.Mode, "api", base+"/api", "docs", base+"/docs", "answer_from", answerFrom)
		return
	}
	key := "API_KEY"
	if a.cfg.APIKey == "" {
		key = "none! Everybody who reaches this port can write to your team and read the stream: set API_KEY"
	}
	fmt.Fprintf(a.stdout, "\nrelay %s is running as a bridge server. Ctrl-C stops it.\n\n  API     %s/api\n  Stream  %s/api/events/stream\n  Docs    %s/docs\n  Answer  %s\n  Key     %s\n\n",
		version, base, base, base, cmp.Or(answerFrom, "nowhere yet: no bridge is set up"), key)
}

// announce prints or logs the addresses to open. Base is that of relay's pages.
func (a *app) announce(base string, keys *keyring.Ring, platforms []string) {
	answerFrom := strings.Join(append([]string{"console"}, platforms...), ", ")
	start, hint := base+"/", ""
	if keys.SetupOpen() {
		start, hint = base+"/?setup="+keys.SetupCode(), "  (shows your keys: keep this address to yourself)"
	}
	if a.cfg.PublicURL != "" && a.cfg.PagesURL() == "" {
		a.log.Warn("PUBLIC_URL has a path: only the widget and the API work there. For the console give relay a host name of its own, like https://chat.example.com")
	}
	tunnel := server.Tunnel(base, a.line.environ, runtime.GOOS)
	if a.cfg.LogFormat == config.LogJSON {
		a.log.Info("relay is running", "version", version, "start", start, "demo", base+"/demo", "console", base+"/console", "answer_from", answerFrom, "tunnel", tunnel)
		return
	}
	fmt.Fprintf(a.stdout, "\nrelay %s is running. Ctrl-C stops it.\n\n  Start    %s%s\n  Demo     %s\n  Console  %s\n  Answer   %s\n\n",
		version, start, hint, base+"/demo", base+"/console", answerFrom)
	if tunnel != "" {
		fmt.Fprintf(a.stdout, "If this is a server, run this on your own computer and open the addresses there:\n\n  %s\n\n", tunnel)
	}
}
