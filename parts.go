package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/ai"
	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/bridges/mirror"
	"github.com/relay-chat/relay/bridges/voice"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/backlog"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/nodes"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/statistics"
	"github.com/relay-chat/relay/server/systemd"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/watch"
)

// openBridge opens the database of bridge mode: in memory, within bounds, unless
// DATABASE_URL names one.
func (a *app) openBridge(ctx context.Context, full *bridges.FullQueues) (*db.DB, error) {
	if !a.cfg.Volatile() {
		return a.open(ctx, false)
	}
	bounds := db.BridgeBounds
	bounds.Full = full.Dropped
	bounds.Failed = func(err error) { a.log.Error("cannot clean up the database", "err", err) }
	return db.Bounded(ctx, bounds)
}

// close closes the database. One that hangs does not keep relay from stopping.
func (a *app) close(database *db.DB) {
	var err error
	switch inTime := engine.Within(closingTime, func() { err = database.Close() }); {
	case !inTime:
		a.log.Error("the database did not close in time; stopping as after a crash")
	case err != nil:
		a.log.Error("cannot close the database", "err", err)
	}
}

// backlog returns the events that the streams of bridge mode read.
func (a *app) backlog(ctx context.Context, database *db.DB, links *chat.FileLinks) (*backlog.Backlog, error) {
	if a.cfg.Volatile() {
		return backlog.New(links), nil
	}
	return backlog.Open(ctx, links, database, database.Cluster() != nil, a.log)
}

// searchTaps are how the search notices new messages at once. Where there may be several nodes it reads
// the database: other nodes' messages would be read for it, too.
func searchTaps(database *db.DB, search *db.Search) []func(*chat.Event) {
	if database.Cluster() != nil {
		return nil
	}
	return []func(*chat.Event){search.Notice}
}

// repair returns the repair of sessions that an earlier version left behind their events.
func (a *app) repair(database *db.DB) engine.Part {
	return func(ctx context.Context) error {
		for {
			err := database.Repair(ctx, a.log)
			if err == nil || ctx.Err() != nil {
				return nil
			}
			a.log.Error("cannot check the sessions' revisions; relay tries again in a minute", "err", err)
			_ = chat.Rest(ctx, time.Minute)
		}
	}
}

// backups returns the daily backups, or nothing to do without a folder for them.
func (a *app) backups(engine *engine.Engine, database *db.DB) engine.Part {
	if a.cfg.BackupDir == "" {
		return func(context.Context) error { return nil }
	}
	return onOneNode(engine, "backups", func(ctx context.Context) error { return database.KeepBackups(ctx, a.dailyBackups()) })
}

func (a *app) dailyBackups() db.DailyBackups {
	return db.DailyBackups{Dir: a.cfg.BackupDir, Keep: a.cfg.BackupKeep, Log: a.log}
}

// upkeep is what a database needs in every mode.
func (a *app) upkeep(e *engine.Engine, database *db.DB) []engine.Part {
	return []engine.Part{a.repair(database), a.backups(e, database), watchdog(database)}
}

// finishCheck returns the check of the database that took too long at the start.
func (a *app) finishCheck(database *db.DB) engine.Part {
	return func(ctx context.Context) error { return database.FinishCheck(ctx, a.log) }
}

// onOneNode returns a part that runs on one of the nodes that share the database.
func onOneNode(engine *engine.Engine, lease string, part engine.Part) engine.Part {
	return func(ctx context.Context) error {
		return engine.Nodes.Hold(ctx, lease, func(ctx context.Context, _ *nodes.Lease) error { return part(ctx) })
	}
}

// watchdog feeds systemd's watchdog while the database answers. A full disk or an
// unreachable server counts as an answer: a restart would not fix it.
func watchdog(database *db.DB) engine.Part {
	alive := func(ctx context.Context) bool {
		err := database.Ping(ctx)
		return err == nil || errors.Is(err, chat.ErrStorageFull) || errors.Is(err, chat.ErrAway)
	}
	return func(ctx context.Context) error { return systemd.Watch(ctx, alive) }
}

// engine opens the engine, and returns the kinds of bridges that it can have.
func (a *app) engine(ctx context.Context, database *db.DB, taps ...func(*chat.Event)) (*engine.Engine, []bridges.Kind, error) {
	kinds := bridges.Kinds(a.bridgeEnv(a.log))
	e, err := engine.Open(ctx, engine.Config{Store: database, Cluster: database.Cluster(), Mode: a.cfg.Mode, Volatile: a.cfg.Volatile(), Log: a.log,
		IsBot: a.cfg.IsBot, PublicURL: a.cfg.PublicURL, Origins: a.cfg.AllowedOrigins, Declared: declared, Settings: a.cfg.Settings, Targets: bridges.Targets(kinds), Taps: taps, Prune: team.Prune, Attempted: a.watch.Hooks().Attempted, Listen: voice.Listen,
		Identity: engine.IdentityRules{Secret: string(a.cfg.IdentitySecret), Required: a.cfg.IdentityRequired}})
	return e, kinds, err
}

// bridgeEnv returns the configuration of bridges that is not a setting.
func (a *app) bridgeEnv(log *slog.Logger) bridges.Env {
	return bridges.Env{Log: log, WebhookURL: server.HooksURL(a.cfg), Forgets: a.cfg.Volatile()}
}

// webhook returns the webhook. It posts nothing before its Run.
func (a *app) webhook(engine *engine.Engine, links *chat.FileLinks) *bridges.Webhook {
	return bridges.NewWebhook(engine, a.webhookOptions(links))
}

