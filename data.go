package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/cli"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/privacy"
	"github.com/relay-chat/relay/server/words"
)

// withEngine calls use with an engine that delivers nothing, beside a running relay
// or without one.
func (a *app) withEngine(ctx context.Context, use func(*engine.Engine) error) error {
	return a.withDatabase(ctx, func(e *engine.Engine, _ *db.DB) error { return use(e) })
}

// withDatabase is withEngine for what also needs the database itself.
func (a *app) withDatabase(ctx context.Context, use func(*engine.Engine, *db.DB) error) error {
	database, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer database.Close()
	engine, _, err := a.engine(ctx, database)
	if err != nil {
		return err
	}
	return use(engine, database)
}

// withVolatile is withEngine, also for bridge mode without a database.
func (a *app) withVolatile(ctx context.Context, use func(*engine.Engine) error) error {
	if !a.cfg.Volatile() {
		return a.withEngine(ctx, use)
	}
	database, err := db.Bounded(ctx, db.BridgeBounds)
	if err != nil {
		return err
	}
	defer database.Close()
	engine, _, err := a.engine(ctx, database)
	if err != nil {
		return err
	}
	return use(engine)
}

// json prints a value for programs.
func (a *app) json(v any) error {
	lines := json.NewEncoder(a.stdout)
	lines.SetIndent("", "  ")
	return lines.Encode(v)
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
	if err := a.json(shown); err != nil {
		return 1
	}
	return bridges.Report(io.Discard, list)
}

// export writes conversations to a file, which must be new, or to -.
func export(ctx context.Context, a *app, _ string) error {
	file, who := a.line.words[1], ""
	if len(a.line.words) > 2 {
		who = a.line.words[2]
	}
	return a.withEngine(ctx, func(e *engine.Engine) error {
		action, about := chat.AuditExported, "all conversations"
		write := func(out io.Writer) (privacy.Exported, error) { return privacy.ExportAll(ctx, e, out) }
		if who != "" {
			list, err := choose(ctx, e, who)
			if err != nil {
				return err
			}
			write = func(out io.Writer) (privacy.Exported, error) { return privacy.Export(ctx, e, list, out) }
			action, about = chat.AuditVisitorExported, chat.Count(len(list), "conversation")
		}
		if err := a.audit(ctx, e.Store, action, about); err != nil {
			return err
		}
		if file == "-" {
			_, err := write(a.stdout)
			return err
		}
		var done privacy.Exported
		err := writeNew(file, func(out io.Writer) (err error) {
			done, err = write(out)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "Wrote %s with %s and %s to %s.\n", chat.Count(done.Sessions, "conversation"), chat.Count(done.Messages, "message"), chat.Count(done.Files, "file"), file)
		return nil
	})
}

// writeNew writes an export to a file, which must be new: half of one must not look whole.
func writeNew(file string, write func(io.Writer) error) error {
	out, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := errors.Join(write(out), out.Close()); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	return nil
}

// choose returns a visitor's conversations. Those that merely claim to be the visitor's
// are listed for the user, who can name one of them instead.
func choose(ctx context.Context, e *engine.Engine, who string) ([]chat.Session, error) {
	found, err := privacy.Find(ctx, e.Store, who, nil)
	if err != nil {
		return nil, err
	}
	list, err := privacy.Choose(found, nil)
	switch {
	case errors.Is(err, privacy.ErrNobody):
		return nil, fmt.Errorf("no conversation is of %q: give the id or the e-mail address that the console shows", who)
	case errors.Is(err, privacy.ErrClaimed):
		text := fmt.Sprintf("several visitors claim to be %q, and none has proved it. Give the id of a conversation instead, for all of that visitor:", who)
		for i := range found {
			f := &found[i]
			text += fmt.Sprintf("\n  %s  %s, visitor %s %s", f.ID, f.CreatedAt, f.VisitorID, f.Identity)
		}
		return nil, errors.New(text)
	}
	return list, err
}

// erase erases a visitor's conversations, if that is confirmed: by the relay that runs,
// or else in the database alone.
func erase(ctx context.Context, a *app, who string) error {
	var keys *server.Keyring
	if a.cfg.Mode != chat.ModeBridge {
		if err := a.withKeys(ctx, func(k *server.Keyring, _ chat.Store) error { keys = k; return nil }); err != nil {
			return err
		}
	}
	return a.withEngine(ctx, func(e *engine.Engine) error {
		list, err := choose(ctx, e, who)
		switch {
		case err != nil:
			return err
		case !a.line.flags.Yes:
			return fmt.Errorf("%s of %s would be erased for good; nothing was erased yet. Add --yes", chat.Count(len(list), "conversation"), who)
		}
		if keys != nil {
			if out, reached, err := server.EraseVisitor(ctx, a.cfg, keys, who); reached {
				return errors.Join(err, a.erased(out, who, err))
			}
		}
		out, err := privacy.Erase(ctx, e, detached{}, list)
		err = errors.Join(err, a.audit(ctx, e.Store, chat.AuditVisitorErased, chat.Count(out.Conversations, "conversation")))
		out.Remains = append(out.Remains, "The threads on the platforms, and open pages and consoles until they are reloaded: relay was not reached at its port.")
		return errors.Join(err, a.erased(out, who, err))
	})
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
		return fmt.Errorf("%w; %w", err, errUsage)
	case ctx.Err() != nil && err != nil:
		return errors.New("the copy was stopped; the same command continues it")
	case err != nil:
		return err
	case a.line.flags.JSON:
		return a.json(report)
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

// detached are the platforms of a command that runs without them.
type detached struct{}

// EraseThreads implements [privacy.Platforms].
func (detached) EraseThreads(context.Context, string) ([]string, error) { return nil, nil }

// erased prints what was erased and what remains.
func (a *app) erased(out privacy.Erased, who string, err error) error {
	if err != nil {
		return nil // which is printed
	}
	if a.line.flags.JSON {
		return a.json(out)
	}
	fmt.Fprintf(a.stdout, "Erased %s of %s. This remains:\n", chat.Count(out.Conversations, "conversation"), who)
	for _, text := range out.Remains {
		fmt.Fprintf(a.stdout, "- %s\n", text)
	}
	return nil
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
			return a.json(map[string]any{"status": answer.Status, "durationMs": answer.Duration.Milliseconds(), "body": answer.Body})
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
	return a.withEngine(ctx, func(e *engine.Engine) error {
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
			return errors.Join(err, a.json(list))
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
		return a.json(list)
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
		return fmt.Errorf("there is no completion for %q, only for %s; %w", shell, strings.Join(cli.Shells, ", "), errUsage)
	}
	_, err := io.WriteString(a.stdout, cli.Completion(shell, a.line.usages, append(variables.FlagNames(), options()...)))
	return err
}
