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
	"syscall"
	"time"
	_ "time/tzdata" // the container image has no other

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/ai"
	"github.com/relay-chat/relay/bridges/ai/act/openapi"
	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/bridges/mail/incoming"
	"github.com/relay-chat/relay/bridges/mirror"
	"github.com/relay-chat/relay/bridges/signon"
	"github.com/relay-chat/relay/bridges/webhook"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/schema"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/cli"
	"github.com/relay-chat/relay/server/commands"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/oauth"
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

// run is the program: it returns its exit code, 2 for a wrong command line or
// configuration and 1 for any other failure.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	flags := variables.ParseFlags(args, options()...)
	words := flags.Args
	if len(words) == 0 {
		words = []string{"serve"}
	}
	switch {
	case flags.Help || words[0] == "help":
		return exitCode(help(stdout, flags.Args), stderr)
	case words[0] == readDocument:
		return exitCode(knowledge.ReadDocument(os.Stdin, stdout), stderr)
	case words[0] == readMail:
		return exitCode(incoming.Read(os.Stdin, stdout), stderr)
	case words[0] == readOpenAPI:
		return exitCode(openapi.ReadDocument(os.Stdin, stdout), stderr)
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
	usage := (*cli.UsageError)(nil)
	if errors.As(err, &mistakes) || errors.As(err, &usage) || errors.Is(err, commands.ErrUsage) {
		return 2
	}
	return 1
}

// dispatch runs the command that the words name.
func dispatch(ctx context.Context, words []string, flags config.Flags, environ []string, stdout, stderr io.Writer) error {
	if known, err := runElsewhere(ctx, commandLine{words: words, flags: flags, environ: environ}, stdout, stderr); known {
		return err
	}
	i := slices.IndexFunc(table, func(c command) bool { return c.matches(words) })
	if i < 0 {
		return fmt.Errorf("%s; %w", unknownCommand(words), commands.ErrUsage)
	}
	if err := refuseOptions(words, flags); err != nil {
		return err
	}
	cfg, warnings, err := variables.Load(flags, environ)
	if err == nil {
		cfg.Sites, err = config.ReadSites(cfg, declared)
	}
	if err != nil {
		return err
	}
	a := &app{line: commandLine{words, flags, environ, usages()}, cfg: cfg, log: cfg.Logger(stderr), stdout: stdout, stderr: stderr}
	for _, w := range warnings {
		a.log.Warn(w)
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	return table[i].run(ctx, a, words[len(words)-1])
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
	keys, err := keyring.Open(ctx, database, a.cfg, a.log)
	if err != nil {
		return err
	}
	links := keys.Links(a.cfg.PublicURL)
	search := db.NewSearch(database, a.log)
	engine, kinds, err := a.engine(ctx, database, searchTaps(database, search)...)
	if err != nil {
		return err
	}
	if err := a.declareSites(ctx, engine, keys); err != nil {
		return err
	}
	team := team.New(database, engine, bridges.Names(), a.log)
	base := a.knowledge(database, engine.Settings)
	set := a.bridges(engine, kinds, mirror.Options{Colleague: team.People.Colleague, Links: links})
	topics, actions := bridges.NewTopics(engine, database), bridges.NewActions(engine, database, a.cfg.WebhookAllowCIDRs, readerCommand(readOpenAPI))
	hook, hooks, ai := a.webhook(engine, links), a.hooks(engine, links), a.ai(engine, base, topics, actions)
	rehearsals := bridges.NewRehearsals(ai, database, topics)
	push, counter := a.push(engine, team.Devices), a.statistics(engine)
	mail, box := a.mail(engine, keys)
	actions.ProveBy(mail, server.MailLinksBy(keys, a.cfg.PublicURL).Key)
	deps := a.deps(engine, hook, set, ai, counter)
	deps.Hooks, deps.SignOn, deps.Documents, deps.Rehearsals, deps.Actions = hooks, signon.New(), webhook.NewPublicFetcher(oauth.MaxDocument), rehearsals, actions
	deps.Team, deps.Knowledge, deps.Push, deps.Mail, deps.Search, deps.System = team, base, push, mail, search, &db.Care{DB: database, Backup: a.dailyBackups()}
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
	return service{engine, set, web, a.log}.run(ctx, listener, append(a.upkeep(engine, database),
		hook.Run, hooks.Run,
		set.Run,
		ai.Run, push.Run,
		mail.Run, box.Run,
		counter.Run,
		keys.Run, team.Keys.Run,
		metrics,
		web.ShareLimits,
		a.finishCheck(database),
		onOneNode(engine, "sign-on", web.RenewSignIns),
		onOneNode(engine, "crawler", base.Run),
		onOneNode(engine, "search", search.Run),
		onOneNode(engine, "rehearsal", rehearsals.Run),
		onOneNode(engine, "digests", db.NewDigests(database, a.log).Run),
	)...)
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
	if err := a.declareSites(ctx, engine, nil); err != nil {
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
	hook, ai := a.webhook(engine, links), a.ai(engine, base, nil, nil)
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
	return service{engine, set, web, a.log}.run(ctx, listener, append(a.upkeep(engine, database),
		hook.Run,
		set.Run,
		ai.Run,
		read,
		backlog.Run,
		metrics,
		web.ShareLimits,
		func(ctx context.Context) error { return full.Notify(ctx, engine.Relay) },
	)...)
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
