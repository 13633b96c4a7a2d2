package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/golang-migrate/migrate/v4"
	"github.com/golang-migrate/migrate/v4/database"
	migratepgx "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	migratesqlite "github.com/golang-migrate/migrate/v4/database/sqlite"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	"github.com/jmoiron/sqlx"

	"github.com/relay-chat/relay/schema"
	"github.com/relay-chat/relay/server/chat"
)

// Exec runs SQL on the writing side, as an operation of its own.
func (d *DB) Exec(ctx context.Context, query string) error {
	return d.backend.apply(ctx, func(t *tx) error {
		_, err := t.q.exec(query)
		return err
	})
}

// Writer reads one value on the writing side.
func (d *DB) Writer(ctx context.Context, query string) (value string, err error) {
	err = d.backend.apply(ctx, func(t *tx) error { return t.q.get(&value, query) })
	return value, err
}

// WriterRelaxed is Writer for what a power cut may undo.
func (d *DB) WriterRelaxed(ctx context.Context, query string) (value string, err error) {
	err = d.backend.applyRelaxed(ctx, func(t *tx) error { return t.q.get(&value, query) })
	return value, err
}

// Write runs SQL on the writing side, and then something in the same transaction.
func (d *DB) Write(ctx context.Context, query string, then func()) error {
	return d.backend.apply(ctx, func(t *tx) error {
		_, err := t.q.exec(query)
		then()
		return err
	})
}

// Sharing is how many operations wait for a shared transaction of a Postgres database.
func (d *DB) Sharing() int { return d.backend.(*postgres).shared.waiting() }

// Share lets all operations that can share do so, so many transactions at a time.
func (d *DB) Share(transactions int) {
	s := d.backend.(*postgres).shared
	s.mu.Lock() // a worker may still be ending
	defer s.mu.Unlock()
	s.most, s.crowd = transactions, 0
}

// Queued is how many operations wait for the writer of a SQLite file.
func (d *DB) Queued() int { return d.backend.(*file).writer.waiting() }

// Reader reads one value on a reading connection.
func (d *DB) Reader(ctx context.Context, query string) (value string, err error) {
	err = d.backend.read(ctx, func(t *tx) error { return t.q.get(&value, query) })
	return value, err
}

// Limit bounds the size of the SQLite file in pages, outside of a transaction.
func (d *DB) Limit(pages string) error {
	c := d.backend.(*file).writer.conn
	_, err := c.raw.ExecContext(context.Background(), "PRAGMA max_page_count = "+pages)
	return err
}

// Plan is how SQLite carries a query out.
func (d *DB) Plan(ctx context.Context, query string, params int) (steps []string, err error) {
	rows := []struct {
		ID, Parent, Notused int
		Detail              string
	}{}
	err = d.backend.read(ctx, func(t *tx) error { return t.q.list(&rows, "EXPLAIN QUERY PLAN "+query, make([]any, params)...) })
	for _, r := range rows {
		steps = append(steps, r.Detail)
	}
	return steps, err
}

// SearchQuery finds sessions by a part of what is searched through.
const SearchQuery = selectFound + ` AND instr(search, ?) > 0 LIMIT ?`

