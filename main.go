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
	"github.com/relay-chat/relay/bridges/mirror"
	"github.com/relay-chat/relay/bridges/webhook"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
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
	version = cmp.Or(version, moduleVersion())
	db.SpareProcessors()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // from then on a second signal ends the process
	os.Exit(run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// app holds the configuration and the outputs of a sub-command.
type app struct {
	cfg    config.Config
	log    *slog.Logger
	stdout io.Writer
}

// errUsage marks a command line that relay does not understand.
var errUsage = errors.New("relay help lists the commands")

// run is the program: it returns its exit code, 2 for a wrong command line or
// configuration and 1 for any other failure.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	flags := config.ParseFlags(args)
	words := flags.Args
	if len(words) == 0 {
		words = []string{"serve"}
	}
	switch {
	case flags.Help || words[0] == "help":
		return exitCode(help(stdout, flags.Args), stderr)
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
	cfg, warnings, err := config.Load(flags, environ)
	if err != nil {
		return err
	}
	a := &app{cfg: cfg, log: cfg.Logger(stderr), stdout: stdout}
	for _, w := range warnings {
		a.log.Warn(w)
	}
	return commands[i].run(a, ctx, words[len(words)-1])
}

// serve runs the server of the configured mode until ctx ends. It stops streams
// first, then other requests, background work and the database.
func (a *app) serve(ctx context.Context, _ string) error {
	if a.cfg.Mode == config.ModeBridge {
		return a.serveBridge(ctx)
	}
	database, err := a.open(ctx, false)
	if err != nil {
		return err
	}
	defer a.close(database)
	keys, err := server.OpenKeyring(ctx, database, a.cfg, a.log)
	if err != nil {
		return err
	}
	e, err := a.start(ctx, database, keys.Links(a.cfg.PublicURL))
	if err != nil {
		return err
	}
	opts := mirror.Options{}
	if a.cfg.PublicURL != "" {
		opts.Links = keys.Links(a.cfg.PublicURL)
	}
	e.bridges = a.bridges(e, opts)
	srv, listener, err := a.listen(ctx, e, server.Deps{Keys: keys})
	if err != nil {
		return err
	}
	a.announce(server.BaseURL(a.cfg, listener), keys, e)
	return srv.Serve(ctx, listener, append(e.parts(),
		func(ctx context.Context) error { return a.maintain(ctx, database, e.Relay, keys.Expire) })...)
}

// serveBridge is serve in bridge mode. Without a DATABASE_URL all state is in
// memory and lost when it ends.
func (a *app) serveBridge(ctx context.Context) error {
	var database *db.DB
	var err error
	full := bridges.NewFullQueues(a.log)
	if a.cfg.DatabaseURL == "" {
		bounds := db.BridgeBounds
		bounds.Full = full.Dropped
		bounds.Failed = func(err error) { a.log.Error("cannot clean up the database", "err", err) }
		database, err = db.Bounded(ctx, bounds)
	} else {
		database, err = a.open(ctx, false)
	}
	if err != nil {
		return err
	}
	defer a.close(database)
	links := chat.NewFileLinks(chat.NewToken(), a.cfg.PublicURL)
	backlog := server.NewBacklog(links)
	e, err := a.start(ctx, database, links, backlog.Publish)
	if err != nil {
		return err
	}
	seal, err := a.cfg.FileSeal()
	if err != nil {
		return err
	}
	files := webhook.NewFetcher(a.cfg.WebhookAllowCIDRs, a.cfg.AttachmentMaxBytes)
	e.bridges = a.bridges(e, mirror.Options{Stateless: true, Seal: seal, OpenFile: files.OpenFile})
	srv, listener, err := a.listen(ctx, e, server.Deps{Backlog: backlog, Seal: seal})
	if err != nil {
		return err
	}
	a.announceBridge(server.BaseURL(a.cfg, listener), e)
	tidy := func(ctx context.Context) error { return a.forget(ctx, database) }
	if a.cfg.DatabaseURL != "" {
		tidy = func(ctx context.Context) error { return a.maintain(ctx, database, e.Relay, func() {}) }
	}
	return srv.Serve(ctx, listener, append(e.parts(), tidy, func(ctx context.Context) error { return full.Notify(ctx, e.Relay) })...)
}

// close closes the database, and gives up after two seconds so that one that
// hangs does not keep relay from stopping.
func (a *app) close(database *db.DB) {
	closed := make(chan error, 1)
	go func() { closed <- database.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			a.log.Error("cannot close the database", "err", err)
		}
	case <-time.After(2 * time.Second):
		a.log.Error("the database did not close in time; stopping as after a crash")
	}
}

