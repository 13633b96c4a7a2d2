package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/cli"
	"github.com/relay-chat/relay/server/commands"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/words"
)

// call is what a command of package commands works with.
func (a *app) call() *commands.Call {
	return &commands.Call{Words: a.line.words, Flags: a.line.flags, Config: a.cfg, Log: a.log, Out: a.stdout, Err: a.stderr, Platforms: bridges.Names(), Parts: a}
}

// WithStore implements [commands.Parts].
func (a *app) WithStore(ctx context.Context, use func(chat.Store) error) error {
	return a.withDatabase(ctx, func(d *db.DB) error { return use(d) })
}

// WithEngine implements [commands.Parts].
func (a *app) WithEngine(ctx context.Context, use func(*engine.Engine) error) error {
	return a.withDatabase(ctx, func(d *db.DB) error { return a.useEngine(ctx, d, use) })
}

// WithKnowledge implements [commands.Parts].
func (a *app) WithKnowledge(ctx context.Context, use func(*engine.Engine, commands.Knowledge, commands.Search) error) error {
	return a.withDatabase(ctx, func(d *db.DB) error {
		return a.useEngine(ctx, d, func(e *engine.Engine) error {
			return use(e, asked{a.knowledge(d, e.Settings), e, a.cfg.WebhookAllowCIDRs}, db.NewSearch(d, a.log))
		})
	})
}

// asked is the knowledge base with the AI that answers from it.
type asked struct {
	*knowledge.Knowledge
	engine  *engine.Engine
	allowed []netip.Prefix
}

// Ask implements [commands.Knowledge].
func (k asked) Ask(ctx context.Context, site *string, question string) (chat.AIAsked, bool, error) {
	return bridges.AskAI(ctx, k.engine.Settings(), k.allowed, k.Knowledge, site, question)
}

// Runs implements [commands.Parts].
func (a *app) Runs(ctx context.Context) bool {
	database, err := a.open(ctx, false)
	if err != nil {
		return errors.Is(err, db.ErrRunning)
	}
	defer database.Close()
	others, err := database.Others(ctx)
	return err == nil && others > 0
}

// withDatabase calls use with the database, beside a running relay or without one.
func (a *app) withDatabase(ctx context.Context, use func(*db.DB) error) error {
	database, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer database.Close()
	return use(database)
}

// useEngine calls use with an engine that delivers nothing.
func (a *app) useEngine(ctx context.Context, database *db.DB, use func(*engine.Engine) error) error {
	e, _, err := a.engine(ctx, database)
	if err != nil {
		return err
	}
	return use(e)
}

// withVolatile is [app.WithEngine], also for bridge mode without a database.
func (a *app) withVolatile(ctx context.Context, use func(*engine.Engine) error) error {
	if !a.cfg.Volatile() {
		return a.WithEngine(ctx, use)
	}
	database, err := db.Bounded(ctx, db.BridgeBounds)
	if err != nil {
		return err
	}
	defer database.Close()
	return a.useEngine(ctx, database, use)
}

// report prints what doctor has found, and returns how many checks failed.
func (a *app) report(list []bridges.Checkup) (failures int) {
	if !a.line.flags.JSON {
		return bridges.Report(a.stdout, list)
	}
	type checkup struct {
		Name     string         `json:"name"`
		Findings []chat.Finding `json:"findings"`
	}
	shown := []checkup{}
	for _, c := range list {
		shown = append(shown, checkup(c))
	}
	if err := commands.JSON(a.stdout, shown); err != nil {
		return 1
	}
	return bridges.Report(io.Discard, list)
}

// copyDatabase copies one database to another of the other engine.
func copyDatabase(ctx context.Context, a *app, _ string) error {
	from, to := databaseURL(a.line.words[1]), databaseURL(a.line.words[2])
	started := time.Now()
	report, err := db.Copy(ctx, from, to, db.CopyOptions{Words: words.WithStems, Progress: func(p db.CopyProgress) {
		line := cli.Progress{Action: "copy", Part: p.Table, Nth: p.Nth, Of: p.Of, Done: p.Done, Total: p.Total, RowsASecond: int64(p.Rate), Rest: p.Rest}
		if p.Checking {
			line.Action = "check"
		}
		line.Print(a.stderr, a.line.flags.JSON)
	}})
	switch {
	case errors.Is(err, db.ErrCopyEnds):
		return fmt.Errorf("%w; %w", err, commands.ErrUsage)
	case ctx.Err() != nil && err != nil:
		return errors.New("the copy was stopped; the same command continues it")
	case err != nil:
		return err
	case a.line.flags.JSON:
		return commands.JSON(a.stdout, report)
	}
	rows, replaced := int64(0), int64(0)
	for _, t := range report.Tables {
		rows, replaced = rows+t.Rows, replaced+t.Replaced
	}
	if replaced > 0 {
		a.log.Warn("some rows had bytes in their texts that PostgreSQL cannot store; they became U+FFFD", "rows", replaced)
	}
	fmt.Fprintf(a.stdout, "Copied %d rows of %d tables to %s in %s. Counts and contents are the same on both sides.\n"+
		"Now start relay with DATABASE_URL set to it, and keep %s until all is well.\n",
		rows, len(report.Tables), db.CopyName(to), time.Since(started).Round(time.Second/10), db.CopyName(from))
	return nil
}