// Queries are the queries that must cost the same whatever the total is.
func Queries() map[string]string {
	failed := selectDeliveries + ` WHERE d.state = 3`
	pending := selectDeliveries + ` WHERE ` + byState[chat.DeliveryPending]
	site := "site"
	other, _ := ofSite(&site)
	return map[string]string{
		"Deliveries, pending": pending + newestDeliveries, "Deliveries, pending, before": pending + ` AND ` + older + newestDeliveries,
		"Deliveries, sending": selectDeliveries + ` WHERE ` + byState[chat.DeliverySending] + newestDeliveries,
		"Session":             selectSession, "SessionHeader": selectHeader, "Lock": selectStored, "SessionByToken": selectSessionByToken,
		"SessionByVisitor": selectSessionByVisitor, "VisitorBlocked": selectBlocked, "SessionsOfVisitor": selectOfVisitor, "SessionsOfBrowser": selectOfBrowser, "SessionsOfPerson": selectOfPerson, "MergedSessions": selectMerged, "IdleSessions": selectIdleOpen + other + oldestActivity, "IdleSessions, first": selectIdleOpen + ofFirst + oldestActivity,
		"Sessions, others": selectKeys + ofStarted + ofOthers + newestListed, "Sessions, first": selectKeys + ofStarted + ofFirst + newestListed, "Sessions, of a site": selectKeys + ofStarted + other + newestListed,
		"idle": selectIdle + ofOthers + oldestOnes, "idle, first": selectIdle + ofFirst + oldestOnes, "search, recent": selectRecent + ofFirst,
		"Sessions, empty": selectKeys + ofEmpty + newestListed, "Message": selectMessage, "Message, foreign": selectForeign, "MessageByClientID": selectMessageByClientID,
		"Messages": selectMessagesBefore, "Messages after": selectMessagesAfter, "LastMessages": selectLastMessage,
		"File": selectFile, "Chunk": selectChunk, "Events": selectEvents, "Lane": selectLane, "Lanes": selectLanes,
		"Deliveries": selectDeliveries + newestDeliveries, "Deliveries, failed": failed + newestDeliveries,
		"Deliveries, before": selectDeliveries + ` WHERE ` + older + newestDeliveries, "Deliveries, failed, after": failed + ` AND ` + younger + oldestDeliveries,
		"InboxLane":  selectInboxLane,
		"InboxLanes": selectInboxLanes, "save session": updateSession, "save activity": updateActivity, "save message": updateMessage, "save delivery": updateDelivery,
		"save update": updateUpdate, "settle update": settleUpdate, "erase, places": selectPlaces, "erase, failed updates": emptyFailed, "erase, waiting updates": settleWaiting, "erase": deleteSession, "erase files": deleteFilesUpTo, "erase links": deleteLinksUpTo, "erase deliveries": deleteDeliveriesUpTo, "erase events": deleteEventsUpTo, "erase messages": deleteMessagesUpTo, "old deliveries": selectOldDeliveries, "surplus deliveries": selectSettled, "old events": selectOldEvents,
		"old empty": selectOldEmpty, "orphans": selectOrphans, "Export": selectExport,
		"Thread": selectThread, "ThreadOf": selectThreadsOf, "Links": selectLinksOf, "LinksAt": selectLinksAt, "ChannelsInUse": selectChannels, "Waiting": selectWaiting,
	}
}

// Connect opens a connection pool on a SQLite file with relay's settings.
func Connect(path string) (*sqlx.DB, error) { return sqlx.Open("sqlite", dsn(path, forWriting, false)) }

// cut is a driver whose process dies after a migration, before the next statement.
type cut struct{ database.Driver }

func (c cut) SetVersion(version int, dirty bool) error {
	if !dirty {
		return errors.New("cut off")
	}
	return c.Driver.SetVersion(version, dirty)
}

// CutBehindStep runs the first migration and is interrupted then.
func CutBehindStep(url string) error {
	if path, isFile := strings.CutPrefix(url, "sqlite://"); isFile {
		handle, err := sql.Open("sqlite", dsn(path, forWriting, false))
		if err != nil {
			return err
		}
		driver, err := migratesqlite.WithInstance(handle, &migratesqlite.Config{})
		if err != nil {
			return err
		}
		return runMigrations(schema.SQLite, "sqlite", cut{driver}, 0, false)
	}
	handle, err := sql.Open("pgx", url)
	if err != nil {
		return err
	}
	driver, err := migratepgx.WithInstance(handle, &migratepgx.Config{})
	if err != nil {
		return err
	}
	return runMigrations(schema.Postgres, "postgres", cut{driver}, 0, false)
}

// failing is a driver that fails behind the statements of a step, within its
// transaction, as a process that dies there.
type failing struct{ database.Driver }

func (f failing) Run(step io.Reader) error {
	return f.Driver.Run(io.MultiReader(step, strings.NewReader("\nINSERT INTO no_such_table VALUES (1);\n")))
}

// NextStep takes the next step of the schema; fail lets it fail.
func NextStep(url string, fail bool) error {
	var driver database.Driver
	var err error
	migrations, dialect := schema.Postgres, "postgres"
	if path, isFile := strings.CutPrefix(url, "sqlite://"); isFile {
		migrations, dialect = schema.SQLite, "sqlite"
		driver, err = openDriver("sqlite", dsn(path, forWriting, false), func(h *sql.DB) (database.Driver, error) {
			return migratesqlite.WithInstance(h, &migratesqlite.Config{})
		})
	} else {
		driver, err = openDriver("pgx", url, func(h *sql.DB) (database.Driver, error) { return migratepgx.WithInstance(h, &migratepgx.Config{}) })
	}
	if err != nil {
		return err
	}
	if fail {
		driver = failing{driver}
	}
	source, err := iofs.New(migrations, dialect)
	if err != nil {
		return err
	}
	m, err := migrate.NewWithInstance("iofs", source, dialect, driver)
	if err != nil {
		return err
	}
	defer m.Close()
	return m.Steps(1)
}

