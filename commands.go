package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/signon"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/cli"
	"github.com/relay-chat/relay/server/commands"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/systemd"
)

// command is a sub-command. Capitals in its usage stand for any word.
type command struct {
	usage, help string
	run         func(ctx context.Context, a *app, arg string) error
	flags       []string // the settings that matter most to it
	example     string   // what follows relay
}

var (
	onDatabase = []string{"DATABASE_URL"}
	onWebhook  = []string{"DATABASE_URL", "EVENTS_WEBHOOK_URL", "EVENTS_WEBHOOK_SECRET"}
)

// table lists the commands that have a configuration: the servers, those of package commands, and the tools.
var table = slices.Concat(servers, stored, tools)

var servers = []command{
	{"serve", "run the community server; the default without a command", serve,
		[]string{"HOST", "PORT", "PUBLIC_URL", "DATABASE_URL", "RELAY_SETUP"}, "serve --port 8080 --database-url sqlite:///var/lib/relay/relay.db"},
	{"bridge", "run the bridge server, for your own backend", serve,
		[]string{"HOST", "PORT", "API_KEY", "EVENTS_WEBHOOK_URL", "EVENTS_WEBHOOK_SECRET"}, "bridge --port 3001 --api-key-file /run/secrets/api_key"},
}

// stored are the commands of package commands.
var stored = func() (list []command) {
	for _, c := range commands.List {
		run := func(ctx context.Context, a *app, arg string) error { return c.Run(ctx, a.call(), arg) }
		list = append(list, command{c.Usage, c.Help, run, c.Flags, c.Example})
	}
	return list
}()

var tools = []command{
	{"doctor", "check database, public address and bridges, and explain how to fix each problem", doctor,
		[]string{"DATABASE_URL", "PUBLIC_URL", "RELAY_MODE"}, "doctor --env-file /etc/relay/relay.env"},
	{"manifest", "print the manifest to create the Slack app from", manifest, []string{"PUBLIC_URL", "SLACK_SIGNING_SECRET"}, "manifest > manifest.yaml"},
	{"backup FILE", "copy the SQLite database to FILE, even while relay runs", backup, onDatabase, "backup backups/monday.db"},
	{"restore FILE", "replace the SQLite database with a backup", restore, onDatabase, "restore backups/monday.db"},
	{"copy FROM TO", "copy everything from SQLite to PostgreSQL, or back; cut off, the same command continues", copyDatabase,
		nil, "copy sqlite://relay.db postgres://relay@db.example.com/relay"},
	{"webhook test", "post a test event to the webhook and print the response", testWebhook, onWebhook, "webhook test"},
	{"webhook list", "list the last events posted to the webhook", listWebhook, onDatabase, "webhook list --json"},
	{"webhook redeliver DELIVERY", "post a failed event again", redeliver, []string{"DATABASE_URL", "RELAY_SECRET_KEY"}, "webhook redeliver webhook.0198c0de.7"},
	{"config check", "check the settings and explain how to fix each mistake", checkConfig, nil, "config check --env-file /etc/relay/relay.env"},
	{"config print", "print every setting with its source, but no secrets", printConfig, nil, "config print --json"},
	{"completion SHELL", "print the completion of commands for bash, zsh or fish", completion, nil, "completion bash"},
	{"migrate", "migrate the database; serve does so too", migrate, onDatabase, "migrate --database-url postgres:///relay"},
	{"systemd", "print the unit that runs relay under systemd", unit, nil, "systemd | sudo tee /etc/systemd/system/relay.service"},
	{"systemd socket", "print the socket that keeps the port open while relay restarts", socket, nil, "systemd socket | sudo tee /etc/systemd/system/relay.socket"},
	{"healthcheck", "check that the running relay is ready, for containers", healthcheck, []string{"HOST", "PORT"}, "healthcheck --port 8080"},
}

// elsewhere are the commands that use another relay, each with and without its address. They have
// no configuration.
var elsewhere = func() (list []command) {
	for i := range cli.Elsewhere {
		c := &cli.Elsewhere[i]
		list = append(list, command{usage: c.Usage + " [URL]", help: c.Help, example: c.Example})
	}
	return list
}()