// hooks returns the webhooks beside the first. They post nothing before their Run.
func (a *app) hooks(engine *engine.Engine, links *chat.FileLinks) *bridges.Hooks {
	return bridges.NewHooks(engine, a.webhookOptions(links))
}

func (a *app) webhookOptions(links *chat.FileLinks) bridges.WebhookOptions {
	return bridges.WebhookOptions{Links: links, Allowed: a.cfg.WebhookAllowCIDRs,
		Retries: a.cfg.WebhookRetries, Stateless: a.cfg.Mode == chat.ModeBridge, Log: a.log, Version: version}
}

// knowledge returns the knowledge base. It reads nothing before its Run.
func (a *app) knowledge(database *db.DB, settings func() *chat.Settings) *knowledge.Knowledge {
	return knowledge.New(knowledge.Options{Store: database, Log: a.log, Allowed: a.cfg.WebhookAllowCIDRs, Version: version,
		Reader: readerCommand(readDocument), Embedding: bridges.Embedding(settings, a.cfg.WebhookAllowCIDRs)})
}

// The commands by which relay starts itself to read one document or one e-mail, within limits of
// the system. They are for nobody else and stand in no list.
const (
	readDocument = "read-document"
	readOpenAPI  = "read-openapi"
	readMail     = "read-mail"
)

// readerCommand is how relay starts itself to read something.
func readerCommand(what string) []string {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	return []string{program, what}
}

// bridges returns the set of bridges. None runs before its Run.
func (a *app) bridges(engine *engine.Engine, kinds []bridges.Kind, opts mirror.Options) *bridges.Set {
	if a.cfg.PublicURL == "" {
		opts.Links = nil // they would lead nowhere
	}
	return bridges.New(engine, bridges.Options{Kinds: kinds, Log: a.log, Mirror: opts})
}

// ai returns the AI, which answers from a knowledge base. It answers nobody before
// its Run.
func (a *app) ai(engine *engine.Engine, base ai.Knowledge, topics ai.Topics, acts ai.Acts) *bridges.AI {
	return bridges.NewAI(engine, bridges.AIOptions{Knowledge: base, Topics: topics, Acts: acts, Allowed: a.cfg.WebhookAllowCIDRs, Log: a.log})
}

// push returns the notifications of operators' browsers. It sends none before its Run.
func (a *app) push(engine *engine.Engine, devices *team.Devices) *bridges.Push {
	contact := a.cfg.PublicURL
	if !strings.HasPrefix(contact, "https://") {
		contact = "https://github.com/relay-chat/relay"
	}
	return bridges.NewPush(engine, devices, bridges.PushOptions{Allowed: a.cfg.WebhookAllowCIDRs, Contact: contact, Log: a.log})
}

// mail returns the e-mails to visitors, and the mailbox with their answers. Neither does anything before its Run.
func (a *app) mail(engine *engine.Engine, keys *keyring.Ring) (*bridges.Mail, *bridges.Mailbox) {
	threads, links, tokens := keys.MailThreads(), server.MailLinksBy(keys, a.cfg.PublicURL), bridges.MailTokens(engine.Store)
	box := bridges.NewMailbox(engine, bridges.MailboxOptions{Threads: threads, Tokens: tokens, Keys: links.Key, Reader: readerCommand(readMail), Log: a.log})
	return bridges.NewMail(engine, bridges.MailOptions{Links: links, Threads: threads, Tokens: tokens, Mailbox: box, Files: keys.Links(a.cfg.PublicURL), Base: a.cfg.PublicURL, DNS: net.DefaultResolver, Log: a.log}), box
}

func (a *app) statistics(engine *engine.Engine) *statistics.Counter {
	return statistics.New(engine.Store, engine.SettingsOf, a.log)
}

func (a *app) deps(engine *engine.Engine, hook *bridges.Webhook, set *bridges.Set, ai *bridges.AI, counter *statistics.Counter) server.Deps {
	return server.Deps{Engine: engine, Webhook: hook, Bridges: set, AI: ai, Statistics: counter, Log: a.log, Version: version, Answered: a.watch.Hooks().Answered}
}

// metrics opens the listener for metrics, if there is to be one, and returns what
// serves it.
func (a *app) metrics(ctx context.Context, from watch.Sources) (engine.Part, error) {
	if a.watch == nil {
		return func(context.Context) error { return nil }, nil
	}
	listener, err := watch.Listen(ctx, a.cfg.MetricsAddr)
	if err != nil {
		return nil, err
	}
	a.log.Info("metrics are served", "address", "http://"+listener.Addr().String()+"/metrics")
	from.Log = a.log
	return func(ctx context.Context) error { return a.watch.Serve(ctx, listener, from) }, nil
}

// declareSites stores the sites of SITES_FILE. What does not go with the stored ones is
// reported like a wrong setting. keys are nil in bridge mode, where no widget has one.
func (a *app) declareSites(ctx context.Context, e *engine.Engine, keys *keyring.Ring) error {
	if file := a.cfg.Sites; file != nil && keys != nil {
		for _, d := range file.Sites {
			if d.Key != nil && keys.IsPublic(*d.Key) {
				return config.Mistakes{{Name: d.Where + ":", Text: "publicKey is that of the first site; choose another"}}
			}
		}
	}
	err := e.DeclareSites(ctx, a.cfg.Sites)
	var wrong *engine.DeclarationError
	if errors.As(err, &wrong) {
		return config.Mistakes{{Name: wrong.Where + ":", Text: wrong.Err.Error()}}
	}
	return err
}