// warnOfOthers warns of other relays on the same database.
func (a *app) warnOfOthers(ctx context.Context, database *db.DB) {
	switch n, err := database.Others(ctx); {
	case err != nil:
		a.log.Error("cannot check for other relays on the database", "err", err)
	case n > 0:
		a.log.Warn("another relay is connected to this database: until one of them stops, everything is delivered twice to webhooks and platforms, "+
			"and live updates reach only the visitors of the relay that made them", "others", n)
	}
}

// engine holds the parts that both modes share.
type engine struct {
	*chat.Engine
	store   *db.DB
	webhook *bridges.Webhook
	kinds   []bridges.Kind
	bridges *bridges.Set
}

// start composes the engine.
func (a *app) start(ctx context.Context, database *db.DB, links *chat.FileLinks, taps ...func(*chat.Event)) (*engine, error) {
	a.warnOfOthers(ctx, database)
	kinds := bridges.Kinds(a.bridgeEnv(a.log))
	e, err := chat.Open(ctx, chat.Config{Store: database, Mode: chat.Mode(a.cfg.Mode), Volatile: a.cfg.Mode == config.ModeBridge && a.cfg.DatabaseURL == "",
		Log: a.log, Settings: a.cfg.Settings, Targets: bridges.Targets(kinds), Taps: taps,
		Identity: chat.IdentityRules{Secret: string(a.cfg.IdentitySecret), Required: a.cfg.IdentityRequired}})
	if err != nil {
		return nil, err
	}
	return &engine{Engine: e, store: database, kinds: kinds,
		webhook: bridges.NewWebhook(e, bridges.WebhookOptions{Links: links, Allowed: a.cfg.WebhookAllowCIDRs,
			Retries: a.cfg.WebhookRetries, Stateless: a.cfg.Mode == config.ModeBridge, Log: a.log, Version: version})}, nil
}

// bridgeEnv returns the configuration of bridges that is not a setting.
func (a *app) bridgeEnv(log *slog.Logger) bridges.Env {
	return bridges.Env{Log: log, WebhookURL: server.HooksURL(a.cfg), TelegramAPI: a.cfg.TelegramAPIURL, DiscordAPI: a.cfg.DiscordAPIURL,
		SlackAPI: a.cfg.SlackAPIURL, Stateless: a.cfg.Mode == config.ModeBridge}
}

// bridges returns the set of bridges. None runs yet.
func (a *app) bridges(e *engine, opts mirror.Options) *bridges.Set {
	return bridges.New(e.Engine, bridges.Options{Kinds: e.kinds, Log: a.log, Mirror: opts})
}

// parts returns the background work of both modes.
func (e *engine) parts() []chat.Part {
	return []chat.Part{e.webhook.Run, e.bridges.Run}
}

// listen composes the server and opens the port. d holds the parts that differ by
// mode.
func (a *app) listen(ctx context.Context, e *engine, d server.Deps) (*server.Server, net.Listener, error) {
	d.Engine, d.Webhook, d.Bridges, d.Ready = e.Engine, e.webhook, e.bridges, e.store.Ping
	d.Log, d.Version = a.log, version
	srv, err := server.New(a.cfg, d)
	if err != nil {
		return nil, nil, err
	}
	listener, err := server.Listen(ctx, a.cfg)
	return srv, listener, err
}

