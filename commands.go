package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
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
	"github.com/relay-chat/relay/server/engine"
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

var commands = []command{
	{"serve", "run the community server; the default without a command", serve,
		[]string{"HOST", "PORT", "PUBLIC_URL", "DATABASE_URL", "RELAY_SETUP"}, "serve --port 8080 --database-url sqlite:///var/lib/relay/relay.db"},
	{"bridge", "run the bridge server, for your own backend", serve,
		[]string{"HOST", "PORT", "API_KEY", "EVENTS_WEBHOOK_URL", "EVENTS_WEBHOOK_SECRET"}, "bridge --port 3001 --api-key-file /run/secrets/api_key"},
	{"keys", "the same as keys show", showKeys, onDatabase, "keys"},
	{"keys show", "print the public key, and the secret one while it can be shown", showKeys, onDatabase, "keys show"},
	{"keys rotate public", "make a new public key; update the snippet on every page", rotate(rotatePublic), onDatabase, "keys rotate public"},
	{"keys rotate secret", "make a new secret key; people who signed in with the old one have to sign in again; with --end-keys the API keys and incoming hooks that it made end, too", rotate(rotateSecret), onDatabase, "keys rotate secret --end-keys"},
	{"keys list", "list the API keys and personal tokens of programs", listAPIKeys, onDatabase, "keys list --json"},
	{"keys add NAME", "make an API key for a program; --scope SCOPE (once or more: read, write, note, settings, people, erase), --site SITE (once or more) and --expires DATE say what it may do", addAPIKey, onDatabase,
		`keys add "CRM sync" --scope read --scope note --expires 2027-01-31`},
	{"keys ended", "list the API keys and tokens that ended or expired within 90 days: when, who ended them and why", listEndedAPIKeys, onDatabase, "keys ended"},
	{"keys end KEY", "end an API key or a personal token for good, by its id or name", endAPIKey, onDatabase, `keys end "CRM sync"`},
	{"sites list", "list the websites that this relay serves", listSites, onDatabase, "sites list --json"},
	{"sites show SITE", "print a website's snippet and what is known of it, by its id", showSite, onDatabase, "sites show shop-berlin"},
	{"sites add NAME", "add a website: its chat works at once; --id ID, --color COLOUR, --origin ORIGIN (once or more) and --key PUBLIC_KEY say more of it", addSite, onDatabase,
		`sites add "Shop Berlin" --color "#0b7285"`},
	{"sites add NAME ADDRESS", "the same with the address of the website", addSite, onDatabase, `sites add "Shop Berlin" https://berlin.example.com`},
	{"sites set SITE NAME=VALUE...", "change its name, address, color or origins (separated by commas)", setSite, onDatabase, `sites set shop-berlin name="Shop Berlin" color="#0b7285"`},
	{"sites settings SITE", "print a website's settings and where each comes from; all is what the websites share", settingsOfSite, onDatabase, "sites settings shop-berlin"},
	{"sites settings SITE NAME=VALUE...", "set settings of a website, or of all; NAME= takes a value back", changeSettingsOfSite, onDatabase, `sites settings shop-berlin welcomeMessage="Guten Tag!"`},
	{"sites key SITE", "make a new public key; update the snippet on every page of this website", rotateSiteKey, onDatabase, "sites key shop-berlin"},
	{"sites archive SITE", "close the chat of a website; its conversations can still be read", archiveSite, onDatabase, "sites archive shop-berlin"},
	{"sites reopen SITE", "open the chat of an archived website again", reopenSite, onDatabase, "sites reopen shop-berlin"},
	{"sites erase SITE", "delete a website with all its conversations permanently; asks for its name, or give --name NAME or --yes", eraseSite, onDatabase, `sites erase shop-berlin --name "Shop Berlin"`},
	{"sites export SITE FILE", "write all that is a website's to a zip: settings, saved answers, knowledge, conversations, files; no secrets", exportSite, onDatabase, "sites export shop-berlin berlin.zip"},
	{"sites import FILE", "add the website that sites export wrote, here or on another relay; --id ID and --name NAME give it others; cut off, the same command continues", importSite, onDatabase, "sites import berlin.zip"},
	{"people list", "list the people of the team", listPeople, onDatabase, "people list --json"},
	{"people add EMAIL", "make an invitation for an administrator: a link that works once; with --site SITE (once or more) only of these websites", addPerson, onDatabase, "people add ada@example.com"},
	{"people reset PERSON", "make a link to a new password, by e-mail address or name", resetPerson, onDatabase, "people reset ada@example.com"},
	{"people two-step-off PERSON", "stop asking a person for codes of an authenticator app, when the phone is lost", endTwoStep, onDatabase, "people two-step-off ada@example.com"},
	{"doctor", "check database, public address and bridges, and explain how to fix each problem", doctor,
		[]string{"DATABASE_URL", "PUBLIC_URL", "RELAY_MODE"}, "doctor --env-file /etc/relay/relay.env"},
	{"manifest", "print the manifest to create the Slack app from", manifest, []string{"PUBLIC_URL", "SLACK_SIGNING_SECRET"}, "manifest > manifest.yaml"},
	{"backup FILE", "copy the SQLite database to FILE, even while relay runs", backup, onDatabase, "backup backups/monday.db"},
	{"restore FILE", "replace the SQLite database with a backup", restore, onDatabase, "restore backups/monday.db"},
	{"copy FROM TO", "copy everything from SQLite to PostgreSQL, or back; cut off, the same command continues", copyDatabase,
		nil, "copy sqlite://relay.db postgres://relay@db.example.com/relay"},
	{"knowledge add URL|FILE", "add a site or a file (.md .txt .html .pdf) for the AI to answer from; with --site SITE only visitors of that website", addKnowledge, onDatabase, "knowledge add https://shop.example.com/help/"},
	{"knowledge list", "list the AI's sources with their progress and errors", listKnowledge, onDatabase, "knowledge list"},
	{"knowledge refresh SOURCE", "fetch the pages of a source again; this also happens daily", refreshKnowledge, onDatabase, "knowledge refresh https://shop.example.com/help/"},
	{"knowledge remove SOURCE", "remove a source, by its id, address or title", removeKnowledge, onDatabase, "knowledge remove handbook.pdf"},
	{"knowledge ask QUESTION", "show the passages for a question, and the AI's answer; --site SITE asks as a visitor of that website", askKnowledge, onDatabase, `knowledge ask "Do you ship to France?"`},
	{"export FILE", "write all conversations with their files to a zip; - is the standard output", export, onDatabase, "export everything.zip"},
	{"export FILE VISITOR", "the same for one visitor, by visitor id, e-mail address or the id of a conversation", export, onDatabase, "export ann.zip ann@example.com"},
	{"erase VISITOR", "delete a visitor's conversations permanently; needs --yes", erase, onDatabase, "erase ann@example.com --yes"},
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
	for _, c := range slices.Concat(commands, elsewhere) {
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

// withKeys calls use with the keys. A relay that runs on the same database sees
// a change within a second.
func (a *app) withKeys(ctx context.Context, use func(*server.Keyring, chat.Store) error) error {
	database, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer database.Close()
	keys, err := server.JoinKeyring(ctx, database, a.cfg, a.log)
	if err != nil {
		return err
	}
	return use(keys, database)
}

func showKeys(ctx context.Context, a *app, _ string) error {
	return a.withKeys(ctx, func(keys *server.Keyring, _ chat.Store) error {
		public, secret, err := keys.Show(ctx)
		if err != nil {
			return err
		}
		if a.line.flags.JSON {
			return a.json(map[string]string{"publicKey": public, "secretKey": secret})
		}
		hidden := "is no longer shown; make a new one with: relay keys rotate secret"
		if keys.SecretPreset() {
			hidden = "is set by RELAY_SECRET_KEY; change it there"
		}
		fmt.Fprintf(a.stdout, "public key  %s\nsecret key  %s\n", public, cmp.Or(secret, hidden))
		return nil
	})
}

func rotatePublic(ctx context.Context, _ *app, keys *server.Keyring) (string, error) {
	return keys.RotatePublic(ctx)
}

func rotateSecret(ctx context.Context, a *app, keys *server.Keyring) (string, error) {
	return keys.ReplaceSecret(ctx, server.Replacement{EndKeys: a.line.flags.EndKeys})
}

// rotate returns the command that replaces a key.
func rotate(replace func(context.Context, *app, *server.Keyring) (string, error)) func(context.Context, *app, string) error {
	return func(ctx context.Context, a *app, _ string) error {
		return a.withKeys(ctx, func(keys *server.Keyring, store chat.Store) error {
			key, err := replace(ctx, a, keys)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "%s\nThis is the new key. The old one is no longer valid.\n", key)
			what := a.line.words[2] + " key"
			if a.line.flags.EndKeys {
				fmt.Fprintln(a.stdout, "The API keys and incoming hooks that it made have ended.")
				what += " with the API keys and incoming hooks that it made"
			}
			return a.audit(ctx, store, chat.AuditKeyRotated, what)
		})
	}
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
	list = append(list, bridges.ExamineAI(ctx, sites.Settings(""), a.cfg.WebhookAllowCIDRs, ai))
	if a.cfg.Mode != chat.ModeBridge {
		list = append(list, a.examineMail(ctx, sites.Settings("")), a.examineSignOn(ctx, sites.Settings("")))
	}
	failures := a.report(list)
	if failures > 0 {
		return fmt.Errorf("%d of the checks failed", failures)
	}
	return nil
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
	_ = a.withKeys(ctx, func(keys *server.Keyring, _ chat.Store) error { // doctor reports the database's own problems already
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
