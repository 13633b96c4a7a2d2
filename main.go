// Command relay is a live-chat server in one binary. This file composes the
// parts: it reads the configuration, starts them and stops them in order.
// commands.go has the other sub-commands.
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
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // the container image has no other

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/ai"
	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/bridges/mirror"
	"github.com/relay-chat/relay/bridges/webhook"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/schema"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/nodes"
	"github.com/relay-chat/relay/server/statistics"
	"github.com/relay-chat/relay/server/systemd"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/watch"
)

// version is set by the build; go install leaves it to the module's version.
var version = ""

// moduleVersion is the version of a program that go install built.
func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

func main() {
	version = cmp.Or(version, moduleVersion(), "v"+schema.Version)
	db.SpareProcessors()
	os.Exit(run(context.Background(), os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// untilSignal returns a context that ends with the first signal to stop; a second one ends
// the process. Before it is called a signal ends the process at once, as by default.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// The settings that relay declares, and what it can be configured with.
var (
	declared  = bridges.Settings()
	variables = config.Declare(declared)
)

// app holds the configuration and the outputs of a sub-command.
type app struct {
	line   commandLine
	cfg    config.Config
	log    *slog.Logger
	stdout io.Writer
	stderr io.Writer
	watch  *watch.Watch // nil without METRICS_ADDR
}

// commandLine is what a command may need beside the configuration.
type commandLine struct {
	words   []string
	flags   config.Flags
	environ []string
	usages  []string // of all commands
}

// errUsage marks a command line that relay does not understand.
var errUsage = errors.New("relay help lists the commands")

// run is the program: it returns its exit code, 2 for a wrong command line or
// configuration and 1 for any other failure.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	flags := variables.ParseFlags(args)
	words := flags.Args
	if len(words) == 0 {
		words = []string{"serve"}
	}
	switch {
	case flags.Help || words[0] == "help":
		return exitCode(help(stdout, flags.Args), stderr)
	case words[0] == readDocument:
		return exitCode(knowledge.ReadDocument(os.Stdin, stdout), stderr)
	case flags.Version || words[0] == "version":
		fmt.Fprintf(stdout, "relay %s (%s %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return 0
	}
	return exitCode(dispatch(ctx, words, flags, environ, stdout, stderr), stderr)
}

// exitCode prints the error, if any, and returns the exit code that it means.
func exitCode(err error, stderr io.Writer) int {
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "relay: %v\n", err)
	var mistakes config.Mistakes
	if errors.As(err, &mistakes) || errors.Is(err, errUsage) {
		return 2
	}
	return 1
}

// dispatch runs the command that the words name.
func dispatch(ctx context.Context, words []string, flags config.Flags, environ []string, stdout, stderr io.Writer) error {
	i := slices.IndexFunc(commands, func(c command) bool { return c.matches(words) })
	if i < 0 {
		return fmt.Errorf("%s; %w", unknownCommand(words), errUsage)
	}
	cfg, warnings, err := variables.Load(flags, environ)
	if err != nil {
		return err
	}
	a := &app{line: commandLine{words, flags, environ, usages()}, cfg: cfg, log: cfg.Logger(stderr), stdout: stdout, stderr: stderr}
	for _, w := range warnings {
		a.log.Warn(w)
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	return commands[i].run(ctx, a, words[len(words)-1])
}

// service holds the parts of a server, composed but not yet running.
type service struct {
	engine  *engine.Engine
	bridges *bridges.Set
	web     *server.Server
	log     *slog.Logger
}

// serve runs the server of the configured mode until ctx ends.
func serve(ctx context.Context, a *app, _ string) error {
	if a.cfg.MetricsAddr != "" {
		a.watch = watch.New(version)
	}
	if a.cfg.Mode == chat.ModeBridge {
		return a.serveBridge(ctx)
	}
	return a.serveCommunity(ctx)
}

func (a *app) serveCommunity(ctx context.Context) error {
	database, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	defer a.close(database)
	keys, err := server.OpenKeyring(ctx, database, a.cfg, a.log)
	if err != nil {
		return err
	}
	links := keys.Links(a.cfg.PublicURL)
	search := db.NewSearch(database, a.log)
	taps := []func(*chat.Event){search.Notice}
	if database.Cluster() != nil {
		taps = nil // other nodes' messages would be read for it, too
	}
	engine, kinds, err := a.engine(ctx, database, taps...)
	if err != nil {
		return err
	}
	team := team.New(database, engine, bridges.Names(), a.log)
	base := a.knowledge(database, engine.Settings)
	set := a.bridges(engine, kinds, mirror.Options{Colleague: team.People.Colleague, Links: links})
	hook, ai := a.webhook(engine, links), a.ai(engine, base)
	push, counter := a.push(engine, team.Devices), a.statistics(engine)
	deps := a.deps(engine, hook, set, ai, counter)
	deps.Team, deps.Knowledge, deps.Push, deps.Search, deps.System = team, base, push, search, &db.Care{DB: database, Backup: a.dailyBackups()}
	web, err := server.NewCommunity(a.cfg, deps, keys)
	if err != nil {
		return err
	}
	listener, err := a.listen(ctx)
	if err != nil {
		return err
	}
	metrics, err := a.metrics(ctx, watch.Sources{Engine: engine, Bridges: set.States, Streams: web.Streams, Size: database.Size})
	if err != nil {
		return err
	}
	a.announce(server.PagesURL(a.cfg, listener), keys, a.answerFrom(engine, kinds, set))
	return service{engine, set, web, a.log}.run(ctx, listener,
		hook.Run,
		set.Run,
		ai.Run,
		push.Run,
		counter.Run,
		keys.Run,
		metrics,
		web.ShareLimits,
		a.finishCheck(database),
		a.repair(database),
		a.backups(engine, database),
		watchdog(database),
		onOneNode(engine, "crawler", base.Run),
		onOneNode(engine, "search", search.Run),
		onOneNode(engine, "digests", db.NewDigests(database, a.log).Run),
	)
}

func (a *app) serveBridge(ctx context.Context) error {
	full := bridges.NewFullQueues(a.log)
	database, err := a.openBridge(ctx, full)
	if err != nil {
		return err
	}
	defer a.close(database)
	links := chat.NewFileLinks(chat.NewToken(), a.cfg.PublicURL)
	backlog, err := a.backlog(ctx, database, links)
	if err != nil {
		return err
	}
	engine, kinds, err := a.engine(ctx, database, backlog.Publish)
	if err != nil {
		return err
	}
	seal, err := a.cfg.FileSeal(declared)
	if err != nil {
		return err
	}
	files := webhook.NewFetcher(a.cfg.WebhookAllowCIDRs, chat.SettingsOf(declared, a.cfg.Settings, nil).Number("attachmentMaxBytes"))
	var base ai.Knowledge = ai.None{} // a database in memory keeps none
	read := func(context.Context) error { return nil }
	if !a.cfg.Volatile() {
		stored := a.knowledge(database, engine.Settings)
		base, read = stored, onOneNode(engine, "crawler", stored.Run)
	}
	hook, ai := a.webhook(engine, links), a.ai(engine, base)
	set := a.bridges(engine, kinds, mirror.Options{Stateless: true, Seal: seal, OpenFile: files.OpenFile})
	web := server.NewBridge(a.cfg, a.deps(engine, hook, set, ai, a.statistics(engine)), backlog, seal)
	listener, err := a.listen(ctx)
	if err != nil {
		return err
	}
	metrics, err := a.metrics(ctx, watch.Sources{Engine: engine, Bridges: set.States, Streams: web.Streams, Size: database.Size})
	if err != nil {
		return err
	}
	a.announceBridge(server.BaseURL(a.cfg, listener), engine.Settings(), a.answerFrom(engine, kinds, set))
	return service{engine, set, web, a.log}.run(ctx, listener,
		hook.Run,
		set.Run,
		ai.Run,
		read,
		backlog.Run,
		metrics,
		web.ShareLimits,
		a.repair(database),
		a.backups(engine, database),
		watchdog(database),
		func(ctx context.Context) error { return full.Notify(ctx, engine.Relay) },
	)
}

// run runs the engine with its parts and answers requests until ctx ends or one of
// them fails. Then it stops everything.
func (s service) run(ctx context.Context, listener net.Listener, parts ...engine.Part) error {
	failed := make(chan error, 2)
	go func() { failed <- s.engine.Run(context.WithoutCancel(ctx), parts...) }()
	go func() { failed <- s.web.Serve(listener) }()
	if err := systemd.Ready(); err != nil {
		s.log.Error("cannot report to systemd, which ends relay after its time to start", "err", err)
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	s.log.Info("stopping")
	_ = systemd.Stopping() // systemd has asked for it, or sees the end
	s.stop()
	return err
}

// The times of a stop. It takes 20 seconds in all, whatever hangs: the database has
// the last two.
const (
	stopTime     = 18 * time.Second
	handlingTime = 3 * time.Second // for what was received last
	closingTime  = 2 * time.Second
)

// stop ends the streams and then the other requests, then receiving from platforms,
// and what is under way at last. With a volatile store, what platforms have sent
// reaches the streams before they end: it is lost otherwise.
func (s service) stop() {
	deadline, answering := time.Now().Add(stopTime), 10*time.Second
	s.engine.Nodes.Leave()
	if s.engine.Volatile {
		answering = 5 * time.Second
		engine.Within(handlingTime, func() {
			s.bridges.StopReceiving()
			s.engine.Inbox.WaitIdle(handlingTime)
		})
	}
	s.web.Stop(answering)
	s.engine.Stop(deadline)
}

// listen returns the socket that systemd holds for relay, or opens the port.
func (a *app) listen(ctx context.Context) (net.Listener, error) {
	passed, err := systemd.Listener()
	if err != nil {
		return nil, err
	}
	if passed != nil {
		return server.OnlyLocal(passed, a.cfg, a.log), nil
	}
	if a.cfg.OnlyLocal() {
		a.log.Info("relay listens on 127.0.0.1 only, for the proxy on this machine, because PUBLIC_URL begins with https://; for one on another machine set TRUSTED_PROXIES")
	}
	return server.Listen(ctx, a.cfg, systemd.Runs())
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
		IsBot: a.cfg.IsBot, PublicURL: a.cfg.PublicURL, Origins: a.cfg.AllowedOrigins, Declared: declared, Settings: a.cfg.Settings, Targets: bridges.Targets(kinds), Taps: taps, Prune: team.Prune, Attempted: a.watch.Hooks().Attempted,
		Identity: engine.IdentityRules{Secret: string(a.cfg.IdentitySecret), Required: a.cfg.IdentityRequired}})
	return e, kinds, err
}

// bridgeEnv returns the configuration of bridges that is not a setting.
func (a *app) bridgeEnv(log *slog.Logger) bridges.Env {
	return bridges.Env{Log: log, WebhookURL: server.HooksURL(a.cfg), Forgets: a.cfg.Volatile()}
}

// webhook returns the webhook. It posts nothing before its Run.
func (a *app) webhook(engine *engine.Engine, links *chat.FileLinks) *bridges.Webhook {
	return bridges.NewWebhook(engine, bridges.WebhookOptions{Links: links, Allowed: a.cfg.WebhookAllowCIDRs,
		Retries: a.cfg.WebhookRetries, Stateless: a.cfg.Mode == chat.ModeBridge, Log: a.log, Version: version})
}

// knowledge returns the knowledge base. It reads nothing before its Run.
func (a *app) knowledge(database *db.DB, settings func() *chat.Settings) *knowledge.Knowledge {
	return knowledge.New(knowledge.Options{Store: database, Log: a.log, Allowed: a.cfg.WebhookAllowCIDRs, Version: version,
		Reader: readerCommand(), Embedding: bridges.Embedding(settings, a.cfg.WebhookAllowCIDRs)})
}

// readDocument is the command by which relay starts itself to read one document, within
// limits of the system. It is for nobody else and stands in no list.
const readDocument = "read-document"

// readerCommand is how relay starts itself to read a document.
func readerCommand() []string {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	return []string{program, readDocument}
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
func (a *app) ai(engine *engine.Engine, base ai.Knowledge) *bridges.AI {
	return bridges.NewAI(engine, bridges.AIOptions{Knowledge: base, Allowed: a.cfg.WebhookAllowCIDRs, Log: a.log})
}

// push returns the notifications of operators' browsers. It sends none before its Run.
func (a *app) push(engine *engine.Engine, devices *team.Devices) *bridges.Push {
	contact := a.cfg.PublicURL
	if !strings.HasPrefix(contact, "https://") {
		contact = "https://github.com/relay-chat/relay"
	}
	return bridges.NewPush(engine, devices, bridges.PushOptions{Allowed: a.cfg.WebhookAllowCIDRs, Contact: contact, Log: a.log})
}

func (a *app) statistics(engine *engine.Engine) *statistics.Counter {
	return statistics.New(engine.Store, engine.Settings, a.log)
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