// forget expires old rows of the database in memory every minute.
func (a *app) forget(ctx context.Context, database *db.DB) error {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	calendar := chat.NewCalendar(database, a.log)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		now, err := calendar.Now(ctx)
		if err == nil {
			err = database.Forget(ctx, now)
		}
		if err != nil && ctx.Err() == nil {
			a.log.Error("cannot clean up the database", "err", err)
		}
	}
}

// answerFrom returns the names of the bridges that are set up, and warns of those
// that are half set up.
func (a *app) answerFrom(e *engine) []string {
	for _, problem := range bridges.HalfSetUp(e.kinds, e.Settings()) {
		a.log.Warn(problem + "; run relay doctor for details")
	}
	return e.bridges.Names()
}

// announceBridge prints or logs the addresses that a backend needs.
func (a *app) announceBridge(base string, e *engine) {
	answerFrom := strings.Join(a.answerFrom(e), ", ")
	if answerFrom == "" && e.Settings().Text("eventsWebhookUrl") == "" {
		a.log.Warn("no bridge is set up and EVENTS_WEBHOOK_URL is not set: messages from the backend reach nobody")
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

// announce prints or logs the addresses to open.
func (a *app) announce(base string, keys *server.Keyring, e *engine) {
	answerFrom := strings.Join(append([]string{"console"}, a.answerFrom(e)...), ", ")
	start, hint := base+"/", ""
	if keys.SetupOpen() {
		start, hint = base+"/?setup="+keys.SetupCode(), "  (shows your keys: keep this address to yourself)"
	}
	if a.cfg.LogFormat == config.LogJSON {
		a.log.Info("relay is running", "version", version, "start", start, "demo", base+"/demo", "console", base+"/console", "answer_from", answerFrom)
		return
	}
	fmt.Fprintf(a.stdout, "\nrelay %s is running. Ctrl-C stops it.\n\n  Start    %s%s\n  Demo     %s\n  Console  %s\n  Answer   %s\n\n",
		version, start, hint, base+"/demo", base+"/console", answerFrom)
}

// orphansEvery is the interval between sweeps of files that belong to no message
// after an hour.
const orphansEvery = 10 * time.Minute

// maintain keeps the database small: it deletes files that belong to no message
// and, every hour, events too old to resume a stream from, sessions without a
// message and sessions past the retention time. It starts after a minute, because
// clients reconnect first.
func (a *app) maintain(ctx context.Context, database *db.DB, relay *chat.Relay, expire func()) error {
	due := time.NewTimer(time.Minute)
	defer due.Stop()
	calendar := chat.NewCalendar(database, a.log)
	for sweep := 0; ; sweep++ {
		select {
		case <-ctx.Done():
			return nil
		case <-due.C:
			due.Reset(orphansEvery)
		}
		now, err := calendar.Now(ctx)
		if err == nil {
			err = database.SweepOrphans(ctx, now.Add(-time.Hour))
		}
		if err != nil && ctx.Err() == nil {
			a.log.Error("cannot delete files without a message", "err", err)
		}
		if now == 0 || time.Duration(sweep)*orphansEvery%time.Hour != 0 {
			continue
		}
		expire()
		err = nil
		if a.cfg.Mode == config.ModeCommunity { // a backend may open a session without a message
			err = database.SweepEmpty(ctx, now.Add(-24*time.Hour))
		}
		if days := relay.Settings().Number("retentionDays"); days > 0 {
			before := now.Add(-time.Duration(days) * 24 * time.Hour)
			err = errors.Join(err, database.EraseIdle(ctx, before), database.SweepEmpty(ctx, before))
		}
		err = errors.Join(err, database.Prune(ctx, now.Add(-7*24*time.Hour))) // frees the space of the others, too
		if err != nil && ctx.Err() == nil {
			a.log.Error("cannot clean up the database", "err", err)
		}
	}
}