func openDriver(name, address string, wrap func(*sql.DB) (database.Driver, error)) (database.Driver, error) {
	handle, err := sql.Open(name, address)
	if err != nil {
		return nil, err
	}
	return wrap(handle)
}

// Newest is the number of the last step of the schema.
func Newest() int { return newest(schema.SQLite, "sqlite") }

// Steps are the numbers of the steps of the schema.
func Steps() []int { return steps(schema.SQLite, "sqlite") }

// Translate names the errors of Postgres that callers know.
var Translate = translate

// CopyBefore makes the automatic copy.
var CopyBefore = copyBefore

// Restored is behind the name of a backup that is to be put in place.
const Restored = restored

// KeptPages is how many free pages are kept during a sweep.
const KeptPages = keptPages

// NextPortion is how many pages are given back next.
var NextPortion = nextPortion

// PingLife is how long the result of a ping is good.
const PingLife = pingLife

// PruneSettled keeps so many settled deliveries.
func (d *DB) PruneSettled(ctx context.Context, kept int) error { return d.pruneSettled(ctx, kept) }

// Shorten removes the beginning of a session, 200 revisions at a time.
func (d *DB) Shorten(ctx context.Context, sessionID string, before chat.Time) error {
	return d.shorten(ctx, sessionID, 200, before, atOnce)
}

// Tidy waits until a bounded database is within its bounds.
func (d *DB) Tidy(ctx context.Context) error {
	_, err := d.evictor.evict(ctx)
	return err
}

// Surplus counts everything in a bounded database and reports queues, messages and
// links beyond their bounds, and kinds of which more is there than the evictor
// takes for possible; "" if there are none.
func (d *DB) Surplus(ctx context.Context) (wrong string, err error) {
	const count = `SELECT 'queue' AS kind, d.dest, COUNT(*) AS n, SUM(OCTET_LENGTH(e.payload)) AS bytes FROM deliveries d
			JOIN events e ON e.session = d.session AND e.rev = d.rev GROUP BY d.dest
		UNION ALL SELECT 'sessions', '', COUNT(*), COALESCE(SUM(OCTET_LENGTH(s.visitor_id) + OCTET_LENGTH(s.metadata) + OCTET_LENGTH(s.identity)
			+ OCTET_LENGTH(s.prechat) + OCTET_LENGTH(s.csat_comment)), 0) FROM sessions s
		UNION ALL SELECT 'messages', '', COUNT(*), COALESCE(SUM(OCTET_LENGTH(m.content) + OCTET_LENGTH(m.attachments) + OCTET_LENGTH(m.sources)), 0) FROM messages m
		UNION ALL SELECT 'links', '', COUNT(*), 0 FROM links ORDER BY 1, 2`
	var most, there []held
	err = d.backend.read(ctx, func(t *tx) (err error) {
		if most, err = list[held](t, selectAtMost); err == nil {
			there, err = list[held](t, count)
		}
		return err
	})
	for _, h := range there {
		if d.evictor.bounds.over(h) && h.Kind != "sessions" {
			wrong += fmt.Sprintln("beyond the bounds:", h)
		}
		for _, m := range most {
			if m.Kind == h.Kind && (m.N < h.N || m.Bytes < h.Bytes) {
				wrong += fmt.Sprintln("there are at most", m, "and there are", h)
			}
		}
	}
	return wrong, err
}

// BeginRound lets the next step begin a round through all sessions.
func (s *Search) BeginRound() { s.miss() }

// Recent looks for what other nodes have stored.
func (s *Search) Recent(ctx context.Context) { s.recent(ctx) }

// PassMinute lets the next look be one far back.
func (s *Search) PassMinute() { s.wide = s.wide.Add(-wideEvery) }

// FactsOfRows is Facts without digests.
func (d *DB) FactsOfRows(ctx context.Context, use func(*chat.SessionFacts)) error {
	return d.backend.look(ctx, func(t *tx) error {
		return t.undigestedFacts(nil, func(s *chat.SessionFacts) error {
			use(s)
			return nil
		})
	})
}

// BreakDigests writes over the bytes of all digests.
func (d *DB) BreakDigests(ctx context.Context) error {
	return d.backend.apply(ctx, func(t *tx) error {
		_, err := t.q.exec(`UPDATE digests SET facts = ?`, []byte("\x01\xff\xff"))
		return err
	})
}

// ActQueries are those that look for acts that should have ended, with their indexes.
func ActQueries() map[string][]string {
	const waiting, running = "INDEX ai_acts_expiring (asked_at<?)", "INDEX ai_acts_running"
	return map[string][]string{expireActs: {waiting}, endLooks: {running + " (asked_at<?)"}, endLook: {running}, overdue: {waiting, running + " (asked_at<?)"}}
}