// runElsewhere runs the words as such a command, and reports whether they are one.
func runElsewhere(ctx context.Context, line commandLine, stdout, stderr io.Writer) (known bool, err error) {
	for i := range cli.Elsewhere {
		c := &cli.Elsewhere[i]
		own, address := line.words, ""
		if own[0] == strings.Fields(c.Usage)[0] && len(own) == len(strings.Fields(c.Usage))+1 {
			own, address = own[:len(own)-1], own[len(own)-1]
		}
		if !(command{usage: c.Usage}).matches(own) {
			continue
		}
		if err := refuseOptions(line.words, line.flags); err != nil {
			return true, err
		}
		if err := line.flags.OnlyOptions(); err != nil {
			return true, err
		}
		ctx, stop := untilSignal(ctx)
		defer stop()
		return true, c.Run(ctx, &cli.Call{Words: own, Options: line.flags.Options, JSON: line.flags.JSON, Yes: line.flags.Yes, Environ: line.environ, Version: version,
			In: os.Stdin, Out: stdout, Err: stderr}, address)
	}
	return false, nil
}

// unknownCommand reports that the words name no command, and lists the commands
// that begin with the same word.
func unknownCommand(words []string) string {
	text := fmt.Sprintf("there is no command %q", strings.Join(words, " "))
	var near []string
	for _, c := range slices.Concat(table, elsewhere) {
		if want := strings.Fields(c.usage); want[0] == words[0] && len(want) > 1 {
			near = append(near, "relay "+c.usage)
		}
	}
	if len(near) > 0 {
		text += ": there is " + strings.Join(near, ", ")
	}
	return text
}

// matches reports whether the words are those of the usage; the last one stands for more if
// it ends with dots.
func (c command) matches(words []string) bool {
	want := strings.Fields(c.usage)
	for last := want[len(want)-1]; strings.HasSuffix(last, "...") && len(want) < len(words); {
		want = append(want, last)
	}
	return slices.EqualFunc(want, words, same)
}

// open opens the database. Shared is for commands that work beside a running
// relay.
func (a *app) open(ctx context.Context, shared bool) (*db.DB, error) {
	if a.cfg.DatabaseURL == "" {
		return nil, errors.New("bridge mode has no database unless DATABASE_URL is set")
	}
	database, err := db.Open(ctx, string(a.cfg.DatabaseURL), db.Options{Shared: shared, Direct: string(a.cfg.DatabaseDirectURL), Committed: a.watch.Hooks().Committed})
	if errors.Is(err, db.ErrNone) {
		return nil, fmt.Errorf("%w: relay creates it at its first start. If it already did, run this in its folder, or with its --env-file", err)
	}
	return database, err
}

func backup(ctx context.Context, a *app, file string) error {
	database, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer database.Close()
	if err := database.Backup(ctx, file); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "Copied the database to %s. It contains messages and keys: keep it safe.\n", file)
	return nil
}

func restore(ctx context.Context, a *app, file string) error {
	kept, err := db.Restore(ctx, file, string(a.cfg.DatabaseURL))
	if err != nil {
		return err
	}
	if kept != "" {
		fmt.Fprintf(a.stdout, "What was there before is kept as %s.\n", kept)
	}
	fmt.Fprintf(a.stdout, "Restored %s. Start relay now.\n", file)
	return nil
}

// migrate opens the database, which migrates it.
func migrate(ctx context.Context, a *app, _ string) error {
	database, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "The database is migrated to relay %s.\n", version)
	return database.Close()
}

// doctor checks the set-up, whether relay runs or not.
func doctor(ctx context.Context, a *app, _ string) error {
	sites, err := a.storedSites(ctx)
	list := []bridges.Checkup{
		{Name: "database", Findings: []chat.Finding{db.Finding(string(a.cfg.DatabaseURL), err)}},
		{Name: "public address", Findings: server.CheckPublicURL(ctx, a.cfg)},
	}
	kinds := bridges.Kinds(a.bridgeEnv(slog.New(slog.DiscardHandler)))
	if strings.HasPrefix(string(a.cfg.DatabaseURL), "sqlite://") {
		list = append(list, bridges.Checkup{Name: "backups", Findings: []chat.Finding{db.BackupFinding(a.cfg.BackupDir, time.Now())}})
	}
	if a.cfg.Sites != nil {
		list = append(list, bridges.Checkup{Name: "websites", Findings: []chat.Finding{sitesFinding(a.cfg)}})
	}
	running, ai := a.running(ctx, err)
	list = append(list, bridges.Examine(ctx, kinds, sites, running)...)
	list = append(list, a.examineAI(ctx, sites.Settings(""), ai))
	if a.cfg.Mode != chat.ModeBridge {
		list = append(list, a.examineMail(ctx, sites.Settings("")), a.examineSignOn(ctx, sites.Settings("")))
	}
	failures := a.report(list)
	if failures > 0 {
		return fmt.Errorf("%d of the checks failed", failures)
	}
	return nil
}