// databaseURL lets a SQLite file be named by its path alone.
func databaseURL(word string) string {
	if strings.Contains(word, "://") {
		return word
	}
	return "sqlite://" + word
}

// testWebhook posts a test event.
func testWebhook(ctx context.Context, a *app, _ string) error {
	return a.withVolatile(ctx, func(e *engine.Engine) error {
		hook := a.webhook(e, chat.NewFileLinks(chat.NewToken(), a.cfg.PublicURL))
		if err := hook.Off(); err != nil {
			return err
		}
		answer, err := hook.Test(ctx, "")
		if err != nil {
			return err
		}
		if a.line.flags.JSON {
			return commands.JSON(a.stdout, map[string]any{"status": answer.Status, "durationMs": answer.Duration.Milliseconds(), "body": answer.Body})
		}
		fmt.Fprintf(a.stdout, "The receiver answered %d after %d ms.\n%s\n", answer.Status, answer.Duration.Milliseconds(), answer.Body)
		return nil
	})
}

// delivered is a delivery as webhook list shows it.
type delivered struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	State     string    `json:"state"`
	Attempts  int       `json:"attempts"`
	CreatedAt chat.Time `json:"createdAt"`
	LastError string    `json:"lastError,omitempty"`
}

// listed is how many deliveries webhook list shows.
const listed = 100

func listWebhook(ctx context.Context, a *app, _ string) error {
	return a.WithEngine(ctx, func(e *engine.Engine) error {
		list := []delivered{}
		err := e.Store.Read(ctx, func(rd chat.Reader) error {
			found, err := rd.Deliveries(chat.DeliveryQuery{Dest: chat.WebhookSink, Limit: listed})
			for i := range found {
				d := &found[i]
				list = append(list, delivered{d.ID(), bridges.WebhookType(d), d.State.String(), d.Attempts, d.CreatedAt, d.Reason()})
			}
			return err
		})
		if err != nil || a.line.flags.JSON {
			return errors.Join(err, commands.JSON(a.stdout, list))
		}
		table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "AT\tTYPE\tSTATE\tATTEMPTS\tID\tERROR")
		for _, d := range list {
			fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s\n", d.CreatedAt, d.Type, d.State, d.Attempts, d.ID, d.LastError)
		}
		return table.Flush()
	})
}

// redeliver lets what failed be delivered again: by the relay that runs, or by the one
// that starts next.
func redeliver(ctx context.Context, a *app, id string) error {
	if dest, _, _, ok := chat.ParseDeliveryID(id); !ok || dest != chat.WebhookSink {
		return fmt.Errorf("%q is no delivery to the webhook; relay webhook list shows them", id)
	}
	database, err := a.open(ctx, false)
	if errors.Is(err, db.ErrRunning) {
		return a.redeliverRunning(ctx, id)
	}
	if err != nil {
		return err
	}
	defer database.Close()
	if n, err := database.Others(ctx); err != nil || n > 0 {
		return errors.Join(err, a.redeliverRunning(ctx, id))
	}
	engine, _, err := a.engine(ctx, database)
	if err == nil {
		err = engine.Outbox.Retry(ctx, id)
	}
	if err == nil {
		fmt.Fprintln(a.stdout, "It is posted again when relay starts.")
	}
	return err
}

func (a *app) redeliverRunning(ctx context.Context, id string) error {
	err := server.RetryDelivery(ctx, a.cfg, id)
	if err == nil {
		fmt.Fprintln(a.stdout, "It is posted again now.")
	}
	return err
}

// checkConfig has nothing left to do: mistakes have ended the program before.
func checkConfig(_ context.Context, a *app, _ string) error {
	fmt.Fprintln(a.stdout, "The settings are valid. relay doctor also tests them.")
	return nil
}

// printConfig prints the settings that relay would start with. The admin API's are in
// the database and win over them.
func printConfig(_ context.Context, a *app, _ string) error {
	list := variables.Explain(a.line.flags, a.line.environ)
	if a.line.flags.JSON {
		return commands.JSON(a.stdout, list)
	}
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, e := range list {
		fmt.Fprintf(table, "%s\t%s\t%s\n", e.Name, strings.ReplaceAll(e.Value, "\n", " "), e.Source)
	}
	return table.Flush()
}

// completion prints the script for a shell.
func completion(_ context.Context, a *app, shell string) error {
	if !slices.Contains(cli.Shells, shell) {
		return fmt.Errorf("there is no completion for %q, only for %s; %w", shell, strings.Join(cli.Shells, ", "), commands.ErrUsage)
	}
	_, err := io.WriteString(a.stdout, cli.Completion(shell, a.line.usages, append(variables.FlagNames(), options()...)))
	return err
}

// sitesFinding is what doctor says of SITES_FILE, whose mistakes have ended it before.
func sitesFinding(cfg config.Config) chat.Finding {
	return chat.Fine(cfg.SitesFile, fmt.Sprintf("it declares %s", chat.Count(len(cfg.Sites.Sites), "website")))
}