// examineAI checks the AI, and what its rehearsal knows of changed pages.
func (a *app) examineAI(ctx context.Context, settings *chat.Settings, running *chat.AIState) bridges.Checkup {
	out := bridges.ExamineAI(ctx, settings, a.cfg.WebhookAllowCIDRs, running)
	if ai := settings.AI(); a.cfg.DatabaseURL == "" || !ai.SetUp() {
		return out
	}
	if database, err := a.open(ctx, true); err == nil { // a failure is reported already
		defer database.Close()
		if list, err := database.Rehearsals(ctx); err == nil {
			out.Findings = append(out.Findings, bridges.ChangedPages(list)...)
		}
	}
	return out
}

// examineMail checks e-mail. A provider may hand out a refresh token that follows another one: it
// is kept, like the running relay keeps it.
func (a *app) examineMail(ctx context.Context, settings *chat.Settings) bridges.Checkup {
	tokens := bridges.MailTokens(nil)
	if database, err := a.open(ctx, true); err == nil { // a failure is reported already
		defer database.Close()
		tokens = bridges.MailTokens(database)
	}
	return bridges.ExamineMail(ctx, settings, tokens, a.cfg.PublicURL, net.DefaultResolver)
}

// examineSignOn checks single sign-on. It signs nobody in.
func (a *app) examineSignOn(ctx context.Context, settings *chat.Settings) bridges.Checkup {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	o := settings.SignOn()
	found, _ := signon.New().Examine(ctx, &o, server.SignOnAt(a.cfg))
	return bridges.Checkup{Name: "single sign-on", Findings: found}
}

// manifest prints the manifest of the app to make. It works before anything is
// configured, so it reads no database.
func manifest(_ context.Context, a *app, _ string) error {
	settings := chat.SettingsOf(declared, a.cfg.Settings, nil)
	_, err := io.WriteString(a.stdout, bridges.Manifest(bridges.Kinds(a.bridgeEnv(nil)), settings))
	return err
}

// unit prints the unit of this program, where it is.
func unit(_ context.Context, a *app, _ string) error {
	program, err := os.Executable()
	if err == nil {
		_, err = io.WriteString(a.stdout, systemd.Service(program))
	}
	return err
}

func socket(_ context.Context, a *app, _ string) error {
	_, err := io.WriteString(a.stdout, systemd.Socket())
	return err
}

// storedSites reads the sites with their settings from the database and checks that it is
// writable and intact. Without a database they are those of the environment and of
// SITES_FILE.
func (a *app) storedSites(ctx context.Context) (sites *chat.Sites, err error) {
	sites = a.cfg.Sites.Alone(chat.SettingsOf(declared, a.cfg.Settings, nil))
	if a.cfg.DatabaseURL == "" {
		return sites, nil
	}
	database, err := a.open(ctx, true)
	if err != nil {
		return sites, err
	}
	defer database.Close()
	err = database.Read(ctx, func(r chat.Reader) error {
		stored, err := engine.StoredSites(r, declared, a.cfg.Settings)
		if err == nil {
			sites = stored
		}
		return err
	})
	return sites, errors.Join(err, database.Ping(ctx), database.Check(ctx))
}

// running asks the relay that runs on the same database for the state of its
// bridges and its AI. It needs the keys, and so returns nothing after a databaseErr.
func (a *app) running(ctx context.Context, databaseErr error) (states []chat.BridgeState, ai *chat.AIState) {
	if databaseErr != nil || a.cfg.Mode == chat.ModeBridge {
		return nil, nil
	}
	_ = a.call().WithKeys(ctx, func(keys *keyring.Ring, _ chat.Store) error { // doctor reports the database's own problems already
		states, ai = server.AskBridges(ctx, a.cfg, keys)
		return nil
	})
	return states, ai
}

func healthcheck(ctx context.Context, a *app, _ string) error {
	err := server.Healthcheck(ctx, a.cfg)
	if err == nil {
		fmt.Fprintln(a.stdout, "ok")
	}
	return err
}

// optionsOf returns the flags of single commands, with those of the commands that use another relay.
var optionsOf = func() map[string][]string {
	all := maps.Clone(commands.Options)
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
		return fmt.Errorf("--end-keys is a flag of relay keys rotate secret; %w", commands.ErrUsage)
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
				return fmt.Errorf("%s is a flag of relay %s, not of relay %s; %w", option, owner, command, commands.ErrUsage)
			}
		}
	}
	return nil
}
